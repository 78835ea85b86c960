"""Sessions whose turns are parsed only when they are needed. Pure.

A prompt contains the newest turns of a cell. So for a request in a cell with very many turns, the
other turns are checked, but only their numbers stay in memory.

Invariants:

- A lazy session has the same turns and events as the session, in the same order.
- Its turns and events are tuples of simple values, which the garbage collector doesn't traverse.
  The collector needed 30 ms for the records of 10,000 turns (``benchmarks/long_sessions.py``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...gc_pause import pause_gc
from ...models import Event, Interaction, Session, SessionKey, SessionMeta, Status, in_order
from . import codec, slices

# The types of events whose data is needed to select past turns.
_TYPES_WITH_DATA = {"restore", "merge", "condensed_turns"}


class LazyTurn(NamedTuple):
    """A turn of which only these fields are in memory, and its bytes."""

    turn_id: int
    seq: int | None
    parent_turn_id: int | None
    repeats_turn_id: int | None
    status: Status
    source_hash: int
    text: bytes

    def load(self) -> Interaction:
        """Return the whole turn."""
        return Interaction.model_validate_json(self.text)


class LazyEvent(NamedTuple):
    """An event with only a hash of its source. Only some types of events have their ``data``."""

    seq: int
    type: str
    turn_id: int | None
    data: dict[str, Any] | None
    source_hash: int | None


@dataclass(frozen=True)
class LazySession:
    """A session whose turns are parsed only when they are needed."""

    meta: SessionMeta
    interactions: Sequence[LazyTurn]
    events: Sequence[LazyEvent]

    @property
    def revision(self) -> int:
        """The number of writes, as in ``Session``."""
        return self.meta.revision or 0

    @property
    def next_turn_id(self) -> int:
        """The id of the next turn."""
        return max((turn.turn_id for turn in self.interactions), default=0) + 1

    def ordered(self) -> list[LazyTurn | LazyEvent]:
        """Return turns and events in the order of ``Session.ordered``."""
        return in_order(self.interactions, self.events)

    def until(self, seq: int) -> LazySession:
        """Return the session as it was after the record with this ``seq``."""
        return LazySession(
            self.meta,
            [turn for turn in self.interactions if (turn.seq or 0) <= seq],
            [event for event in self.events if event.seq <= seq],
        )


AnySession = Session | LazySession
AnyTurn = Interaction | LazyTurn
AnyEvent = Event | LazyEvent


def loaded(turn: AnyTurn) -> Interaction:
    """Return the whole turn."""
    return turn.load() if isinstance(turn, LazyTurn) else turn


def source_hash(record: AnyTurn | AnyEvent) -> int | None:
    """Return a hash of the cell's source: at a request, or after an event. None if it is missing.

    The hash differs between processes.
    """
    if isinstance(record, LazyTurn | LazyEvent):
        return record.source_hash
    if isinstance(record, Interaction):
        return hash(record.user_request.current_code)
    return None if record.source is None else hash(record.source)


def is_answered(turn: AnyTurn) -> bool:
    """Return whether a turn was answered. Models get only these."""
    status = turn.status if isinstance(turn, LazyTurn) else turn.ai_response.status
    return status == "success"


def parse_lazily(data: bytes, key: SessionKey) -> LazySession | None:
    """Return the session in these bytes if it is large.

    Return None if it isn't, or if the bytes aren't as ``codec.encode`` writes them.
    """
    cut = slices.slice_session(data)
    frame = cut and cut.frame()
    if cut is None or frame is None or not codec.is_of(frame.meta, key):
        return None
    with pause_gc(), contextlib.suppress(slices.NotAsEncoded):
        turns = [_lazy_turn(turn, text) for turn, text in cut.turns_with_texts()]
        return LazySession(frame.meta, turns, list(map(_lazy_event, cut.events())))
    return None


def _lazy_turn(turn: Interaction, text: bytes) -> LazyTurn:
    return LazyTurn(
        turn.turn_id,
        turn.seq,
        turn.parent_turn_id,
        turn.repeats_turn_id,
        turn.ai_response.status,
        hash(turn.user_request.current_code),
        text,
    )


def _lazy_event(event: Event) -> LazyEvent:
    data = event.data if event.type in _TYPES_WITH_DATA else None
    return LazyEvent(event.seq, event.type, event.turn_id, data, source_hash(event))
