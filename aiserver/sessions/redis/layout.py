"""Split sessions into the texts that Redis stores, and join them again. No function uses Redis.

Invariants:

- The result of joining a session's texts is byte for byte the result of ``codec.encode``. Each turn
  or event is stored as the text that it has in the session's JSON. So to load a session, its texts
  are joined; to save a turn, one text is added.
- A script numbers new records: it sets ``turn_id`` and ``seq`` of a turn, and ``seq`` of an event
  or a log entry. So a new record is sent to the script in pieces: the texts before, between and
  after these numbers.
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
from ..record.encoding import META_DEPTH, to_text
from ..record.splice import (
    SEPARATOR,
    events_key,
    session_chunks,
    unknown_keys,
)
from ..record.summaries import extend_summary, summarise

_EMPTY_SUMMARY = SessionSummary(
    notebook_id="", cell_id="", turns=0, events=0, revision=0, created_at="", last_updated=""
)
_DELTA_FIELDS = {"turns", "failed", "events", "last_intent", "last_status", "last_source"}
"""The fields of a session's summary that are computed from the contents of its records.

When records are appended, ``append.lua`` itself also sets ``revision`` and ``last_updated``.
"""

# These patterns find the numbers of a new record. Each number is 1 until the script replaces it.
# ``to_text`` writes each key of a record after a line break and six spaces. A string in JSON
# contains no line break, so the patterns can't match inside a string.
_TURN_ID = re.compile(rb'(?<=\n      "turn_id": )1(?=[,\n])')
_SEQ = re.compile(rb'(?<=\n      "seq": )1(?=[,\n])')
_ENTRY_SEQ = re.compile(rb'(?<=\A\{"seq":)( ?)1(?=,)')


class Item(NamedTuple):
    """A turn or an event as arguments of ``append.lua``, which inserts its numbers."""

    kind: str
    """``turn`` or ``event``."""
    id: str
    """``=`` followed by the event's id, which may be empty.

    For a turn, and for an event without an id, this field is empty.
    """
    summary_delta: str
    """How the record changes the session's summary, as JSON (see ``_summary_delta``)."""
    before: bytes
    """The text before the first number, which is the ``turn_id`` of a turn or the ``seq`` of an
    event."""
    between: bytes
    """The text between the two numbers of a turn; empty for an event, which has one number."""
    after: bytes
    """The text after the last number, which is the ``seq``."""


def turn_item(turn: Interaction) -> Item:
    """Convert a turn to arguments of ``append.lua``. Its ``turn_id`` and ``seq`` must be 1."""
    before, text = _split_at(to_text(turn), _TURN_ID)
    return Item("turn", "", _summary_delta(turn), before, *_split_at(text, _SEQ))


def event_item(event: Event) -> Item:
    """Convert an event to arguments of ``append.lua``. Its ``seq`` must be 1."""
    id_ = "" if event.id is None else f"={event.id}"
    before, after = _split_at(to_text(event), _SEQ)
    return Item("event", id_, _summary_delta(event), before, b"", after)


def split_entry(entry: NotebookLogEntry) -> tuple[bytes, bytes]:
    """Return the text of a log entry before and after its ``seq``, which must be 1."""
    return _split_at(codec.encode(entry, indent=None)[:-1], _ENTRY_SEQ)


class SplitSession(NamedTuple):
    """The data that Redis stores for a session, as arguments of ``replace.lua``."""

    row: str
    """The session's summary as JSON."""
    head: dict[str, str | bytes | int]
    turns: list[bytes]
    events: list[bytes]
    ids: dict[str, int]
    """The index of each event that has an id. The keys are ``=`` followed by the event's id."""

    def arguments(self) -> list[Any]:
        """Return the arguments: the row, and then four lists for the head, turns, events and ids.

        Each list begins with the number of its items: ``2, TURN, TURN``. The items of the head and
        of the ids are alternately keys and values.
        """
        head = [text for pair in self.head.items() for text in pair]
        ids = [text for pair in self.ids.items() for text in pair]
        lists: list[list[Any]] = [head, list(self.turns), list(self.events), ids]
        return [self.row, *(value for list_ in lists for value in (len(list_), *list_))]


