"""Read and change the memories of one person, and the proposals that wait for them.

Invariants:

- Entries are written by ``add``, ``change`` and ``confirm`` alone, which are acts of the person.
- A confirmation is stored before the entry is written, and finished after a crash. The entry has
  the proposal's id, so it is written once.
- If an entry can't be written, the proposal waits again, unless the process is killed or the store
  can't be reached.
- What the person adds, changes or confirms here needs no review.
- A damaged document is set aside before a new one is written: it is never overwritten.
- A project's memory is always a file in it. The person's is in the database of the sessions, if
  there is one, so that it is the same on all machines.
"""

from __future__ import annotations

import time
from codecs import BOM_UTF8
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from traitlets.utils.importstring import import_item

from ...errors import (
    AIServerError,
    InvalidField,
    MemoryTooLarge,
    MemoryUnreadable,
    NotFound,
    ProposalNotFound,
    SettingError,
)
from ...models import SessionKey
from ...sessions.base import SessionManager
from ...sessions.file.directory import find_folder, find_root
from ...sessions.key_value import KeyValueSessionManager
from . import document, proposals, reviews
from .document import decode, run_in_memory_thread
from .entries import SCOPES, MemoryEntry, Review, Scope, TurnSource, new_id
from .limits import checked_proposal, checked_text
from .notes import manager as notes
from .notes.manager import NoteManager
from .proposals import Decision, Origin, Proposal
from .stores.base import DamagedDocument, DocumentName, KeyValueMemoryStore, MemoryStore
from .stores.file import PROJECT_FOLDER, FileMemoryStore

if TYPE_CHECKING:
    from ...extension import AIServer

LIFETIME = 24 * 3600.0  # seconds until a proposal expires
_REVIEWS: dict[bool | None, Review] = {None: "new", True: "used", False: "declined"}


