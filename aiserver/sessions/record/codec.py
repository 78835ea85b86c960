"""Encode and decode stored records. Pure.

Invariants:

- ``parse`` reads what ``encode`` writes.
- Legacy files are read as sessions.
- Bytes that aren't a session of version 1 raise ``DamagedData``, whatever is wrong with them. This
  includes objects with duplicate keys, of which a JSON parser would silently return the last value.
- A newer major version is read as far as possible and never raises ``DamagedData``.
  ``check_writable`` prevents overwriting it.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import re
from collections.abc import Iterator
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
from . import legacy_format
from .damage.conflict_markers import Line, has_markers, split_lines

T = TypeVar("T", bound=BaseModel)

_MAX_DIGITS = 4300  # Python's limit for integers in text
_INT_LIMIT = 10**_MAX_DIGITS
_ENCODE_ERRORS = (ValueError, TypeError, RecursionError)  # includes pydantic's errors
_NOT_STORABLE = "The data contains something that can't be stored as JSON."
_MAJOR = int(SCHEMA_VERSION.split(".")[0])


SESSION_KEYS = ("meta", "interactions", "events")  # all other keys of a session are unknown


class DamagedData(ValueError):
    """The bytes aren't a valid record, or belong to another cell than expected."""


class DuplicateKey(DamagedData):
    """The bytes are JSON in which an object has duplicate keys."""


def encode(record: Stored, indent: int | None = 2) -> bytes:
    """Return the bytes of a record. Raises InvalidRequest if JSON can't represent it."""
    try:
        return dumps(record, indent)
    except _ENCODE_ERRORS as exc:
        raise InvalidRequest(_NOT_STORABLE) from exc


def to_dict(record: Stored) -> dict[str, Any]:
    """Return the record as JSON-ready data. Raises InvalidRequest if JSON can't represent it."""
    try:
        content = record.to_dict()
        _check_numbers(content)
    except _ENCODE_ERRORS as exc:
        raise InvalidRequest(_NOT_STORABLE) from exc
    return content


def _check_numbers(value: Any) -> None:
    # Pydantic writes a number of 5,000 digits, which no reader accepts.
    if isinstance(value, dict):
        for item in value.values():
            _check_numbers(item)
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item)
    elif isinstance(value, int) and not -_INT_LIMIT < value < _INT_LIMIT:
        raise ValueError("number too long")


class Parsed(NamedTuple):
    """A session, and the format in which it was stored."""

    session: Session
    is_legacy: bool = False  # in the legacy format


def parse(data: bytes, key: SessionKey | None = None) -> Session:
    """Return the session in these bytes; with ``key``, it must match. Raises DamagedData."""
    return read(data, key).session


def read(data: bytes, key: SessionKey | None = None) -> Parsed:
    """Return the session as ``parse`` does, and whether it is in the legacy format."""
    try:
        parsed = Parsed(Session.model_validate_json(data))
    except ValidationError:
        parsed = _parse_slowly(data, key)
    meta = parsed.session.meta
    if not is_newer(meta.version):
        _check_duplicate_keys(data, parsed.session)
        if key and (meta.notebook_id, meta.cell_id) != (key.notebook_id, key.cell_id):
            raise DamagedData("the session belongs to another cell")
    return parsed


def _check_duplicate_keys(data: bytes, session: Session) -> None:
    """Raise DuplicateKey if an object has duplicate keys; ``session`` is the parsed data."""
    # Bytes that AI Server wrote need no check; encoding the session again is faster than checking.
    with contextlib.suppress(InvalidRequest):
        if encode(session, 2 if data.startswith(b"{\n") else None) == data:
            return
    try:
        # Integers as strings, since they may have too many digits.
        json.loads(data, object_pairs_hook=_reject_duplicates, parse_int=str)
    except DuplicateKey:
        raise
    except (ValueError, RecursionError):
        return  # this parser can't read data that the fast one has read, so nothing is checked


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise DuplicateKey("an object has duplicate keys")
    return content


def parse_record(kind: type[T], data: str | bytes) -> T:
    """Return the turn or event that ``encode`` wrote. Raises ValueError for anything else."""
    try:
        return kind.model_validate_json(data)
    except ValidationError:  # the fast parser rejects lone surrogates and deep nesting
        try:
            return kind.model_validate(json.loads(data))
        except RecursionError as exc:
            raise ValueError("nested too deeply") from exc


class Log(NamedTuple):
    """The entries of a change log, and the number of damaged lines."""

    entries: list[NotebookLogEntry]
    damaged: int


