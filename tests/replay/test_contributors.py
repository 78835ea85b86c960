"""P40: no line is a person's unless that person's input or act wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiserver.models import NotebookLogEntry
from aiserver.replay import Timeline, blame, report

from .book import NOW, Book

FIRST_STEPS = Path(__file__).parents[2] / "examples/first-steps.ipynb"
AGENT = {"kind": "agent", "name": "jupyter-mcp-server"}
FORMATTER = {"kind": "program", "name": "jupyterlab_code_formatter"}


def authors(book: Book, **options: Any) -> list[str]:
    """Of each line the kind and name of its author."""
    origins = blame(book.session(), **options)
    return [
        "existing" if origin.is_existing else f"{origin.author} {origin.name or ''}".strip()
        for origin in origins
    ]


def shares(*books: Book) -> dict[str, Any]:
    order = {"cell_ids": [book.cell_id for book in books], "types": {}}
    cells = {book.cell_id: book.seq - 1 for book in books}
    rows = [("cell_order", order), ("changed", {"cells": cells, "id": "one"})]
    log = [
        NotebookLogEntry(seq=seq, type=type_, timestamp=NOW, data=data)
        for seq, (type_, data) in enumerate(rows, 1)
    ]
    sessions = {book.cell_id: book.session() for book in books}
    total: dict[str, Any] = report(Timeline(list(sessions.values()), log), sessions)["total"]
    return total


def test_each_contributor_keeps_its_lines_and_a_person_those_between() -> None:
    """P40"""
    book = Book()
    book.event("edit", source="a = 1", data={"trigger": "first"})
    book.event("edit", source="a = 1\nb = 2")
    book.event("edit", source="a = 1\nb = 2\nc=3", contributor=AGENT)
    book.event("edit", source="a = 1\nb = 2\nc=3\nd = 4")
    book.event("edit", source="a = 1\nb = 2\nc = 3\nd = 4", contributor=FORMATTER)
    assert authors(book) == [
        "existing",
        "person",
        "program jupyterlab_code_formatter",
        "person",
    ]
    assert authors(book, step=3)[2] == "agent jupyter-mcp-server"
    assert shares(book) == {
        "lines": 4,
        "byModel": 0,
        "byPerson": 2,
        "byAgent": 0,
        "byProgram": 1,
        "byUnknown": 0,
        "existing": 1,
        "turns": 0,
        "models": {},
        "names": {"jupyterlab_code_formatter": 1},
    }


def test_a_new_notebook_with_text_is_not_by_hand() -> None:
    """P40: the guided notebook was 84 % by hand before anybody had typed a key."""
    books = []
    for cell in json.loads(FIRST_STEPS.read_text("utf-8"))["cells"]:
        book = Book(cell["id"])
        source = "".join(cell["source"])
        if cell["id"] == "cell-ask":
            book.accepted(source, f"{source}\nimport pandas as pd")
        else:
            book.event("edit", source=source, data={"trigger": "first"})
        books.append(book)
    total = shares(*books)
    assert total["byPerson"] == 0
    assert total["byModel"] == 1
    assert total["existing"] == total["lines"] - 1 > 20


def test_a_change_that_no_record_explains_is_unknown() -> None:
    """P40: between two turns, before a rejection, and in what the cell holds now."""
    book = Book()
    book.turn("old", "old\nnew")
    book.accepted("old\nother", "old\nother\nthird")
    assert authors(book) == ["existing", "unknown", "model"]
    book.event("reject", turn_id=book.turn("old\nother\nthird", "x"), source="old\nthird\n4")
    assert authors(book) == ["existing", "model", "unknown"]
    assert authors(book, source="old\nthird\n4\n5")[-1] == "unknown"


def test_a_first_look_at_a_cell_with_a_record_is_a_change_by_nobody_known() -> None:
    """P40: the file was changed while the notebook was closed."""
    book = Book()
    book.event("edit", source="mine")
    book.event("edit", source="mine\nnot mine", data={"trigger": "first"})
    assert authors(book) == ["person", "unknown"]
    assert [step.kind for step in book.replay()] == ["edit", "edit"]


def test_an_imported_edit_is_nobodys() -> None:
    """P40: the program that it was imported from does not say who made it."""
    book = Book()
    book.event("edit", source="a", data={"imported": {"format": "verdant"}})
    assert authors(book) == ["unknown"]


def test_a_cell_that_an_agent_adds_is_the_agents_from_its_first_line() -> None:
    """P40"""
    book = Book()
    book.event("edit", source="a\nb", data={"trigger": "first"}, contributor=AGENT)
    (step,) = book.replay()
    assert (step.kind, step.author, step.name) == ("edit", "agent", AGENT["name"])
    assert step.to_wire()["name"] == AGENT["name"]
    assert authors(book) == ["agent jupyter-mcp-server"] * 2


@pytest.mark.parametrize("kind", ["robot", "a_later_kind"])
def test_a_kind_of_a_later_version_is_unknown_and_stays_as_it_is(kind: str) -> None:
    book = Book()
    contributor = {"kind": kind, "name": "R2", "more": 1}
    book.event("edit", source="a", contributor=contributor)
    session = book.session()
    assert authors(book) == ["unknown R2"]
    assert session.to_dict()["events"][0]["contributor"] == contributor


def test_a_line_of_others_that_comes_back_is_not_the_persons() -> None:
    """P40: a window that did not know of it put its older text in its place; or it was undone."""
    book = Book()
    book.accepted("", "by_model = 1")
    book.event("edit", source="by_model = 1\nby_agent = 2", contributor=AGENT)
    older = {"trigger": "save", "again": True}
    book.event("edit", source="", data=older, contributor={"kind": "unknown"})
    book.event("edit", source="by_model = 1\nby_agent = 2\nmine = 3")
    assert authors(book) == ["model", "agent jupyter-mcp-server", "person"]


def test_short_lines_come_back_after_another_windows_older_text() -> None:
    """P40"""
    book = Book()
    book.accepted("", "f(\n)\ny=2\n# 平均")
    older = {"trigger": "save", "again": True}
    book.event("edit", source="", data=older, contributor={"kind": "unknown"})
    book.event("edit", source="f(\n)\ny=2\n# 平均\nmine = 3")
    assert authors(book) == ["model", "model", "model", "model", "person"]


def test_one_more_of_a_line_that_is_there_is_the_persons() -> None:
    """P40"""
    book = Book()
    book.accepted("", "print(df.head())\nprint(df.tail())")
    book.event("edit", source="print(df.head())\nprint(df.tail())\nmine = 1\nprint(df.head())")
    assert authors(book) == ["model", "model", "person", "person"]


def test_a_line_that_stands_twice_and_is_moved_keeps_its_author() -> None:
    """P40"""
    book = Book()
    book.accepted("", "a = load()\nshow(a.head())\nb = fit(a)\nshow(a.head())")
    book.event("edit", source="show(a.head())\nshow(a.head())\na = load()\nb = fit(a)")
    assert authors(book) == ["model"] * 4


def test_the_same_line_in_both_parts_of_a_merged_cell_has_the_author_of_each() -> None:
    """P40"""
    first, second, merged = Book("one"), Book("two"), Book("both")
    first.accepted("", "import numpy as np\nnp.zeros(1)")
    second.event("edit", source="import numpy as np\nnp.ones(2)", contributor=AGENT)
    second.event("edit", source="left by a window that knew less", contributor={"kind": "unknown"})
    text = "import numpy as np\nnp.zeros(1)\n\nimport numpy as np\nnp.ones(2)"
    merged.event("merge", source=text, data={"parents": ["one", "two"]})
    others = {book.cell_id: book.session() for book in (first, second)}
    agent = "agent jupyter-mcp-server"
    assert authors(merged, others=others) == ["model", "model", "person", agent, agent]
