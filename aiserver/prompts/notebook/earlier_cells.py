"""Choose the notebook's earlier cells for a prompt: those that the request needs, then the newest.

Invariants: the cells are in the notebook's order, each complete or an outline. The intent
influences the choice only if a cell that it needs would be left out, so that a model can usually
read them before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ...requests import ContextCell
from ..language import cell_language
from ..prompt_input import PromptInput
from ..receipt import ContextItem, dropped_cells
from ..texts import FAILED
from ..turns import Count
from .dataflow import NO_NAMES, CellNames, cell_names, names_in_text, needed_cells
from .outline import outline

FRAME_TOKENS = 40  # for the marks and fences around cells
# An upper bound: the tokens of a longer text aren't counted.
_CHARACTERS_PER_TOKEN = 8


_MAX_DEFINED = 5  # names listed in the receipt of a cell


@dataclass(frozen=True)
class _Cell:
    cell_id: str | None
    text: str
    is_code: bool
    names: CellNames


@dataclass(frozen=True)
class _ChosenText:
    text: str
    tokens: int
    is_outline: bool


async def earlier_cells(
    request: PromptInput, candidates: Sequence[ContextCell], budget: int, count: Count
) -> tuple[str, list[ContextItem]]:
    """Return the cells that fit into ``budget`` tokens as one text, and the receipt of all."""
    language, room = request.parsed.language.kernel, budget - FRAME_TOKENS
    cells = await asyncio.to_thread(_read_cells, candidates, language)
    needed = await asyncio.to_thread(_needed_indexes, cells, "", request)
    chosen = await _choose(cells, needed, language, room, count)
    needed = await asyncio.to_thread(_needed_indexes, cells, request.parsed.intent, request)
    if not chosen.keys() >= set(needed):
        chosen = await _choose(cells, needed, language, room, count)
    texts = [chosen[index].text for index in sorted(chosen)]
    omitted = len(cells) - len(texts)
    if texts and omitted:
        texts.insert(0, f"# ({omitted} earlier cells are not shown)")
    return "\n\n".join(texts), await asyncio.to_thread(_receipt, cells, needed, chosen, request)


def _receipt(
    cells: Sequence[_Cell],
    needed: Sequence[int],
    chosen: dict[int, _ChosenText],
    request: PromptInput,
) -> list[ContextItem]:
    used = _needed_names([cell.names for cell in cells], request.parsed.intent, request)
    used |= {name for i in needed for name in cells[i].names.used | cells[i].names.changed}
    items = []
    for index in sorted(chosen):
        cell, chosen_text = cells[index], chosen[index]
        names = (cell.names.defined | cell.names.changed) & used if index in needed else ()
        items.append(
            ContextItem(
                "cell",
                tokens=chosen_text.tokens,
                is_shortened=chosen_text.is_outline,
                defines=tuple(sorted(names)[:_MAX_DEFINED]),
                cell_ids=(cell.cell_id,) if cell.cell_id else (),
            )
        )
    others = (cell.cell_id for index, cell in enumerate(cells) if index not in chosen)
    return [*items, *dropped_cells(others)]


def _read_cells(cells: Sequence[ContextCell], language: str) -> list[_Cell]:
    candidates = []
    for cell in cells:
        text = cell.source.strip()
        is_code = cell.cell_type == "code"
        if not text:
            continue
        names = NO_NAMES
        if is_code:
            own = cell_language(language, text)
            if own.name == "python":
                names = cell_names(text)
            if cell.failed:
                text = f"{FAILED}\n{text}"
        else:
            text = "\n".join(f"# {line}".rstrip() for line in text.splitlines())
        candidates.append(_Cell(cell.cell_id, text, is_code, names))
    return candidates


def _needed_indexes(cells: Sequence[_Cell], intent: str, request: PromptInput) -> list[int]:
    names = [cell.names for cell in cells]
    indexes = needed_cells(names, _needed_names(names, intent, request))
    newest = next((i for i in range(len(cells) - 1, -1, -1) if cells[i].is_code), None)
    if newest is not None:
        last = names[newest]
        indexes += [newest, *needed_cells(names[:newest], last.used | last.changed)]
    return list(dict.fromkeys(indexes))


def _needed_names(cells: Sequence[CellNames], intent: str, request: PromptInput) -> set[str]:
    needed_names = names_in_text(intent, {name for cell in cells for name in cell.defined})
    if request.parsed.subject_language.name == "python":
        own = cell_names(request.parsed.subject)
        needed_names |= own.used | own.changed
    return needed_names


async def _choose(
    cells: Sequence[_Cell], needed: Sequence[int], language: str, room: int, count: Count
) -> dict[int, _ChosenText]:
    chosen: dict[int, _ChosenText] = {}
    needed_indexes = set(needed)
    others = [index for index in range(len(cells) - 1, -1, -1) if index not in needed_indexes]
    for index in (*needed, *others):
        chosen_text = await _shorten_to_fit(cells[index].text, language, room, count)
        if chosen_text:
            chosen[index] = chosen_text
            room -= chosen_text.tokens
        elif index not in needed_indexes:
            break
    return chosen


async def _shorten_to_fit(code: str, language: str, room: int, count: Count) -> _ChosenText | None:
    for is_outline in (False, True):
        text = await asyncio.to_thread(outline, code, language) if is_outline else code
        if text and len(text) <= room * _CHARACTERS_PER_TOKEN:
            size = (await count([text]))[0] + 1
            if size <= room:
                return _ChosenText(text, size, is_outline)
    return None
