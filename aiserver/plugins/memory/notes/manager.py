"""Read and change the notes of one person's notebooks.

Invariants:

- A damaged document is never overwritten.
- A note that the person has written or deleted, or whose author only a newer version knows, is only
  replaced by an act of the person. A model's wording replaces only the outline that it was made
  from.
- The text of an expired note is never returned. The choice not to send a note lasts until the
  person changes it, also without a text to send.
- There are at most ``MAX_NOTES`` notes that were made, and ``MAX_OWN_NOTES`` with a text or a
  choice of the person; the least recently used go first.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....errors import MemoryEntryChanged, MemoryUnreadable, NotFound, UserText
from ..limits import MAX_NOTE, checked_note
from ..stores.base import MemoryStore
from .outline import Outline

LIFETIME = 14 * 24 * 3600.0  # seconds without use until a note expires
MAX_NOTES = 200
MAX_OWN_NOTES = 400
_MIN_PART = 8  # characters; a shorter text, such as “R”, occurs in many notes
_MAX_REPLACED = 100  # replaced notes that can be restored
_SWEEP_INTERVAL = 3600.0  # seconds
_USE_INTERVAL = 24 * 3600.0  # seconds; a use is stored only if the stored one is older
_CHANGED = UserText("This note has been changed in the meantime. Look at it again, then decide.")
_DAMAGED = UserText(
    "AI Server can’t read the notes about your notebooks: the file with them is damaged. "
    "It is not overwritten."
)

_Time = Annotated[float, Field(gt=-1e12, lt=1e12)]  # in seconds since 1970
N = TypeVar("N", "Note", "Note | None")


class Note(BaseModel):
    """The note of one notebook, as it is stored. Unknown fields are preserved.

    The text is empty if the person has deleted it, or if only the choice not to send the note is
    left. ``author`` is ``outline`` if the note was made without a model, ``model`` if ``model`` has
    worded it, or ``person``. ``subject`` is that of the outline when the note was made.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")

    text: str = Field(max_length=MAX_NOTE)
    author: str
    written_at: _Time
    used_at: _Time
    used: bool = True
    model: str = ""
    subject: str = ""

    @property
    def is_generated(self) -> bool:
        """Whether the text, or its absence, isn't the person's decision."""
        return self.author in ("outline", "model")

    def without_text(self) -> Note:
        return self.changed(text="", model="", subject="")

    def expires_at(self, lifetime: float) -> float | None:
        """Return the time at which the unused text expires, or None."""
        return self.used_at + lifetime if self.is_generated else None

    def changed(self, **fields: Any) -> Note:
        return self.model_copy(update=fields)


