"""How a session is laid out in Redis, and put together again. Pure.

What must hold:

- Put together, it is byte for byte what ``codec.encode`` gives of the session. Each turn and event
  is kept as its text in it, so reading joins texts, and a save adds one.
- The text of an item that is not numbered yet comes in parts, and its numbers go between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...models import (
    Event,
    Interaction,
    NotebookLogEntry,
    Session,
    SessionMeta,
    SessionSummary,
    Stored,
)
from ..record import codec
from ..record.summaries import extend_summary, summarise

BETWEEN = b",\n    "
META = 1
_ITEM = 2
_BLANK = SessionSummary(
    notebook_id="", cell_id="", turns=0, events=0, revision=0, created_at="", last_updated=""
)
_ADDED = {"turns", "failed", "events", "last_intent", "last_status", "last_source"}
# No line break is inside a JSON string, so these are found at the item's own level only.
_TURN_ID = re.compile(rb'(?<=\n      "turn_id": )1(?=[,\n])')
_SEQ = re.compile(rb'(?<=\n      "seq": )1(?=[,\n])')
_LINE_SEQ = re.compile(rb'(?<=\A\{"seq":)( ?)1(?=,)')


def piece(record: Stored, depth: int = _ITEM) -> bytes:
    """A record's text where it stands in a session, so many levels deep."""
    # No line break is inside a JSON string, so each of them begins a line of the layout.
    return codec.encode(record)[:-1].replace(b"\n", b"\n" + depth * b"  ")


class Item(NamedTuple):
    """A turn or an event as a script takes it. Its numbers must be 1."""

    kind: str
    id: str
    adds: str
    before: bytes
    between: bytes
    after: bytes


def turn_item(turn: Interaction) -> Item:
    """A turn that is to be numbered."""
    before, text = _cut(piece(turn), _TURN_ID)
    return Item("turn", "", _adds(turn), before, *_cut(text, _SEQ))


def event_item(event: Event) -> Item:
    """An event that is to be numbered."""
    id_ = "" if event.id is None else f"={event.id}"
    before, after = _cut(piece(event), _SEQ)
    return Item("event", id_, _adds(event), before, b"", after)


def line_parts(entry: NotebookLogEntry) -> tuple[bytes, bytes]:
    """A line of a notebook's log that is to be numbered: what comes before and after it."""
    return _cut(codec.encode(entry, indent=None)[:-1], _LINE_SEQ)


class Parts(NamedTuple):
    """A session as it is kept whole: what ``put.lua`` takes."""

    row: str
    head: dict[str, str | bytes | int]
    turns: list[bytes]
    events: list[bytes]
    ids: dict[str, int]

    def arguments(self) -> list[Any]:
        """The four lists, each behind its length."""
        head = [part for pair in self.head.items() for part in pair]
        ids = [part for pair in self.ids.items() for part in pair]
        lists: list[list[Any]] = [head, list(self.turns), list(self.events), ids]
        return [part for each in lists for part in (len(each), *each)]


def parts_of(session: Session, stamp: str) -> Parts:
    """A session as it is kept. Raises InvalidRequest for what JSON can't hold."""
    head: dict[str, str | bytes | int] = {
        "meta": piece(session.meta, META),
        "version": session.meta.version,
        "revision": session.revision,
        "turn_id": session.next_turn_id - 1,
        "seq": session.next_seq - 1,
        "rest": _rest(session),
        "stamp": stamp,
    }
    if session.events is not None:
        head["events"] = "list"
    elif "events" in session.model_fields_set:
        head["events"] = "null"
    since = _since(session)
    if since is not None:
        head["since"] = since
    ids: dict[str, int] = {}
    for place, event in enumerate(session.events or []):
        if event.id is not None:
            ids.setdefault(f"={event.id}", place)  # as ``steps.events_by_id`` does
    return Parts(
        row=summarise(session).model_dump_json(),
        head=head,
        turns=[piece(turn) for turn in session.interactions],
        events=[piece(event) for event in session.events or []],
        ids=ids,
    )


class Kept(NamedTuple):
    """A session as ``load.lua`` reads it."""

    meta: bytes
    updated: bytes
    revision: bytes
    events_are: bytes
    rest: bytes
    stamp: bytes
    turns: bytes
    events: bytes

    @property
    def size(self) -> int:
        """How many bytes there are to be looked at."""
        return len(self.turns) + len(self.events) + len(self.rest) + len(self.meta)

    def whole(self) -> bytes:
        """The session's bytes."""
        text = b'{\n  "meta": ' + self._meta() + b',\n  "interactions": ' + _array(self.turns)
        if self.events_are:
            text += b',\n  "events": '
            text += b"null" if self.events_are == b"null" else _array(self.events)
        return text + self.rest + b"\n}\n"

    def _meta(self) -> bytes:
        """The meta as it is now. What appends change of it stands beside it."""
        if not self.updated:
            return self.meta
        try:
            meta = SessionMeta.model_validate(json.loads(self.meta))
        except ValueError:
            return self.meta  # damaged, or a newer shape: it is read as it is
        meta.last_updated = self.updated.decode()
        meta.revision = int(self.revision)
        return piece(meta, META)


def pieces(texts: bytes, many: int = 20) -> Iterator[bytes]:
    """Joined texts as JSON arrays of some of them each. Only an item begins a line at its depth."""
    items = texts.split(BETWEEN + b"{")
    for start in range(0, len(items), many):
        some = (BETWEEN + b"{").join(items[start : start + many])
        yield b"[" + (b"{" if start else b"") + some + b"]"


def _array(texts: bytes) -> bytes:
    return b"[\n    " + texts + b"\n  ]" if texts else b"[]"


def _cut(text: bytes, number: re.Pattern[bytes]) -> tuple[bytes, bytes]:
    found = number.search(text)
    if found is None:
        raise ValueError("the text has no such number")
    return text[: found.start()], text[found.end() :]


def _adds(item: Interaction | Event) -> str:
    """What an item adds to its session's row, for the script that lets the row grow."""
    adds = extend_summary(_BLANK, [item], 0, "").model_dump(include=_ADDED)
    if isinstance(item, Event) and item.type == "context_reset":
        adds["reset"] = True
    return json.dumps(adds, ensure_ascii=False)


def _rest(session: Session) -> bytes:
    """The unknown keys, as they stand behind the known ones."""
    if not session.model_extra:
        return b""
    empty = Session(meta=session.meta, interactions=[], **session.model_extra)
    mark = b'\n  "interactions": []'
    return codec.encode(empty).partition(mark)[2].removesuffix(b"\n}\n")


def _since(session: Session) -> int | None:
    """How many turns come before the last “start afresh”.

    None where the list isn't in the order of the numbers: then the history is read from the whole.
    """
    turns = session.interactions
    ids = [turn.turn_id for turn in turns]
    seqs = [turn.seq for turn in turns if turn.seq is not None]
    if ids != sorted(set(ids)) or seqs != sorted(set(seqs)) or len(seqs) not in (0, len(turns)):
        return None
    return len(turns) - len(session.history())
