"""The receipt of a prompt: everything in it with its size, and what didn't fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from aiserver.prompts.context import as_text, build_messages
from aiserver.prompts.prompt_input import FileProfile, Table
from aiserver.prompts.receipt import ContextItem
from aiserver.requests import ColumnProfile, ContextCell, DataFrameProfile, Variable

from .inputs import prompt_input
from .test_prompts import turn

CELLS = [
    ContextCell(cell_id="m1", cell_type="markdown", source="# Houses"),
    ContextCell(cell_id="c1", source="import pandas as pd\ndf = pd.read_csv('a.csv')"),
    ContextCell(cell_id="c2", source="n = 3"),
]
FRAME = DataFrameProfile(name="df", row_count=1, column_count=1)
FILE = FileProfile("a.csv", "CSV", 9, Table([ColumnProfile(name="a", dtype="int64")], 1))


class Counter:
    """Counts words, and records each batch of texts."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def __call__(self, texts: Sequence[str]) -> list[int]:
        self.batches.append(list(texts))
        return [len(text.split()) for text in texts]


async def receipt(style: Any = "full", budget: int = 2000, **request: Any) -> list[ContextItem]:
    asked = prompt_input(**({"intent": "plot df"} | request))
    return (await build_messages(asked, style=style, budget=budget, count=Counter()))[1]


def kinds(items: list[ContextItem]) -> list[str]:
    return [item.kind for item in items]


FULL: dict[str, Any] = {
    "source": "df.plot()",
    "cells": CELLS,
    "dataframes": [FRAME],
    "files": [FILE],
    "variables": [Variable(name="n", kind="int")],
    "history": [turn(1, "plot df", "df.plot(x='a')")],
}


async def test_every_part_of_the_prompt_is_listed() -> None:
    """P43"""
    items = await receipt(**FULL)
    assert kinds(items) == [
        *("rules", "headings", "cell", "cell", "cell", "variables", "dataframe", "file"),
        *("turn", "source", "request"),
    ]
    assert all(item.is_included and item.tokens for item in items)
    assert [item.name for item in items if item.name] == ["Houses", "df", "a.csv"]
    assert [item.cell_ids for item in items if item.kind == "cell"] == [("m1",), ("c1",), ("c2",)]
    [defining] = [item for item in items if item.defines]
    assert (defining.cell_ids, defining.defines) == (("c1",), ("df",))


async def test_a_small_models_receipt_has_examples_but_no_variables() -> None:
    items = await receipt("compact", **FULL)
    assert kinds(items) == [
        *("rules", "examples", "headings", "cell", "cell", "dataframe", "file"),
        *("turn", "source", "request"),
    ]
    assert items[1].count == 3


async def test_code_that_the_last_turn_wrote_is_the_cell_and_its_request_is_a_turn() -> None:
    past = turn(7, "plot df", "df.plot()")
    items = await receipt("compact", source="df.plot()", history=[past])
    assert kinds(items) == ["rules", "examples", "turn", "source", "request"]
    assert items[2].turn_ids == (7,)


@pytest.mark.parametrize("style", ["compact", "full"])
async def test_the_sizes_add_up_to_the_prompt(style: Any) -> None:
    count = Counter()
    messages, items = await build_messages(
        prompt_input("plot df", **FULL), style=style, budget=2000, count=count
    )
    total = sum(await count([text for _, text in as_text(messages)]))
    listed = sum(item.tokens or 0 for item in items)
    # A message and the marks around a text have a size of their own.
    assert total <= listed + 60 and listed <= total + 6 * len(messages)


@pytest.mark.parametrize("style", ["compact", "full"])
async def test_no_text_is_counted_only_for_the_receipt(style: Any) -> None:
    """Counting takes time before the first token, so each text is counted once."""
    count = Counter()
    await build_messages(prompt_input("sort it", **FULL), style=style, budget=2000, count=count)
    counted = [text for batch in count.batches for text in batch if text]
    assert len(counted) == len(set(counted))
    shown = sum(cell.cell_type == "code" or style == "full" for cell in CELLS)
    assert len(count.batches) == 2 + shown  # all required texts at once, then all past turns


async def test_what_does_not_fit_is_listed_without_texts() -> None:
    """P43"""
    cells = [ContextCell(cell_id=f"c{n}", source=f"a{n} = {n}\n" * 10) for n in range(40)]
    turns = [turn(n, f"wish {n}", "x = 1\n" * 30) for n in range(1, 31)]
    wide = Table([ColumnProfile(name=f"column {n}", dtype="int64") for n in range(100)], 100)
    files = [FileProfile("wide.csv", "CSV", 1, wide), FILE]
    items = await receipt(budget=700, cells=cells, history=turns, files=files)
    dropped = [item for item in items if not item.is_included]
    assert [(item.kind, item.name) for item in dropped] == [
        ("cell", ""),
        ("file", "wide.csv"),
        ("turn", ""),
    ]
    included = [item for item in items if item.is_included]
    assert ("file", "a.csv") in [(item.kind, item.name) for item in included]
    for kind, every in (("cell", 40), ("turn", 30)):
        shown = sum(item.kind == kind for item in included)
        [more] = [item for item in dropped if item.kind == kind]
        assert shown and more.count == every - shown
    newest = 39 - sum(item.kind == "cell" for item in included)
    assert dropped[0].cell_ids == tuple(f"c{n}" for n in range(newest - 19, newest + 1))


async def test_a_shortened_cell_is_marked() -> None:
    long = ContextCell(cell_id="c1", source="x = 1\n" + "print('some more words')\n" * 400)
    [item] = [item for item in await receipt(budget=600, cells=[long]) if item.kind == "cell"]
    assert item.is_shortened and item.is_included


async def test_the_stored_receipt_has_names_and_sizes_only() -> None:
    items = [item.to_dict() for item in await receipt(**FULL)]
    assert items[1] == {"kind": "headings", "tokens": 1}  # a heading is text of the notebook
    assert items[3]["defines"] == ["df"] and items[3]["cell_ids"] == ["c1"]
    texts = {value for item in items for value in item.values() if isinstance(value, str)}
    assert texts == {item["kind"] for item in items} | {"df", "a.csv"}
