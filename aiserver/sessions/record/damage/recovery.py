"""What is still whole in the bytes of a damaged session. Pure.

What must hold:

- Each turn and event that is whole in the bytes is in the result, in order and to the letter: also
  where the file was cut at any byte, was joined by hand, has foreign bytes between, or has a part
  of a session twice. One that isn't whole is left out; its bytes are kept by whoever calls.
- Of an object that has a key twice (a merge by lines writes both sides into one record) there is
  a record with the first values and one with the second.
- Two whole sides of a conflict are merged as git would have had them merged.
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
from typing import Any, NamedTuple

from pydantic import ValidationError

from ....errors import AIServerError
from ....models import Event, Interaction, Session, SessionKey, SessionMeta, new_session
from .. import codec
from ..codec import PARTS
from ..legacy_format import convert_legacy, find_ids, is_legacy
from ..merge.sessions import merge_into
from ..merge.three_way import merge_sessions
from .conflict_marks import has_marks, split_sides
from .duplicate_keys import ObjectReader
from .unclosed import close_objects

NOTE = "recovered"
_BEGIN = re.compile(r"\{\s{0,200}\"")
_MAX_EFFORT = 200  # characters that may be looked at for each one that is there
_MAX_GROUPS = 20  # sessions in one file that are united; to unite more would take too long
_MAX_DEPTH = 8  # objects and lists in one another in which records are looked for


class _Group(NamedTuple):
    """What belongs to one session."""

    parts: list[dict[str, Any]]  # its meta, turns and events
    unknown_keys: dict[str, Any]  # the keys of the session that we don't know


def parse_or_recover(data: bytes, key: SessionKey) -> Session | None:
    """The session that is stored as these bytes, or what is whole of it; None if nothing is."""
    try:
        return codec.parse(data, key)
    except codec.DamagedData:
        session = recover(data, key)
        return None if is_empty(session) else session


def parse_with_duplicates(data: bytes) -> Session:
    """As ``codec.parse``; where keys are there twice, all their values. Raises Damaged."""
    try:
        return codec.parse(data)
    except codec.DuplicateKey:
        ids = find_ids(data)
        if ids is None:
            raise
        return recover(data, SessionKey(*ids))


def recover(data: bytes, key: SessionKey) -> Session:
    """A session of all that is whole, and the note of it. It may hold nothing but the note."""
    session = new_session(key)
    texts, merge_id = [data], ""
    if has_marks(data):
        ours, theirs, merge_id = split_sides(data)
        try:
            merged = merge_sessions(b"", ours, theirs, merge_id)
            return _add_note(codec.parse(merged, key))
        except (codec.DamagedData, AIServerError):
            texts = [ours, theirs]
    groups = [
        group for one in texts for group in _groups_of_cell(_all_groups(_decode(one)), key, one)
    ]
    metas = [meta for group in groups if (meta := _meta(group))]
    if metas:
        session.meta = max(metas, key=lambda meta: meta.revision or 0)
    for group in groups:
        turns, events = _records(group.parts)
        if not session.interactions and not session.events:
            session.interactions = turns
            if events:
                session.events = events
        elif turns or events:
            other = Session(meta=_meta(group) or session.meta, interactions=turns, events=events)
            merge_into(session, other, merge_id=merge_id)
    session.__pydantic_extra__ = _unknown_keys(groups)
    records = session.ordered()
    if not metas and records:
        session.meta.created_at = records[0].timestamp
        session.meta.last_updated = records[-1].timestamp
        session.meta.revision = len(records)
    return _add_note(session)


def _add_note(session: Session) -> Session:
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


def _decode(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
        if _BEGIN.search(text):  # else two bytes of rubbish have only looked like its mark
            return text
    # Bytes that are no UTF-8 become what no record may hold, so theirs is not whole.
    return data.decode("utf-8-sig", "surrogateescape")


def _all_groups(text: str) -> list[_Group]:
    """The parts of sessions in a text that is no JSON as a whole, in their order.

    Where objects have a key twice, the text is read once for each of the values: the first ones
    make one session, the second ones another.
    """
    groups: list[_Group] = []
    text, is_whole = _close_objects(text)
    version, versions, is_mixed = 0, 1, False
    if not is_whole:
        list(_values(text, reader := ObjectReader(0)))
        is_mixed = reader.is_mixed
    while version < versions:
        reader = ObjectReader(version, drop_ambiguous=is_mixed)
        groups += _groups(_values(text, reader), _MAX_GROUPS - len(groups))
        versions, version = reader.versions, version + 1
    return groups


def _close_objects(text: str) -> tuple[str, bool]:
    """The text, with all objects closed if a merge left them open; whether it is whole so."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        found = close_objects(text) if text.startswith("{\n") else None
        return (text, False) if found is None else (found, True)
    return text, True


def _groups(values: Iterator[dict[str, Any]], most: int) -> list[_Group]:
    """A group is an object that is a session, or what is left of a torn one."""
    groups: list[_Group] = []
    is_loose = False
    for value in values:
        if is_legacy(value):
            value = convert_legacy(value)
        is_session = isinstance(value.get("interactions"), list)
        if not groups or ((is_session or not is_loose) and len(groups) < most):
            groups.append(_Group([], {}))
        groups[-1].parts.extend(_parts(value))
        if is_session:
            groups[-1].unknown_keys.update(
                {name: one for name, one in value.items() if name not in PARTS}
            )
        is_loose = not is_session
    return groups


def _groups_of_cell(groups: list[_Group], key: SessionKey, data: bytes) -> list[_Group]:
    """The groups without those of another cell; one without ids has those of the group before."""
    ids = find_ids(data)
    found = []
    for group in groups:
        if meta := _meta(group):
            ids = (meta.notebook_id, meta.cell_id)
        if ids in (None, (key.notebook_id, key.cell_id)):
            found.append(group)
    return found


def _meta(group: _Group) -> SessionMeta | None:
    return next((meta for item in group.parts if (meta := _parse_as(SessionMeta, item))), None)


def _unknown_keys(groups: list[_Group]) -> dict[str, Any]:
    """The unknown keys of the sessions; of several values the first one."""
    found: dict[str, Any] = {}
    for group in groups:
        for name, value in group.unknown_keys.items():
            if name not in found and _is_storable({name: value}):
                found[name] = value
    return found


def _values(text: str, reader: ObjectReader) -> Iterator[dict[str, Any]]:
    """The objects of a text that are in no other object."""
    decoder = json.JSONDecoder(object_pairs_hook=reader.object)
    effort = _MAX_EFFORT * (len(text) + 100_000)
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


def _parts(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The whole records in a value; also in a torn one, which swallows what comes behind it."""
    if isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _parts(item, depth + 1)
    elif isinstance(value, dict):
        kind = _kind_of(value)
        if kind and _parse_as(kind, value):
            yield value
        elif depth < _MAX_DEPTH:
            for item in value.values():
                yield from _parts(item, depth + 1)


def _kind_of(item: dict[str, Any]) -> type[Any] | None:
    if {"turn_id", "user_request"} <= item.keys():
        return Interaction
    if {"seq", "type"} <= item.keys():
        return Event
    return SessionMeta if {"version", "notebook_id"} <= item.keys() else None


def _parse_as(kind: type[Any], item: dict[str, Any]) -> Any:
    """The record in an object, or None if it is not that, or not whole."""
    if not _is_storable(item):
        return None
    try:
        return kind.model_validate(item)
    except ValidationError:
        return None


def _is_storable(item: dict[str, Any]) -> bool:
    try:
        json.dumps(item, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return True


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
        turn = _parse_as(Interaction, item)
        event = None if turn else _parse_as(Event, item)
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
