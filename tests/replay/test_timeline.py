"""A notebook through time: examples, then random sessions and logs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import NotebookLogEntry, Session
from aiserver.payload import Payload
from aiserver.replay import Timeline, replay, report
from aiserver.replay.moments import MomentStep
from aiserver.replay.report import COUNTS

from .session_builder import SessionBuilder, create_timeline, log
from .sessions import JSON, TIMES, sessions


def at(second: int) -> str:
    return f"2026-01-27T10:00:{second:02d}.000Z"


def order(*cell_ids: str, **types: str) -> tuple[str, dict[str, Any]]:
    return ("cell_order", {"cell_ids": list(cell_ids)} | ({"types": types} if types else {}))


def changed(saved: bool = False, **cells: int) -> tuple[str, dict[str, Any]]:
    return ("changed", {"cells": cells, "id": "x"} | ({"saved": True} if saved else {}))


def kinds(timeline: Timeline) -> list[tuple[str, str | None]]:
    return [(moment.kind, moment.cell_id) for moment in timeline.moments]


def sources(timeline: Timeline, index: int = -1) -> list[tuple[str, str]]:
    index = index if index >= 0 else len(timeline.moments) + index
    return [(cell.cell_id, cell.source) for cell in timeline.at(index).cells]


def edited(cell_id: str, *sources: str, begin: int = 0, trigger: str = "run") -> SessionBuilder:
    builder = SessionBuilder(cell_id)
    for number, source in enumerate(sources):
        builder.time = at(begin + number)
        builder.event("edit", source=source, data={"trigger": trigger})
    return builder


def test_inherited_steps_of_a_copy_are_older_than_its_own() -> None:
    """P28: no batch of the copy names steps from before the copy."""
    first, second = edited("one", "a", "b"), edited("two", "c", begin=10, trigger="first")
    for builder, source in ((first, "b"), (second, "c")):
        builder.time = at(50)
        builder.event("delete", source=source, data={"index": 0})
    lines = log(
        ("path_seen", {"path": "b.ipynb", "forked_from": "other"}),
        order("one", "two"),
        ("changed", {"cells": {"one": 2, "two": 1}, "id": "x", "inherited": True}),
        order("one", "two", one="code", two="code"),
        changed(),
        changed(saved=True),
        order("one"),
        changed(two=2),
        order(),
        changed(one=3),
    )
    timeline = create_timeline([first.session(), second.session()], lines)
    (saved,) = timeline.saves
    assert sources(timeline, saved) == [("one", "b"), ("two", "c")]
    kinds_until_save = [moment.kind for moment in timeline.moments[: saved + 1]]
    assert kinds_until_save == ["order", "edit", "edit", "start"]
    assert [cell.source for cell in timeline.at(len(timeline.moments) - 1).deleted] == ["b", "c"]


def test_log_entries_order_cells_with_wrong_clocks() -> None:
    """P26"""
    late, early = edited("late", "1", "2", begin=50), edited("early", "3", "4", begin=0)
    lines = log(
        order("late", "early"),
        changed(late=1),
        changed(early=1),
        changed(late=2, saved=True),
        changed(early=2),
    )
    timeline = create_timeline([late.session(), early.session()], lines)
    edits = [moment.cell_id for moment in timeline.moments if moment.kind == "edit"]
    assert edits == ["late", "early", "late", "early"]
    assert [moment.saved for moment in timeline.moments][-2:] == [True, False]
    assert sources(timeline) == [("late", "2"), ("early", "4")]


def test_steps_that_no_entry_names_are_ordered_by_time() -> None:
    first, second = edited("one", "a", "c", begin=1), edited("two", "b", "d", begin=1)
    for number, builder in enumerate((first, second)):
        for place, event in enumerate(builder.events):
            event["timestamp"] = at(2 * place + number)
    timeline = create_timeline([first.session(), second.session()], [])
    assert kinds(timeline) == [("edit", "one"), ("edit", "two"), ("edit", "one"), ("edit", "two")]
    assert sources(timeline, 1) == [("one", "a"), ("two", "b")]


def test_a_turn_that_no_entry_names_yet_changes_no_saved_moment() -> None:
    """It comes from another copy with an older source, and the histories were merged since."""
    first, second = edited("one", "a", "new"), edited("two", "b", "c", begin=20)
    first.time = at(10)
    first.turn("a", "x")
    lines = log(
        (*order("one", "two"), at(2)),
        (*changed(one=2, two=1), at(2)),
        (*changed(saved=True, two=2), at(22)),
    )
    timeline = create_timeline([first.session(), second.session()], lines)
    (saved,) = timeline.saves
    assert sources(timeline, saved) == [("one", "new"), ("two", "c")]


def test_a_split_is_one_moment_and_never_half_done() -> None:
    rest, head = SessionBuilder("a"), SessionBuilder("b")
    for builder in (rest, head):
        builder.accepted_turn("", "x\ny")
    data = {"pieces": ["b", "a"], "from": "a"}
    rest.event("split", source="y", data=data)
    head.event("split", source="x", data=data)
    origin = {"notebook_id": "nb", "cell_id": "a", "revision": 2}
    lines = log(order("a"), changed(a=2), order("b", "a"), changed(a=3, b=3))
    timeline = create_timeline([rest.session(), head.session(forked_from=origin)], lines)
    assert kinds(timeline) == [("order", None), ("turn", "a"), ("split", "a")]
    assert timeline.moments[2].further_steps == [MomentStep("b", 1)]
    assert sources(timeline, 1) == [("a", "x\ny")]
    assert sources(timeline, 2) == [("b", "x"), ("a", "y")]
    assert all(cell.is_changed for cell in timeline.at(2).cells)
    sessions = {"a": rest.session(), "b": head.session()}
    assert report(timeline, sessions)["total"] == {
        "lines": 2,
        "byModel": 2,
        "byPerson": 0,
        "byAgent": 0,
        "byProgram": 0,
        "byUnknown": 0,
        "existing": 0,
        "turns": 1,
        "models": {"local:qwen": 2},
        "names": {},
    }


@pytest.mark.parametrize("has_new_order", [False, True])
def test_a_restored_notebook_is_one_moment_by_a_person(has_new_order: bool) -> None:
    """P58"""
    first, second = edited("one", "a", "b"), edited("two", "c", "d")
    for builder, source in ((first, "a"), (second, "c")):
        builder.time = at(30)
        person = {"kind": "person"}
        builder.event("edit", source=source, contributor=person, data={"restored_to": at(1)})
    lines = log(
        order("one", "two"),
        changed(one=2, two=2),
        *([order("two", "one")] if has_new_order else []),
        changed(one=3, two=3),
    )
    timeline = create_timeline([first.session(), second.session()], lines)
    *before, last = timeline.moments
    assert [moment.restored_to for moment in before] == [None] * len(before)
    assert (last.kind, last.author, last.restored_to) == ("edit", "person", at(1))
    assert len(last.further_steps or ()) == 1
    assert sorted(sources(timeline)) == [("one", "a"), ("two", "c")]
    assert sorted(sources(timeline, last.index - 1)) == [("one", "b"), ("two", "d")]


def test_a_changed_cell_has_its_previous_source() -> None:
    """Cells that were only added or not changed have none."""
    builder, other = edited("a", "x", "y", "y"), edited("b", "z")
    builder.event("delete", source="y", data={"index": 0})
    builder.event("undelete", source="back")
    lines = log(order("a", "b"), changed(a=1), changed(a=3, b=1), order("b"), changed(a=4))
    lines += log(order("a", "b"), changed(a=5))
    timeline = create_timeline([builder.session(), other.session()], lines)
    sent = [timeline.at(moment.index).to_wire()["cells"] for moment in timeline.moments]
    of_a = [cell for cells in sent for cell in cells if cell["cellId"] == "a"]
    assert [(cell["source"], cell.get("before")) for cell in of_a] == [
        ("", None),  # the order alone
        ("x", None),
        ("y", "x"),
        ("y", None),
        ("y", None),  # while b changed
        ("back", None),
        ("back", None),
    ]


def test_cells_that_were_merged_are_not_deleted_ones() -> None:
    first, second, both = edited("one", "x"), edited("two", "y"), SessionBuilder("both")
    for builder in (first, second):
        builder.event("merge", data={"into": "both"})
    both.event("merge", source="x\n\ny", data={"parents": ["one", "two"]})
    lines = log(order("one", "two"), changed(one=1, two=1), order("both"))
    lines += log(changed(one=2, two=2, both=1))
    lines[-1].seq = len(lines)
    timeline = create_timeline([first.session(), second.session(), both.session()], lines)
    assert kinds(timeline)[-1] == ("merge", "both")
    assert sources(timeline) == [("both", "x\n\ny")]
    assert timeline.at(len(timeline.moments) - 1).deleted == []
    removals = {cell["cellId"]: (cell["deleted"], cell["mergedInto"]) for cell in timeline.cells()}
    assert removals == {"one": (False, "both"), "two": (False, "both"), "both": (False, None)}


def test_a_deleted_cell_is_deleted_until_it_comes_back() -> None:
    builder = edited("a", "x")
    builder.event("delete", source="x", data={"index": 0})
    builder.event("undelete", source="x")
    lines = log(order("a", "b"), changed(a=1), order("b"), changed(a=2))
    lines += [entry.model_copy(update={"seq": entry.seq + 4}) for entry in log(order("a", "b"))]
    timeline = create_timeline([builder.session()], lines)
    assert kinds(timeline) == [
        ("order", None),
        ("edit", "a"),
        ("delete", "a"),
        ("order", None),
        ("undelete", "a"),
    ]
    snapshot = timeline.at(2)
    assert [cell.cell_id for cell in snapshot.cells] == ["b"]
    assert [(cell.cell_id, cell.source, cell.step) for cell in snapshot.deleted] == [("a", "x", 1)]
    assert timeline.at(4).deleted == [] and sources(timeline, 4) == [("a", "x"), ("b", "")]


@pytest.mark.parametrize("last_seqs", [{}, {"a": 1}], ids=["no entry names it", "named later"])
def test_the_first_turn_of_a_cell_comes_after_its_undelete(last_seqs: dict[str, int]) -> None:
    """P26: whatever its time is. The deletion of a cell without records isn't recorded."""
    builder = SessionBuilder("a")
    builder.time = at(1)
    builder.turn("", "x")
    lines = log(
        (*order("a", "b"), at(0)),
        (*changed(), at(0)),
        (*order("b"), at(2)),
        (*changed(), at(2)),
        (*order("a", "b"), at(3)),
        (*changed(), at(3)),
        (*changed(False, **last_seqs), at(4)),
    )
    timeline = create_timeline([builder.session()], lines)
    assert kinds(timeline) == [*[("order", None)] * 3, ("turn", "a")]
    assert not any(timeline.at(moment.index).deleted for moment in timeline.moments)


