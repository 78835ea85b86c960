"""The origin of each line: examples, then random sessions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import Session
from aiserver.replay import Origin, blame, replay

from .session_builder import SessionBuilder
from .sessions import SOURCES, sessions


def marks(origins: list[Origin]) -> str:
    """One word per line: ``t1`` for turn 1, ``h3`` for another step 3, ``?`` if not recorded."""
    return " ".join(
        f"t{origin.turn_id}"
        if origin.author == "model"
        else "?"
        if origin.step is None
        else f"h{origin.step}"
        for origin in origins
    )


def of(builder: SessionBuilder, **options: Any) -> str:
    return marks(blame(builder.session(), **options))


def test_each_line_has_the_turn_or_the_edit_that_wrote_it() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="import os", data={"trigger": "first"})
    builder.accepted_turn("import os", "import os\na = 1\nb = 2", intent="two numbers")
    builder.event("edit", source="import os\na = 1\nb = 3")
    builder.accepted_turn("import os\na = 1\nb = 3", "import os\na = 1\n# all\nb = 3\nc = 4")
    assert of(builder) == "h0 t1 t2 h2 t2"
    origin = blame(builder.session())[1]
    assert origin.to_wire() == {
        "author": "model",
        "step": 1,
        "seq": 2,
        "turnId": 1,
        "model": "local:qwen",
        "intent": "two numbers",
        "timestamp": builder.time,
    }
    assert of(builder, step=1) == "h0 t1 t1"


def test_a_suggestion_that_was_not_accepted_wrote_nothing() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="a = 1")
    builder.event("reject", turn_id=builder.turn("a = 1", "a = 2\nb = 3"), source="a = 1")
    builder.turn("a = 1", "half", status="cancelled")
    assert of(builder) == "h0"


def test_lines_of_a_refined_answer_have_the_turn_that_wrote_them() -> None:
    builder = SessionBuilder()
    first = builder.turn("", "read()\nplot()")
    second = builder.turn("read()\nplot()", "read()\nplot()\nsave()", parent_turn_id=first)
    builder.event("accept", turn_id=second, source="read()\nplot()\nsave()")
    assert of(builder) == "t1 t1 t2"
    # Manual edits of the open answer are not the model's.
    builder = SessionBuilder()
    first = builder.turn("", "read()\nplot()")
    second = builder.turn("read()\nmine()", "read()\nmine()\nsave()", parent_turn_id=first)
    builder.event("accept", turn_id=second, source="read()\nmine()\nsave()")
    assert of(builder) == "t1 h1 t2"


def test_lines_of_rejected_hunks_keep_their_origins() -> None:
    builder = SessionBuilder()
    builder.event("edit", source="a = 1\nb = 2\nc = 3")
    turn = builder.turn("a = 1\nb = 2\nc = 3", "a = 9\nb = 2\nc = 8")
    builder.event("accept", turn_id=turn, source="a = 1\nb = 2\nc = 8")
    assert of(builder) == "h0 h0 t1"


def test_corrected_lines_belong_to_the_turn_and_changed_ones_to_the_person() -> None:
    """P40"""
    builder = SessionBuilder()
    builder.event("edit", source="a = 1\nb = 2")
    turn = builder.turn("a = 1\nb = 2", "a = 9\nb = 2\nlen(prise)\nmax(prise)")
    builder.event(
        "accept",
        turn_id=turn,
        source="a = 1\nb = 2\nlen(price)\nmin(price)",
        data={
            "corrections": ["prise → price"],
            "corrected": "a = 9\nb = 2\nlen(price)\nmax(price)",
        },
    )
    assert of(builder) == "h0 h0 t1 h3"
    # Also if the model was asked to correct its answer in between.
    builder = SessionBuilder()
    turn = builder.turn("", "len(prise)")
    builder.turn("len(price)", "sum(price)", parent_turn_id=turn, mode="repair")
    data = {"corrections": ["prise → price"]}
    builder.event("accept", turn_id=turn, source="len(price)", data=data)
    assert of(builder) == "t1"


def test_each_answer_to_a_request_has_its_own_lines() -> None:
    """P40: also lines from the code of the request, and corrections."""
    builder = SessionBuilder()
    first = builder.turn("", "data = load()", intent="load")
    parent: dict[str, Any] = {"intent": "plot", "parent_turn_id": first}
    builder.turn("data = load()", "data = load()\ndata.plot()", **parent)
    other = builder.turn("data = load()", "data = load()\ndata.hist()", **parent)
    builder.event("reject", turn_id=other)
    builder.event("restore", source="data = load()\ndata.plot()", data={"from_seq": 2})
    assert of(builder) == "t1 t2"
    builder = SessionBuilder()
    first = builder.turn("", "len(prise)")
    builder.event("accept", turn_id=builder.turn("", "sum(price)"))
    builder.event("edit", source="")
    data = {"corrections": ["prise → price"], "corrected": "len(price)"}
    builder.event("accept", turn_id=first, source="len(price)", data=data)
    assert of(builder) == "t1"


def test_a_version_that_comes_back_keeps_its_authors() -> None:
    """P26: by a restore, by undo, by a late accept; later versions keep them."""
    builder = SessionBuilder()
    builder.accepted_turn("", "a = 1\nb = 2")
    builder.event("edit", source="mine\nb = 2")
    builder.event("edit", source="all new")
    builder.event("restore", source="a = 1\nb = 2", data={"from_seq": 1, "replaced": "all new"})
    assert of(builder) == "t1 t1"
    builder.event("edit", source="all new")
    assert of(builder) == "h2"
    builder.event("edit", source="mine\nb = 2")
    assert of(builder) == "h1 t1"
    late = SessionBuilder()
    first = late.turn("", "a = 1")
    late.accepted_turn("", "b = 2")
    late.event("accept", turn_id=first, source="a = 1")
    assert of(late) == "t1"


def test_moved_and_indented_lines_keep_their_authors() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "total = 0\ncount = 1\nprint(total)")
    builder.event("edit", source="print(total)\nfor n in x:\n    total = 0\n    count = 1")
    assert of(builder) == "t1 h1 t1 t1"


def test_the_current_source_may_be_newer_than_the_records() -> None:
    builder = SessionBuilder()
    builder.accepted_turn("", "a = 1\nb = 2")
    assert of(builder, source="a = 1\nnew") == "t1 ?"
    assert of(SessionBuilder(), source="x\ny") == "? ?"
    builder.turn("a = 1\nb = 2", "a = 1\nb = 2\nc = 3")  # just being accepted
    assert of(builder, source="a = 1\nb = 2\nc = 3") == "t1 t1 t2"
    with pytest.raises(IndexError):
        of(builder, step=2)


def test_the_pieces_of_a_split_keep_their_authors() -> None:
    builder = SessionBuilder("a")
    builder.accepted_turn("", "x = 1\ny = 2")
    builder.event("edit", source="x = 1\nmine\ny = 2")
    for source, expected in (("x = 1", "t1"), ("mine\ny = 2", "h1 t1")):
        piece = SessionBuilder("b")
        piece.turns, piece.events = list(builder.turns), list(builder.events)
        piece.event("split", source=source, data={"pieces": ["b", "a"], "from": "a"})
        assert of(piece) == expected


def test_a_merged_cell_has_the_authors_of_both_its_parents() -> None:
    first, second, merged = SessionBuilder("one"), SessionBuilder("two"), SessionBuilder("both")
    first.accepted_turn("", "x = 1\ny = 2", intent="numbers")
    second.event("edit", source="mine")
    for parent in (first, second):
        parent.event("merge", data={"into": "both"})
        parent.event("edit", source="it was brought back, and went on")
    merged.event("merge", source="x = 1\ny = 2\n\nmine", data={"parents": ["one", "two"]})
    merged.event("edit", source="x = 1\ny = 2\nz = 3\nmine")
    others = {builder.cell_id: builder.session() for builder in (first, second, merged)}
    origins = blame(merged.session(), session_by_cell=others)
    assert marks(origins) == "t1 t1 h1 h0"
    wire = [origin.to_wire() for origin in origins]
    assert (wire[0]["step"], wire[0]["seq"], wire[0]["intent"]) == (0, 1, "numbers")
    assert wire[0]["copiedFrom"] == {"cellId": "one", "step": 0, "seq": 1}
    assert wire[3]["copiedFrom"] == {"cellId": "two", "step": 0, "seq": 1}
    assert "copiedFrom" not in wire[2]
    # Without the parents' sessions only the merge is recorded.
    assert of(merged) == "h0 h0 h1 h0"


def test_a_version_from_another_cell_keeps_its_authors() -> None:
    other, builder = SessionBuilder("other"), SessionBuilder("cell")
    other.accepted_turn("", "x = 1\ny = 2")
    other.event("edit", source="all else")
    builder.event("edit", source="mine")
    data = {"from_seq": 1, "from_cell": "other", "replaced": "mine"}
    builder.event("restore", source="x = 1\ny = 2", data=data)
    builder.event("edit", source="x = 1\ny = 3")
    others = {"other": other.session()}
    assert of(builder, session_by_cell=others) == "t1 h2"
    assert blame(builder.session(), session_by_cell=others)[0].copied_from is not None
    assert of(builder) == "h1 h2"


def test_a_version_from_another_cell_is_found_by_its_code_after_a_merge() -> None:
    """P39: git may have merged that cell's session and not this one, or only its log."""
    other, builder = SessionBuilder("other"), SessionBuilder("cell")
    other.event("edit", source="what another branch recorded")
    other.accepted_turn("", "x = 1\ny = 2")
    other.event("edit", source="all else")
    data = {"from_seq": 1, "from_cell": "other", "replaced": "mine"}
    builder.event("restore", source="x = 1\ny = 2", data=data)
    [first, _] = blame(builder.session(), session_by_cell={"other": other.session()})
    assert first.author == "model" and first.copied_from is not None


