"""Forget entries completely: also in stored prompts.

A prompt's blob can't be changed, because its name is its hash, so the blob is deleted. The turn,
its answer and its receipt, which contains no texts, stay.

Invariants:

- If forgetting fails in the middle, the entry still exists, so that it can be forgotten again.
- A prompt with the text that is stored meanwhile is deleted, too. (An answer that ends later may
  still store its prompt.)
- Blobs that aren't prompts, such as images, are never deleted.
- Prompts are searched in threads, a few at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Iterable, Sequence

from ...concurrency import for_each
from ...errors import MemoryTooLarge, MemoryUnreadable, NotFound, ProposalNotFound
from ...generation.receipts import decode_prompt
from ...redact import redact
from ...sessions.base import SessionManager
from ..rules.visible_text import visible_part
from .entries import MemoryEntry
from .manager import MemoryManager

# A prompt may shorten a long entry, so the beginning of its first line is enough. More characters
# are always those of the same entry.
_BEGINNING = 40
_MARK = re.compile(r"‹redacted:[^›]*›")
_MARKERS = " *-"  # prompts for small models leave out these list markers
_PARALLEL = 4


class StoredPrompts:
    """An owner's stored prompts that contain one of several texts.

    With ``are_complete``, prompts contain all of their lines, as with notes.
    """

    def __init__(
        self,
        sessions: SessionManager,
        texts: Iterable[str],
        *,
        owner: str = "",
        are_complete: bool = False,
    ) -> None:
        self._sessions, self._owner = sessions, owner
        self._patterns = [pattern for text in texts for pattern in _patterns(text, are_complete)]
        self._examined: set[str] = set()
        self.deleted_count = 0

    async def delete(self) -> None:
        """Delete the prompts that no earlier call examined. Raises StorageError."""

        async def examine(sha256: str) -> None:
            data = await self._sessions.get_blob(sha256, owner=self._owner)
            if data is not None and await asyncio.to_thread(self._matches, data):
                was_deleted = await self._sessions.delete_blob(sha256, owner=self._owner)
                self.deleted_count += was_deleted
            self._examined.add(sha256)

        blobs = await self._sessions.list_blobs(owner=self._owner)
        await for_each((b for b in blobs if b not in self._examined), examine, limit=_PARALLEL)

    def _matches(self, data: bytes) -> bool:
        if not data.startswith(b"{"):  # an image
            return False
        prompt = decode_prompt(data)
        texts = [_joined(message.text) for message in prompt.messages] if prompt else []
        return any(pattern.search(text) for text in texts for pattern in self._patterns)


async def forget(
    memories: MemoryManager, listed: Sequence[MemoryEntry], stored: Sequence[StoredPrompts]
) -> int:
    """Remove entries, proposals and notes with their texts, and ``stored`` prompts.

    Entries that are missing by now count as forgotten. Return the number of deleted prompts. Raises
    StorageError.
    """
    for prompts in stored:
        await prompts.delete()
    texts = {item.text for item in listed}
    await erase_copies(memories, texts)
    for item in listed:
        with contextlib.suppress(NotFound):
            await memories.forget(item.scope, item.id)
    for proposal in await memories.pending():
        if proposal.text in texts:
            with contextlib.suppress(ProposalNotFound):
                await memories.reject(proposal.id)
    for prompts in stored:
        await prompts.delete()
    return sum(prompts.deleted_count for prompts in stored)


async def erase_copies(memories: MemoryManager, texts: set[str]) -> None:
    """Erase the notes with some texts.

    Damaged notes are in no request, so they don't keep an entry from being forgotten.
    """
    with contextlib.suppress(MemoryUnreadable, MemoryTooLarge):
        await memories.notes.erase(texts)


def _patterns(text: str, is_complete: bool) -> list[re.Pattern[str]]:
    """Return patterns of a text or its beginning, also redacted, without invisible characters."""
    visible = visible_part(text)
    variants = {text, visible, redact(visible, is_prose=True), redact(visible)}
    texts = map(_joined if is_complete else _first_line, variants)
    return [_pattern(text) for text in texts if text]


def _first_line(text: str) -> str:
    """Return the beginning of the first line, or all of it if it contains a redacted secret."""
    lines = (line.strip(_MARKERS) for line in map(_joined, text.splitlines()))
    first = next((line for line in lines if line), "")
    return first if _MARK.search(first) else first[:_BEGINNING]


def _pattern(text: str) -> re.Pattern[str]:
    # Stored marks can have another kind or a nonce.
    parts = _MARK.split(text)
    escaped = _MARK.pattern.join(map(re.escape, parts))
    # “use pandas” isn't in “reuse pandas”. Scripts without spaces have no such boundaries.
    starts_word = text[0].isascii() and text[0].isalnum()
    return re.compile((r"(?<![A-Za-z0-9_])" if starts_word else "") + escaped)


def _joined(text: str) -> str:
    return " ".join(text.split())