class MemoryManager:
    """The memories of one person, and the person's proposals.

    ``project`` is None if notebooks aren't files. ``project_name`` identifies the project in
    ``reviews``. The lifetimes, of proposals and unused notes, are in seconds.
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
        """Finish interrupted confirmations; remove what is expired or obsolete."""
        await self._finish_confirmations()
        await self._change_proposals(lambda waiting: waiting)
        # An earlier version counted the changes that the person made to answers.
        await self._update("corrections", lambda _: None)

    async def unreadable_scopes(self) -> list[Scope]:
        """Return the memories that can't be read: no text, a link or too large."""
        unreadable: list[Scope] = []
        for scope in self.scopes:
            try:
                await self._read(scope)
            except (MemoryUnreadable, MemoryTooLarge):
                unreadable.append(scope)
        return unreadable

    async def list_entries(self, *, skip_unreadable: bool = False) -> list[MemoryEntry]:
        """Return the entries of both memories, the project's first, in their order.

        Raises MemoryUnreadable or MemoryTooLarge, unless such a memory is skipped.
        """
        unreadable = (MemoryUnreadable, MemoryTooLarge) if skip_unreadable else ()
        decisions: dict[str, bool] = {}
        with suppress(DamagedDocument, *unreadable):
            data = await self._person.read("reviews", owner=self._owner)
            decisions = reviews.parse(data, self._project_name)
        texts: dict[Scope, str] = {}
        for scope in self.scopes:
            with suppress(*unreadable):
                texts[scope] = await self._read(scope)

        def parse() -> list[MemoryEntry]:
            project = document.parse(texts.get("project", ""))
            reviewed = [
                replace(entry, scope="project", review=_REVIEWS[decisions.get(entry.digest)])
                for entry in project
            ]
            return reviewed + document.parse(texts.get("person", ""))

        return await run_in_memory_thread(parse)

    async def add(self, scope: Scope, text: str, source: TurnSource | None = None) -> MemoryEntry:
        """Write a new entry and return it. Raises the errors of ``limits.checked_text``."""
        return await self._add(new_id(), scope, checked_text(text), source)

    async def change(self, scope: Scope, id_: str, text: str, expected: str) -> MemoryEntry:
        """Change an entry whose text is still ``expected``; return it.

        Raises NotFound, MemoryEntryChanged, and the errors of ``limits.checked_text``.
        """
        new_text = checked_text(text)
        await self._edit(scope, lambda old: document.change(old, id_, new_text, expected))
        return await self._mark_used(scope, id_)

    async def forget(self, scope: Scope, id_: str) -> MemoryEntry:
        """Remove an entry and return it. Raises NotFound.

        Its proposals go first, so that no interrupted confirmation writes it again.
        """
        removed: list[MemoryEntry] = []
        await self._drop(id_)

        def remove(old: str) -> str:
            removed[:] = [entry for entry in document.parse(old) if entry.id == id_]
            return document.remove(old, id_)

        await self._edit(scope, remove)
        return removed[0]

    async def forget_histories(
        self, sessions: SessionManager, keys: Collection[SessionKey]
    ) -> None:
        """Remove the proposals and notes of an owner's deleted sessions.

        A note goes with its notebook's last session. Entries and begun confirmations stay. Damaged
        notes are in no request, so they are no failure. Raises StorageError.
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
        await self._update(
            "reviews", lambda data: reviews.add(data, self._project_name, digests, used=used)
        )

    async def pending(self) -> list[Proposal]:
        """Return the proposals to decide here, oldest first.

        They include those whose confirmation can't be finished now, as on a full disk.
        """
        data = await self._person.read("proposals", owner=self._owner)
        stored: list[Proposal] = []
        with suppress(DamagedDocument):
            stored = proposals.parse(data, self._now())
        return [proposal for proposal in stored if proposal.belongs_to(self._project_name)]

    async def propose(
        self, text: str, scope: Scope, origin: Origin, source: TurnSource | None = None
    ) -> Proposal:
        """Store a proposal, unless it waits already; return it.

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
        same: list[Proposal] = []

        def append(waiting: list[Proposal]) -> list[Proposal]:
            here = (other for other in waiting if other.belongs_to(self._project_name))
            same[:] = (o for o in here if (o.scope, o.text) == (scope, proposal.text))
            return waiting if same else proposals.append(waiting, proposal)

        await self._change_proposals(append)
        return (same or [proposal])[0]

    async def confirm(
        self,
        id_: str,
        *,
        text: str | None = None,
        scope: Scope | None = None,
        replaces: str = "",
    ) -> MemoryEntry:
        """Write and return a proposal's entry, possibly with another text or scope.

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
        for proposal in await self.pending():
            if proposal.id == id_ and proposal.decision:
                return await self._finish_or_undo(proposal)
        for entry in await self.list_entries():  # confirmed in another window
            if entry.id == id_:
                return entry
        raise ProposalNotFound

    async def reject(self, id_: str) -> None:
        """Remove a proposal that isn't being confirmed. Raises ProposalNotFound."""
        removed: list[Proposal] = []

        def drop(waiting: list[Proposal]) -> list[Proposal]:
            here = (other for other in waiting if other.belongs_to(self._project_name))
            removed[:] = (other for other in here if other.id == id_ and not other.decision)
            return [other for other in waiting if other not in removed]

        await self._change_proposals(drop)
        if not removed:
            raise ProposalNotFound

    async def close(self) -> None:
        await self._person.close()
        if self._project is not None:
            await self._project.close()

    def _check_scope(self, scope: Scope) -> Scope:
        if scope not in self.scopes:
            raise InvalidField("scope", "this server has no project memory")
        return scope

    def _store_of(self, scope: Scope) -> tuple[MemoryStore, str]:
        self._check_scope(scope)
        if scope == "project" and self._project is not None:
            return self._project, ""
        return self._person, self._owner

    async def _read(self, scope: Scope) -> str:
        store, owner = self._store_of(scope)
        return decode(await store.read("memory", owner=owner))

    async def _edit(self, scope: Scope, change: Callable[[str], str]) -> None:
        """Change the text of a memory, and remove the decisions about removed entries."""
        store, owner = self._store_of(scope)
        removed: set[str] = set()

        def edit(data: bytes | None) -> bytes:
            old = decode(data)
            new = change(old)
            removed.clear()
            remaining = {entry.digest for entry in document.parse(new)}
            removed.update({entry.digest for entry in document.parse(old)} - remaining)
            mark = BOM_UTF8 if (data or b"").startswith(BOM_UTF8) else b""
            return mark + new.encode()

        await store.update("memory", edit, owner=owner)
        if scope == "project" and removed:
            await self._update(
                "reviews", lambda data: reviews.drop(data, self._project_name, removed)
            )

    async def _update(
        self, name: DocumentName, change: Callable[[bytes | None], bytes | None]
    ) -> None:
        await self._person.update(name, change, owner=self._owner)

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
        """Store that an entry of the project needs no review. Raises NotFound."""
        text = await self._read(scope)
        for entry in await run_in_memory_thread(lambda: document.parse(text)):
            if entry.id == id_:
                if scope == "project":
                    await self.review([entry.digest], used=True)
                return replace(entry, scope=scope)
        raise NotFound

    async def _change_proposal(self, id_: str, change: Callable[[Proposal], Proposal]) -> None:
        def apply(proposal: Proposal) -> Proposal:
            is_changed = proposal.id == id_ and proposal.belongs_to(self._project_name)
            return change(proposal) if is_changed else proposal

        await self._change_proposals(lambda waiting: [apply(proposal) for proposal in waiting])

    async def _change_proposals(self, change: Callable[[list[Proposal]], list[Proposal]]) -> None:
        await self._update("proposals", lambda data: proposals.change(data, self._now(), change))

    async def _finish_confirmations(self) -> None:
        for proposal in await self.pending():
            if proposal.decision:
                with suppress(AIServerError):
                    await self._finish_or_undo(proposal)

    async def _finish_or_undo(self, proposal: Proposal) -> MemoryEntry:
        """Write a confirmed proposal's entry; if that fails, the proposal waits again."""
        decision = proposal.decision
        assert decision is not None
        try:
            entry = await self._add(
                proposal.id, decision.scope, decision.text, proposal.source, decision.replaces
            )
            await self._drop(proposal.id)
            return entry
        except AIServerError:
            with suppress(AIServerError):
                await self._undo(proposal.id, decision.scope)
            raise

    async def _drop(self, id_: str) -> None:
        await self._change_proposals(lambda waiting: [p for p in waiting if p.id != id_])

    async def _undo(self, id_: str, scope: Scope) -> None:
        """Remove the decision about a proposal, unless its entry was written."""
        text = ""
        with suppress(MemoryUnreadable, MemoryTooLarge):
            text = await self._read(scope)
        entries = await run_in_memory_thread(lambda: document.parse(text))
        if all(entry.id != id_ for entry in entries):
            await self._change_proposal(
                id_, lambda stored: proposals.decide(stored, None, self._project_name)
            )


