"""Read and change the notes of one person's notebooks.

Invariants: each change is one atomic write. A note that the person has written or deleted is only
replaced by an act of the person. A model's wording replaces only the outline that it was made from.
The choice not to send a note lasts until the person changes it, also without a text to send.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import replace

from ...errors import MemoryEntryChanged, NotFound
from ..limits import checked_note
from ..stores.base import MemoryStore
from . import note as documents
from .note import Note
from .outline import Outline

LIFETIME = 14 * 24 * 3600.0  # seconds without use until a note expires, by default
_MIN_PART = 8  # characters; a shorter text, such as “R”, occurs in many notes
_MAX_REPLACED = 100  # notebooks whose last replaced note can be restored
_SWEEP_INTERVAL = 3600.0  # seconds
_USE_INTERVAL = 24 * 3600.0  # seconds; a use is stored only if the stored one is older


class NoteManager:
    """The notes of an owner, in a store. ``lifetime`` is in seconds."""

    def __init__(
        self,
        store: MemoryStore,
        *,
        owner: str = "",
        lifetime: float = LIFETIME,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._owner = store, owner
        self._now = now
        # By notebook, the note that the person's last act replaced; never stored.
        self._replaced: dict[str, Note] = {}
        self._swept_at = float("-inf")
        self.lifetime = lifetime

    async def get(self, notebook_id: str) -> Note | None:
        """Return a notebook's note; None if there is none. Changes nothing.

        Each method raises StorageError, MemoryUnreadable if the stored notes are damaged.
        """
        data = await self._store.read("notes", owner=self._owner)
        notes = await asyncio.to_thread(documents.parse, data, self._now(), self.lifetime)
        return notes.get(notebook_id)

    async def update(
        self,
        notebook_id: str,
        outline: Outline,
        *,
        again: bool = False,
        expected: str | None = None,
    ) -> Note | None:
        """Record that a notebook is used, and return its note.

        The note is made from the outline if there is none, if the notebook has changed much, or if
        the person asks for it ``again``. None if there is nothing to write. With ``again``, raises
        MemoryEntryChanged if the old text isn't ``expected``; None stands for any text.
        """

        def change(old: Note | None) -> Note | None:
            now = self._now()
            if again and expected not in (None, old.text if old else ""):
                raise MemoryEntryChanged
            is_fixed = old is not None and old.author == "person" and not again
            is_current = old is not None and not old.is_outdated(outline.subject, outline.cells)
            if old is not None and (is_fixed or (is_current and not again)):
                is_recent = 0 <= now - old.used_at < _USE_INTERVAL
                return old if is_recent else replace(old, used_at=now)
            if not outline.text:
                if old is None or old.author == "person":
                    return old
                return None if old.is_used else old.without_text()
            return Note(
                text=outline.text,
                author="outline",
                written_at=now,
                used_at=now,
                is_used=old.is_used if old else True,
                subject=outline.subject,
                cells=outline.cells,
            )

        return await self._change(notebook_id, change, can_undo=again)

    async def write(
        self, notebook_id: str, text: str, expected: str, *, is_undo: bool = False
    ) -> Note:
        """Replace a note by the person's text, if its text is still ``expected``; return the note.

        ``expected`` is empty if there is no note. With ``is_undo``, the note that the person's last
        act has replaced or deleted is restored, with its author and its dates. Another window may
        have changed it before that act, so it may have another text. After a restart of the server,
        ``text`` is written. Raises MemoryEntryChanged, and the errors of ``limits.checked_note``.
        """
        new_text = checked_note(text)

        def change(old: Note | None) -> Note:
            if (old.text if old else "") != expected:
                raise MemoryEntryChanged
            now, is_used = self._now(), old.is_used if old else True
            replaced = self._replaced.get(notebook_id) if is_undo else None
            if replaced:
                return replace(replaced, used_at=now, is_used=is_used)
            return Note(new_text, "person", now, now, is_used)

        note = await self._change(notebook_id, change)
        assert note is not None
        return note

    async def word(self, notebook_id: str, text: str, model: str, outline: Outline) -> None:
        """Replace an outline by a model's wording of it, unless the note has changed meanwhile."""
        wording = checked_note(text)

        def change(old: Note | None) -> Note | None:
            if old is None or (old.author, old.text) != ("outline", outline.text):
                return old
            return replace(old, text=wording, author="model", model=model, written_at=self._now())

        await self._change(notebook_id, change)

    async def set_used(self, notebook_id: str, *, is_used: bool) -> Note:
        """Use a note in requests from now on, or don't. Raises NotFound."""

        def change(old: Note | None) -> Note:
            if old is None:
                raise NotFound
            return replace(old, is_used=is_used)

        note = await self._change(notebook_id, change)
        assert note is not None
        return note

    async def delete(self, notebook_id: str) -> None:
        """Erase a note's text. The note isn't made again unless the person asks for it."""

        def change(old: Note | None) -> Note:
            now = self._now()
            return Note("", "person", now, now, old.is_used if old else True)

        await self._change(notebook_id, change, can_undo=True)

    async def erase(self, texts: Collection[str]) -> None:
        """Erase the notes that contain one of some texts, which the person forgets."""

        def edit(data: bytes | None) -> bytes | None:
            notes = self._parse(data)
            contain = {
                id_: replace(note.without_text(), author="person")
                for id_, note in notes.items()
                if any(_contains(note.text, text) for text in texts)
            }
            return documents.encode(notes | contain) if contain else data

        self._replaced.clear()
        await self._store.update("notes", edit, owner=self._owner)

    async def remove(self, notebook_ids: Collection[str]) -> None:
        """Remove the notes of notebooks whose histories the person has deleted.

        The choices not to send a note, or to have none, stay without a text.
        """

        def edit(data: bytes | None) -> bytes | None:
            notes = self._parse(data)
            removed = {id_: notes.pop(id_) for id_ in notebook_ids if id_ in notes}
            choices = {
                id_: note.without_text()
                for id_, note in removed.items()
                if not (note.text and note.is_used)
            }
            return documents.encode(notes | choices) if removed else data

        for notebook_id in notebook_ids:
            self._replaced.pop(notebook_id, None)
        await self._store.update("notes", edit, owner=self._owner)

    async def sweep(self) -> None:
        """Remove the notes that have expired, unless this was done within the last hour."""
        if 0 <= self._now() - self._swept_at < _SWEEP_INTERVAL:
            return
        self._swept_at = self._now()
        await self._store.update(
            "notes", lambda data: documents.encode(self._parse(data)), owner=self._owner
        )

    async def _change(
        self,
        notebook_id: str,
        change: Callable[[Note | None], Note | None],
        *,
        can_undo: bool = False,
    ) -> Note | None:
        """Replace a note by the result of ``change``; None removes it. Return the result.

        With ``can_undo``, the replaced note can be restored.
        """
        old: Note | None = None
        new: Note | None = None

        def edit(data: bytes | None) -> bytes | None:
            nonlocal old, new
            notes = self._parse(data)
            old = notes.pop(notebook_id, None)
            new = change(old)
            if new == old:
                return data
            return documents.encode(notes | ({notebook_id: new} if new else {}))

        await self._store.update("notes", edit, owner=self._owner)
        if can_undo and old and old.text:
            self._replaced.pop(notebook_id, None)
            self._replaced[notebook_id] = old
            if len(self._replaced) > _MAX_REPLACED:
                del self._replaced[next(iter(self._replaced))]
        return new

    def _parse(self, data: bytes | None) -> dict[str, Note]:
        return documents.parse(data, self._now(), self.lifetime)


def _contains(note: str, text: str) -> bool:
    """Return whether a note contains a text, or has a short one as a line of its own."""
    return text in note.splitlines() or (len(text) >= _MIN_PART and text in note)
