"""``memory``: what models should remember beyond one cell, proposals, and notes of notebooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, cast

from ...errors import (
    FeatureForbidden,
    MemoryEntryChanged,
    NotFound,
    NotOwner,
    ProposalNotFound,
    UserText,
)
from ...handlers.base import AIServerHandler, guarded
from ...models import check_id
from ...prompts.language import cell_language
from ...prompts.project import closed_note
from ...surrogates import json_bytes
from ..search.plugin import SearchPlugin
from .bodies import (
    MemoryChangeBody,
    MemoryConfirmBody,
    MemoryEntryBody,
    MemoryProposalBody,
    MemoryReviewBody,
    MemorySearchBody,
    MemorySource,
    NoteBody,
    NoteChangeBody,
    PastAnswerBody,
)
from .entries import MemoryEntry, Scope, TurnSource
from .forgetting import StoredPrompts, forget
from .listed import ComparedEntries, ListedEntry
from .manager import MemoryManager
from .notes.manager import Note, NoteManager
from .notes.outline import outline_of
from .past_answers import find_past_answer
from .plugin import MemoryPlugin
from .proposals import Proposal
from .recall import find_entries
from .thread import run_in_memory_thread

_CHANGED = UserText("This note has been changed in the meantime. Look at it again, then decide.")


class MemoryBase(AIServerHandler):
    """Base of the handlers of memories, which belong to the owner of the server alone."""

    def check_memory(self) -> None:
        """Raise NotOwner or FeatureForbidden unless the user may use the memories."""
        if not self.has_memory:
            raise NotOwner
        if self.services.features.memory == "forbidden":
            raise FeatureForbidden

    @property
    def memory(self) -> MemoryManager:
        """The memories of the person. Raises the errors of ``check_memory``."""
        self.check_memory()
        return self.plugin.manager

    @property
    def plugin(self) -> MemoryPlugin:
        """The plugin of these handlers."""
        return self.services.plugins.get(MemoryPlugin)

    async def finish_in_thread(self, build: Callable[[], Any]) -> None:
        """Build a long answer in the thread of memories."""
        await self.finish(await run_in_memory_thread(lambda: json_bytes(build())))


class MemoryHandler(MemoryBase):
    """Lists the entries of both memories, and adds entries."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with the entries, the project's first, and with the scopes that exist here."""
        memory = self.memory
        listed = await memory.list_entries(skip_unreadable=True)
        lists = {"scopes": memory.scopes, "unreadable": await memory.unreadable_scopes()}
        await self.finish_in_thread(
            lambda: lists | {"entries": [_listed_fields(item) for item in listed]}
        )

    @guarded("write")
    async def post(self) -> None:
        """Add an entry that the person has written."""
        memory, body = self.memory, self.body(MemoryEntryBody)
        entry = await memory.add(body.scope, body.text, _source(body.source))
        self.set_status(201)
        await self.finish(_entry_fields(body.scope, entry))


class MemoryEntryHandler(MemoryBase):
    """Changes and forgets one entry."""

    @guarded("write")
    async def patch(self, scope: str, id_: str) -> None:
        """Give the entry another text."""
        memory, body = self.memory, self.body(MemoryChangeBody)
        entry = await memory.change(cast("Scope", scope), id_, body.text, body.expected)
        await self.finish(_entry_fields(cast("Scope", scope), entry))

    @guarded("write")
    async def delete(self, scope: str, id_: str) -> None:
        """Forget the entry, and delete the stored prompts with its text."""
        memory, services = self.memory, self.services
        listed = await memory.list_entries(skip_unreadable=True)
        listed = [item for item in listed if (item.scope, item.entry.id) == (scope, id_)]
        if not listed:
            raise NotFound
        text = listed[0].entry.text
        stored = StoredPrompts(services.sessions, [text], owner=services.session_owner)
        await self.finish({"deleted_prompts": await forget(memory, listed, [stored])})


class MemorySearchHandler(MemoryBase):
    """Searches the entries of both memories."""

    @guarded("read")
    async def post(self) -> None:
        """Answer with the best entries: those that contain all words first. Changes nothing."""
        memory, body = self.memory, self.body(MemorySearchBody)
        listed = await memory.list_entries(skip_unreadable=True)
        results = await find_entries(self.plugin.recall, listed, body.query, limit=body.limit)
        entries = [
            _listed_fields(item.listed) | {"has_all_words": item.has_all_words} for item in results
        ]
        await self.finish(json_bytes({"entries": entries}))


class MemoryReviewHandler(MemoryBase):
    """Stores the person's decisions about entries that came with a project."""

    @guarded("write")
    async def post(self) -> None:
        """Use the entries from now on, or don't."""
        memory, body = self.memory, self.body(MemoryReviewBody)
        await memory.review(body.digests, used=body.used)
        self.set_status(204)


