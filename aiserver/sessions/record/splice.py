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

from ...models import Event, Interaction, NewEvent, NewTurn, Session, SessionMeta, Stored, utc_now
from . import codec
from .mutations import events_by_id, number_events, number_turn

META_DEPTH, ITEM_DEPTH = 1, 2
SEPARATOR = b",\n" + ITEM_DEPTH * b"  "
"""Stands between two turns or events."""
EventsKey = Literal["", "null", "list"]
"""The key ``events`` of a session: missing, null or a list; each is written as it was read."""
_UPDATED = b'\n    "last_updated": "'
_REVISION = b'\n    "revision": '


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
        self._meta = to_text(session.meta, META_DEPTH)
        self._meta_parts = _meta_parts(session.meta)
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

    def chunks(self) -> list[bytes | bytearray]:
        """Return the bytes of the file in chunks."""
        return session_chunks(self._meta, self._turns, self._events_key, self._events, self._rest)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file."""
        return b"".join(self.chunks())

    def revision_of(self, data: bytes) -> int | None:
        """Return the revision if these are the bytes of this session, else None.

        Safe while another thread extends the session, since the bytes contain the revision.
        """
        revision, position = self.revision, 0
        for chunk in self.chunks():
            if not data.startswith(chunk, position):
                return None
            position += len(chunk)
        return revision if position == len(data) else None

    def size(self) -> int:
        """Return about how many bytes this holds."""
        return len(self._turns) + len(self._events)

    def _next_meta(self) -> bytes:
        start, middle, end = self._meta_parts
        revision = b"%d" % (self.revision + 1)
        return b"".join((start, _UPDATED, utc_now().encode(), middle, _REVISION, revision, end))

    def _bump(self, meta: bytes, records: int) -> None:
        self._meta = meta
        self.revision += 1
        self._next_seq += records


def _meta_parts(meta: SessionMeta) -> tuple[bytes, bytes, bytes]:
    """Return the parts of the meta before, between and after the time and the revision."""
    blank = to_text(meta.model_copy(update={"last_updated": "", "revision": 0}), META_DEPTH)
    start, _, rest = blank.partition(_UPDATED)
    middle, _, end = rest.partition(_REVISION + b"0")
    return start, middle, end


def _in_brackets(items: bytes | bytearray) -> list[bytes | bytearray]:
    return [b"[\n" + ITEM_DEPTH * b"  ", items, b"\n  ]"] if items else [b"[]"]


def _extend(items: bytearray, more: bytes) -> None:
    if items:
        items += SEPARATOR
    items += more
