"""Steps that are shown inside other steps, and how requests are counted."""

from __future__ import annotations

from typing import Any

from aiserver.models import SessionSummary
from aiserver.plugins.export.labels import outcome
from aiserver.replay import Step, request_numbers, shown_numbers, shown_steps, with_requests
from aiserver.sessions.record.mutations import summarise

from .session_builder import SessionBuilder


def shown(steps: list[Step]) -> list[tuple[str, list[str], str]]:
    """Return the kind, the kinds of the parts and the outcome of each shown step."""
    return [
        (step.kind, [part.kind for part in parts], outcome(step, parts))
        for step, parts in shown_steps(steps)
    ]


def run(builder: SessionBuilder, source: str, **data: Any) -> None:
    builder.event("run", source=source, data={"status": "ok", "execution_count": 1, **data})


def test_a_run_is_a_part_of_the_step_that_wrote_its_code() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="a")
    run(builder, "a", status="error", ename="KeyError", evalue="'x'")
    run(builder, "a")
    run(builder, "a")
    builder.event("move", source="a")
    run(builder, "a", status="error", ename="NameError")
    builder.turn("a", "b")
    run(builder, "a")
    builder.event("edit", source="c")
    steps = builder.replay()
    assert shown(steps) == [
        ("edit", ["run"] * 5, "ran"),
        ("move", [], ""),
        ("turn", [], "pending"),
        ("edit", [], ""),
    ]
    assert shown_numbers(steps) == [1, 1, 1, 1, 2, 1, 3, 1, 4]
    assert shown(steps[:4])[0][2] == "ran ×2"  # the run that failed before isn't counted
    assert shown(steps[:6])[0][2] == "NameError"


def test_a_run_without_a_step_is_shown_with_the_runs_after_it() -> None:
    builder = SessionBuilder()
    for _ in range(2):
        builder.event("run", data={"status": "ok", "execution_count": 1})
    assert shown(builder.replay()) == [("run", ["run"], "ran ×2")]


def test_an_accepted_request_has_its_run_even_if_its_code_is_the_old_one() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="1/0")
    run(builder, "1/0", status="error", ename="ZeroDivisionError")
    builder.accepted_turn("1/0", "1/0")
    run(builder, "1/0", status="error", ename="ZeroDivisionError")
    assert [row[2] for row in shown(builder.replay())] == ["ZeroDivisionError"] * 2


def test_changes_of_a_suggestion_and_its_run_are_parts_of_the_request() -> None:
    """P40, P49: what AI Server or the person changes before accepting isn't another step."""
    for data, code, authors in (
        ({"corrections": ["prise → price"]}, "price", ["program"]),
        ({"corrected": "price"}, "price", ["program"]),  # the person chose the other name
        ({"corrections": ["x"], "corrected": "price"}, "cost", ["program", "person"]),
        ({}, "cost", ["person"]),
    ):
        builder = SessionBuilder()
        builder.event("accept", turn_id=builder.turn("", "prise"), source=code, data=data)
        run(builder, code)
        steps = builder.replay()
        ((step, parts),) = shown_steps(steps)
        assert [part.author for part in parts] == [*authors, "person"]
        assert (step.kind, parts[-2].code, outcome(step, parts)) == ("turn", code, "ran")


def test_changes_of_an_older_suggestion_are_parts_of_its_acceptance() -> None:
    builder = SessionBuilder()
    first = builder.turn("", "prise")
    builder.turn("", "b", intent="another request")
    builder.event("accept", turn_id=first, source="price", data={"corrections": ["x"]})
    run(builder, "price")
    assert [row[:2] for row in shown(builder.replay())] == [
        ("turn", []),
        ("turn", []),
        ("accept", ["edit", "run"]),
    ]


def test_a_paste_at_another_position_is_a_part_of_its_cut() -> None:
    for above, parts in (("y", ["undelete"]), ("x", []), (None, ["undelete"])):
        builder = SessionBuilder()
        builder.event("edit", source="a")
        builder.event("delete", source="a", data={"index": 1, "after": "x"})
        builder.event("undelete", source="a", data={"index": 3, "after": above})
        run(builder, "a")
        rows = shown(builder.replay())
        assert rows[:2] == [("edit", ["run"], "ran"), ("delete", parts, "")]
    builder = SessionBuilder()
    builder.event("edit", source="a")
    builder.event("delete", source="a", data={"index": 1})
    builder.event("undelete", source="a", data={"after": None})
    assert len(shown(builder.replay())) == 3  # by another program, without a position


def test_a_cell_that_jupyter_skipped_has_not_run() -> None:
    """An earlier cell failed. What is stored of such a run hides no result."""
    builder = SessionBuilder()
    builder.accepted_turn("", "a")
    run(builder, "a")
    skipped = {"status": "aborted", "execution_count": None, "duration_ms": 11}
    run(builder, "a", **skipped)
    assert shown(builder.replay()) == [("turn", ["run"], "ran")]
    run(builder, "a", **(skipped | {"duration_ms": 9000}))  # its kernel was restarted
    assert shown(builder.replay()) == [("turn", ["run", "run"], "stopped")]
    run(builder, "b", **skipped)
    assert builder.replay()[-1].code == "b"  # what the record says about the cell is kept


def test_requests_are_counted_and_numbered_as_in_the_prompt_row() -> None:
    """P49: several answers and repairs are one request."""
    builder = SessionBuilder()
    builder.turn("", "a", intent="plot it")
    second = builder.turn("", "b", intent="plot it")
    builder.turn("b", "c", intent="Fix: x", mode="repair", parent_turn_id=second)
    builder.event("reject", turn_id=second)
    builder.turn("", "", status="error", intent="sum it")
    builder.turn("", "d", intent="mean of it")
    session = builder.session()
    steps = builder.replay()
    numbers = {turn: number for turn, (number, _) in request_numbers(steps).items()}
    assert numbers == {1: 1, 2: 1, 3: 1, 4: 0, 5: 2}
    summary: SessionSummary = with_requests(summarise(session), steps)
    assert (summary.turns, summary.failed, summary.last_intent) == (3, 1, "mean of it")
    repaired = with_requests(summary, steps[:1])
    assert (repaired.turns, repaired.failed, repaired.last_intent) == (1, 0, "plot it")
