"""Read and change the memories of one person, and the proposals that wait for them.

Invariants:

- An entry is only written by ``add``, ``change`` and ``confirm``, which are acts of the person.
- A confirmation is stored before the entry is written, and finished after a crash. The entry has
  the proposal's id, so finishing it twice writes one entry.
- What the person adds, changes or confirms here needs no review.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from ..errors import InvalidField, MemoryUnreadable, NotFound, ProposalNotFound
from . import document, proposals, reviews
from .entries import SCOPES, MemoryEntry, Scope, TurnSource, new_id
from .limits import checked_proposal, checked_text
from .proposals import Decision, Origin, Proposal
from .reviews import Review
from .stores.base import DocumentName, MemoryStore

LIFETIME = 24 * 3600.0  # seconds until a proposal expires, by default


@dataclass(frozen=True)
class ListedEntry:
    """An entry with its scope, and the person's decision about it.

    The entries of the person's own memory, and those that the person added here, are ``used``.
    """

    scope: Scope
    entry: MemoryEntry
    review: Review


class MemoryManager:
    """The memories of one person, and the person's proposals.

    ``project`` stores the project's memory; None if notebooks aren't files. ``project_name``
    identifies the project in ``reviews``. ``lifetime`` is in seconds.
    """

    def __init__(
        self,
        person: MemoryStore,
        project: MemoryStore | None,
        *,
        owner: str = "",
        project_name: str = "",
        lifetime: float = LIFETIME,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._person, self._project = person, project
        self._owner, self._project_name = owner, project_name
        self._lifetime, self._now = lifetime, now

    @property
    def scopes(self) -> list[Scope]:
        """The scopes that exist here: a project's memory needs files."""
        return [scope for scope in SCOPES if scope == "person" or self._project is not None]

    async def list_entries(self) -> list[ListedEntry]:
        """Return the entries of both memories, the project's first, in the order of their texts."""
        await self._finish_confirmations()
        data = await self._person.read("reviews", owner=self._owner)
        decisions = reviews.parse(data, self._project_name)
        listed: list[ListedEntry] = []
        for scope in self.scopes:
            for entry in document.parse(await self._read(scope)):
                review = reviews.review_of(decisions, entry.digest)
                listed.append(ListedEntry(scope, entry, "used" if scope == "person" else review))
        return listed

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
        """Remove an entry and return it. Raises NotFound."""
        removed: list[MemoryEntry] = []

        def remove(old: str) -> str:
            removed[:] = [entry for entry in document.parse(old) if entry.id == id_]
            return document.remove(old, id_)

        await self._edit(scope, remove)
        return removed[0]

    async def review(self, digests: Collection[str], *, used: bool) -> None:
        """Store the person's decision about entries of the project's memory."""
        await self._person.update(
            "reviews",
            lambda data: reviews.add(data, self._project_name, digests, used=used),
            owner=self._owner,
        )

    async def pending(self) -> list[Proposal]:
        """Return the proposals that wait for the person, oldest first. Expired ones are removed."""
        await self._finish_confirmations()
        await self._change_proposals(lambda waiting: waiting)
        return await self._proposals()

    async def propose(
        self, text: str, scope: Scope, origin: Origin, source: TurnSource | None = None
    ) -> Proposal:
        """Store a proposal and return it; if the same text waits already, return that proposal.

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
        )
        result = [proposal]

        def append(waiting: list[Proposal]) -> list[Proposal]:
            same = [other for other in waiting if other.text == proposal.text]
            result[:] = same or [proposal]
            return waiting if same else [*waiting, proposal][-proposals.MAX_PROPOSALS :]

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

        def claim(waiting: list[Proposal]) -> list[Proposal]:
            decided = []
            for proposal in waiting:
                if proposal.id == id_ and not proposal.decision:
                    decision = Decision(
                        given_text or proposal.text, scope or proposal.scope, replaces
                    )
                    proposal = proposals.decide(proposal, decision)
                decided.append(proposal)
            return decided

        await self._change_proposals(claim)
        claimed = [proposal for proposal in await self._proposals(True) if proposal.id == id_]
        if claimed:
            return await self._finish(claimed[0])
        for listed in await self.list_entries():  # confirmed in another window
            if listed.entry.id == id_:
                return listed.entry
        raise ProposalNotFound

    async def confirm_all(self) -> list[MemoryEntry]:
        """Confirm all proposals that wait, oldest first."""
        return [await self.confirm(proposal.id) for proposal in await self.pending()]

    async def reject(self, id_: str) -> None:
        """Remove a proposal that isn't being confirmed. Raises ProposalNotFound."""
        removed: list[bool] = [False]

        def drop(waiting: list[Proposal]) -> list[Proposal]:
            remaining = [other for other in waiting if other.id != id_ or other.decision]
            removed[0] = removed[0] or len(remaining) < len(waiting)
            return remaining

        await self._change_proposals(drop)
        if not removed[0]:
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
        return _decode(await store.read("memory", owner=owner))

    async def _edit(self, scope: Scope, change: Callable[[str], str]) -> None:
        """Change the text of a memory."""
        store, owner = self._store_of(scope)
        await store.update("memory", lambda old: change(_decode(old)).encode(), owner=owner)

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
        for entry in document.parse(await self._read(scope)):
            if entry.id == id_:
                if scope == "project":
                    await self.review([entry.digest], used=True)
                return entry
        raise NotFound

    async def _proposals(self, decided: bool = False) -> list[Proposal]:
        """Return the proposals without a decision or, if ``decided``, those with one."""
        data = await self._person.read("proposals", owner=self._owner)
        waiting = proposals.parse(data, self._now())
        return [proposal for proposal in waiting if (proposal.decision is not None) == decided]

    async def _change_proposals(self, change: Callable[[list[Proposal]], list[Proposal]]) -> None:
        """Change the stored proposals; those that have expired are removed."""
        name: DocumentName = "proposals"
        await self._person.update(
            name,
            lambda data: proposals.encode(change(proposals.parse(data, self._now()))),
            owner=self._owner,
        )

    async def _finish_confirmations(self) -> None:
        """Finish the confirmations during which a process was killed."""
        for proposal in await self._proposals(True):
            await self._finish(proposal)

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


def _decode(data: bytes | None) -> str:
    """Return the text of a memory. Raises MemoryUnreadable if it isn't UTF-8."""
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as exc:
        raise MemoryUnreadable from exc