def test_cells_that_name_each_other_as_parents_end() -> None:
    first, second = SessionBuilder("one"), SessionBuilder("two")
    first.event("merge", source="a", data={"parents": ["two", "one", "other", 7]})
    second.event("merge", source="a", data={"parents": ["one"]})
    others = {builder.cell_id: builder.session() for builder in (first, second)}
    assert of(first, session_by_cell=others) == "h0"


@given(sessions(), st.none() | SOURCES)
def test_any_session_has_an_origin_for_each_line(session: Session, source: str | None) -> None:
    steps = replay(session)
    current = steps[-1].after if steps else ""
    origins = blame(session, source=source)
    assert len(origins) == len((current if source is None else source).split("\n"))
    for origin in origins:
        if origin.step is not None:
            step = steps[origin.step]
            assert (origin.seq, origin.timestamp) == (step.seq, step.timestamp)
            assert (origin.author, origin.name) == (step.author, step.name) or step.kind == "turn"


@given(sessions())
def test_the_step_of_an_origin_contains_the_line(session: Session) -> None:
    steps = replay(session)
    for number, step in enumerate(steps):
        lines = step.after.split("\n")
        for line, origin in zip(lines, blame(session, step=number), strict=True):
            if origin.step is None:
                assert not line.strip()
                continue
            assert origin.step <= number
            shown = steps[origin.step]
            corrected = [s.code for s in steps if s.is_correction and s.turn_id == origin.turn_id]
            texts = [text.split("\n") for text in (shown.code, shown.base or "", *corrected)]
            assert any(line.strip() in map(str.strip, text) for text in texts)


