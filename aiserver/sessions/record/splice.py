"""Append turns and events to the bytes of a session without encoding the whole session again.

Invariants:

- The bytes equal the output of ``codec.encode`` for the same session, whether it was read whole or
  extended here turn by turn.
- Turns and events are held as bytes, not as objects. Only what the next one needs is parsed: the
  counters, and the events that have an ``id``. So turn 2,000 is as cheap as turn 2.
- A method that raises has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...models import Event, Interaction, NewEvent, Session, SessionMeta, utc_now
from . import codec
from .mutations import events_by_id, number_events
from .prepared_turn import PreparedTurn

_INDENT = b"  "
_ITEM_BREAK = b"\n" + 2 * _INDENT
_END = b"\n}\n"
_EMPTY = b"[]"
_UPDATED = b'\n    "last_updated": "'
_REVISION = b'\n    "revision": '


class SessionBytes:
    """The bytes of one session. Extended by one thread at a time, under the lock of its file."""

    def __init__(self, session: Session) -> None:
        """Encode a session. Raises InvalidRequest if JSON can't represent it."""
        self.version, self.revision = session.meta.version, session.revision
        self._next_turn_id, self._next_seq = session.next_turn_id, session.next_seq
        self._events_by_id = events_by_id(session.events or [])
        self._before_turns = _head(session.meta)
        self._head_parts = _head_parts(session.meta)
        turns = Session.model_construct(meta=session.meta, interactions=session.interactions)
        self._turns = bytearray(_encode_items(turns))
        # The key may be missing, null or a list; each is written as it was read.
        self._events: bytearray | None = None
        if session.events is not None:
            events = Session.model_construct(
                meta=session.meta, interactions=[], events=session.events
            )
            self._events = bytearray(_encode_items(events))
        self._no_events = b""
        if session.events is None and "events" in session.model_fields_set:
            self._no_events = b',\n  "events": null'
        self._after = _encode_extra(session) + _END

    def add_turn(self, turn: PreparedTurn) -> Interaction:
        """Append a turn; return it as saved."""
        saved, data = turn.with_numbers(self._next_turn_id, self._next_seq)
        self._grow([data], [])
        return saved

    def add_events(self, events: Sequence[NewEvent]) -> list[Event]:
        """Append the new ones of these events; return all as saved."""
        saved, new = number_events(events, self._next_seq, self._events_by_id)
        if new:
            self._grow([], new)
        return saved

    def chunks(self) -> list[bytes | bytearray]:
        """Return the bytes of the file in chunks."""
        turns = [self._before_turns, *_in_brackets(self._turns)]
        if self._events is None:
            return [*turns, self._no_events + self._after]
        return [*turns, b',\n  "events": ', *_in_brackets(self._events), self._after]

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
        return len(self._turns) + len(self._events or b"")

    def _grow(self, turns: Sequence[bytes], events: Sequence[Event]) -> None:
        revision = self.revision + 1
        start, middle, end = self._head_parts
        head = b"".join(
            (start, _UPDATED, utc_now().encode(), middle, _REVISION, b"%d" % revision, end)
        )
        more_turns = [_indent(turn, 2) for turn in turns]
        more_events = [_indent(codec.encode(event), 2) for event in events]
        # Nothing below this line raises.
        self.revision, self._before_turns = revision, head
        _extend(self._turns, more_turns)
        if events:
            self._events = bytearray() if self._events is None else self._events
            _extend(self._events, more_events)
        self._next_turn_id += len(turns)
        self._next_seq += len(turns) + len(events)
        self._events_by_id |= events_by_id(events)


def _head(meta: SessionMeta) -> bytes:
    return b'{\n  "meta": ' + _indent(codec.encode(meta), 1) + b',\n  "interactions": '


def _head_parts(meta: SessionMeta) -> tuple[bytes, bytes, bytes]:
    """Return the parts of the head before, between and after the time and the revision."""
    blank = _head(meta.model_copy(update={"last_updated": "", "revision": 0}))
    start, _, rest = blank.partition(_UPDATED)
    middle, _, end = rest.partition(_REVISION + b"0")
    return start, middle, end


def _in_brackets(inside: bytearray) -> list[bytes | bytearray]:
    return [b"[" + _ITEM_BREAK, inside, b"\n" + _INDENT + b"]"] if inside else [_EMPTY]


def _extend(inside: bytearray, pieces: Sequence[bytes]) -> None:
    for piece in pieces:
        if inside:
            inside += b"," + _ITEM_BREAK
        inside += piece


def _encode_items(session: Session) -> bytes:
    """Return the bytes between the brackets of the last list of a session."""
    text = codec.encode(session)
    name = b"events" if session.events is not None else b"interactions"
    return _text_after(text, name + b'": [').removesuffix(_END).removesuffix(b"]").strip(b"\n ")


def _encode_extra(session: Session) -> bytes:
    """Return the bytes of the session's unknown keys, which follow the known ones."""
    if not session.model_extra:
        return b""
    extra_only = Session.model_construct(meta=session.meta, interactions=[])
    extra_only.__pydantic_extra__ = session.model_extra
    return _text_after(codec.encode(extra_only), b'interactions": []').removesuffix(_END)


def _text_after(text: bytes, start: bytes) -> bytes:
    # Unique at this indentation, since strings contain no line breaks.
    return text.partition(b'\n  "' + start)[2]


def _indent(text: bytes, depth: int) -> bytes:
    # JSON strings contain no line breaks, so each one begins a line of the layout.
    return text[:-1].replace(b"\n", b"\n" + depth * _INDENT)
