"""Between stored bytes and records, whatever the bytes are. Pure.

What must hold:

- What ``encode`` gives, ``parse`` reads.
- The predecessor's flat files are read as sessions.
- Bytes that are no session of version 1 raise ``Damaged``, whatever is wrong with them: also those
  in which any object has a key twice, of which a parser of JSON would keep the last value alone.
- A newer major version is read as far as it can be understood, and is never ``Damaged``:
  its writer knew better. ``check_writable`` keeps it from being written.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import re
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from ...errors import InvalidRequest
from ...models import (
    SCHEMA_VERSION,
    Event,
    Interaction,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionMeta,
    Stored,
    dumps,
    new_session,
)
from . import legacy_format as predecessor
from .damage.conflict_marks import Line, has_marks, lines_of

T = TypeVar("T", bound=BaseModel)

_DIGITS = 4300  # as Python has it
_TOO_LONG = 10**_DIGITS
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % _DIGITS)
_REFUSALS = (ValueError, TypeError, RecursionError)  # pydantic's own is a ValueError
_REFUSED = "The data contains something that can't be stored as JSON."
_MAJOR = int(SCHEMA_VERSION.split(".")[0])


PARTS = ("meta", "interactions", "events")


class DamagedData(ValueError):
    """The bytes are not the session that their place promises."""


class DuplicateKey(DamagedData):
    """The bytes are JSON in which an object has a key more than once."""


def encode(record: Stored, indent: int | None = 2) -> bytes:
    """The bytes of a record. Raises InvalidRequest for what JSON can't hold."""
    try:
        return dumps(record, indent)
    except _REFUSALS as exc:
        raise InvalidRequest(_REFUSED) from exc


def to_dict(record: Stored) -> dict[str, Any]:
    """The record as JSON-ready data. Raises InvalidRequest for what JSON can't hold."""
    try:
        content = record.to_dict()
        _check_numbers(content)
    except _REFUSALS as exc:
        raise InvalidRequest(_REFUSED) from exc
    return content


def may_have_long_numbers(data: bytes) -> bool:
    """Whether ``to_dict`` may refuse a number in the record that has these bytes; False is sure."""
    return len(data) > _DIGITS and _LONG_NUMBER.search(data) is not None


def _check_numbers(value: Any) -> None:
    # Pydantic writes a number of 5,000 digits, and no reader takes it.
    if isinstance(value, dict):
        for item in value.values():
            _check_numbers(item)
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item)
    elif isinstance(value, int) and not -_TOO_LONG < value < _TOO_LONG:
        raise ValueError("too long a number")


class Parsed(NamedTuple):
    """A session as read."""

    session: Session
    is_legacy: bool = False  # in the shape of the predecessor


def parse(data: bytes, key: SessionKey | None = None) -> Session:
    """The session in these bytes; with ``key``, it must be that cell's. Raises Damaged."""
    return read(data, key).session


def read(data: bytes, key: SessionKey | None = None) -> Parsed:
    """As ``parse``; and in which shape it was."""
    try:
        parsed = Parsed(Session.model_validate_json(data))
    except ValidationError:
        parsed = _parse_slowly(data, key)
    meta = parsed.session.meta
    if not _is_newer(meta.version):
        _check_keys(data, parsed.session)
    is_another = key and (meta.notebook_id, meta.cell_id) != (key.notebook_id, key.cell_id)
    if is_another and not _is_newer(meta.version):
        raise DamagedData("the file holds another cell's session")
    return parsed


def _check_keys(data: bytes, session: Session) -> None:
    """Raise Doubled if an object has a key twice; ``session`` is what the bytes were parsed to."""
    # What was written by us needs no second look, and to write it again is quicker than one.
    with contextlib.suppress(InvalidRequest):
        if encode(session, 2 if data.startswith(b"{\n") else None) == data:
            return
    try:
        json.loads(data, object_pairs_hook=_unique, parse_int=str)  # a number may be too long
    except DuplicateKey:
        raise
    except (ValueError, RecursionError):
        return  # what only the quick parser can read


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DuplicateKey("an object has a key twice")
    return found


def parse_record(kind: type[T], data: str | bytes) -> T:
    """One turn or event as ``encode`` gave it. Raises ValueError for what is none."""
    try:
        return kind.model_validate_json(data)
    except ValidationError:  # the quick parser knows no halves of characters, and no great depth
        try:
            return kind.model_validate(json.loads(data))
        except RecursionError as exc:
            raise ValueError("too deep") from exc


class Log(NamedTuple):
    """A notebook's log as read: its lines, and how many of them are damaged."""

    entries: list[NotebookLogEntry]
    damaged: int