def split(session: Session, write_id: str) -> SplitSession:
    """Split a session into texts. Raises InvalidRequest if JSON can't represent the session."""
    # The field ``stamp`` is the write id, ``rest`` contains the unknown keys, and ``since`` is the
    # number of turns before the last context reset.
    head: dict[str, str | bytes | int] = {
        "meta": to_text(session.meta, META_DEPTH),
        "version": session.meta.version,
        "revision": session.revision,
        "turn_id": session.next_turn_id - 1,
        "seq": session.next_seq - 1,
        "rest": unknown_keys(session),
        "stamp": write_id,
    }
    if key := events_key(session):
        head["events"] = key
    turns_before_reset = _count_turns_before_reset(session)
    if turns_before_reset is not None:
        head["since"] = turns_before_reset
    ids: dict[str, int] = {}
    for index, event in enumerate(session.events or []):
        if event.id is not None:
            # If several events have the same id, use the first one, as ``mutations.events_by_id``
            # does.
            ids.setdefault(f"={event.id}", index)
    return SplitSession(
        row=summarise(session).model_dump_json(),
        head=head,
        turns=[to_text(turn) for turn in session.interactions],
        events=[to_text(event) for event in session.events or []],
        ids=ids,
    )


class StoredSession(NamedTuple):
    """A session as ``load.lua`` returns it."""

    meta: bytes
    """The session's meta as JSON. An append updates the next two fields instead of this text."""
    updated: bytes
    """The time of the last append; empty if nothing was appended since ``meta`` was written."""
    revision: bytes
    events_key: bytes
    """``list`` if the session's key ``events`` is a list, ``null`` if the key is null, and empty if
    the key is missing."""
    unknown_keys: bytes
    """The session's unknown keys as JSON."""
    write_id: bytes
    """The id of the last write to the session."""
    turns: bytes
    """All turns as JSON, joined with ``splice.SEPARATOR``."""
    events: bytes
    """All events as JSON, joined in the same way."""

    @property
    def size(self) -> int:
        """The approximate size of the session in bytes."""
        return len(self.turns) + len(self.events) + len(self.unknown_keys) + len(self.meta)

    def to_bytes(self) -> bytes:
        """Return the session as JSON."""
        key: Any = self.events_key.decode()
        return b"".join(
            session_chunks(self._updated_meta(), self.turns, key, self.events, self.unknown_keys)
        )

    def _updated_meta(self) -> bytes:
        """Return the session's meta with the time and the revision of the last append."""
        if not self.updated:
            return self.meta
        try:
            meta = SessionMeta.model_validate(json.loads(self.meta))
        except ValueError:
            return self.meta  # the meta is damaged or has a newer format
        meta.last_updated = self.updated.decode()
        meta.revision = int(self.revision)
        return to_text(meta, META_DEPTH)


def json_chunks(texts: bytes, size: int = 20) -> Iterator[bytes]:
    """Split the joined texts of records into JSON arrays of at most ``size`` records each.

    The lines inside of a record are indented further than ``SEPARATOR``, so ``SEPARATOR`` followed
    by ``{`` occurs only between two records.
    """
    records = texts.split(SEPARATOR + b"{")
    for start in range(0, len(records), size):
        chunk = (SEPARATOR + b"{").join(records[start : start + size])
        yield b"[" + (b"{" if start else b"") + chunk + b"]"


def _split_at(text: bytes, number: re.Pattern[bytes]) -> tuple[bytes, bytes]:
    """Return the texts before and after the number that the pattern matches."""
    match = number.search(text)
    if match is None:
        raise ValueError("the text doesn't contain the number")
    return text[: match.start()], text[match.end() :]


def _summary_delta(record: Interaction | Event) -> str:
    """Return how a new record changes its session's summary, as JSON for ``append.lua``."""
    delta = extend_summary(_EMPTY_SUMMARY, [record], 0, "").model_dump(include=_DELTA_FIELDS)
    if isinstance(record, Event) and record.type == "context_reset":
        delta["reset"] = True
    return json.dumps(delta, ensure_ascii=False)


def _count_turns_before_reset(session: Session) -> int | None:
    """Return the number of turns before the last context reset; 0 if there was no reset.

    Return None if the turns aren't listed in the order of their numbers. Then only the complete
    session shows which turns follow the reset.
    """
    turns = session.interactions
    ids = [turn.turn_id for turn in turns]
    seqs = [turn.seq for turn in turns if turn.seq is not None]
    if ids != sorted(set(ids)) or seqs != sorted(set(seqs)) or len(seqs) not in (0, len(turns)):
        return None
    return len(turns) - len(session.history())
