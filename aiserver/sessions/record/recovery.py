"""Recover the intact records of a damaged session. Pure.

Invariants:

- Each intact turn and event is in the result, unchanged and in order, even if the file was cut off,
  consists of several joined files, contains foreign bytes, or has ``meta``, ``interactions`` or
  ``events`` twice. A record with duplicate keys may mix two records, as after a merge by lines, so
  it counts as damaged. The caller preserves the damaged bytes.
- If a file contains several sessions of the cell, they are merged.
- Nothing is recovered from a file that belongs to another cell.
- The result's last event, the note, contains the numbers of recovered records.
- The time is limited, whatever the bytes are.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from ...models import Event, Interaction, Session, SessionKey, SessionMeta, new_session
from . import codec
from .codec import SESSION_KEYS, convert_legacy, is_legacy
from .filenames import find_ids
from .merge import merge_into

RECOVERED_TYPE = "recovered"  # the type of the note
_Part = SessionMeta | Interaction | Event
"""A part of a session that can be recovered even if the rest of the session is damaged."""
_REQUIRED_KEYS: dict[type[_Part], set[str]] = {  # A part is recognised by these keys.
    Interaction: {"turn_id", "user_request"},
    Event: {"seq", "type"},
    SessionMeta: {"version", "notebook_id"},
}
_OBJECT_START = re.compile(r"\{\s{0,200}\"")
_MAX_EFFORT = 200  # how often each character is read at most, on average
_MAX_GROUPS = 20  # merging more ``_Group``s would take too long
_MAX_DEPTH = 8  # deeper records aren't found


class _Group(NamedTuple):
    """The intact parts of one session in a file."""

    parts: list[_Part]
    unknown_keys: dict[str, Any]


def parse_or_recover(data: bytes, key: SessionKey) -> Session | None:
    """Return the session or its intact records; None if there is none."""
    try:
        return codec.parse(data, key)
    except codec.DamagedData:
        session = recover(data, key)
        return None if is_empty(session) else session


def parse_with_duplicate_keys(data: bytes) -> Session:
    """Parse a session, but recover all values of duplicate keys. Raises DamagedData."""
    try:
        return codec.parse(data)
    except codec.DuplicateKey:
        ids = find_ids(data)
        if ids is None:
            raise
        return recover(data, SessionKey(*ids))


def recover(data: bytes, key: SessionKey) -> Session:
    """Return all intact records and the note, or only the note."""
    session = new_session(key)
    groups = _groups_of_cell(_groups(_intact_objects(_decode(data))), key, data)
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
            group_session = Session(
                meta=_meta(group) or session.meta, interactions=turns, events=events
            )
            merge_into(session, group_session)
    session.__pydantic_extra__ = _unknown_keys(groups)
    records = session.ordered()
    if records and not metas:
        session.meta.created_at = records[0].timestamp
        session.meta.last_updated = records[-1].timestamp
        session.meta.revision = len(records)
    note = Event(
        seq=session.next_seq,
        type=RECOVERED_TYPE,
        timestamp=session.meta.last_updated,
        data={"turns": len(session.interactions), "events": len(session.events or [])},
    )
    session.events = [*(session.events or []), note]
    return session


def is_empty(session: Session) -> bool:
    """Return whether there is only the note."""
    return not session.interactions and len(session.events or []) == 1


def _decode(data: bytes) -> str:
    """Decode bytes that need not be valid UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
        if _OBJECT_START.search(text):  # if not, the first two bytes weren't a byte order mark
            return text
    # Invalid bytes become lone surrogates, so ``_is_storable`` rejects their records.
    return data.decode("utf-8-sig", "surrogateescape")


def _groups(values: Iterator[Any]) -> list[_Group]:
    groups: list[_Group] = []
    is_torn = False  # whether the last group collects the objects of a damaged session
    for value in values:
        if is_legacy(value):
            value = convert_legacy(value)
        is_session = isinstance(value, dict) and isinstance(value.get("interactions"), list)
        if not groups or ((is_session or not is_torn) and len(groups) < _MAX_GROUPS):
            groups.append(_Group([], {}))
        groups[-1].parts.extend(_parts(value))
        if is_session:
            groups[-1].unknown_keys.update(
                {name: item for name, item in value.items() if name not in SESSION_KEYS}
            )
        is_torn = not is_session
    return groups


