"""The comparison of the browser's as-of test finds each difference, and no others."""

from __future__ import annotations

from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from .compare_saves import difference, differences, rebuilt

CELLS: list[tuple[str, str, str]] = [
    ("aa", "code", "a = 1\nb = 2"),
    ("bb", "markdown", "# 标题"),
    ("cc", "code", ""),
]


def moment(cells: list[tuple[str, str, str]], index: int = 0) -> dict[str, Any]:
    names = ("cellId", "type", "source")
    return {"index": index, "cells": [dict(zip(names, cell, strict=True)) for cell in cells]}


def saved() -> Any:
    """A notebook as a page saves it: with outputs, execution counts and metadata."""
    output = new_output("stream", text="1")
    cells = [
        new_code_cell(CELLS[0][2], id="aa", execution_count=3, outputs=[output]),
        new_markdown_cell(CELLS[1][2], id="bb", metadata={"tags": ["x"]}, attachments={}),
        new_code_cell("", id="cc"),
    ]
    return new_notebook(cells=cells, metadata={"aiserver": {"notebook_id": "n"}})


def test_an_equal_notebook_has_no_difference() -> None:
    assert difference(rebuilt(moment(CELLS)), saved()) == ""


@pytest.mark.parametrize(
    "cells",
    [
        [("aa", "code", "a = 1\nb = 3"), *CELLS[1:]],
        [("aa", "code", "a = 1\nb = 2\n"), *CELLS[1:]],
        [("ax", "code", "a = 1\nb = 2"), *CELLS[1:]],
        [CELLS[0], ("bb", "code", "# 标题"), CELLS[2]],
        [CELLS[1], CELLS[0], CELLS[2]],
        CELLS[:2],
        [*CELLS, ("dd", "code", "")],
    ],
    ids=["text", "line break", "id", "type", "order", "one too few", "one too many"],
)
def test_each_difference_is_found(cells: list[tuple[str, str, str]]) -> None:
    assert difference(rebuilt(moment(cells)), saved())


def test_each_save_is_compared_with_its_moment() -> None:
    moments = [moment(CELLS[:1], 0), moment(CELLS, 1)]
    assert list(differences([(1, saved()), (2, saved())], moments, [1, 1])) == []
    (diff,) = differences([(1, saved()), (2, saved())], moments, [0, 1])
    assert diff.startswith("save 1, moment 0: ")