class ProposalsHandler(MemoryBase):
    """Lists the proposals that wait for the person, and adds one."""

    @guarded("read")
    async def get(self) -> None:
        """Answer with the proposals, oldest first, and the entries that are similar to each."""
        memory = self.memory
        waiting = await memory.pending()
        listed = await memory.list_entries(skip_unreadable=True) if waiting else []
        await self.finish_in_thread(lambda: {"proposals": _fields_of(waiting, listed)})

    @guarded("write")
    async def post(self) -> None:
        """Store a proposal. It is not remembered before the person confirms it."""
        memory, body = self.memory, self.body(MemoryProposalBody)
        proposal = await memory.propose(body.text, body.scope, body.origin, _source(body.source))
        listed = await memory.list_entries(skip_unreadable=True)
        self.set_status(201)
        await self.finish_in_thread(lambda: _fields_of([proposal], listed)[0])


class MemoryConfirmHandler(MemoryBase):
    """Confirms a proposal."""

    @guarded("write")
    async def post(self, id_: str) -> None:
        """Write the entry, and answer with it."""
        memory, body = self.memory, self.body(MemoryConfirmBody)
        before = await memory.list_entries(skip_unreadable=True) if body.replaces else []
        entry = await memory.confirm(
            id_, text=body.text, scope=body.scope, replaces=body.replaces or ""
        )
        listed = await memory.list_entries(skip_unreadable=True)
        remaining = {(item.scope, item.entry.id) for item in listed}
        replaced = [item for item in before if item.entry.id == body.replaces]
        texts = [i.entry.text for i in replaced if (i.scope, i.entry.id) not in remaining]
        if texts:
            owner = self.services.session_owner
            await StoredPrompts(self.services.sessions, texts, owner=owner).delete()
        listed = [item for item in listed if item.entry.id == entry.id]
        if not listed:  # it was forgotten in the meantime
            raise ProposalNotFound
        await self.finish(_listed_fields(listed[0]))


class MemoryRejectHandler(MemoryBase):
    """Rejects a proposal."""

    @guarded("write")
    async def post(self, id_: str) -> None:
        """Remove the proposal without a trace."""
        await self.memory.reject(id_)
        self.set_status(204)


class PastAnswerHandler(MemoryBase):
    """Offers an answer that the person has accepted in another notebook."""

    @guarded("read")
    async def post(self) -> None:
        """Answer with the best one, or null. Nothing is changed or sent to a model."""
        self.check_memory()
        services, body = self.services, self.body(PastAnswerBody)
        search = services.plugins.find(SearchPlugin)
        answer = search and await find_past_answer(
            search.engine,
            services.sessions,
            body.intent,
            cell_language(body.language, cell_type=body.cell_type),
            owner=services.session_owner,
            owner_name=self.user_name,
            except_notebook_id=body.notebook_id,
        )
        paths = await services.notebooks.paths([answer.notebook_id] if answer else [])
        fields = asdict(answer) | {"path": paths[answer.notebook_id]} if answer else None
        await self.finish(json_bytes({"answer": fields}))


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
        await self._answer(note, self._is_being_worded(notebook_id))

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
            is_being_worded = await self.plugin.writer.start(
                self.services.assistant, notebook_id, outline, body.cells, again=body.again
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

    def _is_being_worded(self, notebook_id: str) -> bool:
        return self.plugin.writer.is_running(self.services.assistant, notebook_id)

    async def _answer(self, note: Note | None, is_being_worded: bool = False) -> None:
        fields = note and _note_fields(note, self.notes.lifetime)
        await self.finish(json_bytes({"note": fields, "being_worded": is_being_worded}))


def _source(body: MemorySource | None) -> TurnSource | None:
    return None if body is None else TurnSource(body.notebook_id, body.cell_id, body.turn_id)


def _entry_fields(scope: Scope, entry: MemoryEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "scope": scope,
        "text": entry.text,
        "date": entry.date,
        "section": entry.section,
        "source": entry.source.to_dict() if entry.source else None,
        "digest": entry.digest,
    }


def _listed_fields(listed: ListedEntry) -> dict[str, Any]:
    return _entry_fields(listed.scope, listed.entry) | {"review": listed.review}


def _fields_of(
    proposals: Sequence[Proposal], listed: Sequence[ListedEntry]
) -> list[dict[str, Any]]:
    entries = ComparedEntries(listed)
    return [_proposal_fields(each, entries.similar_to(each.text)) for each in proposals]


def _proposal_fields(proposal: Proposal, similar: Sequence[ListedEntry]) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "scope": proposal.scope,
        "text": proposal.text,
        "origin": proposal.origin,
        "created_at": proposal.created_at,
        "expires_at": proposal.expires_at,
        "source": proposal.source.to_dict() if proposal.source else None,
        "similar": [
            {"id": item.entry.id, "scope": item.scope, "text": item.entry.text} for item in similar
        ],
    }


def _note_fields(note: Note, lifetime: float) -> dict[str, Any]:
    return {
        "text": note.text,
        "author": note.author if note.is_generated else "person",
        "model": note.model,
        "written_at": note.written_at,
        "expires_at": note.expires_at(lifetime),
        "used": note.used,
    }
