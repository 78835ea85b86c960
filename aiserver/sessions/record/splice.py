"""Put the bytes of a session together from its parts, without encoding the whole session.

Invariants:

- The bytes equal the output of ``codec.encode`` for the same session, whether it was read whole or
  extended turn by turn.
- Turns and events are held as text, not as objects. Only what the next one needs is parsed: the
  counters, and the events that have an ``id``. So turn 2,000 is as cheap as turn 2.
- A method that raises has changed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ...models import Event, Interaction, NewEvent, NewTurn, Session, Stored, utc_now
from . import codec
from .mutations import events_by_id, number_events, number_turn

META_DEPTH, ITEM_DEPTH = 1, 2
SEPARATOR = b",\n" + ITEM_DEPTH * b"  "
"""Stands between two turns or events."""
EventsKey = Literal["", "null", "list"]
"""The key ``events`` of a session: missing, null or a list; each is written as it was read."""


def indent(text: bytes, depth: int) -> bytes:
    """Indent the text of a record as in a session."""
    # JSON strings contain no line breaks, so each one begins a line of the layout.
    return text.replace(b"\n", b"\n" + depth * b"  ")


def to_text(record: Stored, depth: int = ITEM_DEPTH) -> bytes:
    """Return a record's text as in a session. Raises InvalidRequest if JSON can't represent it."""
    return indent(codec.encode(record)[:-1], depth)


def join_items(records: Iterable[Stored]) -> bytes:
    """Return the text between the brackets of a list of turns or events."""
    return SEPARATOR.join(map(to_text, records))


def events_key(session: Session) -> EventsKey:
    """Return how a session has the key ``events``."""
    if session.events is not None:
        return "list"
    return "null" if "events" in session.model_fields_set else ""


def unknown_keys(session: Session) -> bytes:
    """Return the text of the session's unknown keys, which follows its known ones."""
    if not session.model_extra:
        return b""
    empty = Session.model_construct(meta=session.meta, interactions=[])
    empty.__pydantic_extra__ = session.model_extra
    # Unique at this indentation, since strings contain no line breaks.
    return codec.encode(empty).partition(b'\n  "interactions": []')[2].removesuffix(b"\n}\n")


def session_chunks(
    meta: bytes,
    turns: bytes | bytearray,
    key: EventsKey,
    events: bytes | bytearray,
    rest: bytes,
) -> list[bytes | bytearray]:
    """Return the bytes of a session in chunks.

    ``turns`` and ``events`` are joined items, and ``rest`` is the text of the unknown keys.
    """
    chunks = [b'{\n  "meta": ', meta, b',\n  "interactions": ', *_in_brackets(turns)]
    if key:
        chunks.append(b',\n  "events": ')
        chunks += [b"null"] if key == "null" else _in_brackets(events)
    return [*chunks, rest, b"\n}\n"]


class SessionBytes:
    """The bytes of one session. Extended by one thread at a time, under the lock of its file."""

    def __init__(self, session: Session) -> None:
        """Encode a session. Raises InvalidRequest if JSON can't represent it."""
        self.version, self.revision = session.meta.version, session.revision
        self._next_turn_id, self._next_seq = session.next_turn_id, session.next_seq
        self._events_by_id = events_by_id(session.events or [])
        self._meta = session.meta.model_copy(deep=True)
        self._meta_text = to_text(self._meta, META_DEPTH)
        self._turns = bytearray(join_items(session.interactions))
        self._events_key = events_key(session)
        self._events = bytearray(join_items(session.events or []))
        self._rest = unknown_keys(session)

    def add_turn(self, turn: NewTurn) -> Interaction:
        """Append a turn; return it as saved."""
        saved = number_turn(turn, self._next_turn_id, self._next_seq)
        meta, text = self._next_meta(), to_text(saved)
        # Nothing below this line raises.
        _extend(self._turns, text)
        self._next_turn_id += 1
        self._bump(meta, 1)
        return saved

    def add_events(self, events: Sequence[NewEvent]) -> list[Event]:
        """Append the new ones of these events; return all as saved."""
        saved, new = number_events(events, self._next_seq, self._events_by_id)
        if new:
            meta, texts = self._next_meta(), join_items(new)
            # Nothing below this line raises.
            _extend(self._events, texts)
            self._events_key = "list"
            self._events_by_id |= events_by_id(new)
            self._bump(meta, len(new))
        return saved

    def to_bytes(self) -> bytes:
        """Return the bytes of the file."""
        return b"".join(
            session_chunks(self._meta_text, self._turns, self._events_key, self._events, self._rest)
        )

    def size(self) -> int:
        """Return about how many bytes this holds."""
        return len(self._turns) + len(self._events)

    def _next_meta(self) -> bytes:
        changes = {"last_updated": utc_now(), "revision": self.revision + 1}
        return to_text(self._meta.model_copy(update=changes), META_DEPTH)

    def _bump(self, meta: bytes, records: int) -> None:
        self._meta_text = meta
        self.revision += 1
        self._next_seq += records


def _in_brackets(items: bytes | bytearray) -> list[bytes | bytearray]:
    return [b"[\n" + ITEM_DEPTH * b"  ", items, b"\n  ]"] if items else [b"[]"]


def _extend(items: bytearray, more: bytes) -> None:
    if items:
        items += SEPARATOR
    items += more
