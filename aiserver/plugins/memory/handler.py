"""``memory``: what models should remember beyond one cell, proposals, and notes of notebooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from ...errors import FeatureForbidden, NotFound, NotOwner, ProposalNotFound
from ...handlers.base import AIServerHandler, Answer, Encoded, guarded
from ...models import check_id
from ...payload import to_wire
from ...prompts.language import cell_language
from ...prompts.project import closed_note
from ..search.plugin import SearchPlugin
from ..search.query import MIN_SIMILARITY, compared_parts, similarity
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
from .document import run_in_memory_thread
from .entries import MemoryEntry, Scope, TurnSource
from .forgetting import StoredPrompts, forget
from .manager import MemoryManager
from .notes.manager import Note, NoteManager
from .notes.outline import outline_of
from .past_answers import find_past_answer
from .plugin import MemoryPlugin
from .proposals import Proposal
from .recall import find_entries

_MAX_SIMILAR = 3  # listed with a proposal


class MemoryBase(AIServerHandler):
    """Memories belong to the owner of the server alone."""

    def check_memory(self) -> None:
        """Raise NotOwner or FeatureForbidden unless the user may use the memories."""
        if not self.has_memory:
            raise NotOwner
        if self.services.features.memory == "forbidden":
            raise FeatureForbidden

    @property
    def memory(self) -> MemoryManager:
        """The person's memories. Raises the errors of ``check_memory``."""
        self.check_memory()
        return self.plugin.manager

    @property
    def plugin(self) -> MemoryPlugin:
        return self.services.plugins.get(MemoryPlugin)

    def stored_prompts(self, texts: Sequence[str], *, are_complete: bool = False) -> StoredPrompts:
        services = self.services
        return StoredPrompts(
            services.sessions, texts, owner=services.session_owner, are_complete=are_complete
        )

    async def encode_in_thread(self, build: Callable[[], Answer]) -> Encoded[Answer]:
        """Build and encode a long answer in the thread of memories."""
        return await run_in_memory_thread(lambda: Encoded(build()))


class MemoryHandler(MemoryBase):
    """Lists the entries of both memories, and adds entries."""

    @guarded("read")
    async def get(self) -> Encoded[dict[str, Any]]:
        """Answer with the entries, the project's first, and with the scopes that exist here."""
        memory = self.memory
        listed = await memory.list_entries(skip_unreadable=True)
        lists = {"scopes": memory.scopes, "unreadable": await memory.unreadable_scopes()}
        return await self.encode_in_thread(lambda: lists | {"entries": to_wire(listed)})

    @guarded("write")
    async def post(self) -> None:
        memory, body = self.memory, self.body(MemoryEntryBody)
        entry = await memory.add(body.scope, body.text, _source(body.source))
        self.set_status(201)
        await self.finish(entry.to_wire())


class MemoryEntryHandler(MemoryBase):
    """Changes and forgets one entry."""

    @guarded("write")
    async def patch(self, scope: str, id_: str) -> None:
        memory, body = self.memory, self.body(MemoryChangeBody)
        entry = await memory.change(cast("Scope", scope), id_, body.text, body.expected)
        await self.finish(entry.to_wire())

    @guarded("write")
    async def delete(self, scope: str, id_: str) -> None:
        """Forget the entry, and delete the stored prompts with it."""
        memory = self.memory
        entries = await memory.list_entries(skip_unreadable=True)
        entries = [entry for entry in entries if (entry.scope, entry.id) == (scope, id_)]
        if not entries:
            raise NotFound
        stored = self.stored_prompts([entries[0].text])
        await self.finish({"deleted_prompts": await forget(memory, entries, [stored])})


class MemorySearchHandler(MemoryBase):
    """Searches the entries of both memories."""

    @guarded("read")
    async def post(self) -> dict[str, Any]:
        """Answer with the best entries: those that contain all words first. Changes nothing."""
        memory, body = self.memory, self.body(MemorySearchBody)
        listed = await memory.list_entries(skip_unreadable=True)
        results = await find_entries(self.plugin.recall, listed, body.query, body.limit)
        return {
            "entries": [entry.to_wire() | {"has_all_words": has_all} for entry, has_all in results]
        }


class MemoryReviewHandler(MemoryBase):
    """Stores the person's decisions about entries that came with a project."""

    @guarded("write")
    async def post(self) -> None:
        memory, body = self.memory, self.body(MemoryReviewBody)
        await memory.review(body.digests, used=body.used)


class ProposalsHandler(MemoryBase):
    """Lists the proposals that wait for the person, and adds one."""

    @guarded("read")
    async def get(self) -> Encoded[dict[str, Any]]:
        """Answer with the proposals, oldest first, and the entries that are similar to each."""
        memory = self.memory
        waiting = await memory.pending()
        listed = await memory.list_entries(skip_unreadable=True) if waiting else []
        return await self.encode_in_thread(lambda: {"proposals": _with_similar(waiting, listed)})

    @guarded("write")
    async def post(self) -> Encoded[dict[str, Any]]:
        """Store a proposal. It is not remembered before the person confirms it."""
        memory, body = self.memory, self.body(MemoryProposalBody)
        proposal = await memory.propose(body.text, body.scope, body.origin, _source(body.source))
        listed = await memory.list_entries(skip_unreadable=True)
        self.set_status(201)
        return await self.encode_in_thread(lambda: _with_similar([proposal], listed)[0])


