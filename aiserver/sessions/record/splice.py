"""A session as the bytes of its file, so that one more turn doesn't mean writing all others anew.

What must hold:

- The bytes are, one for one, those that ``codec.encode`` gives for the same session, however it
  came to be: by being read whole, or by growing here turn by turn.
- It holds no turn and no event as an object, only their bytes, and what the next one must know:
  the counters, and the events that have an ``id``. So turn 2,000 costs as little as turn 2.
- Whatever raises here has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...models import Event, Interaction, NewEvent, Session, SessionMeta, utc_now
from . import codec
from .mutations import events_by_id, number_events
from .prepared_turn import PreparedTurn

_INDENT = b"  "
_INSIDE = b"\n" + 2 * _INDENT
_END = b"\n}\n"
_EMPTY = b"[]"
_UPDATED = b'\n    "last_updated": "'
_REVISION = b'\n    "revision": '


class SessionBytes:
    """One session. Grown by one thread at a time, under the lock of its file."""

    def __init__(self, session: Session) -> None:
        """Of a whole session. Raises InvalidRequest for what JSON can't hold."""
        self.version, self.revision = session.meta.version, session.revision
        self._next_turn_id, self._next_seq = session.next_turn_id, session.next_seq
        self._known = events_by_id(session.events or [])
        self._before_turns = _head(session.meta)
        self._slots = _slots(session.meta)
        turns = Session.model_construct(meta=session.meta, interactions=session.interactions)
        self._turns = bytearray(_inside(turns))
        # Without the key, with null in it, or with a list: each is written as it was read.
        self._events: bytearray | None = None
        if session.events is not None:
            events = Session.model_construct(
                meta=session.meta, interactions=[], events=session.events
            )
            self._events = bytearray(_inside(events))
        self._no_events = b""
        if session.events is None and "events" in session.model_fields_set:
            self._no_events = b',\n  "events": null'
        self._after = _others(session) + _END

    def add_turn(self, turn: PreparedTurn) -> Interaction:
        """Put a turn behind all there is; return it as saved."""
        saved, data = turn.with_numbers(self._next_turn_id, self._next_seq)
        self._grow([data], [])
        return saved

    def add_events(self, events: Sequence[NewEvent]) -> list[Event]:
        """Put those events behind that aren't there yet; return all as saved."""
        saved, new = number_events(events, self._next_seq, self._known)
        if new:
            self._grow([], new)
        return saved

    def chunks(self) -> list[bytes | bytearray]:
        """The file's bytes, in their order."""
        turns = [self._before_turns, *_bracketed(self._turns)]
        if self._events is None:
            return [*turns, self._no_events + self._after]
        return [*turns, b',\n  "events": ', *_bracketed(self._events), self._after]

    def revision_of(self, data: bytes) -> int | None:
        """The revision of these bytes if they are this session's, else None.

        It may be asked while another thread adds to the session: what is compared is in the bytes.
        """
        revision, place = self.revision, 0
        for chunk in self.chunks():
            if not data.startswith(chunk, place):
                return None
            place += len(chunk)
        return revision if place == len(data) else None

    def __len__(self) -> int:
        return len(self._turns) + len(self._events or b"")

    def _grow(self, turns: Sequence[bytes], events: Sequence[Event]) -> None:
        revision = self.revision + 1
        start, middle, end = self._slots
        head = b"".join(
            (start, _UPDATED, utc_now().encode(), middle, _REVISION, b"%d" % revision, end)
        )
        more_turns = [_indented(turn, 2) for turn in turns]
        more_events = [_indented(codec.encode(event), 2) for event in events]
        # From here on nothing raises.
        self.revision, self._before_turns = revision, head
        _extend(self._turns, more_turns)
        if events:
            self._events = bytearray() if self._events is None else self._events
            _extend(self._events, more_events)
        self._next_turn_id += len(turns)
        self._next_seq += len(turns) + len(events)
        self._known |= events_by_id(events)


def _head(meta: SessionMeta) -> bytes:
    return b'{\n  "meta": ' + _indented(codec.encode(meta), 1) + b',\n  "interactions": '


def _slots(meta: SessionMeta) -> tuple[bytes, bytes, bytes]:
    """What stands before, between and behind the time and the revision of the head."""
    blank = _head(meta.model_copy(update={"last_updated": "", "revision": 0}))
    start, _, rest = blank.partition(_UPDATED)
    middle, _, end = rest.partition(_REVISION + b"0")
    return start, middle, end


def _bracketed(inside: bytearray) -> list[bytes | bytearray]:
    return [b"[" + _INSIDE, inside, b"\n" + _INDENT + b"]"] if inside else [_EMPTY]


def _extend(inside: bytearray, pieces: Sequence[bytes]) -> None:
    for piece in pieces:
        if inside:
            inside += b"," + _INSIDE
        inside += piece


def _inside(whole: Session) -> bytes:
    """What stands between the brackets of the last of a session's lists."""
    text = codec.encode(whole)
    name = b"events" if whole.events is not None else b"interactions"
    return _behind(text, name + b'": [').removesuffix(_END).removesuffix(b"]").strip(b"\n ")


def _others(session: Session) -> bytes:
    """The keys of the session that we don't know. They stand behind those that we do."""
    if not session.model_extra:
        return b""
    alone = Session.model_construct(meta=session.meta, interactions=[])
    alone.__pydantic_extra__ = session.model_extra
    return _behind(codec.encode(alone), b'interactions": []').removesuffix(_END)


def _behind(text: bytes, start: bytes) -> bytes:
    # At this depth a line of the layout begins so only once, and no string has a line break in it.
    return text.partition(b'\n  "' + start)[2]


def _indented(text: bytes, depth: int) -> bytes:
    # No line break is inside a JSON string, so each of them begins a line of the layout.
    return text[:-1].replace(b"\n", b"\n" + depth * _INDENT)
