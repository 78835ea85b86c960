"""A base class for stores of values by key: SQL, Redis, memory, and stores of other packages.

A subclass implements ``run`` and a ``Transaction``. Each write is one transaction.

The layout: a session is a *head* and *parts*. Each write that appends records adds one part, and
replaces the head, which has everything else: the meta, unknown keys, the next numbers and the
summary. So appending takes equally long for short and long sessions, and lists read only heads.
Change logs are stored in the same way. A whole session or log in one value, as older versions wrote
it, is read, and the next write converts it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import to_json

from ..concurrency import for_each
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
    Stored,
    check_id,
    new_session,
)
from .base import SessionManager, VerifyResult
from .record import codec, mutations
from .record.codec import DamagedData
from .record.filenames import check_sha256
from .record.merge import merge_into
from .record.mutations import check_writable
from .record.recovery import is_empty, recover

T = TypeVar("T")

# The kinds of values.
SESSION, PART, LOG, LOG_PART = "session", "part", "log", "logpart"
BLOB, DAMAGED, MEMORY = "blob", "damaged", "memory"
_LAYOUT = 1


class Transaction(ABC):
    """Reads and writes the values of a store in one transaction.

    A key consists of the kind, at most 7 ASCII letters, the owner, any text, compared byte by byte,
    and the name, at most 160 ASCII characters. A transaction that writes a part gets the head
    first, so only the values that ``get`` returned can conflict.
    """

    @abstractmethod
    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        """Return the value under a key, or None."""

    @abstractmethod
    def put(self, kind: str, owner: str, name: str, value: bytes) -> None:
        """Add or replace the value under a key."""

    @abstractmethod
    def delete(self, kind: str, owner: str, name: str) -> bool:
        """Delete the value under a key; return False if there was none."""

    @abstractmethod
    def names(self, kind: str, owner: str) -> list[str]:
        """Return the names of an owner's values of one kind."""

    @abstractmethod
    def owners(self) -> list[str]:
        """Return all owners who have at least one value, of any kind."""

    def values(self, kind: str, owner: str, prefix: str) -> dict[str, bytes]:
        """Return the values whose names begin with a prefix, in the order of their names."""
        names = sorted(name for name in self.names(kind, owner) if name.startswith(prefix))
        values = {name: self.get(kind, owner, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    def delete_all(self, kind: str, owner: str, prefix: str) -> bool:
        """Delete the values whose names begin with a prefix; return False if there were none."""
        names = [name for name in self.names(kind, owner) if name.startswith(prefix)]
        return [self.delete(kind, owner, name) for name in names].count(True) > 0

    def load(self, key: SessionKey) -> Session | None:
        """Return a session, or its intact records. Raises SessionCorrupt without any."""
        stored = StoredSession.read(self, key)
        if stored is None:
            return None
        try:
            return stored.parse()
        except DamagedData as exc:
            session = stored.recover()
            if is_empty(session):
                raise SessionCorrupt from exc
            return session

    def save(self, key: SessionKey, session: Session) -> None:
        kind, owner, name = value_key(key)
        # Encoded first, because this may raise InvalidRequest.
        head = SessionHead.of(session)
        part = encode_part(session.interactions, session.events or [])
        self.delete_all(PART, owner, f"{name}/")
        if session.interactions or session.events:
            self.put(PART, owner, part_name(name, 0), part)
            head.parts = 1
        self.put(kind, owner, name, head.encode())


class SessionHead(BaseModel):
    """Everything about a session except its records."""

    layout: int = _LAYOUT
    session: str
    """The JSON of the session without records."""
    parts: int = 0
    next_turn_id: int
    next_seq: int
    can_append: bool
    """Whether a new record comes after all others."""
    summary: SessionSummary

    @classmethod
    def of(cls, session: Session) -> SessionHead:
        empty = session.model_copy(update={"interactions": []})
        if session.events:
            empty.events = []
        last = session.ordered()[-1:]
        return cls(
            session=codec.encode(empty, indent=None).decode(),
            next_turn_id=session.next_turn_id,
            next_seq=session.next_seq,
            can_append=not last or last[0].seq == session.next_seq - 1,
            summary=mutations.summarise(session),
        )

    def encode(self) -> bytes:
        # ``model_dump_json`` writes numbers with more digits than can be read.
        return json.dumps(self.model_dump(), ensure_ascii=False).encode("utf-8", "surrogatepass")


def parse_head(value: bytes) -> SessionHead | None:
    """Return a session's head, or None if the value is a whole session or damaged."""
    with contextlib.suppress(ValidationError):
        return SessionHead.model_validate_json(value)
    return None


class _Part(Stored):
    turns: list[Interaction] = Field(default_factory=list)
    events: list[Event] = Field(default_factory=list)


def encode_part(turns: Sequence[Interaction], events: Sequence[Event]) -> bytes:
    """Return a part's value."""
    # Validating many records takes time, and these are valid.
    return codec.encode(_Part.model_construct(None, turns=list(turns), events=list(events)), None)


def _parse_part(value: bytes) -> _Part:
    try:
        return codec.parse_record(_Part, value)
    except ValueError as exc:
        raise DamagedData("a part is damaged") from exc


def part_name(name: str, index: int) -> str:
    """Return the name of a part, by which parts are sorted."""
    return f"{name}/{index:08}"


class StoredSession:
    """The values of a session."""

    def __init__(self, key: SessionKey, head: bytes, parts: Mapping[str, bytes]) -> None:
        self.key, self.head, self.parts = key, head, parts

    @classmethod
    def read(cls, transaction: Transaction, key: SessionKey) -> StoredSession | None:
        """Read a session; return None if it has neither a head nor parts."""
        kind, owner, name = value_key(key)
        head = transaction.get(kind, owner, name)
        parts = transaction.values(PART, owner, f"{name}/")
        if head is None and not parts:
            return None
        return cls(key, head or b"", parts)

    def parse(self) -> Session:
        """Return the session. Raises DamagedData."""
        head = parse_head(self.head)
        if head is None:
            if self.parts:
                raise DamagedData("the head is damaged")
            return codec.parse(self.head, self.key)
        if len(self.parts) != head.parts:
            raise DamagedData("parts are missing")
        session = codec.parse(head.session.encode(), self.key)
        parts = [_parse_part(value) for value in self.parts.values()]
        session.interactions = [turn for part in parts for turn in part.turns]
        if events := [event for part in parts for event in part.events]:
            session.events = events
        return session

    def recover(self) -> Session:
        """Return the intact records and the note about them."""
        head = parse_head(self.head)
        frame = head.session.encode() if head else self.head
        if not self.parts:
            return recover(frame, self.key)
        session = recover(b"\n".join([frame, *self.parts.values()]), self.key)
        with contextlib.suppress(DamagedData):
            session.__pydantic_extra__ = codec.parse(frame, self.key).model_extra
        return session


class LogHead(BaseModel):
    """The head of a change log."""

    layout: int = _LAYOUT
    next_seq: int
    parts: int


def read_log(transaction: Transaction, notebook_id: str, owner: str) -> tuple[bytes, LogHead]:
    """Return a log's lines and head, a new one if the log is missing or damaged."""
    value = transaction.get(LOG, owner, notebook_id)
    parts = transaction.values(LOG_PART, owner, f"{notebook_id}/")
    lines = b"".join(parts.values())
    with contextlib.suppress(ValidationError):
        return lines, LogHead.model_validate_json(value or b"")
    lines = (complete_lines(value) if value else b"") + lines
    last = max((entry.seq for entry in codec.parse_log(lines).entries), default=0)
    return lines, LogHead(next_seq=last + 1, parts=0)


def value_key(key: SessionKey) -> tuple[str, str, str]:
    """Return the kind, owner and name of a session's head."""
    return SESSION, key.owner, f"{key.notebook_id}/{key.cell_id}"  # ids contain no "/"


def session_key(name: str, owner: str) -> SessionKey:
    """Reverse ``value_key``."""
    notebook_id, _, cell_id = name.partition("/")
    return SessionKey(notebook_id, cell_id, owner)


def change_session(
    transaction: Transaction,
    key: SessionKey,
    if_revision: int | None,
    change: Callable[[Session], T],
) -> tuple[T, int]:
    """Call ``change`` with a new or stored session; return the result and the new revision.

    The session is saved if the result is True or the revision has changed. A damaged session's
    bytes are moved to the kind ``damaged``.
    """
    stored = StoredSession.read(transaction, key)
    is_damaged = False
    try:
        session = stored.parse() if stored else new_session(key)
    except DamagedData:
        assert stored
        session, is_damaged = stored.recover(), True
    check_writable(session, if_revision)
    revision = session.revision
    result = change(session)
    if result is True or session.revision != revision:
        if stored and is_damaged:
            data = b"\n".join([stored.head, *stored.parts.values()])
            name = f"{value_key(key)[2]}/{hashlib.sha256(data).hexdigest()[:16]}"
            transaction.put(DAMAGED, key.owner, name, data)
        transaction.save(key, session)
    return result, session.revision


def verify_session(
    transaction: Transaction, key: SessionKey, repair: bool
) -> tuple[str | None, bool]:
    """Return a session's problem, and whether it was repaired."""
    stored = StoredSession.read(transaction, key)
    try:
        return mutations.find_problems(stored.parse(), key) if stored else None, False
    except DamagedData:
        assert stored
    session = stored.recover()
    events = len(session.events or []) - 1  # without the event ``recovered``
    problem = f"damaged; {len(session.interactions)} requests and {events} events are readable"
    if repair:
        change_session(transaction, key, None, mutations.increment_revision)
    return problem, repair


def find_events(
    transaction: Transaction, key: SessionKey, ids: Iterable[str | None]
) -> dict[str, Event]:
    """Return the stored events with these ids, by id."""
    if not ids:
        return {}
    _, owner, name = value_key(key)
    texts = list(map(to_json, ids))
    parts = transaction.values(PART, owner, f"{name}/").values()
    candidates = [part for part in parts if any(text in part for text in texts)]
    return mutations.events_by_id(
        event for part in candidates for event in _parse_part(part).events
    )


def complete_lines(lines: bytes) -> bytes:
    """End the lines with a line break."""
    return lines if lines.endswith(b"\n") else lines + b"\n"


class KeyValueSessionManager(SessionManager):
    """Saves sessions, change logs and blobs as values by key."""

    @abstractmethod
    async def run(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in one transaction and return its result. Raises StorageError.

        When it returns, all changes are durable. If ``work`` raises an error, nothing is changed.
        Transactions of all processes that write the same values run one after the other;
        ``work`` may be called again to ensure this. The event loop must not be blocked.
        """

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work``, which only reads. Override this if that is faster."""
        return await self.run(work)

    async def load_if_exists(self, key: SessionKey) -> Session | None:
        return await self.read(lambda transaction: transaction.load(key))

    async def load_raw(self, key: SessionKey) -> tuple[bytes, int] | None:
        def work(transaction: Transaction) -> tuple[bytes, int] | None:
            stored = StoredSession.read(transaction, key)
            # A whole session may be of a newer version.
            if stored and not stored.parts and parse_head(stored.head) is None:
                with contextlib.suppress(DamagedData):
                    return stored.head, codec.parse(stored.head, key).revision
            session = transaction.load(key) if stored else None
            return (codec.encode(session), session.revision) if session else None

        return await self.read(work)

    async def load_raw_batch(self, keys: Sequence[SessionKey]) -> list[bytes | None]:
        load_in_turn = super().load_raw_batch
        data: dict[SessionKey, bytes | None] = {}

        async def load(key: SessionKey) -> None:
            [data[key]] = await load_in_turn([key])

        await for_each(keys, load)
        return [data[key] for key in keys]

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        def number(head: SessionHead, _: Transaction) -> tuple[Interaction, list[Interaction]]:
            saved = mutations.number_turn(turn, head.next_turn_id, head.next_seq)
            return saved, [saved]

        return await self._append(
            key, if_revision, number, lambda session: mutations.append_turn(session, turn)
        )

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        def number(head: SessionHead, transaction: Transaction) -> tuple[list[Event], list[Event]]:
            existing = find_events(transaction, key, {event.id for event in events} - {None})
            return mutations.number_events(events, head.next_seq, existing)

        return await self._append(
            key, if_revision, number, lambda session: mutations.append_events(session, events)
        )

    async def list_sessions(
        self,
        notebook_id: str | None = None,
        *,
        owner: str = "",
        offset: int = 0,
        limit: int | None = None,
    ) -> tuple[list[SessionSummary], int]:
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
                        summaries.append(mutations.summarise(session))
                except SessionCorrupt:
                    self.log.warning("The session %s is damaged.", name)
            return mutations.sort_and_slice(summaries, offset, limit)

        return await self.read(work)

    async def list_owners(self) -> list[str]:
        return sorted(await self.read(lambda transaction: transaction.owners()))

    async def exists(self, key: SessionKey) -> bool:
        return await self.read(lambda transaction: transaction.get(*value_key(key)) is not None)

    async def delete(self, key: SessionKey, *, if_revision: int | None = None) -> bool:
        def work(transaction: Transaction) -> bool:
            with contextlib.suppress(SessionCorrupt):  # a damaged session can be deleted
                if session := transaction.load(key):
                    check_writable(session, if_revision)
            kind, owner, name = value_key(key)
            deleted = [transaction.delete_all(each, owner, f"{name}/") for each in (PART, DAMAGED)]
            return transaction.delete(kind, owner, name) or deleted[0]

        return await self.run(work)

    async def fork(self, source: SessionKey, target: SessionKey) -> Session:
        def work(transaction: Transaction) -> Session:
            if existing := transaction.load(target):
                return existing
            copy = mutations.fork_session(transaction.load(source), target)
            transaction.save(target, copy)
            return copy

        return await self.run(work)

    async def merge_copy(
        self, key: SessionKey, other: Session, *, merged_digests: Collection[str] = ()
    ) -> bool:
        check_writable(other)

        def work(transaction: Transaction) -> bool:
            return change_session(
                transaction, key, None, lambda session: merge_into(session, other, merged_digests)
            )[0]

        return await self.run(work)

    async def append_notebook_log(
        self, notebook_id: str, entries: Sequence[NewLogEntry], *, owner: str = ""
    ) -> list[NotebookLogEntry]:
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
            saved = mutations.number_entries_from(head.next_seq, entries)
            part = b"".join(codec.encode(entry, indent=None) for entry in saved)
            transaction.put(LOG_PART, owner, part_name(notebook_id, head.parts), part)
            head.next_seq, head.parts = head.next_seq + len(saved), head.parts + 1
            transaction.put(LOG, owner, notebook_id, head.model_dump_json().encode())
            return saved

        return await self.run(work)

    async def read_notebook_log(
        self, notebook_id: str, *, owner: str = ""
    ) -> list[NotebookLogEntry]:
        check_id("notebookId", notebook_id)
        lines, _ = await self.read(lambda transaction: read_log(transaction, notebook_id, owner))
        entries, damaged_count = codec.parse_log(lines)
        if damaged_count:
            self.log.warning("%d entries of a notebook's change log are damaged.", damaged_count)
        return entries

    async def list_notebooks(self, *, owner: str = "") -> list[str]:
        return sorted(await self.read(lambda transaction: transaction.names(LOG, owner)))

    async def notebook_marks(self, *, owner: str = "") -> Mapping[str, bytes]:
        return await self.read(lambda transaction: transaction.values(LOG, owner, ""))

    async def delete_notebook_log(self, notebook_id: str, *, owner: str = "") -> bool:
        check_id("notebookId", notebook_id)

        def work(transaction: Transaction) -> bool:
            transaction.get(LOG, owner, notebook_id)
            deleted = transaction.delete_all(LOG_PART, owner, f"{notebook_id}/")
            return transaction.delete(LOG, owner, notebook_id) or deleted

        return await self.run(work)

    async def put_blob(self, data: bytes, *, owner: str = "") -> str:
        digest = hashlib.sha256(data).hexdigest()

        def work(transaction: Transaction) -> None:
            if transaction.get(BLOB, owner, digest) != data:
                transaction.put(BLOB, owner, digest, bytes(data))

        await self.run(work)
        return digest

    async def get_blob(self, sha256: str, *, owner: str = "") -> bytes | None:
        check_sha256(sha256)
        data = await self.read(lambda transaction: transaction.get(BLOB, owner, sha256))
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            self.log.warning("The blob %s is damaged.", sha256)
            return None
        return data

    async def list_blobs(self, *, owner: str = "") -> list[str]:
        return sorted(await self.read(lambda transaction: transaction.names(BLOB, owner)))

    async def delete_blob(self, sha256: str, *, owner: str = "") -> bool:
        check_sha256(sha256)
        return await self.run(lambda transaction: transaction.delete(BLOB, owner, sha256))

    async def verify(self, *, owner: str = "", repair: bool = False) -> AsyncIterator[VerifyResult]:
        """Repair damaged sessions as any write does."""
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
        """Append records to a session; return the result of ``number`` and the new revision.

        ``number`` also returns the new records. If the session must be read first, ``append``
        appends to it as a whole instead.
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
            check_writable(frame, if_revision)
            try:
                result, records = number(head, transaction)
            except DamagedData:
                return change_session(transaction, key, if_revision, append)
            if not records:
                return result, frame.revision
            mutations.increment_revision(frame)
            turns = [record for record in records if isinstance(record, Interaction)]
            events = [record for record in records if isinstance(record, Event)]
            part = encode_part(turns, events)
            head.session = codec.encode(frame, indent=None).decode()
            head.summary = mutations.extend_summary(
                head.summary, records, frame.revision, frame.meta.last_updated
            )
            head.next_turn_id += len(turns)
            head.next_seq += len(records)
            transaction.put(PART, owner, part_name(name, head.parts), part)
            head.parts += 1
            transaction.put(kind, owner, name, head.encode())
            return result, frame.revision

        return await self.run(work)