def create_memory(
    settings: AIServer | None, sessions: SessionManager, folder: str | None, owner: str
) -> MemoryManager:
    """Return the manager of an owner's memories.

    ``folder`` is the one that Jupyter serves, or None if notebooks aren't files. Raises
    SettingError if the setting of the store is invalid.
    """
    root = None if folder is None else project_root(Path(folder))
    return MemoryManager(
        create_person_store(sessions, settings.memory_store if settings else ""),
        FileMemoryStore(root / PROJECT_FOLDER, is_shared_by_git=True) if root else None,
        owner=owner,
        project_name=str(root.resolve()) if root else "",
        lifetime=settings.proposal_lifetime * 3600 if settings else LIFETIME,
        note_lifetime=settings.note_lifetime * 24 * 3600 if settings else notes.LIFETIME,
    )


def project_root(served_folder: Path) -> Path:
    """Return the folder of the project's memory: the nearest one, upwards, with a memory, else with
    sessions, else the served folder.
    """
    return find_folder(served_folder, PROJECT_FOLDER) or find_root(served_folder)


def create_person_store(
    sessions: SessionManager, choice: str | type[MemoryStore] = ""
) -> MemoryStore:
    """Create the store of the person's memory.

    ``choice`` is a class, its import path, ``file``, or empty: then the memory is where the
    sessions are. Raises SettingError if there is no such store.
    """
    if choice and choice != "file":
        try:
            store = import_item(choice) if isinstance(choice, str) else choice
        except ImportError as exc:
            raise SettingError(f"Unknown memory store “{choice}”. Use “file” or a class.") from exc
        if not (isinstance(store, type) and issubclass(store, MemoryStore)):
            raise SettingError(f"“{choice}” is not a MemoryStore.")
        return store(parent=sessions.parent)
    # Another package's store may not be made for memories.
    is_ours = type(sessions).__module__.startswith("aiserver.sessions.")
    if not choice and is_ours and isinstance(sessions, KeyValueSessionManager):
        return KeyValueMemoryStore(sessions)
    return FileMemoryStore(person_folder())


def person_folder() -> Path:
    """Return the folder of the person's files."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "aiserver" / "memory"
