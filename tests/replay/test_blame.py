"""Who wrote each line: told by examples, then held against any sessions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.models import Session
from aiserver.replay import Origin, blame, replay

from .book import Book
from .sessions import SOURCES, sessions


def marks(origins: list[Origin]) -> str:
    """A word a line: ``t1`` for turn 1, ``h3`` for the hand at step 3, ``?`` for not noted."""
    return " ".join(
        f"t{origin.turn_id}"
        if origin.author == "model"
        else "?"
        if origin.step is None
        else f"h{origin.step}"
        for origin in origins
    )


def of(book: Book, **options: Any) -> str:
    return marks(blame(book.session(), **options))


def test_each_line_is_the_turns_or_the_hands_that_wrote_it() -> None:
    book = Book()
    book.event("edit", source="import os", data={"trigger": "first"})
    book.accepted("import os", "import os\na = 1\nb = 2", intent="two numbers")
    book.event("edit", source="import os\na = 1\nb = 3")
    book.accepted("import os\na = 1\nb = 3", "import os\na = 1\n# all\nb = 3\nc = 4")
    assert of(book) == "h0 t1 t2 h2 t2"
    origin = blame(book.session())[1]
    assert origin.to_wire() == {
        "author": "model",
        "step": 1,
        "seq": 2,
        "turnId": 1,
        "model": "local:qwen",
        "intent": "two numbers",
        "timestamp": book.time,
    }
    assert of(book, step=1) == "h0 t1 t1"


def test_an_answer_that_nobody_accepted_wrote_nothing() -> None:
    book = Book()
    book.event("edit", source="a = 1")
    book.event("reject", turn_id=book.turn("a = 1", "a = 2\nb = 3"), source="a = 1")
    book.turn("a = 1", "half", status="cancelled")
    assert of(book) == "h0"


def test_lines_of_an_answer_that_was_refined_are_those_of_the_turn_that_wrote_them() -> None:
    book = Book()
    first = book.turn("", "read()\nplot()")
    second = book.turn("read()\nplot()", "read()\nplot()\nsave()", parent_turn_id=first)
    book.event("accept", turn_id=second, source="read()\nplot()\nsave()")
    assert of(book) == "t1 t1 t2"
    # What was changed by hand in the open answer is the hand's.
    book = Book()
    first = book.turn("", "read()\nplot()")
    second = book.turn("read()\nmine()", "read()\nmine()\nsave()", parent_turn_id=first)
    book.event("accept", turn_id=second, source="read()\nmine()\nsave()")
    assert of(book) == "t1 h1 t2"


def test_lines_of_hunks_that_were_refused_are_still_those_from_before() -> None:
    book = Book()
    book.event("edit", source="a = 1\nb = 2\nc = 3")
    turn = book.turn("a = 1\nb = 2\nc = 3", "a = 9\nb = 2\nc = 8")
    book.event("accept", turn_id=turn, source="a = 1\nb = 2\nc = 8")
    assert of(book) == "h0 h0 t1"


def test_a_version_that_comes_back_brings_its_authors_along() -> None:
    """P26: by a restore, by undo, by a late accept; and what goes on from it keeps them."""
    book = Book()
    book.accepted("", "a = 1\nb = 2")
    book.event("edit", source="mine\nb = 2")
    book.event("edit", source="all new")
    book.event("restore", source="a = 1\nb = 2", data={"from_seq": 1, "replaced": "all new"})
    assert of(book) == "t1 t1"
    book.event("edit", source="all new")
    assert of(book) == "h2"
    book.event("edit", source="mine\nb = 2")
    assert of(book) == "h1 t1"
    late = Book()
    first = late.turn("", "a = 1")
    late.accepted("", "b = 2")
    late.event("accept", turn_id=first, source="a = 1")
    assert of(late) == "t1"


def test_moved_and_indented_lines_keep_their_authors() -> None:
    book = Book()
    book.accepted("", "total = 0\ncount = 1\nprint(total)")
    book.event("edit", source="print(total)\nfor n in x:\n    total = 0\n    count = 1")
    assert of(book) == "t1 h1 t1 t1"


def test_what_the_cell_holds_now_may_be_ahead_of_what_was_noted() -> None:
    book = Book()
    book.accepted("", "a = 1\nb = 2")
    assert of(book, source="a = 1\nnew") == "t1 ?"
    assert of(Book(), source="x\ny") == "? ?"
    book.turn("a = 1\nb = 2", "a = 1\nb = 2\nc = 3")  # just being accepted
    assert of(book, source="a = 1\nb = 2\nc = 3") == "t1 t1 t2"
    with pytest.raises(IndexError):
        of(book, step=2)


def test_the_pieces_of_a_split_keep_their_authors() -> None:
    book = Book("a")
    book.accepted("", "x = 1\ny = 2")
    book.event("edit", source="x = 1\nmine\ny = 2")
    for source, expected in (("x = 1", "t1"), ("mine\ny = 2", "h1 t1")):
        piece = Book("b")
        piece.turns, piece.events = list(book.turns), list(book.events)
        piece.event("split", source=source, data={"pieces": ["b", "a"], "from": "a"})
        assert of(piece) == expected


def test_a_merged_cell_has_the_authors_of_both_its_parents() -> None:
    first, second, merged = Book("one"), Book("two"), Book("both")
    first.accepted("", "x = 1\ny = 2", intent="numbers")
    second.event("edit", source="mine")
    for parent in (first, second):
        parent.event("merge", data={"into": "both"})
        parent.event("edit", source="it was brought back, and went on")
    merged.event("merge", source="x = 1\ny = 2\n\nmine", data={"parents": ["one", "two"]})
    merged.event("edit", source="x = 1\ny = 2\nz = 3\nmine")
    others = {book.cell_id: book.session() for book in (first, second, merged)}
    origins = blame(merged.session(), others=others)
    assert marks(origins) == "t1 t1 h1 h0"
    wire = [origin.to_wire() for origin in origins]
    assert (wire[0]["step"], wire[0]["seq"], wire[0]["intent"]) == (0, 1, "numbers")
    assert wire[0]["brought"] == {"cellId": "one", "step": 0, "seq": 1}
    assert wire[3]["brought"] == {"cellId": "two", "step": 0, "seq": 1}
    assert "brought" not in wire[2]
    # Without the parents' sessions all that is known is the merge.
    assert of(merged) == "h0 h0 h1 h0"


def test_a_version_that_was_put_in_from_another_cell_brings_its_authors() -> None:
    other, book = Book("gone"), Book("cell")
    other.accepted("", "x = 1\ny = 2")
    other.event("edit", source="all else")
    book.event("edit", source="mine")
    data = {"from_seq": 1, "from_cell": "gone", "replaced": "mine"}
    book.event("restore", source="x = 1\ny = 2", data=data)
    book.event("edit", source="x = 1\ny = 3")
    others = {"gone": other.session()}
    assert of(book, others=others) == "t1 h2"
    assert blame(book.session(), others=others)[0].copied_from is not None
    assert of(book) == "h1 h2"


def test_a_version_from_another_cell_is_found_by_its_code_after_a_merge() -> None:
    """P39: git may have merged that cell's session and not this one, or its log alone."""
    other, book = Book("gone"), Book("cell")
    other.event("edit", source="what another branch recorded")
    other.accepted("", "x = 1\ny = 2")
    other.event("edit", source="all else")
    data = {"from_seq": 1, "from_cell": "gone", "replaced": "mine"}
    book.event("restore", source="x = 1\ny = 2", data=data)
    [first, _] = blame(book.session(), others={"gone": other.session()})
    assert first.author == "model" and first.copied_from is not None


