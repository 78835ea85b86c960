"""Read and change the memories of one person, and the proposals that wait for them.

Invariants:

- An entry is only written by ``add``, ``change`` and ``confirm``, which are acts of the person.
- A confirmation is stored before the entry is written, and finished after a crash. The entry has
  the proposal's id, so finishing it twice writes one entry.
- If an entry can't be written, the proposal waits again, unless the process is killed or the store
  can't be reached.
- What the person adds, changes or confirms here needs no review.
- A damaged document is set aside before a new one is written: it is never overwritten.
"""

from __future__ import annotations

import time
from codecs import BOM_UTF8
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime

from ...errors import (
    AIServerError,
    InvalidField,
    MemoryTooLarge,
    MemoryUnreadable,
    NotFound,
    ProposalNotFound,
)
from ...models import SessionKey
from ...sessions.base import SessionManager
from . import document, proposals, reviews
from .entries import SCOPES, MemoryEntry, Scope, TurnSource, new_id
from .json_documents import DamagedDocument
from .limits import checked_proposal, checked_text
from .listed import ListedEntry, decode, digests_of, list_entries
from .notes import manager as notes
from .notes.manager import NoteManager
from .proposals import Decision, Origin, Proposal
from .stores.base import DocumentName, MemoryStore
from .thread import run_in_memory_thread

LIFETIME = 24 * 3600.0  # seconds until a proposal expires, by default