class MemoryConfirmHandler(MemoryBase):
    """Confirms a proposal."""

    @guarded("write")
    async def post(self, id_: str) -> None:
        memory, body = self.memory, self.body(MemoryConfirmBody)
        before = await memory.list_entries(skip_unreadable=True) if body.replaces else []
        entry = await memory.confirm(
            id_, text=body.text, scope=body.scope, replaces=body.replaces or ""
        )
        listed = await memory.list_entries(skip_unreadable=True)
        remaining = {(item.scope, item.id) for item in listed}
        replaced = (item for item in before if item.id == body.replaces)
        texts = [item.text for item in replaced if (item.scope, item.id) not in remaining]
        if texts:
            await self.stored_prompts(texts).delete()
        listed = [item for item in listed if item.id == entry.id]
        if not listed:  # it was forgotten meanwhile
            raise ProposalNotFound
        await self.finish(listed[0].to_wire())


class MemoryRejectHandler(MemoryBase):
    """Rejects a proposal."""

    @guarded("write")
    async def post(self, id_: str) -> None:
        """Remove the proposal without a trace."""
        await self.memory.reject(id_)


class PastAnswerHandler(MemoryBase):
    """Offers an answer that the person has accepted in another notebook."""

    @guarded("read")
    async def post(self) -> dict[str, Any]:
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
        answer = answer and replace(answer, path=paths[answer.notebook_id])
        return {"answer": to_wire(answer)}


class NoteHandler(MemoryBase):
    """Reads, makes, changes and deletes the note of a notebook."""

    @property
    def notes(self) -> NoteManager:
        """The person's notes. Raises the errors of ``check_memory``."""
        return self.memory.notes

    @guarded("read")
    async def get(self, notebook_id: str) -> dict[str, Any]:
        """Answer with the note, or null."""
        note = await self.notes.get(check_id("notebookId", notebook_id))
        is_being_worded = self.plugin.writer.is_running(self.services.assistant, notebook_id)
        return self._answer(note, is_being_worded)

    @guarded("write")
    async def post(self, notebook_id: str) -> dict[str, Any]:
        """Make the note from the notebook's cells if it is missing or outdated; answer with it."""
        notes, body = self.notes, self.body(NoteBody)
        check_id("notebookId", notebook_id)
        outline = await asyncio.to_thread(outline_of, body.cells)
        note = await notes.update(notebook_id, outline, again=body.again, expected=body.expected)
        is_being_worded = False
        is_outline = note is not None and (note.author, note.text) == ("outline", outline.text)
        if body.uses_model and is_outline:
            is_being_worded = await self.plugin.writer.start(
                self.services.assistant, notebook_id, outline, body.cells, again=body.again
            )
        return self._answer(note, is_being_worded)

    @guarded("write")
    async def patch(self, notebook_id: str) -> dict[str, Any]:
        """Replace the text by the person's, or choose whether requests contain it."""
        notes, body = self.notes, self.body(NoteChangeBody)
        check_id("notebookId", notebook_id)
        if body.text is not None:
            await notes.write(notebook_id, body.text, body.expected, is_undo=body.undo)
        if body.used is not None:
            await notes.set_used(notebook_id, is_used=body.used)
        return self._answer(await notes.get(notebook_id))

    @guarded("write")
    async def delete(self, notebook_id: str) -> None:
        """Erase the note, and delete the stored prompts with it."""
        notes = self.notes
        note = await notes.get(check_id("notebookId", notebook_id))
        texts = [closed_note(note.text)] if note and note.text else []
        stored = self.stored_prompts(texts, are_complete=True)
        if texts:
            await stored.delete()
        await notes.delete(notebook_id)
        if texts:
            await stored.delete()  # delete prompts that were stored meanwhile
        await self.finish({"deleted_prompts": stored.deleted_count})

    def _answer(self, note: Note | None, is_being_worded: bool = False) -> dict[str, Any]:
        fields = note and {
            "text": note.text,
            "author": note.author if note.is_generated else "person",
            "model": note.model,
            "written_at": note.written_at,
            "expires_at": note.expires_at(self.notes.lifetime),
            "used": note.used,
        }
        return {"note": fields, "being_worded": is_being_worded}


def _source(body: MemorySource | None) -> TurnSource | None:
    return None if body is None else TurnSource(body.notebook_id, body.cell_id, body.turn_id)


def _with_similar(
    waiting: Sequence[Proposal], entries: Sequence[MemoryEntry]
) -> list[dict[str, Any]]:
    """Return proposals with the most similar entries.

    The person sees whether one is a duplicate or a contradiction: “use polars” and “use pandas”
    differ in one word.
    """
    parts = {entry.text: compared_parts(entry.text) for entry in entries}
    order = {text: number for number, text in enumerate(parts)}
    listed = []
    for proposal in waiting:
        own = compared_parts(proposal.text)
        scores = {text: similarity(own, other) for text, other in parts.items()}
        similar = [entry for entry in entries if scores[entry.text] >= MIN_SIMILARITY]
        # Equal texts stay together.
        similar.sort(key=lambda entry: (-scores[entry.text], order[entry.text]))
        fields = proposal.model_dump(
            include={"id", "scope", "text", "origin", "created_at", "expires_at", "source"}
        )
        fields["similar"] = [
            {"id": entry.id, "scope": entry.scope, "text": entry.text}
            for entry in similar[:_MAX_SIMILAR]
        ]
        listed.append(fields)
    return listed
