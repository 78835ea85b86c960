"""Choose the entries for a request, and read its notebook's note.

Invariants: an entry of the project's memory is used only if the person has confirmed it. A memory
that can't be read, or not in time, never prevents a request.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Sequence

from ...errors import AIServerError
from ...llm.base import ChatModel
from ...plugin import ContextRequest
from ...prompts.project import MAX_ENTRIES, MAX_SMALL, SHARE
from ...prompts.prompt_input import MemoryText, Remembered, Style
from ...tokens import estimate_tokens
from .entries import MemoryEntry
from .manager import MemoryManager
from .notes.manager import NoteManager
from .recall import Recall, share_subject

_TIMEOUT = 2.0  # seconds, after which the request is sent without memories
_log = logging.getLogger(__name__)


async def remember(manager: MemoryManager, recall: Recall, request: ContextRequest) -> Remembered:
    """Return a request's entries and note."""
    model, context = request.model, request.body.context
    notes = manager.notes if context.uses_note and model.style == "full" else None
    note = note_of(notes, request.body.notebook_id)
    if not context.uses_memory:
        return Remembered(note=await note)
    entries, text = await asyncio.gather(
        remembered_entries(manager, recall, request.intent, request.source, model), note
    )
    relevant = only_relevant(entries, request.intent, model.style)[:MAX_ENTRIES]
    texts = [
        MemoryText(f"{entry.scope}:{entry.id}", entry.text, entry.section, position)
        for position, entry in relevant
    ]
    return Remembered(texts, len(entries), text)


async def note_of(notes: NoteManager | None, notebook_id: str) -> str:
    """Return a notebook's note; "" if requests don't use it, or it can't be read in time."""
    if notes is None:
        return ""
    try:
        note = await asyncio.wait_for(notes.get(notebook_id), _TIMEOUT)
    except (TimeoutError, asyncio.TimeoutError, AIServerError) as error:
        _log.warning("The request is sent without the note: %s", type(error).__name__)
        return ""
    return note.text if note and note.used else ""


async def remembered_entries(
    manager: MemoryManager, recall: Recall, intent: str, code: str, model: ChatModel
) -> list[tuple[int, MemoryEntry]]:
    """Return the entries that may be sent, the most relevant first, with their positions.

    If all may fit into the prompt, they are in the order of the memories. In a warm-up, which has
    no intent, a large memory is only prepared.
    """
    try:
        listed = await asyncio.wait_for(_list(manager), _TIMEOUT)
    except (TimeoutError, asyncio.TimeoutError, AIServerError) as error:
        _log.warning("The request is sent without memories: %s", type(error).__name__)
        return []
    entries = [entry for entry in listed if entry.review == "used"]
    numbered = list(enumerate(entries))
    max_count = MAX_SMALL if model.style == "compact" else MAX_ENTRIES
    room = model.prompt_tokens // SHARE
    if len(entries) <= max_count and await asyncio.to_thread(_may_fit, entries, room):
        return numbered
    if not intent:
        with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
            await asyncio.wait_for(recall.prepare(entries), _TIMEOUT)
        return numbered
    ranked = await recall.rank(entries, intent, code)
    position_by_id = {id(entry): position for position, entry in numbered}
    first = [(position_by_id[id(entry)], entry) for entry in ranked]
    chosen = {position for position, _ in first}
    return [*first, *(pair for pair in numbered if pair[0] not in chosen)]


def only_relevant(
    entries: Sequence[tuple[int, MemoryEntry]], intent: str, style: Style
) -> Sequence[tuple[int, MemoryEntry]]:
    """Return the entries that a model of this style may get.

    Of several, a small model gets the first, or none if that isn't about the request's subject.
    """
    if style != "compact" or len(entries) <= MAX_SMALL:
        return entries
    return [pair for pair in entries[:MAX_SMALL] if share_subject(intent, pair[1].text)]


def _may_fit(entries: Sequence[MemoryEntry], room: int) -> bool:
    sizes = itertools.accumulate(estimate_tokens(entry.text) for entry in entries)
    return all(size <= room for size in sizes)


async def _list(manager: MemoryManager) -> list[MemoryEntry]:
    with contextlib.suppress(AIServerError):  # such as a full disk
        await manager.sweep()
        await manager.notes.sweep()
    return await manager.list_entries(skip_unreadable=True)
