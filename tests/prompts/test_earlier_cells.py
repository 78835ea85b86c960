"""The earlier cells in a prompt: those that the request needs come before the newest."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from aiserver.prompts.context import build_messages
from aiserver.prompts.notebook import earlier_cells as module
from aiserver.prompts.notebook.earlier_cells import FRAME_TOKENS, earlier_cells
from aiserver.prompts.notebook.outline import outline
from aiserver.requests import ContextCell

from .inputs import prompt_input

LOAD = "import pandas as pd\n\nsales = pd.read_csv('sales.csv')"
OTHER = [f"other_{n} = {n} + {'1' * 40}" for n in range(20)]


async def words(texts: Sequence[str]) -> list[int]:
    """Count words in place of tokens."""
    return [len(text.split()) for text in texts]


BUDGET: Any = {"budget": 2000, "count": words}


def shown(cells: list[ContextCell], *, room: int, **request: Any) -> str:
    full = prompt_input(request.pop("intent", ""), cells=cells, **request)
    return asyncio.run(earlier_cells(full, cells, room + FRAME_TOKENS, words))[0]


def cells_of(*sources: str) -> list[ContextCell]:
    return [ContextCell(source=source) for source in sources]


def test_the_cell_that_loads_the_data_is_shown_before_nearer_ones() -> None:
    text = shown(cells_of(LOAD, *OTHER), intent="plot sales by month", room=30)
    assert text.startswith("# (")
    assert LOAD in text
    assert OTHER[-1] in text  # the rest of the room is for the newest
    assert OTHER[0] not in text


def test_what_the_cell_itself_uses_is_shown() -> None:
    text = shown(cells_of(LOAD, *OTHER), source="sales.head()", room=30)
    assert LOAD in text


def test_without_a_name_the_newest_cell_and_what_it_needs_is_shown() -> None:
    text = shown(cells_of(LOAD, *OTHER, "small = sales.head()"), intent="画图", room=30)
    assert LOAD in text
    assert "small = sales.head()" in text


def test_the_order_is_that_of_the_notebook() -> None:
    cells = cells_of("a = 1", "b = 2", "c = a + b")
    assert shown(cells, intent="show b", room=100) == "a = 1\n\nb = 2\n\nc = a + b"


async def test_a_failed_cell_is_marked_for_a_model_that_follows_rules_and_else_left_out() -> None:
    cells = [ContextCell(source="a = 1"), ContextCell(source="b = oops", failed=True)]
    texts = [
        str((await build_messages(prompt_input("x", cells=cells), style=style, **BUDGET))[0])
        for style in ("full", "compact")
    ]
    assert "# This cell failed when it was last run.\\nb = oops" in texts[0]
    assert "a = 1" in texts[1] and "oops" not in texts[1]


def test_the_intent_does_not_change_the_choice_if_what_it_needs_is_shown_anyway() -> None:
    """So that a local model need not read the cells again."""
    cells = cells_of(LOAD, *OTHER[:3])
    before = shown(cells, room=60)
    assert shown(cells, intent="plot sales", room=60) == before


def test_only_cells_that_do_not_fit_are_outlined_and_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outlined: list[str] = []

    def record(code: str, language: str) -> str:
        assert threading.current_thread() is not threading.main_thread()
        outlined.append(code)
        return outline(code, language)

    monkeypatch.setattr(module, "outline", record)
    shown(cells_of(LOAD, *OTHER), intent="plot sales", room=30)
    assert LOAD not in outlined and outlined[0] in OTHER


@pytest.mark.parametrize("language", ["r", "julia"])
def test_in_other_languages_the_newest_cells_are_shown(language: str) -> None:
    cells = cells_of("x = 1", "y = 2", "z = 3")
    assert shown(cells, intent="x", room=8, language=language).endswith("y = 2\n\nz = 3")
