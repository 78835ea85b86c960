"""Convert sessions to rows and back, without access to a database.

Invariants:

- ``StoredSession.load`` returns exactly the session that was passed to ``split``, even if the
  session contains keys that other tools added.
- ``StoredSession.to_bytes`` returns the same bytes as ``codec.encode``, without parsing the rows.
- Each write also updates the stored counters to match all records of the session. So to append a
  turn, the session doesn't have to be read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ...models import (
    Event,
    Interaction,
    Session,
    SessionKey,
    SessionMeta,
    SessionSummary,
    Stored,
)
from ..record import codec
from ..record.codec import DamagedData
from ..record.encoding import ITEM_DEPTH, META_DEPTH, indent
from ..record.splice import (
    SEPARATOR,
    EventsKey,
    events_key,
    session_chunks,
)
from ..record.summaries import summarise
from .codes import ABSENT, EVENT, LIST, NULL, TURN

R = TypeVar("R", bound=Stored)

_EVENTS_CODES: dict[EventsKey, int] = {"": ABSENT, "null": NULL, "list": LIST}
_EVENTS_KEYS = {code: key for key, code in _EVENTS_CODES.items()}


class Item(NamedTuple):
    """A row of the table ``items``: a turn, an event or a quarantined text."""

    kind: int
    """A code of ``codes.py``: ``TURN``, ``EVENT`` or ``QUARANTINED``."""
    content: str
    event_id: str | None = None
    """The result of ``hash_event_id``; None for a turn, and for an event without an id."""


class Counters(BaseModel):
    """Numbers about a session's items.

    With these numbers, records can be appended, and the newest turns can be read, without reading
    all items. They are stored as JSON and not in columns of integers, because an imported file may
    contain numbers that are too large for such columns.
    """

    model_config = ConfigDict(strict=True, extra="forbid")

    next_turn_id: int = 1
    next_seq: int = 1
    next_index: int = 0
    after_reset: int = 0
    """The index of the first item after the last context reset; 0 if there was no reset.

    Turns with a lower index are no longer sent to models.
    """
    in_order: bool = True
    """Whether the items, sorted by their index, are in chronological order."""

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
        """Return the counters as JSON. Raises ValueError if a number has too many digits."""
        # ``model_dump_json`` would write numbers that ``model_validate_json`` can't read.
        return json.dumps(self.model_dump())


@dataclass
class StoredSession:
    """A session as it is stored: columns of its row in ``sessions``, and its items."""

    meta: str
    """The metadata as JSON."""
    extra: str = ""
    """The session's unknown top-level keys as JSON, or empty."""
    events_code: int = ABSENT
    """Whether the key ``events`` in the session's JSON is absent, null or a list (a code from
    ``codes.py``)."""
    items: list[Item] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """Return the session as JSON. If the text in a column is damaged, so is this JSON."""
        turns, events = (
            SEPARATOR.join(
                indent(_to_bytes(item.content), ITEM_DEPTH)
                for item in self.items
                if item.kind == kind
            )
            for kind in (TURN, EVENT)
        )
        key = "list" if events else _EVENTS_KEYS.get(self.events_code, "list")
        meta = indent(_to_bytes(self.meta), META_DEPTH)
        extra = _to_bytes(self.extra).removeprefix(b"{").removesuffix(b"}").strip(b"\n")
        unknown_keys = b",\n" + extra if self.extra else b""
        return b"".join(session_chunks(meta, turns, key, events, unknown_keys))

    def load(self, key: SessionKey) -> Session:
        """Parse the session. Raises the same errors as ``codec.parse``, such as DamagedData."""
        # Each item is parsed on its own, because parsing all items in one call would block the
        # other threads.
        try:
            content: dict[str, Any] = json.loads(self.extra) if self.extra else {}
            content["meta"] = SessionMeta.model_validate_json(self.meta)
            content["interactions"] = self._parse_items(TURN, Interaction)
            events = self._parse_items(EVENT, Event)
            if events or self.events_code == LIST:
                content["events"] = events
            elif self.events_code == NULL:
                content["events"] = None
            session = Session.model_validate(content)
        except (ValueError, TypeError, RecursionError):
            return codec.parse(self.to_bytes(), key)  # slower, but also reads older formats
        return session if is_supported(session.meta, key) else codec.parse(self.to_bytes(), key)

    def check_json(self) -> None:
        """Raise DamagedData if an item or ``extra`` isn't JSON."""
        # Each item is parsed on its own for the same reason as in ``load``.
        try:
            for item in self.items:
                if item.kind in (TURN, EVENT):
                    json.loads(item.content)
            json.loads(self.extra or "{}")
        except (ValueError, RecursionError) as exc:
            raise DamagedData("not JSON") from exc

    def read_meta(self, key: SessionKey) -> SessionMeta:
        """Parse the metadata without the items. Raises DamagedData."""
        return StoredSession(self.meta).load(key).meta

    def _parse_items(self, kind: int, model: type[R]) -> list[R]:
        return [codec.parse_record(model, item.content) for item in self.items if item.kind == kind]


