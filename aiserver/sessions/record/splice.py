"""Append records to the bytes of a session without encoding the whole session again.

Invariants:

- After records were appended, the bytes are the same as those that ``codec.encode`` would return
  for the whole session.
- Turns and events are in memory as text, to which new records are appended. So appending turn 2,000
  takes no longer than appending turn 2. Only events with an ``id`` are in memory as objects, too:
  if a client sends such an event again, it is recognised, and the stored event is returned.
- A method that raises an error has changed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from ...models import (
    Event,
    Interaction,
    NewEvent,
    NewTurn,
    Session,
    SessionKey,
    Stored,
    utc_now,
)
from . import codec, slices
from .encoding import ITEM_DEPTH, META_DEPTH, to_text
from .mutations import events_by_id, number_events, number_turn

SEPARATOR = b",\n" + ITEM_DEPTH * b"  "
"""The text between two turns or events."""
EventsKey = Literal["", "null", "list"]
"""Whether the key ``events`` of a session is missing (``""``), null or a list.

Unless events are appended, a missing key stays missing and null stays null.
"""


def join_items(records: Iterable[Stored]) -> bytes:
    """Return the text of a list of turns or events, without the brackets around it."""
    return SEPARATOR.join(map(to_text, records))


def events_key(session: Session) -> EventsKey:
    """Return whether the key ``events`` of a session is missing, null or a list."""
    if session.events is not None:
        return "list"
    return "null" if "events" in session.model_fields_set else ""


def unknown_keys(session: Session) -> bytes:
    """Return the JSON of a session's unknown keys, which follow the known keys."""
    if not session.model_extra:
        return b""
    empty = Session.model_construct(meta=session.meta, interactions=[])
    empty.__pydantic_extra__ = session.model_extra
    # In the encoded session, the unknown keys follow the line of ``interactions``. This line occurs
    # only once, because only the keys of the session itself are indented by two spaces.
    return codec.encode(empty).partition(b'\n  "interactions": []')[2].removesuffix(b"\n}\n")


def session_chunks(
    meta: bytes,
    turns: bytes | bytearray,
    key: EventsKey,
    events: bytes | bytearray,
    unknown: bytes,
) -> list[bytes | bytearray]:
    """Return the bytes of a session in chunks.

    ``turns`` and ``events`` are results of ``join_items``, ``key`` is the result of ``events_key``,
    and ``unknown`` is the result of ``unknown_keys``.
    """
    chunks = [b'{\n  "meta": ', meta, b',\n  "interactions": ', *_in_brackets(turns)]
    if key:
        chunks.append(b',\n  "events": ')
        chunks += [b"null"] if key == "null" else _in_brackets(events)
    return [*chunks, unknown, b"\n}\n"]


class SessionBytes:
    """The bytes of one session, to which records can be appended.

    Not thread-safe: the caller must have the lock of the session.
    """

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
        self._unknown_keys = unknown_keys(session)

    @classmethod
    def of_large(cls, data: bytes, key: SessionKey) -> SessionBytes | None:
        """Return a large session without having all its records in memory at the same time.

        Return None if the session isn't large, or if the bytes aren't as ``encode`` writes them.
        """
        cut = slices.slice_session(data)
        frame = cut and cut.frame()
        if cut is None or frame is None or not codec.is_of(frame.meta, key):
            return None
        content = cls(frame)
        turn_count = 0
        try:
            for turn in cut.turns():
                turn_count += 1
                content._next_turn_id = max(content._next_turn_id, turn.turn_id + 1)
                content._next_seq = max(content._next_seq, (turn.seq or 0) + 1, turn_count + 1)
            for event in cut.events():
                content._next_seq = max(content._next_seq, event.seq + 1)
                if event.id is not None:
                    content._events_by_id.setdefault(event.id, event)
        except slices.NotAsEncoded:
            return None
        content._turns, content._events = cut.joined_turns(), cut.joined_events()
        return content

    def add_turn(self, turn: NewTurn) -> Interaction:
        """Append a turn; return the saved turn."""
        saved = number_turn(turn, self._next_turn_id, self._next_seq)
        meta, text = self._next_meta(), to_text(saved)
        # From here on, no error can occur.
        _extend(self._turns, text)
        self._next_turn_id += 1
        self._finish_change(meta, 1)
        return saved

    def add_events(self, events: Sequence[NewEvent]) -> list[Event]:
        """Append the events that aren't stored yet; return all given events as they are stored."""
        saved, new = number_events(events, self._next_seq, self._events_by_id)
        if new:
            meta, texts = self._next_meta(), join_items(new)
            # From here on, no error can occur.
            _extend(self._events, texts)
            self._events_key = "list"
            self._events_by_id |= events_by_id(new)
            self._finish_change(meta, len(new))
        return saved

    def to_chunks(self) -> list[bytes | bytearray]:
        """Return the bytes of the whole session in chunks, which are valid until the next change.

        The chunks aren't joined, because this would copy the session, and copying a long session
        takes as long as writing it. With a copy, saving a session of 2,000 turns would exceed its
        target in ``benchmarks/stores.py``.
        """
        return session_chunks(
            self._meta_text, self._turns, self._events_key, self._events, self._unknown_keys
        )

    def to_bytes(self) -> bytes:
        """Return the bytes of the whole session."""
        return b"".join(self.to_chunks())

    def size(self) -> int:
        """Return the approximate size of the session in bytes."""
        return len(self._turns) + len(self._events)

    def _next_meta(self) -> bytes:
        """Return the JSON of ``meta`` as it is after the next change."""
        changes = {"last_updated": utc_now(), "revision": self.revision + 1}
        return to_text(self._meta.model_copy(update=changes), META_DEPTH)

    def _finish_change(self, meta: bytes, record_count: int) -> None:
        """Set the new meta, and increase the revision and the next ``seq``."""
        self._meta_text = meta
        self.revision += 1
        self._next_seq += record_count


def _in_brackets(items: bytes | bytearray) -> list[bytes | bytearray]:
    """Return the text of a list with its brackets, in chunks."""
    return [b"[\n" + ITEM_DEPTH * b"  ", items, b"\n  ]"] if items else [b"[]"]


def _extend(items: bytearray, more: bytes) -> None:
    """Append the text of one or more turns or events to ``items``, the text of a list."""
    if items:
        items += SEPARATOR
    items += more
