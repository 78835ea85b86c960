"""The selected lines of a cell: the answer replaces them, and no other line changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.prompts.language import cell_language
from aiserver.prompts.selection import as_cell, select_lines

CELL = "def total(items):\n    x = 0\n    for item in items:\n        x += item\n    return x"
PYTHON = cell_language("python", CELL)


def test_the_selected_lines_become_a_cell_without_their_indentation() -> None:
    selection = select_lines(CELL, 2, 4)
    code = as_cell(selection.selected, selection, PYTHON)
    assert code == "x = 0\nfor item in items:\n    x += item"
    assert selection.insert("x = sum(items)") == (
        "def total(items):\n    x = sum(items)\n    return x"
    )


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("x = 1\n\ny = 2", ["    x = 1", "", "    y = 2"]),
        ("    x = 1\n    y = 2", ["    x = 1", "    y = 2"]),  # the answer has the indentation
        ("        x = 1\n    y = 2", ["    x = 1", "    y = 2"]),
        ("if x:\n    y = 2", ["    if x:", "        y = 2"]),
        ("if x:\n\ty = 2", ["    if x:", "    \ty = 2"]),
    ],
)
def test_the_answer_gets_the_indentation_of_the_selection(answer: str, lines: list[str]) -> None:
    inserted = select_lines(CELL, 2, 4).insert(answer).split("\n")
    assert inserted == ["def total(items):", *lines, "    return x"]


def test_an_empty_line_can_be_selected() -> None:
    assert select_lines("a = 1\n\nb = 2", 2, 2).insert("c = 3") == "a = 1\nc = 3\nb = 2"
    assert select_lines("if a:\n    \n", 2, 2).insert("b()\nc()") == "if a:\n    b()\n    c()\n"
    assert select_lines("", 1, 1).insert("c = 3") == "c = 3"


def test_a_cell_magic_determines_the_language_and_stays() -> None:
    source = "%%sql db\nselect a\nfrom t\nwhere b"
    selection = select_lines(source, 3, 4)
    code = as_cell(selection.selected, selection, cell_language("python", source))
    assert code == "%%sql db\nfrom t\nwhere b"
    for answer in ("from u", "%%sql db\nfrom u", "%%sql\n%%time\nfrom u"):
        assert selection.insert(answer) == "%%sql db\nselect a\nfrom u"
    assert select_lines(source, 1, 4).insert("%%sql\nselect 1") == "%%sql\nselect 1"
    assert selection.insert("%sql x") == "%%sql db\nselect a\n%sql x"


TEXTS = st.text(alphabet="ab% \t\n", max_size=40)


@given(source=TEXTS, answer=TEXTS, data=st.data())
def test_only_the_selected_lines_change_and_the_stream_gives_the_same(
    source: str, answer: str, data: st.DataObject
) -> None:
    count = source.count("\n") + 1
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    selection = select_lines(source, first, last)
    lines = source.split("\n")

    inserted = selection.insert(answer).split("\n")
    assert inserted[: first - 1] == lines[: first - 1]
    assert inserted[len(inserted) - (count - last) :] == lines[last:]
    assert len(inserted) >= count - (last - first)

    streamed = selection.begin(answer) + ("" if last == count else f"\n{selection.below}")
    assert selection.insert(answer) in (streamed, answer)


@given(source=st.text(alphabet="ab \n", max_size=40), data=st.data())
def test_lines_that_an_answer_repeats_stay_as_they_are(source: str, data: st.DataObject) -> None:
    source = "\n".join(line if line.strip() else "" for line in source.split("\n"))
    count = source.count("\n") + 1
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    selection = select_lines(source, first, last)
    code = as_cell(selection.selected, selection, cell_language("python"))
    assert selection.insert(code) == source


@pytest.mark.parametrize(
    ("first", "last", "source"),
    [
        (1, 2, "a\na\na"),
        (2, 3, "if a:\n    b()\nelse:\n    c()"),
        (2, 4, "def f():\n    x\n\ndef g():\n    y"),
    ],
)
def test_an_unchanged_answer_keeps_its_indentation(first: int, last: int, source: str) -> None:
    selection = select_lines(source, first, last)
    assert selection.insert(as_cell(selection.selected, selection, PYTHON)) == source


def test_an_answer_that_repeats_the_whole_cell_replaces_it() -> None:
    changed = CELL.replace("x = 0", "x = 1")
    assert select_lines(CELL, 2, 2).insert(changed) == changed
    assert select_lines("a = 1\nb = 2", 2, 2).insert("a = 1") == "a = 1\na = 1"