def parse_log(data: bytes) -> Log:
    """The lines of a notebook's log. A damaged line is passed over, a torn last one in silence.

    Where git left a conflict, the lines of the other side come behind ours, as in a merge. Numbers
    always rise: of two lines with one number, which a merge by lines leaves, the second gets the
    next.
    """
    data = log_text(data)
    marked = has_marks(data)
    lines = lines_of(data) if marked else [Line(text, "both", "") for text in data.split(b"\n")]
    read = [_parse_line(line.text) for line in lines]
    damaged = sum(bool(line.text) and not one for line, one in zip(lines[:-1], read, strict=False))
    entries: list[NotebookLogEntry] = []
    seen: set[str] = set()
    last = 0
    for line, entry in zip(lines, read, strict=True):
        if entry is None or line.part == "base":
            continue
        if marked:
            find_ids = _without_numbers(entry)
            if line.part == "theirs" and find_ids in seen:
                continue
            seen.add(find_ids)
        ways = entry.merged
        if line.merge_id:
            ways = [[*way, line.merge_id] for way in ways or [[]]]
        if entry.seq <= last or ways != entry.merged:
            new = to_dict(entry) | {"seq": max(entry.seq, last + 1)}
            entry = NotebookLogEntry.model_validate(new | ({"merged": ways} if ways else {}))
        entries.append(entry)
        last = entry.seq
    return Log(entries, damaged)


def log_text(data: bytes) -> bytes:
    """A log's bytes in UTF-8 and without a byte order mark, whatever an editor made of them.

    Behind lines in UTF-16 there may be newer ones in UTF-8.
    """
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.removeprefix(codecs.BOM_UTF8)
    end = data.find(b'\n{"')
    head, tail = (data, b"") if end < 0 else (data[:end], data[end:])
    whole = head[: len(head) // 2 * 2]  # without half of the last line break
    return whole.decode("utf-16", "replace").encode() + tail


def _without_numbers(entry: NotebookLogEntry) -> str:
    content = entry.to_dict()
    return json.dumps(
        {key: content[key] for key in content.keys() - {"seq", "merged"}}, sort_keys=True
    )


def _parse_line(line: bytes) -> NotebookLogEntry | None:
    if not line:
        return None
    try:
        return NotebookLogEntry.model_validate(json.loads(line.decode("utf-8")))
    except (ValueError, RecursionError):
        return None


def _parse_slowly(data: bytes, key: SessionKey | None) -> Parsed:
    # What the quick parser refuses may still be fine: deep nesting, lone surrogates in unknown
    # keys, or a shape that a newer version is free to change.
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as exc:
        raise DamagedData("not JSON") from exc
    meta = content.get("meta") if isinstance(content, dict) else None
    if isinstance(meta, dict) and _is_newer(meta.get("version")):
        return Parsed(_salvage(content, meta, key))
    is_legacy = predecessor.is_legacy(content)
    try:
        shaped = predecessor.convert_legacy(content) if is_legacy else content
        return Parsed(Session.model_validate(shaped), is_legacy)
    except ValidationError as exc:
        raise DamagedData("not the shape of a session") from exc


def _is_newer(version: Any) -> bool:
    match = re.match(r"(\d{1,9})(\.|$)", str(version))
    return match is not None and int(match[1]) > _MAJOR


def _salvage(content: dict[str, Any], meta: dict[str, Any], key: SessionKey | None) -> Session:
    """What can be shown of a newer record: each part that still has the known shape."""
    blank = new_session(key or SessionKey("unknown", "unknown"))
    known = blank.meta.to_dict()
    version = str(meta["version"])
    known["version"] = version if re.fullmatch(r"\d+\.\d+", version) else f"{_major(version)}.0"
    for name in SessionMeta.model_fields.keys() - {"version"}:
        if name in meta and _fits(SessionMeta, known | {name: meta[name]}):
            known[name] = meta[name]
    session = Session(meta=SessionMeta.model_validate(known), interactions=[])
    session.interactions = [
        Interaction.model_validate(item)
        for item in _items(content.get("interactions"))
        if _fits(Interaction, item)
    ]
    events = [Event.model_validate(e) for e in _items(content.get("events")) if _fits(Event, e)]
    if events:
        session.events = events
    return session


def _major(version: str) -> int:
    return int(re.split(r"\D", version, maxsplit=1)[0])


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _fits(model: type[BaseModel], value: Any) -> bool:
    try:
        model.model_validate(value)
    except ValidationError:
        return False
    return True
