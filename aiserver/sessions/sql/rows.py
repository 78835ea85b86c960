"""Convert sessions to rows and back. Pure.

Invariants:

- ``load`` is the exact inverse of ``split``, also for the unknown keys of other tools.
- ``to_bytes`` returns the bytes of ``codec.encode`` without parsing the rows.
- The counters match the whole session, so appending a turn doesn't read it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from ...models import Event, Interaction, Session, SessionKey, SessionMeta, Stored
from ..record import codec
from ..record.codec import DamagedData
from ..record.splice import (
    ITEM_DEPTH,
    META_DEPTH,
    SEPARATOR,
    EventsKey,
    events_key,
    indent,
    session_chunks,
)
from .codes import ABSENT, EVENT, LIST, NULL, TURN

R = TypeVar("R", bound=Stored)

_EVENTS_CODES: dict[EventsKey, int] = {"": ABSENT, "null": NULL, "list": LIST}
_EVENTS_KEYS = {code: key for key, code in _EVENTS_CODES.items()}


class Item(NamedTuple):
    """The row of a turn or an event."""

    kind: int
    content: str
    event_id: str | None = None  # a hash


@dataclass
class Counters:
    """The state of the items that the next append and the history need."""

    next_turn_id: int = 1
    next_seq: int = 1
    next_index: int = 0
    after_reset: int = 0
    """The index at which the history begins."""
    in_order: bool = True
    """Whether the indexes are in chronological order."""

    def add(self, records: Iterable[Interaction | Event]) -> None:
        """Update the counters for appended records."""
        for record in records:
            self.next_index += 1
            self.next_seq = max(self.next_seq, (record.seq or 0) + 1)
            if isinstance(record, Interaction):
                self.next_turn_id = max(self.next_turn_id, record.turn_id + 1)
            elif record.type == "context_reset":
                self.after_reset = self.next_index

    def dump(self) -> str:
        """Encode as JSON, because the numbers of a foreign file can be of any size."""
        return json.dumps(vars(self))

    @classmethod
    def load(cls, text: str) -> Counters:
        """The inverse of ``dump``. Raises DamagedData."""
        try:
            counters = cls(**json.loads(text))
        except (TypeError, ValueError) as exc:
            raise DamagedData("the counters are damaged") from exc
        if not all(isinstance(value, int) for value in vars(counters).values()):
            raise DamagedData("the counters are damaged")
        return counters


@dataclass
class StoredSession:
    """A session as it is stored: the columns of its row and its items."""

    meta: str
    extra: str = ""
    events: int = ABSENT
    items: list[Item] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """The session as JSON, even if its parts are damaged."""
        turns, events = (
            SEPARATOR.join(
                indent(_to_bytes(item.content), ITEM_DEPTH)
                for item in self.items
                if item.kind == kind
            )
            for kind in (TURN, EVENT)
        )
        key = "list" if events else _EVENTS_KEYS.get(self.events, "list")
        meta = indent(_to_bytes(self.meta), META_DEPTH)
        extra = _to_bytes(self.extra).removeprefix(b"{").removesuffix(b"}").strip(b"\n")
        rest = b",\n" + extra if self.extra else b""
        return b"".join(session_chunks(meta, turns, key, events, rest))

    def load(self, key: SessionKey) -> Session:
        """Parse the session. Raises DamagedData, as ``codec.parse``."""
        # Item by item, so that other threads can run in between.
        try:
            content: dict[str, Any] = json.loads(self.extra) if self.extra else {}
            content["meta"] = SessionMeta.model_validate_json(self.meta)
            content["interactions"] = self._read(TURN, Interaction)
            events = self._read(EVENT, Event)
            if events or self.events == LIST:
                content["events"] = events
            elif self.events == NULL:
                content["events"] = None
            session = Session.model_validate(content)
        except (ValidationError, ValueError, TypeError, RecursionError):
            return codec.parse(self.to_bytes(), key)  # which also reads old versions
        return session if is_supported(session, key) else codec.parse(self.to_bytes(), key)

    def check(self) -> None:
        """Raise DamagedData if a part isn't JSON."""
        # Item by item, as in load.
        try:
            for item in self.items:
                if item.kind in (TURN, EVENT):
                    json.loads(item.content)
            json.loads(self.extra or "{}")
        except (ValueError, RecursionError) as exc:
            raise DamagedData("not JSON") from exc

    def head(self, key: SessionKey) -> Session:
        """The session without its items. Raises DamagedData."""
        return StoredSession(self.meta).load(key)

    def _read(self, kind: int, model: type[R]) -> list[R]:
        return [codec.parse_record(model, item.content) for item in self.items if item.kind == kind]


def is_supported(session: Session, key: SessionKey) -> bool:
    """Whether the session has our major version and belongs to the key."""
    meta = session.meta
    return meta.version.startswith("1.") and (meta.notebook_id, meta.cell_id) == (
        key.notebook_id,
        key.cell_id,
    )


def split(session: Session) -> tuple[StoredSession, Counters]:
    """A session's row, items and counters. Raises InvalidRequest for what JSON can't hold."""
    listed: list[Interaction | Event] = [*session.interactions, *(session.events or [])]
    ordered = session.ordered()
    # Items may be stored in chronological order only if that preserves both lists exactly.
    by_kind = sorted(ordered, key=lambda record: isinstance(record, Event))
    in_order = all(left is right for left, right in zip(by_kind, listed, strict=True))
    in_order = in_order and is_in_order(ordered, session.next_seq)
    records = ordered if in_order else listed
    counters = Counters(in_order=in_order)
    counters.add(records)
    counters.next_seq = session.next_seq
    stored = StoredSession(
        to_column(session.meta),
        to_column(Stored.model_validate(session.model_extra)) if session.model_extra else "",
        _EVENTS_CODES[events_key(session)],
        [to_item(record) for record in records],
    )
    return stored, counters


def to_item(record: Interaction | Event) -> Item:
    """The row of a turn or an event."""
    if isinstance(record, Interaction):
        return Item(TURN, to_column(record))
    return Item(EVENT, to_column(record), None if record.id is None else hash_event_id(record.id))


def hash_event_id(event_id: str) -> str:
    """The form in which the tables store an event's id, which can be any text."""
    return hashlib.sha256(event_id.encode("utf-8", "surrogatepass")).hexdigest()


def to_column(record: Stored) -> str:
    """Encode a record for the tables. Raises InvalidRequest if JSON can't hold it."""
    return codec.encode(record)[:-1].decode()


def is_in_order(records: Iterable[Interaction | Event], next_seq: int) -> bool:
    """Whether records are in chronological order, all before ``next_seq``."""
    last = last_turn = last_turn_id = 0
    for record in records:
        position = record.seq
        if isinstance(record, Interaction):
            position = last_turn + 1 if position is None else position  # as in Session.ordered
            if record.turn_id <= last_turn_id:
                return False
            last_turn, last_turn_id = position, record.turn_id
        if position is None or position <= last:
            return False
        last = position
    return last < next_seq


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
