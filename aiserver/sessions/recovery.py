"""What is still whole in the bytes of a damaged session. Pure.

What must hold:

- Each turn and event that is whole in the bytes is in the result, in order and to the letter: also
  where the file was cut at any byte, was joined by hand, or has foreign bytes between. One that
  isn't whole is left out; its bytes are kept by whoever calls.
- Nothing is taken from a file that says that it is another cell's.
- The last event says what was recovered, so that the person can be told.
- It takes bounded time, whatever the bytes are.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ..models import Event, Interaction, Session, SessionKey, SessionMeta, new_session
from . import codec
from .predecessor import says

NOTE = "recovered"
_DECODER = json.JSONDecoder()
_MARKS = ({"turn_id", "user_request"}, {"seq", "type"}, {"version", "notebook_id"})
_BEGIN = re.compile(r"\{\s{0,200}\"")
_EFFORT = 200  # characters that may be looked at for each one that is there


def readable(data: bytes, key: SessionKey) -> Session | None:
    """The session that is stored as these bytes, or what is whole of it; None if nothing is."""
    try:
        return codec.parse(data, key)
    except codec.Damaged:
        session = recovered(data, key)
        return None if is_empty(session) else session


def recovered(data: bytes, key: SessionKey) -> Session:
    """A session of all that is whole, and the note of it. It may hold nothing but the note."""
    content = list(_objects(_text(data)))
    meta = next((found for item in content if (found := _as(SessionMeta, item))), None)
    session = new_session(key)
    said = (meta.notebook_id, meta.cell_id) if meta else says(data)
    if said and said != (key.notebook_id, key.cell_id):
        content = []
    elif meta:
        session.meta = meta
    session.interactions, events = _records(content)
    if events:
        session.events = events
    records = session.ordered()
    if not meta and records:
        session.meta.created_at = records[0].timestamp
        session.meta.last_updated = records[-1].timestamp
        session.meta.revision = len(records)
    note = Event(
        seq=session.next_seq,
        type=NOTE,
        timestamp=session.meta.last_updated,
        data={"turns": len(session.interactions), "events": len(session.events or [])},
    )
    session.events = [*(session.events or []), note]
    return session


def is_empty(session: Session) -> bool:
    """Whether nothing was recovered: the note is all there is."""
    return not session.interactions and len(session.events or []) == 1


def _text(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
        if _BEGIN.search(text):  # else two bytes of rubbish have only looked like its mark
            return text
    # Bytes that are no UTF-8 become what no record may hold, so theirs is not whole.
    return data.decode("utf-8-sig", "surrogateescape")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The parts of a session in a text that is no JSON as a whole, in their order."""
    effort = _EFFORT * (len(text) + 100_000)
    match = _BEGIN.search(text)
    while match and effort > 0:
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except RecursionError:
            effort -= 100_000
            end = match.start() + 1
        except ValueError as reason:
            effort -= getattr(reason, "pos", len(text))  # it counts the lines up to there
            end = match.start() + 1
        else:
            yield from _parts(value)
        match = _BEGIN.search(text, end)


def _parts(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(value, list) and depth < 4:
        for item in value:
            yield from _parts(item, depth + 1)
    elif isinstance(value, dict):
        if (
            {"turn_id", "user_request"} <= value.keys()
            or {"seq", "type"} <= value.keys()
            or {"version", "notebook_id"} <= value.keys()
        ):
            yield value
        elif depth < 4:
            for item in value.values():
                yield from _parts(item, depth + 1)


def _as(kind: type[Any], item: dict[str, Any]) -> Any:
    """The record in an object, or None if it is not that, or not whole."""
    try:
        json.dumps(item, ensure_ascii=False).encode("utf-8")
        return kind.model_validate(item)
    except (ValidationError, ValueError):
        return None


def _records(content: list[dict[str, Any]]) -> tuple[list[Interaction], list[Event]]:
    """The turns and events among the parts, each once.

    Where two files were joined, both had a turn 1: both were made, so the later one gets the next
    number. Each part is looked at once, with the numbers in hand, for there may be thousands.
    """
    turns: list[Interaction] = []
    events: list[Event] = []
    seen: set[str] = set()
    ids: set[int] = set()
    seqs: set[int] = set()
    last_id = last_seq = 0
    for item in content:
        turn = _as(Interaction, item)
        event = None if turn else _as(Event, item)
        record = turn or event
        text = json.dumps(item, sort_keys=True) if record else ""
        if record is None or text in seen:
            continue  # not whole, or the file held it twice
        seen.add(text)
        free = max(last_seq, len(turns)) + 1
        if turn:
            if turn.turn_id in ids:
                turn.turn_id, turn.seq = last_id + 1, free
            ids.add(turn.turn_id)
            last_id = max(last_id, turn.turn_id)
            turns.append(turn)
        elif event:
            if event.seq in seqs:
                event.seq = free
            events.append(event)
        seqs.add(record.seq or 0)
        last_seq = max(last_seq, record.seq or 0)
    return turns, events