def _groups_of_cell(groups: list[_Group], key: SessionKey, data: bytes) -> list[_Group]:
    """Return the groups that belong to a cell.

    A group without ids belongs to the same cell as the one before; for the first one, ``data`` is
    searched for ids.
    """
    ids = find_ids(data)
    selected = []
    for group in groups:
        if meta := _meta(group):
            ids = (meta.notebook_id, meta.cell_id)
        if ids in (None, (key.notebook_id, key.cell_id)):
            selected.append(group)
    return selected


def _meta(group: _Group) -> SessionMeta | None:
    return next((part for part in group.parts if isinstance(part, SessionMeta)), None)


def _unknown_keys(groups: list[_Group]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for group in groups:
        for name, value in group.unknown_keys.items():
            if name not in result and _is_storable({name: value}):
                result[name] = value
    return result


def _unique_or_values(pairs: list[tuple[str, Any]]) -> Any:
    """Return a dict, or a list of the values if there are duplicate keys."""
    content = dict(pairs)
    return content if len(content) == len(pairs) else [value for _, value in pairs]


def _intact_objects(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(object_pairs_hook=_unique_or_values)
    effort = _MAX_EFFORT * (len(text) + 100_000)
    match = _OBJECT_START.search(text)
    while match and effort > 0:
        try:
            value, end = decoder.raw_decode(text, match.start())
        except RecursionError:
            effort -= 100_000  # an estimate: the error has no position
            end = match.start() + 1
        except ValueError as reason:
            # Python has read up to the error, to count lines.
            effort -= getattr(reason, "pos", len(text))
            end = match.start() + 1
        else:
            yield value
        match = _OBJECT_START.search(text, end)


def _parts(value: Any, depth: int = 0) -> Iterator[_Part]:
    """Yield the parts in a value. After a missing bracket, the next records are nested."""
    if isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            yield from _parts(item, depth + 1)
    elif isinstance(value, dict):
        if part := _parse_part(value):
            yield part
        elif depth < _MAX_DEPTH:
            for item in value.values():
                yield from _parts(item, depth + 1)


def _parse_part(item: dict[str, Any]) -> _Part | None:
    part_types = (type_ for type_, keys in _REQUIRED_KEYS.items() if keys <= item.keys())
    part_type = next(part_types, None)
    if part_type and _is_storable(item):
        with contextlib.suppress(ValidationError):
            return part_type.model_validate(item)
    return None


def _is_storable(item: dict[str, Any]) -> bool:
    try:
        json.dumps(item, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return True


def _records(parts: list[_Part]) -> tuple[list[Interaction], list[Event]]:
    """Return the turns and events, each once, in linear time.

    If two files were joined, both may have a turn 1. The second one gets the next free number, also
    in the events that follow it.
    """
    new_ids: dict[int, int] = {}
    turns: list[Interaction] = []
    events: list[Event] = []
    seen_texts: set[str] = set()
    turn_ids: set[int] = set()
    seqs: set[int] = set()
    last_turn_id = last_seq = 0
    for record in parts:
        text = json.dumps(record.to_dict(), sort_keys=True)
        if isinstance(record, SessionMeta) or text in seen_texts:
            continue
        seen_texts.add(text)
        next_seq = max(last_seq, len(turns)) + 1
        if isinstance(record, Interaction):
            if record.turn_id in turn_ids:
                new_ids[record.turn_id] = last_turn_id + 1
                record.turn_id, record.seq = last_turn_id + 1, next_seq
            turn_ids.add(record.turn_id)
            last_turn_id = max(last_turn_id, record.turn_id)
            turns.append(record)
        else:
            if record.turn_id in new_ids:
                record.turn_id = new_ids[record.turn_id]
            if record.seq in seqs:
                record.seq = next_seq
            events.append(record)
        seqs.add(record.seq or 0)
        last_seq = max(last_seq, record.seq or 0)
    return turns, events
