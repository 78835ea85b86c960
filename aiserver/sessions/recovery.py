"""What is still whole in the bytes of a damaged session. Pure.

What must hold:

- Each turn and event that is whole in the bytes is in the result, in order and to the letter: also
  where the file was cut at any byte, was joined by hand, has foreign bytes between, or has a part
  of a session twice. One that isn't whole is left out; its bytes are kept by whoever calls.
- Where several sessions of the cell are in the bytes they are united, so that what an event says
  of a turn stays true although the turn gets another number.
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
from .codec import PARTS
from .conflicts import has_marks, sides
from .predecessor import says
from .union import unite

NOTE = "recovered"
_BEGIN = re.compile(r"\{\s{0,200}\"")
_EFFORT = 200  # characters that may be looked at for each one that is there
_MOST_GROUPS = 20  # sessions in one file that are united; to unite more would take too long


def readable(data: bytes, key: SessionKey) -> Session | None:
    """The session that is stored as these bytes, or what is whole of it; None if nothing is."""
    try:
        return codec.parse(data, key)
    except codec.Damaged:
        session = recovered(data, key)
        return None if is_empty(session) else session


def parse_united(data: bytes) -> Session:
    """As ``codec.parse``; where parts are there twice, all of them. Raises Damaged."""
    try:
        return codec.parse(data)
    except codec.Doubled:
        ids = says(data)
        if ids is None:
            raise
        return recovered(data, SessionKey(*ids))


def recovered(data: bytes, key: SessionKey) -> Session:
    """A session of all that is whole, and the note of it. It may hold nothing but the note."""
    session = new_session(key)
    texts, merge_id = [data], ""
    if has_marks(data):
        ours, theirs, merge_id = sides(data)
        texts = [ours, theirs]
    groups = [group for one in texts for group in _of_cell(_groups(_text(one)), key, one)]
    metas = [meta for group in groups if (meta := _meta(group))]
    if metas:
        session.meta = max(metas, key=lambda meta: meta.revision or 0)
    for group in groups:
        turns, events = _records(group)
        if not session.interactions and not session.events:
            session.interactions = turns
            if events:
                session.events = events
        elif turns or events:
            other = Session(meta=_meta(group) or session.meta, interactions=turns, events=events)
            unite(session, other, merge_id=merge_id)
    records = session.ordered()
    if not metas and records:
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


def _groups(text: str) -> list[list[dict[str, Any]]]:
    """The parts of sessions in a text that is no JSON as a whole, in their order.

    A group is what belongs to one session: an object that is one, or what is left of a torn one.
    """
    groups: list[list[dict[str, Any]]] = []
    is_loose = False
    for value in _values(text):
        is_session = isinstance(value.get("interactions"), list)
        if not groups or ((is_session or not is_loose) and len(groups) < _MOST_GROUPS):
            groups.append([])
        groups[-1] += _parts(value)
        is_loose = not is_session
    return groups


def _of_cell(
    groups: list[list[dict[str, Any]]], key: SessionKey, data: bytes
) -> list[list[dict[str, Any]]]:
    """The groups without those of another cell; one without ids has those of the group before."""
    ids = says(data)
    found = []
    for group in groups:
        if meta := _meta(group):
            ids = (meta.notebook_id, meta.cell_id)
        if ids in (None, (key.notebook_id, key.cell_id)):
            found.append(group)
    return found


def _meta(group: list[dict[str, Any]]) -> SessionMeta | None:
    return next((meta for item in group if (meta := _as(SessionMeta, item))), None)


def _values(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a text that are in no other object."""
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    effort = _EFFORT * (len(text) + 100_000)
    match = _BEGIN.search(text)
    while match and effort > 0:
        try:
            value, end = decoder.raw_decode(text, match.start())
        except RecursionError:
            effort -= 100_000
            end = match.start() + 1
        except ValueError as reason:
            effort -= getattr(reason, "pos", len(text))  # it counts the lines up to there
            end = match.start() + 1
        else:
            yield from value if isinstance(value, list) else [value]
        match = _BEGIN.search(text, end)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
    """An object; the sessions that are in it, where a part of a session is there twice."""
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    metas, turns, events = ([value for name, value in pairs if name == part] for part in PARTS)
    if max(len(metas), len(turns), len(events)) < 2:
        return plain
    sessions: list[dict[str, Any]] = [{"interactions": one, "events": []} for one in turns or [[]]]
    for place, some in enumerate(events):
        if len(events) != len(turns):
            place = _place_of(some, turns)
        sessions[place]["events"].append(some)
    return [*({"meta": meta} for meta in metas), *sessions]


def _place_of(events: Any, turns: list[Any]) -> int:
    """The list of turns of which the events say most."""
    about = _numbers(events)
    overlaps = [len(about & _numbers(some)) for some in turns]
    return overlaps.index(max(overlaps)) if overlaps else 0


def _numbers(records: Any) -> set[int]:
    items = records if isinstance(records, list) else []
    found = (item.get("turn_id") for item in items if isinstance(item, dict))
    return {number for number in found if isinstance(number, int)}


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
