"""A base class for stores of values by key: SQL, Redis, memory, and stores of other packages.

A subclass only has to implement ``run`` and a ``Transaction``. Each write of the store is one
transaction. ``values.py`` describes how sessions and logs are stored.
"""

from __future__ import annotations

import contextlib
import hashlib
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from ..errors import SessionCorrupt
from ..models import (
    Event,
    Interaction,
    NewEvent,
    NewLogEntry,
    NewTurn,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionSummary,
    check_id,
)
from .base import SessionManager, VerifyResult
from .record import codec
from .record.codec import DamagedData
from .record.filenames import check_sha256
from .record.merge.sessions import merge_into
from .record.mutations import (
    append_events,
    append_turn,
    check_writable,
    fork_session,
    next_revision,
    number_entries_from,
    number_events,
    number_turn,
)
from .record.summaries import extend_summary, sort_and_slice, summarise
from .values import (
    BLOB,
    DAMAGED,
    LOG,
    LOG_PART,
    PART,
    SESSION,
    LogHead,
    SessionHead,
    StoredSession,
    Transaction,
    change_session,
    complete_lines,
    encode_part,
    find_events,
    parse_head,
    part_name,
    read_log,
    session_key,
    value_key,
    verify_session,
)

__all__ = ["KeyValueSessionManager", "Transaction", "value_key"]

T = TypeVar("T")


