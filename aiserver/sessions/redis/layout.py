"""Split sessions into the texts that Redis stores, and join them again. Pure.

Invariants:

- A joined session is byte for byte the result of ``codec.encode``. Each turn and event is stored
  as its text in the session, so a load joins texts and a save adds one.
- The text of an item without numbers is in parts, between which the script inserts the numbers.
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
)
from ..record import codec
from ..record.splice import (
    META_DEPTH,
    SEPARATOR,
    events_key,
    session_chunks,
    to_text,
    unknown_keys,
)
from ..record.summaries import extend_summary, summarise

_BLANK = SessionSummary(
    notebook_id="", cell_id="", turns=0, events=0, revision=0, created_at="", last_updated=""
)
_DELTA_FIELDS = {"turns", "failed", "events", "last_intent", "last_status", "last_source"}
# JSON strings contain no line breaks, so these match only at the item's own level.
_TURN_ID = re.compile(rb'(?<=\n      "turn_id": )1(?=[,\n])')
_SEQ = re.compile(rb'(?<=\n      "seq": )1(?=[,\n])')
_ENTRY_SEQ = re.compile(rb'(?<=\A\{"seq":)( ?)1(?=,)')


class Item(NamedTuple):
    """A turn or an event as arguments of ``append.lua``, which replaces its numbers."""

    kind: str
    id: str
    summary_delta: str
    before: bytes
    between: bytes
    after: bytes


def turn_item(turn: Interaction) -> Item:
    """The item of a turn whose numbers are 1."""
    before, text = _split_at(to_text(turn), _TURN_ID)
    return Item("turn", "", _summary_delta(turn), before, *_split_at(text, _SEQ))


def event_item(event: Event) -> Item:
    """The item of an event whose number is 1."""
    id_ = "" if event.id is None else f"={event.id}"
    before, after = _split_at(to_text(event), _SEQ)
    return Item("event", id_, _summary_delta(event), before, b"", after)


def entry_parts(entry: NotebookLogEntry) -> tuple[bytes, bytes]:
    """The text of a log entry whose number is 1: the parts before and after it."""
    return _split_at(codec.encode(entry, indent=None)[:-1], _ENTRY_SEQ)


class SessionParts(NamedTuple):
    """A complete session as arguments of ``replace.lua``."""

    row: str
    head: dict[str, str | bytes | int]
    turns: list[bytes]
    events: list[bytes]
    ids: dict[str, int]

    def arguments(self) -> list[Any]:
        """The four lists, each after its length."""
        head = [part for pair in self.head.items() for part in pair]
        ids = [part for pair in self.ids.items() for part in pair]
        lists: list[list[Any]] = [head, list(self.turns), list(self.events), ids]
        return [part for item in lists for part in (len(item), *item)]


def split(session: Session, stamp: str) -> SessionParts:
    """Split a session for storage. Raises InvalidRequest for what JSON can't hold."""
    head: dict[str, str | bytes | int] = {
        "meta": to_text(session.meta, META_DEPTH),
        "version": session.meta.version,
        "revision": session.revision,
        "turn_id": session.next_turn_id - 1,
        "seq": session.next_seq - 1,
        "rest": unknown_keys(session),
        "stamp": stamp,
    }
    if key := events_key(session):
        head["events"] = key
    since = _history_start(session)
    if since is not None:
        head["since"] = since
    ids: dict[str, int] = {}
    for index, event in enumerate(session.events or []):
        if event.id is not None:
            ids.setdefault(f"={event.id}", index)  # as mutations.events_by_id
    return SessionParts(
        row=summarise(session).model_dump_json(),
        head=head,
        turns=[to_text(turn) for turn in session.interactions],
        events=[to_text(event) for event in session.events or []],
        ids=ids,
    )


class StoredSession(NamedTuple):
    """A session as ``load.lua`` returns it."""

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
        """The session's size in bytes."""
        return len(self.turns) + len(self.events) + len(self.rest) + len(self.meta)

    def to_bytes(self) -> bytes:
        """The session's bytes."""
        key: Any = self.events_are.decode()
        return b"".join(session_chunks(self._meta(), self.turns, key, self.events, self.rest))

    def _meta(self) -> bytes:
        """The metadata, updated with the fields that appends store separately."""
        if not self.updated:
            return self.meta
        try:
            meta = SessionMeta.model_validate(json.loads(self.meta))
        except ValueError:
            return self.meta  # damaged, or of a newer format
        meta.last_updated = self.updated.decode()
        meta.revision = int(self.revision)
        return to_text(meta, META_DEPTH)


def json_chunks(texts: bytes, size: int = 20) -> Iterator[bytes]:
    """Split joined texts into JSON arrays of ``size`` items, which alone begin lines so deep."""
    items = texts.split(SEPARATOR + b"{")
    for start in range(0, len(items), size):
        chunk = (SEPARATOR + b"{").join(items[start : start + size])
        yield b"[" + (b"{" if start else b"") + chunk + b"]"


def _split_at(text: bytes, number: re.Pattern[bytes]) -> tuple[bytes, bytes]:
    match = number.search(text)
    if match is None:
        raise ValueError("the text has no such number")
    return text[: match.start()], text[match.end() :]


def _summary_delta(item: Interaction | Event) -> str:
    """The changes of the session's summary by an item, as JSON for the script."""
    delta = extend_summary(_BLANK, [item], 0, "").model_dump(include=_DELTA_FIELDS)
    if isinstance(item, Event) and item.type == "context_reset":
        delta["reset"] = True
    return json.dumps(delta, ensure_ascii=False)


def _history_start(session: Session) -> int | None:
    """The number of turns before the last context reset.

    None if the turns aren't in the order of their numbers; then only the complete session can tell.
    """
    turns = session.interactions
    ids = [turn.turn_id for turn in turns]
    seqs = [turn.seq for turn in turns if turn.seq is not None]
    if ids != sorted(set(ids)) or seqs != sorted(set(seqs)) or len(seqs) not in (0, len(turns)):
        return None
    return len(turns) - len(session.history())
