"""Read large sessions record by record, so that other threads can run in between. Pure.

A parser of JSON lets no other thread run until it has read its whole input, and so do pydantic's
validation and encoding. For a session of 8 MB, each of them would block the event loop for up to
0.1 s (``benchmarks/long_sessions.py``). So the bytes of a large session are cut into the texts of
its records without parsing them, and the records are parsed one by one.

Invariants:

- Only bytes that are exactly as ``encode`` writes them are read in this way: each record, and the
  session without its records, is encoded again and compared. So damaged bytes, duplicate keys and
  legacy files are always left to the parser of whole sessions.
- Iterating over records keeps none of them in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from ...errors import InvalidRequest
from ...models import Event, Interaction, Session, Stored
from .encoding import encode, to_text

T = TypeVar("T", bound=Stored)

LARGE = 200_000  # bytes; parsing fewer takes 2 ms
# Line breaks are only between values, and only the keys of the session itself are indented by two
# spaces. So in bytes that `encode` wrote, each of these texts can't occur in a value.
_TURNS = b'\n  "interactions": ['
_EVENTS = b'\n  "events": ['
_FIRST = b"\n    "  # before the first record of a list
_LAST = b"\n    }\n  ]"
_NEXT = b"\n    },\n    {"
_BRACE = len(b"\n    }")


class NotAsEncoded(Exception):
    """The bytes aren't as ``encode`` writes them."""


class _Range(NamedTuple):
    """The range of a list's records in the bytes of a session; empty if the list is empty."""

    start: int = 0
    end: int = 0


class Slices(NamedTuple):
    """The bytes of a large session, and the ranges of its turns and events."""

    data: bytes
    turn_range: _Range
    event_range: _Range

    def frame(self) -> Session | None:
        """Return the session without its turns and events; None if it isn't as encoded."""
        first, second = self.turn_range, self.event_range
        text = self.data[: first.start] if first.end else self.data[: second.start]
        text = text.removesuffix(_FIRST)
        if first.end and second.end:
            between = self.data[first.end : second.start]
            text += between.removeprefix(b"\n  ").removesuffix(_FIRST)
        text += self.data[max(first.end, second.end) :].removeprefix(b"\n  ")
        try:
            frame = Session.model_validate_json(text)
            return frame if encode(frame) == text else None
        except (ValueError, InvalidRequest):
            return None

    def turns(self) -> Iterator[Interaction]:
        """Yield the turns. Raises NotAsEncoded."""
        return (turn for turn, _ in self.turns_with_texts())

    def turns_with_texts(self) -> Iterator[tuple[Interaction, bytes]]:
        """Yield the turns with their bytes. Raises NotAsEncoded."""
        return _records(Interaction, self.data, self.turn_range)

    def events(self) -> Iterator[Event]:
        """Yield the events. Raises NotAsEncoded."""
        return (event for event, _ in _records(Event, self.data, self.event_range))

    def joined_turns(self) -> bytearray:
        """Return the text of the list of turns, without the brackets around it."""
        return bytearray(memoryview(self.data)[slice(*self.turn_range)])

    def joined_events(self) -> bytearray:
        """Return the text of the list of events, without the brackets around it."""
        return bytearray(memoryview(self.data)[slice(*self.event_range)])


def slice_session(data: bytes) -> Slices | None:
    """Return the slices of a session; None if it is small, or has neither turns nor events."""
    if len(data) <= LARGE:
        return None
    turns = _find(data, _TURNS, 0)
    events = _find(data, _EVENTS, turns.end)
    return Slices(data, turns, events) if turns.end or events.end else None


def _find(data: bytes, opening: bytes, start: int) -> _Range:
    """Return the range of the records in the list that begins with ``opening``."""
    opening += _FIRST + b"{"
    start = data.find(opening, start)
    end = data.find(_LAST, start)
    return _Range() if start < 0 or end < 0 else _Range(start + len(opening) - 1, end + _BRACE)


def _records(type_: type[T], data: bytes, range_: _Range) -> Iterator[tuple[T, bytes]]:
    start, end = range_
    while start < end:
        next_ = data.find(_NEXT, start, end)
        stop = end if next_ < 0 else next_ + _BRACE
        text = data[start:stop]
        try:
            record = type_.model_validate_json(text)
            is_as_encoded = to_text(record) == text
        except (ValueError, InvalidRequest) as exc:
            raise NotAsEncoded from exc
        if not is_as_encoded:
            raise NotAsEncoded
        yield record, text
        start = end if next_ < 0 else next_ + len(_NEXT) - 1
