"""Between a session and its rows. Pure.

What must hold:

- ``split`` and ``load`` are each other's reverse, to the letter, whatever keys other tools wrote.
- ``compose`` gives, without reading what the rows say, the bytes that ``codec.encode`` gives of
  the session.
- The counters are what the whole session says, so that it need not be read for one more turn.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from ...models import Event, Interaction, Session, SessionKey, SessionMeta, Stored
from ..record import codec
from ..record.codec import DamagedData
from .codes import ABSENT, EVENT, LIST, NULL, TURN

R = TypeVar("R", bound=Stored)


class Item(NamedTuple):
    """A turn or an event as its row holds it."""

    kind: int
    content: str
    event_id: str | None = None  # hashed


@dataclass
class Counters:
    """What must be known of the items for the next one, and for the history."""

    next_turn_id: int = 1
    next_seq: int = 1
    next_index: int = 0
    after_reset: int = 0
    """The index from which on the history begins."""
    in_order: bool = True
    """Whether the indexes follow the order in which things happened."""

    def add(self, records: Iterable[Interaction | Event]) -> None:
        """Count what was put behind all there was."""
        for record in records:
            self.next_index += 1
            self.next_seq = max(self.next_seq, (record.seq or 0) + 1)
            if isinstance(record, Interaction):
                self.next_turn_id = max(self.next_turn_id, record.turn_id + 1)
            elif record.type == "context_reset":
                self.after_reset = self.next_index

    def dump(self) -> str:
        """As the table holds them: JSON, for a number of a foreign file may be of any size."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> Counters:
        """The reverse of ``dump``. Raises Damaged."""
        try:
            counters = cls(**json.loads(text))
        except (TypeError, ValueError) as exc:
            raise DamagedData("the counters are damaged") from exc
        if not all(isinstance(value, int) for value in asdict(counters).values()):
            raise DamagedData("the counters are damaged")
        return counters


@dataclass
class Stack:
    """A session as the database holds it, in pieces."""

    meta: str
    extra: str = ""
    events: int = ABSENT
    items: list[Item] = field(default_factory=list)

    def compose(self) -> bytes:
        """The session's bytes, whatever the pieces hold."""
        turns = [item.content for item in self.items if item.kind == TURN]
        events = [item.content for item in self.items if item.kind == EVENT]
        text = f'{{\n  "meta": {_indented(self.meta, 1)},\n  "interactions": {_array(turns)}'
        if self.events == NULL and not events:
            text += ',\n  "events": null'
        elif self.events != ABSENT or events:
            text += f',\n  "events": {_array(events)}'
        if self.extra:
            text += f",\n{self.extra.removeprefix('{').removesuffix('}').strip(chr(10))}"
        return (text + "\n}\n").encode("utf-8", "surrogatepass")

    def load(self, key: SessionKey) -> Session:
        """The session. Raises Damaged, as ``codec.parse``."""
        # Piece by piece, so that other threads get their turn between.
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
            return codec.parse(self.compose(), key)  # it knows what to make of it
        return session if is_plain(session, key) else codec.parse(self.compose(), key)

    def check(self) -> None:
        """Raise Damaged if a piece is no JSON."""
        # Piece by piece, too.
        try:
            for one in self.items:
                if one.kind in (TURN, EVENT):
                    json.loads(one.content)
            json.loads(self.extra or "{}")
        except (ValueError, RecursionError) as exc:
            raise DamagedData("not JSON") from exc

    def head(self, key: SessionKey) -> Session:
        """The session without its items. Raises Damaged."""
        return Stack(self.meta).load(key)

    def _read(self, kind: int, model: type[R]) -> list[R]:
        return [codec.parse_record(model, item.content) for item in self.items if item.kind == kind]


def is_plain(session: Session, key: SessionKey) -> bool:
    """Whether it is of our version, and the key's."""
    meta = session.meta
    return meta.version.startswith("1.") and (meta.notebook_id, meta.cell_id) == (
        key.notebook_id,
        key.cell_id,
    )


def split(session: Session) -> tuple[Stack, Counters]:
    """A session's pieces. Raises InvalidRequest for what JSON can't hold."""
    listed: list[Interaction | Event] = [*session.interactions, *(session.events or [])]
    ordered = session.ordered()
    # Sorted by kind alone, the one must be the other: the lists are kept to the letter.
    kept = sorted(ordered, key=lambda record: isinstance(record, Event))
    in_order = all(one is other for one, other in zip(kept, listed, strict=True))
    in_order = in_order and follow(ordered, session.next_seq)
    records = ordered if in_order else listed
    counters = Counters(in_order=in_order)
    counters.add(records)
    counters.next_seq = session.next_seq
    stack = Stack(
        text(session.meta),
        text(Stored.model_validate(session.model_extra)) if session.model_extra else "",
        _events_key(session),
        [item(record) for record in records],
    )
    return stack, counters


def item(record: Interaction | Event) -> Item:
    """A turn's or an event's row."""
    if isinstance(record, Interaction):
        return Item(TURN, text(record))
    return Item(EVENT, text(record), None if record.id is None else hashed(record.id))


def hashed(event_id: str) -> str:
    """What the tables call an event's id, which may be any text."""
    return hashlib.sha256(event_id.encode("utf-8", "surrogatepass")).hexdigest()


def text(record: Stored) -> str:
    """A record as the tables hold it. Raises InvalidRequest for what JSON can't hold."""
    return codec.encode(record)[:-1].decode()


def _events_key(session: Session) -> int:
    if session.events is not None:
        return LIST
    return NULL if "events" in session.model_fields_set else ABSENT


def follow(records: Iterable[Interaction | Event], next_seq: int) -> bool:
    """Whether records stand in the order in which things happened, and the next comes behind."""
    last = last_turn = last_id = 0
    for record in records:
        place = record.seq
        if isinstance(record, Interaction):
            place = last_turn + 1 if place is None else place  # as in Session.ordered
            if record.turn_id <= last_id:
                return False
            last_turn, last_id = place, record.turn_id
        if place is None or place <= last:
            return False
        last = place
    return last < next_seq


def _array(pieces: Sequence[str]) -> str:
    if not pieces:
        return "[]"
    return "[\n    " + ",\n    ".join(_indented(piece, 2) for piece in pieces) + "\n  ]"


def _indented(piece: str, depth: int) -> str:
    # No line break is inside a JSON string, so each of them begins a line of the layout.
    return piece.replace("\n", "\n" + depth * "  ")
