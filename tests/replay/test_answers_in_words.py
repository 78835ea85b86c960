"""Turns whose answer has words but no code."""

from __future__ import annotations

from aiserver.generation.past_turns import conversation
from aiserver.replay import blame

from .session_builder import SessionBuilder


def test_an_answer_in_words_leaves_the_code_as_it_was() -> None:
    cell = SessionBuilder()
    cell.accepted_turn("", "x = 1")
    cell.turn("x = 1", "", intent="what is x?")
    cell.event("run", source="x = 1", data={"status": "ok"})
    *_, answer, run = cell.replay()
    assert (answer.kind, answer.outcome, answer.applied) == ("turn", "done", False)
    assert (answer.before, answer.code, answer.explanation) == ("x = 1", "x = 1", "why")
    assert (run.before, run.code, run.parent) == ("x = 1", "x = 1", answer.index)


def test_a_question_leaves_an_open_suggestion_open() -> None:
    cell = SessionBuilder()
    suggested = cell.turn("x = 1", "x = 2")
    cell.turn("x = 2", "", intent="why?", parent_turn_id=suggested)
    cell.event("accept", turn_id=suggested, source="x = 2")
    suggestion, answer, accept = cell.replay()[1:]
    assert (suggestion.outcome, answer.outcome) == ("accepted", "done")
    assert (answer.before, answer.after) == ("x = 1", "x = 1")
    assert accept.after == "x = 2"


def test_a_request_after_a_question_refines_the_open_suggestion() -> None:
    cell = SessionBuilder()
    suggested = cell.turn("x = 1", "x = 2")
    first = cell.turn("x = 2", "", intent="why?", parent_turn_id=suggested)
    second = cell.turn("x = 2", "", intent="really?", parent_turn_id=first)
    refined = cell.turn("x = 2", "x = 3", parent_turn_id=second)
    cell.event("accept", turn_id=refined, source="x = 3")
    outcomes = [step.outcome for step in cell.replay() if step.kind == "turn"]
    assert outcomes == ["refined", "done", "done", "accepted"]
    turns = conversation(cell.session(), second)
    assert [turn.turn_id for turn in turns] == [suggested, first, second]


def test_no_line_belongs_to_an_answer_in_words() -> None:
    """P40."""
    cell = SessionBuilder()
    cell.event("edit", source="x = 1", contributor={"kind": "person"})
    cell.turn("x = 1", "", intent="what is x?")
    [origin] = blame(cell.session())
    assert origin.author == "person"