class MemoryManager:
    """The memories of one person, and the person's proposals.

    ``project`` stores the project's memory; None if notebooks aren't files. ``project_name``
    identifies the project in ``reviews``. The lifetimes, of proposals and of notes without a use,
    are in seconds. ``notes`` manages the notes of the person's notebooks.
    """

    def __init__(
        self,
        person: MemoryStore,
        project: MemoryStore | None,
        *,
        owner: str = "",
        project_name: str = "",
        lifetime: float = LIFETIME,
        note_lifetime: float = notes.LIFETIME,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._person, self._project = person, project
        self._owner, self._project_name = owner, project_name
        self._lifetime, self._now = lifetime, now
        self.notes = NoteManager(person, owner=owner, lifetime=note_lifetime, now=now)

    @property
    def scopes(self) -> list[Scope]:
        """The scopes that exist here: a project's memory needs files."""
        return [scope for scope in SCOPES if scope == "person" or self._project is not None]

    async def sweep(self) -> None:
        """Finish interrupted confirmations; remove expired proposals, and what is obsolete.

        A server calls this method when it starts, and before each request to a model.
        """
        await self._finish_confirmations()
        await self._change_proposals(lambda waiting: waiting)
        # An earlier version counted the changes that the person made to answers.
        await self._person.update("corrections", lambda _: None, owner=self._owner)

    async def unreadable_scopes(self) -> list[Scope]:
        """Return the memories that can't be read, because they are no text, links or too large."""
        unreadable: list[Scope] = []
        for scope in self.scopes:
            try:
                await self._read(scope)
            except (MemoryUnreadable, MemoryTooLarge):
                unreadable.append(scope)
        return unreadable

    async def list_entries(self, *, skip_unreadable: bool = False) -> list[ListedEntry]:
        """Return the entries of both memories, the project's first, in the order of their texts.

        Changes nothing. Raises MemoryUnreadable or MemoryTooLarge, unless such a memory is skipped.
        """
        decisions: dict[str, bool] = {}
        try:
            data = await self._person.read("reviews", owner=self._owner)
            with suppress(DamagedDocument):
                decisions = reviews.parse(data, self._project_name)
        except (MemoryUnreadable, MemoryTooLarge):
            if not skip_unreadable:
                raise
        skipped = await self.unreadable_scopes() if skip_unreadable else []
        scopes = [scope for scope in self.scopes if scope not in skipped]
        texts = {scope: await self._read(scope) for scope in scopes}
        return await run_in_memory_thread(lambda: list_entries(texts, decisions))

    async def add(self, scope: Scope, text: str, source: TurnSource | None = None) -> MemoryEntry:
        """Write a new entry and return it. Raises the errors of ``limits.checked_text``."""
        return await self._add(new_id(), scope, checked_text(text), source)

    async def change(self, scope: Scope, id_: str, text: str, expected: str) -> MemoryEntry:
        """Give an entry another text, if its text is still ``expected``; return the entry.

        Raises NotFound, MemoryEntryChanged, and the errors of ``limits.checked_text``.
        """
        new_text = checked_text(text)
        await self._edit(scope, lambda old: document.change(old, id_, new_text, expected))
        return await self._mark_used(scope, id_)

    async def forget(self, scope: Scope, id_: str) -> MemoryEntry:
        """Remove an entry and return it. Raises NotFound.

        Proposals of the entry are removed first, so that no interrupted confirmation can write it
        again.
        """
        removed: list[MemoryEntry] = []
        await self._change_proposals(
            lambda waiting: [proposal for proposal in waiting if proposal.id != id_]
        )

        def remove(old: str) -> str:
            removed[:] = [entry for entry in document.parse(old) if entry.id == id_]
            return document.remove(old, id_)

        await self._edit(scope, remove)
        return removed[0]

    async def forget_histories(
        self, sessions: SessionManager, keys: Collection[SessionKey]
    ) -> None:
        """Remove the proposals and notes of sessions of one owner that the person has deleted.

        A note is removed when its notebook has no session left. Entries and confirmations that have
        begun stay: they don't depend on the history. Damaged notes are in no request, so they are
        no failure. Raises StorageError.
        """
        deleted = {
            key.notebook_id
            for key in keys
            if not await sessions.session_marks(key.notebook_id, owner=key.owner)
        }
        cells = {(key.notebook_id, key.cell_id) for key in keys}

        def is_deleted(source: TurnSource | None) -> bool:
            return source is not None and (
                source.notebook_id in deleted or (source.notebook_id, source.cell_id) in cells
            )

        with suppress(MemoryUnreadable, MemoryTooLarge):
            await self.notes.remove(deleted)
        await self._change_proposals(
            lambda waiting: [p for p in waiting if p.decision or not is_deleted(p.source)]
        )

    async def review(self, digests: Collection[str], *, used: bool) -> None:
        """Store the person's decision about entries of the project's memory."""
        await self._person.update(
            "reviews",
            lambda data: reviews.add(data, self._project_name, digests, used=used),
            owner=self._owner,
        )

    async def pending(self) -> list[Proposal]:
        """Return the proposals that wait for the person, oldest first. Changes nothing.

        They include those whose confirmation can't be finished now, for example on a full disk.
        """
        return await self._proposals()

    async def propose(
        self,
        text: str,
        scope: Scope,
        origin: Origin,
        source: TurnSource | None = None,
    ) -> Proposal:
        """Store a proposal and return it; if it waits already for this memory, return that one.

        Raises the errors of ``limits.checked_proposal``.
        """
        now = self._now()
        proposal = Proposal(
            id=new_id(),
            text=checked_proposal(text),
            scope=self._check_scope(scope),
            origin=origin,
            created_at=now,
            expires_at=now + self._lifetime,
            source=source,
            project=self._project_name if scope == "project" else "",
        )
        result = [proposal]

        def append(waiting: list[Proposal]) -> list[Proposal]:
            here = [other for other in waiting if other.belongs_to(self._project_name)]
            wanted = (proposal.scope, proposal.text)
            same = [other for other in here if (other.scope, other.text) == wanted]
            result[:] = same or [proposal]
            return waiting if same else proposals.append(waiting, proposal)

        await self._change_proposals(append)
        return result[0]

    async def confirm(
        self,
        id_: str,
        *,
        text: str | None = None,
        scope: Scope | None = None,
        replaces: str = "",
    ) -> MemoryEntry:
        """Write the entry of a proposal, possibly with another text or scope; return the entry.

        The entry ``replaces`` of the same scope is removed. If the proposal was confirmed already,
        return its entry. Raises ProposalNotFound, and the errors of ``limits.checked_text``.
        """
        given_text = None if text is None else checked_text(text)
        if scope:
            self._check_scope(scope)

        def claim(proposal: Proposal) -> Proposal:
            if proposal.decision:  # in another window
                return proposal
            decision = Decision(
                text=given_text or proposal.text, scope=scope or proposal.scope, replaces=replaces
            )
            return proposals.decide(proposal, decision, self._project_name)

        await self._change_proposal(id_, claim)
        for proposal in await self._proposals():
            if proposal.id == id_ and proposal.decision:
                return await self._finish_or_undo(proposal)
        for listed in await self.list_entries():  # confirmed in another window
            if listed.entry.id == id_:
                return listed.entry
        raise ProposalNotFound

    async def reject(self, id_: str) -> None:
        """Remove a proposal that isn't being confirmed. Raises ProposalNotFound."""
        removed: list[Proposal] = []

        def drop(waiting: list[Proposal]) -> list[Proposal]:
            here = [other for other in waiting if other.belongs_to(self._project_name)]
            removed[:] = [other for other in here if other.id == id_ and not other.decision]
            return [other for other in waiting if other not in removed]

        await self._change_proposals(drop)
        if not removed:
            raise ProposalNotFound

    async def close(self) -> None:
        """Close the stores."""
        await self._person.close()
        if self._project is not None:
            await self._project.close()

    def _check_scope(self, scope: Scope) -> Scope:
        if scope not in self.scopes:
            raise InvalidField("scope", "this server has no project memory")
        return scope

    def _store_of(self, scope: Scope) -> tuple[MemoryStore, str]:
        """Return the store of a memory, and its owner in the store."""
        self._check_scope(scope)
        if scope == "project" and self._project is not None:
            return self._project, ""
        return self._person, self._owner

    async def _read(self, scope: Scope) -> str:
        store, owner = self._store_of(scope)
        return decode(await store.read("memory", owner=owner))

    async def _edit(self, scope: Scope, change: Callable[[str], str]) -> None:
        """Change the text of a memory, and remove the decisions about entries that are removed."""
        store, owner = self._store_of(scope)
        removed: set[str] = set()

        def edit(data: bytes | None) -> bytes:
            old = decode(data)
            new = change(old)
            removed.clear()
            removed.update(digests_of(old) - digests_of(new))
            mark = BOM_UTF8 if (data or b"").startswith(BOM_UTF8) else b""
            return mark + new.encode()

        await store.update("memory", edit, owner=owner)
        if scope == "project" and removed:
            await self._person.update(
                "reviews",
                lambda data: reviews.drop(data, self._project_name, removed),
                owner=self._owner,
            )

    async def _add(
        self, id_: str, scope: Scope, text: str, source: TurnSource | None, replaces: str = ""
    ) -> MemoryEntry:
        date = datetime.fromtimestamp(self._now()).astimezone().date().isoformat()
        entry = MemoryEntry(id_, text, date, source)

        def write(old: str) -> str:
            new = document.add(old, entry)
            if replaces and any(other.id == replaces for other in document.parse(new)):
                new = document.remove(new, replaces)
            return new

        await self._edit(scope, write)
        return await self._mark_used(scope, id_)

    async def _mark_used(self, scope: Scope, id_: str) -> MemoryEntry:
        """Return an entry; store that the project's entry needs no review. Raises NotFound."""
        text = await self._read(scope)
        for entry in await run_in_memory_thread(lambda: document.parse(text)):
            if entry.id == id_:
                if scope == "project":
                    await self.review([entry.digest], used=True)
                return entry
        raise NotFound

    async def _proposals(self) -> list[Proposal]:
        """Return the proposals about which the person decides here, with and without decisions."""
        data = await self._person.read("proposals", owner=self._owner)
        stored: list[Proposal] = []
        with suppress(DamagedDocument):
            stored = proposals.parse(data, self._now())
        return [proposal for proposal in stored if proposal.belongs_to(self._project_name)]

    async def _change_proposal(self, id_: str, change: Callable[[Proposal], Proposal]) -> None:
        """Change a stored proposal about which the person decides here."""

        def apply(proposal: Proposal) -> Proposal:
            is_changed = proposal.id == id_ and proposal.belongs_to(self._project_name)
            return change(proposal) if is_changed else proposal

        await self._change_proposals(lambda waiting: [apply(proposal) for proposal in waiting])

    async def _change_proposals(self, change: Callable[[list[Proposal]], list[Proposal]]) -> None:
        """Change the stored proposals; those that have expired are removed."""
        name: DocumentName = "proposals"
        await self._person.update(
            name,
            lambda data: proposals.change(data, self._now(), change),
            owner=self._owner,
        )

    async def _finish_confirmations(self) -> None:
        """Finish the confirmations during which a process was killed."""
        for proposal in await self._proposals():
            if proposal.decision:
                with suppress(AIServerError):
                    await self._finish_or_undo(proposal)

    async def _finish_or_undo(self, proposal: Proposal) -> MemoryEntry:
        """Finish a confirmation. If its entry can't be written, let the proposal wait again."""
        try:
            return await self._finish(proposal)
        except AIServerError:
            with suppress(AIServerError):
                await self._undo(proposal)
            raise

    async def _undo(self, proposal: Proposal) -> None:
        """Remove the decision about a proposal, unless its entry was written."""
        assert proposal.decision is not None
        text = ""
        with suppress(MemoryUnreadable, MemoryTooLarge):
            text = await self._read(proposal.decision.scope)
        entries = await run_in_memory_thread(lambda: document.parse(text))
        if all(entry.id != proposal.id for entry in entries):
            await self._change_proposal(
                proposal.id, lambda stored: proposals.decide(stored, None, self._project_name)
            )

    async def _finish(self, proposal: Proposal) -> MemoryEntry:
        """Write the entry of a confirmed proposal, then remove the proposal."""
        decision = proposal.decision
        assert decision is not None
        entry = await self._add(
            proposal.id, decision.scope, decision.text, proposal.source, decision.replaces
        )
        await self._change_proposals(
            lambda waiting: [other for other in waiting if other.id != proposal.id]
        )
        return entry