def test_a_deleted_cell_has_its_predecessor() -> None:
    builders = [edited(cell_id, cell_id) for cell_id in ("a", "b", "c", "d")]
    for builder in builders[1:3]:
        builder.event("delete", source=builder.events[0]["source"], data={"index": 1})
    lines = log(
        order("a", "b", "c", "d"),
        changed(a=1, b=1, c=1, d=1),
        order("a", "c", "d"),
        changed(b=2),
        order("a", "d"),
        changed(c=2),
    )
    last = create_timeline([builder.session() for builder in builders], lines).last()
    assert last is not None
    assert {cell.cell_id: cell.predecessor for cell in last.deleted} == {"b": ("a",), "c": ("a",)}
    assert {row["cellId"]: row["predecessor"] for row in last.to_wire()["deleted"]} == {
        "b": "a",
        "c": "a",
    }
    # Without a recorded order it is unknown.
    unordered = create_timeline([builders[1].session()], []).last()
    assert unordered is not None
    assert "predecessor" not in unordered.to_wire()["deleted"][0]


def test_an_answer_is_in_the_notebook_once_it_is_accepted() -> None:
    builder = SessionBuilder("a")
    turn = builder.turn("", "x")
    builder.event("accept", turn_id=turn, source="x")
    lines = log(order("a"), changed(a=1, saved=True), changed(a=2))
    timeline = create_timeline([builder.session()], lines)
    assert kinds(timeline) == [("order", None), ("turn", "a")]
    assert [moment.saved for moment in timeline.moments] == [True, False]
    assert sources(timeline, 0) == [("a", "")] and sources(timeline, 1) == [("a", "x")]