def test_cells_that_name_each_other_as_parents_end() -> None:
    one, two = Book("one"), Book("two")
    one.event("merge", source="a", data={"parents": ["two", "one", "gone", 7]})
    two.event("merge", source="a", data={"parents": ["one"]})
    others = {book.cell_id: book.session() for book in (one, two)}
    assert of(one, others=others) == "h0"


@given(sessions(), st.none() | SOURCES)
def test_any_session_has_an_origin_for_each_line(session: Session, source: str | None) -> None:
    steps = replay(session)
    held = steps[-1].after if steps else ""
    origins = blame(session, source=source)
    assert len(origins) == len((held if source is None else source).split("\n"))
    for origin in origins:
        if origin.step is not None:
            step = steps[origin.step]
            assert (origin.seq, origin.timestamp) == (step.seq, step.timestamp)
            assert (origin.author, origin.name) == (step.author, step.name) or step.kind == "turn"


@given(sessions())
def test_a_line_was_there_when_its_origin_says_it_came_up(session: Session) -> None:
    steps = replay(session)
    for number, step in enumerate(steps):
        lines = step.after.split("\n")
        for line, origin in zip(lines, blame(session, step=number), strict=True):
            if origin.step is None:
                assert not line.strip()
                continue
            assert origin.step <= number
            shown = steps[origin.step]
            there = [text.split("\n") for text in (shown.code, shown.base or "")]
            assert any(line.strip() in map(str.strip, text) for text in there)


def test_a_version_that_a_save_tells_again_keeps_its_authors() -> None:
    """P40: another window overwrote the file with it; nobody wrote it anew."""
    book = Book()
    book.accepted("", "a = 1\nb = 2")
    book.event("edit", source="a = 1\nb = 3", contributor={"kind": "person"})
    book.event("edit", source="c = 4", contributor={"kind": "person"})
    again = {"trigger": "save", "again": True}
    book.event("edit", source="a = 1\nb = 3", data=again, contributor={"kind": "unknown"})
    assert of(book) == "t1 h1"
