"""The steps of requests that were asked again, of another model."""

from __future__ import annotations

from .session_builder import SessionBuilder


def asked_again() -> SessionBuilder:
    builder = SessionBuilder()
    builder.event("edit", source="old", data={"trigger": "first"})
    builder.accepted_turn("old", "a")
    builder.accepted_turn("a", "b")
    builder.turn("old", "x", repeats_turn_id=1)
    builder.turn("x", "b", repeats_turn_id=2, parent_turn_id=3)
    return builder


def test_they_form_a_branch_that_begins_where_the_first_request_began() -> None:
    steps = asked_again().replay()
    assert [(step.parent, step.column, step.outcome) for step in steps] == [
        (None, 0, "done"),
        (0, 0, "accepted"),
        (1, 0, "accepted"),
        (0, 1, "repeated"),
        (3, 1, "repeated"),
    ]
    assert [step.base for step in steps[3:]] == ["old", "x"]
    assert steps[3].to_wire()["repeatsTurnId"] == 1
    assert steps[4].after == "b"


def test_a_branch_can_begin_before_the_first_step() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.turn("", "x", repeats_turn_id=1)
    steps = builder.replay()
    assert [(step.parent, step.column) for step in steps] == [(None, 0), (None, 1)]


def test_the_next_step_continues_from_the_accepted_version() -> None:
    """Even if the cell contains the code of the last repeated answer."""
    builder = asked_again()
    builder.turn("b", "c")
    step = builder.replay()[-1]
    assert (step.parent, step.column, step.base, step.outcome) == (2, 0, None, "open")
    builder.event("accept", turn_id=5, source="c")
    assert [step.outcome for step in builder.replay()[3:]] == ["repeated", "repeated", "accepted"]


def test_an_open_suggestion_stays_open_and_can_be_refined() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.turn("a", "b")
    builder.turn("", "x", repeats_turn_id=1)
    builder.turn("x", "y", repeats_turn_id=2, parent_turn_id=3)
    assert [step.outcome for step in builder.replay()] == [
        "accepted",
        "open",
        "repeated",
        "repeated",
    ]
    builder.turn("b", "c")
    steps = builder.replay()
    assert (steps[1].outcome, steps[4].parent) == ("refined", 1)


def test_a_repeated_answer_can_be_restored() -> None:
    builder = asked_again()
    builder.event("restore", source="x", data={"from_seq": 6, "replaced": "b"})
    steps = builder.replay()
    assert (steps[-1].from_step, steps[-1].parent, steps[-1].column) == (3, 3, 0)
    assert [step.column for step in steps] == [0, 1, 1, 0, 1, 0]
    assert steps[-1].after == "x"


def test_a_failed_or_wordy_repeat_has_its_usual_outcome() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    builder.turn("", "", status="error", repeats_turn_id=1)
    builder.turn("", "", repeats_turn_id=1)
    assert [step.outcome for step in builder.replay()] == ["accepted", "error", "done"]