def test_initial_observations_sent_together_are_one_moment() -> None:
    builders = [edited(name, f"of {name}", trigger="first") for name in "abc"]
    lines = log(order("a", "b", "c", a="markdown"), changed(a=1), changed(b=1), changed(c=1))
    timeline = create_timeline([builder.session() for builder in builders], lines)
    assert kinds(timeline) == [("order", None)]
    assert timeline.moments[0].further_steps == [MomentStep(id_, 0) for id_ in "abc"]
    assert [cell.type for cell in timeline.at(0).cells] == ["markdown", "code", "code"]


def test_before_its_initial_observation_a_cell_has_that_source() -> None:
    """A request comes before the observation of the other cells, a new cell after it."""
    asked, other = SessionBuilder("asked"), edited("other", "there", "later", trigger="first")
    asked.event("accept", turn_id=asked.turn("was", "is"), source="is")
    new = edited("new", "typed")
    lines = log(
        order("asked", "other"),
        changed(asked=2),
        order("asked", "new", "other"),
        changed(other=1),
        changed(other=2, new=1),
    )
    timeline = create_timeline([builder.session() for builder in (asked, other, new)], lines)
    assert sources(timeline, 0) == [("asked", "was"), ("other", "there")]
    assert timeline.at(0).cells[1].step is None
    turn = next(m.index for m in timeline.moments if m.kind == "turn")
    assert sources(timeline, turn) == [("asked", "is"), ("other", "there")]
    came = sources(timeline, turn + 1)
    assert came == [("asked", "is"), ("new", ""), ("other", "there")]
    assert sources(timeline)[1:] == [("new", "typed"), ("other", "later")]


