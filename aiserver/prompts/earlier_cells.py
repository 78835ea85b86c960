"""Choose the notebook's earlier cells for a prompt: those that the request needs, then the newest.

Invariants: the cells are in the notebook's order. Each cell is complete or an outline. The intent
influences the choice only if a cell that the intent needs would otherwise be left out. So a model
can usually read the cells before the intent is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ..requests import ContextCell
from . import templates
from .dataflow import NO_NAMES, CellNames, cell_names, names_in_text, needed_cells
from .history import Count
from .language import cell_language
from .outline import outline
from .prompt_input import PromptInput

FRAME_TOKENS = 40  # for the texts around the earlier cells, such as marks and fences
_CHARACTERS_PER_TOKEN = 8  # an upper bound, so texts that are surely too long needn't be counted


@dataclass(frozen=True)
class _Cell:
    """An earlier cell: its text in the prompt, and its names if it is Python code."""

    text: str
    is_code: bool
    names: CellNames


async def earlier_cells(request: PromptInput, budget: int, count: Count, *, prose: bool) -> str:
    """Return the cells that fit into ``budget`` tokens, whole or as outlines.

    With ``prose``, includes Markdown cells as comments, and failed cells with a mark.
    """
    language, room = request.language, budget - FRAME_TOKENS
    shown = await asyncio.to_thread(_read_cells, request.cells, language, prose)
    needed = await asyncio.to_thread(_needed, shown, "", request)
    chosen = await _fit_all(shown, needed, language, room, count)
    needed = await asyncio.to_thread(_needed, shown, request.intent, request)
    if not chosen.keys() >= set(needed):
        chosen = await _fit_all(shown, needed, language, room, count)
    texts = [chosen[index] for index in sorted(chosen)]
    return templates.earlier_code(texts, len(shown) - len(texts)) if texts else ""


def _read_cells(cells: Sequence[ContextCell], language: str, prose: bool) -> list[_Cell]:
    shown = []
    for cell in cells:
        text = cell.source.strip()
        is_code = cell.cell_type == "code"
        if not text or not (prose or (is_code and not cell.failed)):
            continue
        names = NO_NAMES
        if is_code:
            own = cell_language(language, text)
            if own.name == "python":
                names = cell_names(text)
            if cell.failed:
                text = f"{templates.FAILED}\n{text}"
        else:
            text = "\n".join(f"# {line}".rstrip() for line in text.splitlines())
        shown.append(_Cell(text, is_code, names))
    return shown


def _needed(cells: Sequence[_Cell], intent: str, request: PromptInput) -> list[int]:
    """Return the indexes of the cells that define what the request names, most important first.

    The newest cell and the cells that it needs follow, because the request may be about them.
    """
    names = [cell.names for cell in cells]
    every = {name for cell in names for name in cell.defined}
    wanted = names_in_text(intent, every)
    if cell_language(request.language, request.source, request.cell_type).name == "python":
        own = cell_names(request.source)
        wanted |= own.used | own.changed
    indexes = needed_cells(names, wanted)
    newest = next((i for i in range(len(cells) - 1, -1, -1) if cells[i].is_code), None)
    if newest is not None:
        last = names[newest]
        indexes += [newest, *needed_cells(names[:newest], last.used | last.changed)]
    return list(dict.fromkeys(indexes))


async def _fit_all(
    cells: Sequence[_Cell], needed: Sequence[int], language: str, room: int, count: Count
) -> dict[int, str]:
    """Return, by index, the texts of the needed cells and then of the newest cells that fit."""
    chosen: dict[int, str] = {}
    others = [index for index in range(len(cells) - 1, -1, -1) if index not in set(needed)]
    for index in (*needed, *others):
        room, text = await _fit(cells[index].text, language, room, count)
        if text:
            chosen[index] = text
        elif index not in needed:
            break
    return chosen


async def _fit(code: str, language: str, room: int, count: Count) -> tuple[int, str]:
    """Return the remaining tokens, and the code, or its outline if only that fits, or ""."""
    for text in (code, outline(code, language)):
        if text and len(text) <= room * _CHARACTERS_PER_TOKEN:
            size = (await count([text]))[0] + 1
            if size <= room:
                return room - size, text
    return room, ""