class Head(NamedTuple):
    """The data of a session that is needed to append records to it."""

    meta: SessionMeta
    events_code: int
    """The value of the column ``events`` (see ``codes.py``)."""
    counters: Counters
    summary: SessionSummary


_COLUMNS = TypeAdapter(tuple[SessionMeta, Counters, SessionSummary])


class HeadRow(NamedTuple):
    """A session's row in ``sessions``, without its key and the column ``extra``."""

    meta: str
    events_code: int
    """Whether the key ``events`` in the session's JSON is absent, null or a list (a code from
    ``codes.py``)."""
    counters: str
    summary: str

    def parse(self, key: SessionKey) -> Head:
        """Parse the columns. Raises DamagedData or ValidationError."""
        with contextlib.suppress(ValidationError):
            # Parsing each column on its own takes longer (benchmarks/stores.py).
            columns = f"[{self.meta},{self.counters},{self.summary}]"
            meta, counters, summary = _COLUMNS.validate_json(columns)
            if is_supported(meta, key):
                return Head(meta, self.events_code, counters, summary)
        meta = StoredSession(self.meta).read_meta(key)
        if not is_supported(meta, key):
            # A newer version of AI Server wrote the session, so the caller raises SessionTooNew and
            # doesn't need the counters.
            summary = summarise(Session(meta=meta, interactions=[]))
            return Head(meta, self.events_code, Counters(), summary)
        counters = Counters.model_validate_json(self.counters)
        summary = SessionSummary.model_validate_json(self.summary)
        return Head(meta, self.events_code, counters, summary)


def is_supported(meta: SessionMeta, key: SessionKey) -> bool:
    """Return whether the session has the current major version and belongs to the key."""
    return meta.version.startswith("1.") and (meta.notebook_id, meta.cell_id) == (
        key.notebook_id,
        key.cell_id,
    )


def split(session: Session) -> tuple[StoredSession, Counters]:
    """Convert a session to rows, and compute its counters.

    Raises InvalidRequest if JSON can't represent the session.
    """
    turns_and_events: list[Interaction | Event] = [*session.interactions, *(session.events or [])]
    chronological = session.ordered()
    # ``load`` reads the items in the order in which they are stored. It must restore the order of
    # ``session.interactions`` and of ``session.events``. So the items are stored in chronological
    # order only if both lists are in chronological order. Otherwise, all turns are stored before
    # all events.
    as_loaded = sorted(chronological, key=lambda record: isinstance(record, Event))
    in_order = all(
        loaded is record for loaded, record in zip(as_loaded, turns_and_events, strict=True)
    )
    in_order = in_order and is_in_order(chronological, session.next_seq)
    records = chronological if in_order else turns_and_events
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
    """Convert a turn or an event to a row."""
    if isinstance(record, Interaction):
        return Item(TURN, to_column(record))
    return Item(EVENT, to_column(record), None if record.id is None else hash_event_id(record.id))


def hash_event_id(event_id: str) -> str:
    """Return the hash that the tables contain instead of an event's id, which can be any text."""
    return hashlib.sha256(event_id.encode("utf-8", "surrogatepass")).hexdigest()


def to_column(data: Stored) -> str:
    """Encode stored data for a column. Raises InvalidRequest if JSON can't represent the data."""
    return codec.encode(data)[:-1].decode()


def is_in_order(records: Iterable[Interaction | Event], next_seq: int) -> bool:
    """Return whether both ``seq`` and the turn ids increase from each record to the next.

    Also checks that each ``seq`` is below ``next_seq``.
    """
    last_seq = last_turn_seq = last_turn_id = 0
    for record in records:
        seq = record.seq
        if isinstance(record, Interaction):
            # As in Session.ordered, a turn without a seq directly follows the previous turn.
            seq = last_turn_seq + 1 if seq is None else seq
            if record.turn_id <= last_turn_id:
                return False
            last_turn_seq, last_turn_id = seq, record.turn_id
        if seq is None or seq <= last_seq:
            return False
        last_seq = seq
    return last_seq < next_seq


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
