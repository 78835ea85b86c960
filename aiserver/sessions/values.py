"""Values by key: transactions on them, and the layout of sessions and change logs in them.

The layout: a session is a *head* and *parts*. Each write that appends records adds one part, with
these records, and replaces the head, which has everything else: the meta, unknown keys, the next
numbers and the summary. So to append a record takes equally long for short and for long sessions,
and lists read only heads. Loading a session takes time in proportion to its length. The change log
of a notebook is stored in the same way.

Before there were parts, a value was a whole session or log. Such a value is still read; the next
write to it converts it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from ..errors import SessionCorrupt
from ..models import (
    Event,
    Interaction,
    Session,
    SessionKey,
    SessionSummary,
    Stored,
    new_session,
)
from .record import codec
from .record.codec import DamagedData
from .record.mutations import (
    check_writable,
    events_by_id,
    find_problems,
    next_revision,
)
from .record.recovery import is_empty, recover
from .record.summaries import summarise

T = TypeVar("T")

# The kinds of values: heads and parts of sessions and logs, blobs, bytes that were damaged, and
# documents of memories.
SESSION, PART, LOG, LOG_PART = "session", "part", "log", "logpart"
BLOB, DAMAGED, MEMORY = "blob", "damaged", "memory"
_LAYOUT = 1


class Transaction(ABC):
    """Reads and writes the values of a store in one transaction.

    The key of a value consists of three texts: the kind, the owner and the name. The kind has at
    most 7 ASCII letters. The owner can be any text, and is compared byte by byte. The name has at
    most 160 ASCII characters.

    A transaction that writes a part gets the head first. So a store that detects conflicts may
    compare only the values that ``get`` returned.
    """

    @abstractmethod
    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        """Return the value under a key, or None if there is no value."""

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
        """Return the stored session, or None if it isn't stored.

        If it is damaged, return its intact records. Raises SessionCorrupt if there are none.
        """
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
        """Add or replace a session."""
        kind, owner, name = value_key(key)
        # Encoded first, because this raises InvalidRequest if JSON can't represent the session.
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
            summary=summarise(session),
        )

    def encode(self) -> bytes:
        # ``model_dump_json`` would write numbers with more digits than can be read.
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
    """Return a part with these records."""
    # The validation of many records takes time, and these are valid.
    return codec.encode(_Part.model_construct(None, turns=list(turns), events=list(events)), None)


def _parse_part(value: bytes) -> _Part:
    try:
        return codec.parse_record(_Part, value)
    except ValueError as exc:
        raise DamagedData("a part is damaged") from exc


def part_name(name: str, index: int) -> str:
    """Return the name of a part. Parts are sorted by their names."""
    return f"{name}/{index:08}"


class _EventId(Stored):
    id: str | None


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

    @property
    def is_whole(self) -> bool:
        """Whether the head is a whole session, or damaged."""
        return parse_head(self.head) is None

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
        """Return a session with the intact records and the note about them."""
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
    """Return the lines of a log and its head, which is new if the log is missing or damaged."""
    value = transaction.get(LOG, owner, notebook_id)
    parts = transaction.values(LOG_PART, owner, f"{notebook_id}/")
    lines = b"".join(parts.values())
    with contextlib.suppress(ValidationError):
        return lines, LogHead.model_validate_json(value or b"")
    lines = (complete_lines(value) if value else b"") + lines
    last = max((entry.seq for entry in codec.parse_log(lines).entries), default=0)
    return lines, LogHead(next_seq=last + 1, parts=0)


def value_key(key: SessionKey) -> tuple[str, str, str]:
    """Return the kind, the owner and the name under which a session's head is stored."""
    return SESSION, key.owner, f"{key.notebook_id}/{key.cell_id}"  # ids contain no "/"


def session_key(name: str, owner: str) -> SessionKey:
    """Return the key of the session whose head has this name."""
    notebook_id, _, cell_id = name.partition("/")
    return SessionKey(notebook_id, cell_id, owner)


def change_session(
    transaction: Transaction,
    key: SessionKey,
    if_revision: int | None,
    change: Callable[[Session], T],
) -> tuple[T, int]:
    """Call ``change`` with a new or stored session; return the result and the new revision.

    The session is saved if the result is True or the revision has changed. If the stored session
    is damaged, its bytes are moved to the kind ``damaged``.
    """
    stored = StoredSession.read(transaction, key)
    is_damaged = False
    try:
        session = stored.parse() if stored else new_session(key)
    except DamagedData:
        assert stored
        session, is_damaged = stored.recover(), True
    check_writable(session.meta, if_revision)
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
        session = stored.parse() if stored else None
        return ("; ".join(find_problems(session, key)) or None) if session else None, False
    except DamagedData:
        assert stored
    session = stored.recover()
    events = len(session.events or []) - 1  # without the event ``recovered``
    problem = f"damaged; {len(session.interactions)} requests and {events} events are readable"
    if repair:
        change_session(transaction, key, None, _increment_revision)
    return problem, repair


def _increment_revision(session: Session) -> bool:
    session.meta = next_revision(session.meta)
    return True


def find_events(
    transaction: Transaction, key: SessionKey, ids: Iterable[str | None]
) -> dict[str, Event]:
    """Return the stored events that have one of these ids, by id."""
    if not ids:
        return {}
    _, owner, name = value_key(key)
    # The texts in JSON, after ``{"id":``.
    texts = [codec.encode(_EventId(id=id_), None)[6:-2] for id_ in ids]
    parts = transaction.values(PART, owner, f"{name}/").values()
    candidates = [part for part in parts if any(text in part for text in texts)]
    return events_by_id(event for part in candidates for event in _parse_part(part).events)


def complete_lines(lines: bytes) -> bytes:
    """Return lines with a line break at the end."""
    return lines if lines.endswith(b"\n") else lines + b"\n"