class KeyValueSessionManager(SessionManager):
    """A store that saves sessions, change logs and blobs as values by key."""

    @abstractmethod
    async def run(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction and return the result of ``work``.

        When this method returns, all changes are durable. If ``work`` raises an error, nothing is
        changed. Transactions that write the same values run one after the other, among all
        processes that share the store; ``work`` may be called again to ensure this. While this
        method waits for the disk or the network, it must not block the event loop. Raises
        StorageError.
        """

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work``, which only reads. A store may override this method if that is faster."""
        return await self.run(work)

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        """Return the stored session, or None if it isn't stored."""
        return await self.read(lambda transaction: transaction.load(key))

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        """Return the session as UTF-8 JSON and its revision, or None if there is no session."""

        def work(transaction: Transaction) -> tuple[bytes, int] | None:
            stored = StoredSession.read(transaction, key)
            if stored and stored.is_whole and not stored.parts:  # may be of a newer version
                with contextlib.suppress(DamagedData):
                    return stored.head, codec.parse(stored.head, key).revision
            session = transaction.load(key) if stored else None
            return (codec.encode(session), session.revision) if session else None

        return await self.read(work)

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append a turn; return the saved turn and the new revision."""

        def number(head: SessionHead, _: Transaction) -> tuple[Interaction, list[Interaction]]:
            saved = number_turn(turn, head.next_turn_id, head.next_seq)
            return saved, [saved]

        return await self._append(
            key, if_revision, number, lambda session: append_turn(session, turn)
        )

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events; return the saved events and the new revision.

        If an event has an id, all parts are searched for it.
        """

        def number(head: SessionHead, transaction: Transaction) -> tuple[list[Event], list[Event]]:
            existing = find_events(transaction, key, {event.id for event in events} - {None})
            return number_events(events, head.next_seq, existing)

        return await self._append(
            key, if_revision, number, lambda session: append_events(session, events)
        )

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
        """Return at most ``limit`` summaries from ``offset`` on, and the total number."""
        if notebook_id is not None:
            check_id("notebookId", notebook_id)
        prefix = "" if notebook_id is None else f"{notebook_id}/"

        def work(transaction: Transaction) -> tuple[list[SessionSummary], int]:
            summaries = []
            for name, value in transaction.values(SESSION, owner, prefix).items():
                if head := parse_head(value):
                    summaries.append(head.summary)
                    continue
                try:
                    if session := transaction.load(session_key(name, owner)):
                        summaries.append(summarise(session))
                except SessionCorrupt:
                    self.log.warning("The session %s is damaged.", name)
            return sort_and_slice(summaries, offset, limit)

        return await self.read(work)

    async def list_owners(self) -> list[str]:
        """Return the owners of sessions, change logs or blobs, sorted."""
        return sorted(await self.read(lambda transaction: transaction.owners()))

    async def exists(self, key: SessionKey) -> bool:
        """Return whether anything is stored under the key."""
        return await self.read(lambda transaction: transaction.get(*value_key(key)) is not None)

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        """Delete a session; return False if there was none."""

        def work(transaction: Transaction) -> bool:
            with contextlib.suppress(SessionCorrupt):  # a damaged session can be deleted
                if session := transaction.load(key):
                    check_writable(session.meta, if_revision)
            kind, owner, name = value_key(key)
            deleted = [transaction.delete_all(each, owner, f"{name}/") for each in (PART, DAMAGED)]
            return transaction.delete(kind, owner, name) or deleted[0]

        return await self.run(work)

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        """Copy a session to another cell; if that cell already has a session, return it instead."""

        def work(transaction: Transaction) -> Session:
            if existing := transaction.load(target):
                return existing
            copy = fork_session(transaction.load(source), target)
            transaction.save(target, copy)
            return copy

        return await self.run(work)

    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        """Merge another copy of the session into the stored one."""
        check_writable(other.meta, None)

        def work(transaction: Transaction) -> bool:
            return change_session(
                transaction, key, None, lambda session: merge_into(session, other, merged_digests)
            )[0]

        return await self.run(work)

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Append entries to a notebook's change log; return the saved entries."""
        check_id("notebookId", notebook_id)
        if not entries:
            return []

        def work(transaction: Transaction) -> list[NotebookLogEntry]:
            try:
                head = LogHead.model_validate_json(transaction.get(LOG, owner, notebook_id) or b"")
            except ValidationError:  # the log is new, damaged or not in parts
                lines, head = read_log(transaction, notebook_id, owner)
                transaction.delete_all(LOG_PART, owner, f"{notebook_id}/")
                if lines:
                    transaction.put(
                        LOG_PART, owner, part_name(notebook_id, 0), complete_lines(lines)
                    )
                    head.parts = 1
            saved = number_entries_from(head.next_seq, entries)
            part = b"".join(codec.encode(entry, indent=None) for entry in saved)
            transaction.put(LOG_PART, owner, part_name(notebook_id, head.parts), part)
            head.next_seq, head.parts = head.next_seq + len(saved), head.parts + 1
            transaction.put(LOG, owner, notebook_id, head.model_dump_json().encode())
            return saved

        return await self.run(work)

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        """Return a notebook's change log, oldest entry first."""
        check_id("notebookId", notebook_id)
        lines, _ = await self.read(lambda transaction: read_log(transaction, notebook_id, owner))
        entries, damaged_count = codec.parse_log(lines)
        if damaged_count:
            self.log.warning("%d entries of a notebook's change log are damaged.", damaged_count)
        return entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        """Return the ids of the notebooks that have a change log, sorted."""
        return sorted(await self.read(lambda transaction: transaction.names(LOG, owner)))

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, bytes]:
        """Return the head of each notebook's log."""
        return await self.read(lambda transaction: transaction.values(LOG, owner, ""))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        """Delete a notebook's change log; return False if there was none."""
        check_id("notebookId", notebook_id)

        def work(transaction: Transaction) -> bool:
            transaction.get(LOG, owner, notebook_id)
            deleted = transaction.delete_all(LOG_PART, owner, f"{notebook_id}/")
            return transaction.delete(LOG, owner, notebook_id) or deleted

        return await self.run(work)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        """Store bytes under their SHA-256; return the hash in hex."""
        digest = hashlib.sha256(data).hexdigest()

        def work(transaction: Transaction) -> None:
            if transaction.get(BLOB, owner, digest) != data:
                transaction.put(BLOB, owner, digest, bytes(data))

        await self.run(work)
        return digest

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        """Return the bytes that have this hash, or None if no intact blob has it."""
        check_sha256(sha256)
        data = await self.read(lambda transaction: transaction.get(BLOB, owner, sha256))
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            self.log.warning("The blob %s is damaged.", sha256)
            return None
        return data

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        """Return the hashes of all blobs, sorted."""
        return sorted(await self.read(lambda transaction: transaction.names(BLOB, owner)))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        """Delete a blob; return False if there was none."""
        check_sha256(sha256)
        return await self.run(lambda transaction: transaction.delete(BLOB, owner, sha256))

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Verify an owner's sessions, change logs and blobs.

        A damaged session is repaired as by any write: its bytes are moved to the kind ``damaged``,
        and its intact records stay in use.
        """
        run = self.run if repair else self.read

        def session_names(transaction: Transaction) -> list[str]:
            parts = {name.rpartition("/")[0] for name in transaction.names(PART, owner)}
            return sorted(parts | set(transaction.names(SESSION, owner)))

        for name in await self.read(session_names):
            verify = partial(verify_session, key=session_key(name, owner), repair=repair)
            yield VerifyResult(name, *await run(verify))
        for id_ in await self.list_notebooks(owner=owner):
            lines, _ = await self.read(partial(read_log, notebook_id=id_, owner=owner))
            count = codec.parse_log(lines + b"\n").damaged_count
            yield VerifyResult(f"notebooks/{id_}", f"{count} damaged entries" if count else None)
        for sha256 in await self.list_blobs(owner=owner):
            is_intact = await self.get_blob(sha256, owner=owner) is not None
            problem = None if is_intact else "content does not match its hash"
            yield VerifyResult(f"blobs/{sha256}", problem)

    async def _append(
        self,
        key: SessionKey,
        if_revision: int | None,
        number: Callable[[SessionHead, Transaction], tuple[T, Sequence[Interaction | Event]]],
        append: Callable[[Session], T],
    ) -> tuple[T, int]:
        """Append records to a new or stored session; return the result and the new revision.

        ``number`` returns the result and the new records. If the session can't be appended to
        without reading it, ``append`` appends to the whole session instead.
        """

        def work(transaction: Transaction) -> tuple[T, int]:
            kind, owner, name = value_key(key)
            value = transaction.get(kind, owner, name)
            head = parse_head(value) if value else None
            try:
                frame = codec.parse(head.session.encode(), key) if head else None
            except DamagedData:
                frame = None
            if head is None or frame is None or not head.can_append:
                return change_session(transaction, key, if_revision, append)
            check_writable(frame.meta, if_revision)
            try:
                result, records = number(head, transaction)
            except DamagedData:
                return change_session(transaction, key, if_revision, append)
            if not records:
                return result, frame.revision
            frame.meta = next_revision(frame.meta)
            turns = [record for record in records if isinstance(record, Interaction)]
            events = [record for record in records if isinstance(record, Event)]
            part = encode_part(turns, events)
            head.session = codec.encode(frame, indent=None).decode()
            head.summary = extend_summary(
                head.summary, records, frame.revision, frame.meta.last_updated
            )
            head.next_turn_id += len(turns)
            head.next_seq += len(records)
            transaction.put(PART, owner, part_name(name, head.parts), part)
            head.parts += 1
            transaction.put(kind, owner, name, head.encode())
            return result, frame.revision

        return await self.run(work)