def test_the_type_of_a_cell_is_that_of_the_moment() -> None:
    builder = edited("a", "x")
    builder.event("type", source="x", data={"from": "markdown", "to": "code"})
    lines = log(order("a"), changed(a=1), order("a", a="code"), changed(a=2))
    timeline = create_timeline([builder.session()], lines)
    types = [timeline.at(moment.index).cells[0].type for moment in timeline.moments]
    assert types == ["markdown", "markdown", "code"]
    assert kinds(timeline)[-1] == ("type", "a")


LOG_TYPES = st.sampled_from(["cell_order", "changed", "changed", "path_seen", "later_one"])
IDS = st.sampled_from(["a", "b", "c", "never"])


@st.composite
def logs(draw: st.DrawFn) -> list[NotebookLogEntry]:
    """Logs of any tool: unknown cells, repeated cells, unexpected data."""
    lines = []
    for seq in range(1, draw(st.integers(0, 8)) + 1):
        type_ = draw(LOG_TYPES)
        data: dict[str, Any] = {}
        if type_ == "cell_order":
            data["cell_ids"] = draw(st.lists(IDS, max_size=4) | JSON)
            if draw(st.booleans()):
                data["types"] = draw(st.dictionaries(IDS, JSON | st.just("code")) | JSON)
        elif type_ == "changed":
            data["cells"] = draw(st.dictionaries(IDS, st.integers(0, 12) | JSON) | JSON)
            data["saved"] = draw(st.booleans() | JSON)
        entry = {"seq": seq, "type": type_, "timestamp": draw(TIMES), "data": data}
        lines.append(NotebookLogEntry.model_validate(entry))
    return lines


def some_cells() -> st.SearchStrategy[list[Session]]:
    return st.tuples(*(sessions(cell_id=name) for name in "abc")).map(list)


@given(some_cells(), logs())
def test_any_sessions_and_log_have_a_timeline_that_shows_each_step_once(
    cells: list[Session], lines: list[NotebookLogEntry]
) -> None:
    """P26: and the steps of each cell are in the cell's own order."""
    timeline = create_timeline(cells, lines)
    seen: dict[str, list[int]] = {}
    for moment in timeline.moments:
        rows = [(each.cell_id, each.step) for each in moment.further_steps or ()]
        rows += [(moment.cell_id, moment.step)] if moment.cell_id else []
        for cell_id, step in sorted(rows, key=lambda row: row[1] or 0):
            assert step is not None
            seen.setdefault(cell_id, []).append(step)
    for session in cells:
        steps = replay(session)
        own = seen.get(session.meta.cell_id, [])
        assert own == list(range(len(steps)))[len(steps) - len(own) :]
        born = steps[len(steps) - len(own)].kind if own and len(own) < len(steps) else "copy"
        assert born in ("copy", "split")
        assert own or not steps
    for moment in timeline.moments:
        snapshot = timeline.at(moment.index)
        present = [cell.cell_id for cell in snapshot.cells]
        assert len(present) == len(set(present))
        assert not {cell.cell_id for cell in snapshot.deleted} & set(present)
        assert snapshot.to_wire()["index"] == moment.index
    all_cells = {cell["cellId"] for cell in timeline.cells()}
    assert all_cells >= {cell.meta.cell_id for cell in cells}
    assert all(moment.to_wire() == Payload.to_wire(moment) for moment in timeline.moments)
    total = report(timeline, {cell.meta.cell_id: cell for cell in cells})["total"]
    assert total["lines"] == sum(total[name] for name in COUNTS)
    assert total["byModel"] == sum(total["models"].values())
    assert total["lines"] == sum(
        bool(line.strip())
        for cell in (timeline.last().cells if timeline.moments else [])
        for line in cell.source.split("\n")
    )


@given(some_cells(), logs())
def test_list_changes_give_the_lists_of_each_moment(
    cells: list[Session], lines: list[NotebookLogEntry]
) -> None:
    timeline = create_timeline(cells, lines)
    changes = list(timeline.list_changes())
    lists: dict[str, list[tuple[str, str]]] = {"cells": [], "deleted": []}
    for moment in timeline.moments:
        while changes and changes[0].moment == moment.index:
            _, list_name, start, removed_count, inserted = changes.pop(0)
            lists[list_name][start : start + removed_count] = inserted
        snapshot = timeline.at(moment.index)
        assert lists["cells"] == [(cell.cell_id, cell.type) for cell in snapshot.cells]
        assert [cell_id for cell_id, _ in lists["deleted"]] == [
            cell.cell_id for cell in snapshot.deleted
        ]
    assert not changes