def test_a_version_that_a_save_records_again_keeps_its_authors() -> None:
    """P40: another page overwrote the file with it; nobody wrote it again."""
    builder = SessionBuilder()
    builder.accepted_turn("", "a = 1\nb = 2")
    builder.event("edit", source="a = 1\nb = 3", contributor={"kind": "person"})
    builder.event("edit", source="c = 4", contributor={"kind": "person"})
    again = {"trigger": "save", "again": True}
    builder.event("edit", source="a = 1\nb = 3", data=again, contributor={"kind": "unknown"})
    assert of(builder) == "t1 h1"


def test_a_line_of_an_agent_has_its_intent_and_run() -> None:
    builder = SessionBuilder()
    agent = {"kind": "agent", "name": "Codex"}
    builder.event("edit", source="a = 1", contributor={"kind": "person"}, data={"intent": "mine"})
    builder.event(
        "edit", source="a = 1\nb = 2", contributor=agent, run="r1", data={"intent": "add b"}
    )
    proposal = builder.turn("a = 1\nb = 2", "a = 1\nb = 2\nc = 3", contributor=agent, run="r2")
    builder.event("accept", turn_id=proposal, source="a = 1\nb = 2\nc = 3")
    by_hand, applied, proposed = blame(builder.session())
    assert (by_hand.run, by_hand.intent) == (None, None)
    assert (applied.author, applied.name, applied.run, applied.intent) == (
        "agent",
        "Codex",
        "r1",
        "add b",
    )
    assert (proposed.name, proposed.run, proposed.intent) == ("Codex", "r2", "do it")
    assert [step.title for step in builder.replay()] == ["", "add b", "do it"]
