"""``notebooks/{id}/note``: the note of a notebook, which belongs to the owner of the server."""

from __future__ import annotations

import asyncio
from typing import Any

from ...errors import MemoryEntryChanged, UserText
from ...generation.forgetting import StoredPrompts
from ...memory.notes.manager import Note, NoteManager
from ...memory.notes.outline import outline_of
from ...models import check_id
from ...prompts.project import closed_note
from ...requests import NoteBody, NoteChangeBody
from ...surrogates import json_bytes
from ..base import guarded
from .memory import MemoryBase

_CHANGED = UserText("This note has been changed in the meantime. Look at it again, then decide.")


class NoteHandler(MemoryBase):
    """Reads, makes, changes and deletes the note of a notebook."""

    @property
    def notes(self) -> NoteManager:
        """The notes of the person. Raises the errors of ``check_memory``."""
        return self.memory.notes

    @guarded("read")
    async def get(self, notebook_id: str) -> None:
        """Answer with the note, or null."""
        note = await self.notes.get(check_id("notebookId", notebook_id))
        await self._answer(note, self.services.assistant.is_wording_note(notebook_id))

    @guarded("write")
    async def post(self, notebook_id: str) -> None:
        """Make the note from the notebook's cells if it is missing or outdated; answer with it."""
        notes, body = self.notes, self.body(NoteBody)
        check_id("notebookId", notebook_id)
        outline = await asyncio.to_thread(outline_of, body.cells)
        try:
            note = await notes.update(
                notebook_id, outline, again=body.again, expected=body.expected
            )
        except MemoryEntryChanged as reason:
            raise MemoryEntryChanged(_CHANGED) from reason
        is_being_worded = False
        is_outline = note is not None and (note.author, note.text) == ("outline", outline.text)
        if body.uses_model and is_outline:
            assistant = self.services.assistant
            is_being_worded = await assistant.word_note(
                notes, notebook_id, outline, body.cells, again=body.again
            )
        await self._answer(note, is_being_worded)

    @guarded("write")
    async def patch(self, notebook_id: str) -> None:
        """Replace the text by the person's, or choose whether requests contain it."""
        notes, body = self.notes, self.body(NoteChangeBody)
        check_id("notebookId", notebook_id)
        if body.text is not None:
            try:
                await notes.write(notebook_id, body.text, body.expected, is_undo=body.undo)
            except MemoryEntryChanged as reason:
                raise MemoryEntryChanged(_CHANGED) from reason
        if body.used is not None:
            await notes.set_used(notebook_id, is_used=body.used)
        await self._answer(await notes.get(notebook_id))

    @guarded("write")
    async def delete(self, notebook_id: str) -> None:
        """Erase the note, and delete the stored prompts with it."""
        notes, services = self.notes, self.services
        note = await notes.get(check_id("notebookId", notebook_id))
        texts = [closed_note(note.text)] if note and note.text else []
        owner = services.session_owner
        stored = StoredPrompts(services.sessions, texts, owner=owner, are_complete=True)
        if texts:
            await stored.delete()
        await notes.delete(notebook_id)
        if texts:
            await stored.delete()  # those that were stored in the meantime
        await self.finish({"deleted_prompts": stored.deleted_count})

    async def _answer(self, note: Note | None, is_being_worded: bool = False) -> None:
        fields = note and _note_fields(note, self.notes.lifetime)
        await self.finish(json_bytes({"note": fields, "being_worded": is_being_worded}))


def _note_fields(note: Note, lifetime: float) -> dict[str, Any]:
    return {
        "text": note.text,
        "author": note.author if note.is_generated else "person",
        "model": note.model,
        "written_at": note.written_at,
        "expires_at": note.expires_at(lifetime),
        "used": note.used,
    }
