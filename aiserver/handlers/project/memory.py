"""``memory``: what models should remember beyond one cell, and proposals of entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, cast

from ...errors import FeatureForbidden, NotFound, NotOwner, ProposalNotFound
from ...generation.forgetting import StoredPrompts, forget
from ...memory.entries import MemoryEntry, Scope, TurnSource
from ...memory.listed import ComparedEntries, ListedEntry
from ...memory.manager import MemoryManager
from ...memory.past_answers import find_past_answer
from ...memory.proposals import Proposal
from ...memory.recall import find_entries
from ...memory.thread import run_in_memory_thread
from ...prompts.language import cell_language
from ...requests import (
    MemoryChangeBody,
    MemoryConfirmBody,
    MemoryEntryBody,
    MemoryProposalBody,
    MemoryReviewBody,
    MemorySearchBody,
    MemorySource,
    PastAnswerBody,
)
from ...search.plugin import SearchPlugin
from ...surrogates import json_bytes
from ..base import AIServerHandler, guarded


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
        return self.services.memory

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
        results = await find_entries(self.services.recall, listed, body.query, limit=body.limit)
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