def parse_log(data: bytes) -> Log:
    """Return the entries of a change log. Skips damaged lines; a torn last line isn't counted.

    If git left conflict markers, the entries of their side follow those of our side, as in a merge.
    Numbers always increase: if a merge by lines left two entries with the same number, the second
    entry gets the next number.
    """
    data = log_text(data)
    has_conflict = has_markers(data)
    lines = (
        split_lines(data)
        if has_conflict
        else [Line(text, "both", "") for text in data.split(b"\n")]
    )
    parsed = [_parse_line(line.text) for line in lines]
    damaged = sum(
        bool(line.text) and not entry for line, entry in zip(lines[:-1], parsed, strict=False)
    )
    entries: list[NotebookLogEntry] = []
    seen: set[str] = set()
    last_seq = 0
    for line, entry in zip(lines, parsed, strict=True):
        if entry is None or line.side == "base":
            continue
        if has_conflict:
            content = entry_content(entry)
            if line.side == "theirs" and content in seen:
                continue
            seen.add(content)
        paths = entry.merged
        if line.merge_id:
            paths = [[*path, line.merge_id] for path in paths or [[]]]
        if entry.seq <= last_seq or paths != entry.merged:
            fields = to_dict(entry) | {"seq": max(entry.seq, last_seq + 1)}
            entry = NotebookLogEntry.model_validate(fields | ({"merged": paths} if paths else {}))
        entries.append(entry)
        last_seq = entry.seq
    return Log(entries, damaged)


def log_text(data: bytes) -> bytes:
    """Return a log's bytes in UTF-8 without a byte order mark, even if an editor changed that.

    Lines in UTF-16, which the editor wrote, may be followed by newer lines in UTF-8.
    """
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.removeprefix(codecs.BOM_UTF8)
    end = data.find(b'\n{"')
    head, tail = (data, b"") if end < 0 else (data[:end], data[end:])
    head = head[: len(head) // 2 * 2]  # without half of the last line break
    return head.decode("utf-16", "replace").encode() + tail


def entry_content(entry: NotebookLogEntry) -> str:
    """Return an entry's content as JSON, without the numbers that a merge changes."""
    fields = to_dict(entry)
    content = {key: fields[key] for key in fields.keys() - {"seq", "merged"}}
    return json.dumps(content, sort_keys=True)


def _parse_line(line: bytes) -> NotebookLogEntry | None:
    if not line:
        return None
    try:
        return NotebookLogEntry.model_validate(json.loads(line.decode("utf-8")))
    except (ValueError, RecursionError):
        return None


def _parse_slowly(data: bytes, key: SessionKey | None) -> Parsed:
    # The fast parser also rejects valid data: deep nesting, lone surrogates in unknown keys, and
    # formats of newer versions.
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as exc:
        raise DamagedData("not JSON") from exc
    meta = content.get("meta") if isinstance(content, dict) else None
    if isinstance(meta, dict) and is_newer(meta.get("version")):
        return Parsed(_salvage(content, meta, key))
    is_legacy = legacy_format.is_legacy(content)
    try:
        converted = legacy_format.convert_legacy(content) if is_legacy else content
        return Parsed(Session.model_validate(converted), is_legacy)
    except ValidationError as exc:
        raise DamagedData("not a session") from exc


def is_newer(version: Any) -> bool:
    """Return whether a format version is too new to be written by this program."""
    match = re.match(r"(\d{1,4000})(\.|$)", str(version))
    return match is not None and int(match[1]) > _MAJOR


def _salvage(content: dict[str, Any], meta: dict[str, Any], key: SessionKey | None) -> Session:
    """Return those fields and records of a newer session that are valid in this version."""
    blank = new_session(key or SessionKey("unknown", "unknown"))
    meta_fields = blank.meta.to_dict()
    # Any version is written as the model requires: a major and a minor number.
    major, minor = re.findall(r"^(\d+)(\.\d+$)?", str(meta["version"]))[0]
    meta_fields["version"] = major + (minor or ".0")
    for name in meta.keys() & SessionMeta.model_fields.keys() - {"version"}:
        if any(_valid_items(SessionMeta, [meta_fields | {name: meta[name]}])):
            meta_fields[name] = meta[name]
    turns = list(_valid_items(Interaction, content.get("interactions")))
    session = Session(meta=SessionMeta.model_validate(meta_fields), interactions=turns)
    if events := list(_valid_items(Event, content.get("events"))):
        session.events = events
    return session


def _valid_items(kind: type[T], items: Any) -> Iterator[T]:
    for item in items if isinstance(items, list) else ():
        with contextlib.suppress(ValidationError):
            yield kind.model_validate(item)