class NoteManager:
    """An owner's notes; ``lifetime`` is in seconds."""

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
        """Return a notebook's note, or None.

        Each method raises StorageError, MemoryUnreadable if the stored notes are damaged.
        """
        data = await self._store.read("notes", owner=self._owner)
        return (await asyncio.to_thread(self._parse, data)).get(notebook_id)

    async def update(
        self,
        notebook_id: str,
        outline: Outline,
        *,
        again: bool = False,
        expected: str | None = None,
    ) -> Note | None:
        """Record that a notebook is used, and return its note.

        The note is made if there is none, if the outline has changed, or if the person asks
        ``again``. Return None if there is nothing to write. With ``again``, raises
        MemoryEntryChanged if the old text isn't ``expected``, unless that is None.
        """

        def change(old: Note | None) -> Note | None:
            now = self._now()
            if again and expected not in (None, old.text if old else ""):
                raise MemoryEntryChanged(_CHANGED)
            if old and not again and (not old.is_generated or old.subject == outline.subject):
                is_recent = 0 <= now - old.used_at < _USE_INTERVAL
                return old if is_recent else old.changed(used_at=now)
            used = old.used if old else True
            if outline.text:
                note = Note(text=outline.text, author="outline", written_at=now, used_at=now)
                return note.changed(used=used, subject=outline.subject)
            if old is None or not old.is_generated:
                return old
            return None if used else old.without_text()

        return await self._change(notebook_id, change, can_undo=again)

    async def write(
        self, notebook_id: str, text: str, expected: str, *, is_undo: bool = False
    ) -> Note:
        """Replace a note whose text is still ``expected`` ("" if there is none); return it.

        With ``is_undo``, restore the note that the person's last act replaced or deleted, with its
        author and dates, even if another window had changed it. After a restart of the server,
        ``text`` is written. Raises MemoryEntryChanged, and the errors of ``limits.checked_note``.
        """
        new_text = checked_note(text)

        def change(old: Note | None) -> Note:
            if (old.text if old else "") != expected:
                raise MemoryEntryChanged(_CHANGED)
            replaced = self._replaced.get(notebook_id) if is_undo else None
            if replaced:
                return replaced.changed(used_at=self._now(), used=old.used if old else True)
            return self._own(new_text, old)

        return await self._change(notebook_id, change)

    async def word(self, notebook_id: str, text: str, model: str, outline: Outline) -> None:
        """Replace an outline by a model's wording, unless the note has changed."""
        wording = checked_note(text)

        def change(old: Note | None) -> Note | None:
            if old is None or (old.author, old.text) != ("outline", outline.text):
                return old
            return old.changed(text=wording, author="model", model=model, written_at=self._now())

        await self._change(notebook_id, change)

    async def set_used(self, notebook_id: str, *, is_used: bool) -> Note:
        """Use a note in requests from now on, or don't. Raises NotFound."""

        def change(old: Note | None) -> Note:
            if old is None:
                raise NotFound
            return old.changed(used=is_used)

        return await self._change(notebook_id, change)

    async def delete(self, notebook_id: str) -> None:
        """Erase a note's text. It isn't made again unless the person asks."""
        await self._change(notebook_id, lambda old: self._own("", old), can_undo=True)

    async def erase(self, texts: Collection[str]) -> None:
        """Erase the notes that contain a text which the person forgets."""

        def edit(notes: dict[str, Note]) -> dict[str, Note]:
            return {
                id_: self._own("", note) if any(_contains(note.text, t) for t in texts) else note
                for id_, note in notes.items()
            }

        self._replaced.clear()
        await self._edit(edit)

    async def remove(self, notebook_ids: Collection[str]) -> None:
        """Remove the notes of deleted histories.

        The choices not to send a note, or to have none, stay.
        """

        def edit(notes: dict[str, Note]) -> dict[str, Note]:
            return {
                id_: note.without_text() if id_ in notebook_ids else note
                for id_, note in notes.items()
                if id_ not in notebook_ids or not (note.text and note.used)
            }

        for notebook_id in notebook_ids:
            self._replaced.pop(notebook_id, None)
        await self._edit(edit)

    async def sweep(self) -> None:
        """Remove expired notes, at most once an hour."""
        if not 0 <= self._now() - self._swept_at < _SWEEP_INTERVAL:
            self._swept_at = self._now()
            await self._store.update(
                "notes", lambda data: encode(self._parse(data)), owner=self._owner
            )

    def _own(self, text: str, old: Note | None) -> Note:
        now, used = self._now(), old.used if old else True
        return Note(text=text, author="person", written_at=now, used_at=now, used=used)

    async def _change(
        self, notebook_id: str, change: Callable[[Note | None], N], *, can_undo: bool = False
    ) -> N:
        """Replace a note by the result of ``change``, which is returned; None removes the note."""
        last: list[tuple[Note | None, N]] = []

        def edit(notes: dict[str, Note]) -> dict[str, Note]:
            old = notes.get(notebook_id)
            new = change(old)
            last[:] = [(old, new)]
            others = {id_: note for id_, note in notes.items() if id_ != notebook_id}
            return others | ({notebook_id: new} if new else {})

        await self._edit(edit)
        old, new = last[0]
        if can_undo and old and old.text:
            replaced: dict[str, Note] = {**self._replaced, notebook_id: old}
            self._replaced = dict([*replaced.items()][-_MAX_REPLACED:])
        return new

    async def _edit(self, edit: Callable[[dict[str, Note]], dict[str, Note]]) -> None:
        """Replace all notes by the result of ``edit``, which must not change its argument."""

        def apply(data: bytes | None) -> bytes | None:
            notes = self._parse(data)
            edited = edit(notes)
            return data if edited == notes else encode(edited)

        await self._store.update("notes", apply, owner=self._owner)

    def _parse(self, data: bytes | None) -> dict[str, Note]:
        return parse(data, self._now(), self.lifetime)


def parse(data: bytes | None, now: float, lifetime: float) -> dict[str, Note]:
    """Return the notes that haven't expired, by notebook id.

    Of an expired note that the person doesn't send, that choice is returned. Invalid notes are left
    out. Raises MemoryUnreadable if the document is damaged.
    """
    if data is None:
        return {}
    try:
        listed = json.loads(data)["notes"]
        stored = [item for item in listed if isinstance(item, dict)]
    except (ValueError, RecursionError, TypeError, KeyError) as reason:
        raise MemoryUnreadable(_DAMAGED) from reason
    notes: dict[str, Note] = {}
    for item in stored:
        notebook_id = item.pop("notebook_id", None)
        item.pop("cells", None)  # fingerprints, of an earlier version
        try:
            note = Note.model_validate(item)
        except ValidationError:
            continue
        if not isinstance(notebook_id, str) or not notebook_id:
            continue
        expires_at = note.expires_at(lifetime)
        if expires_at is None or expires_at > now:
            notes[notebook_id] = note
        elif not note.used:
            notes[notebook_id] = note.without_text()
    return notes


def encode(notes: Mapping[str, Note]) -> bytes | None:
    """Return notes as stored, or None if there are none."""
    if not notes:
        return None
    by_use = sorted(notes.items(), key=lambda pair: pair[1].used_at)
    generated = [pair for pair in by_use if pair[1].is_generated and pair[1].used]
    own = [pair for pair in by_use if not (pair[1].is_generated and pair[1].used)]
    newest = generated[-MAX_NOTES:] + own[-MAX_OWN_NOTES:]
    listed = [{"notebook_id": id_} | note.model_dump() for id_, note in newest]
    return (json.dumps({"notes": listed}, ensure_ascii=False, indent=1) + "\n").encode()


def _contains(note: str, text: str) -> bool:
    """Return whether a note contains a text; a short text must be a line of its own."""
    return text in note.splitlines() or (len(text) >= _MIN_PART and text in note)
