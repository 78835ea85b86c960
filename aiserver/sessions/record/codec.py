"""Encode and decode stored records. Pure.

Invariants:

- ``parse`` reads what ``encode`` writes, and legacy files: ``{notebook_id, cell_id, created_at,
  last_updated, interactions}`` without ``meta``. Their turns keep all values, and their unknown
  keys become keys of the session.
- ``parse`` raises ``DamagedData`` for anything else, also for objects with duplicate keys, of which
  a JSON parser would use only the last value.
- Of a session in a newer major version, ``parse`` returns what is valid in this version.
  ``check_writable`` keeps it from being overwritten.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from ...errors.base import InvalidRequest
from ...models import (
    SCHEMA_VERSION,
    Event,
    Interaction,
    NotebookLogEntry,
    Session,
    SessionKey,
    SessionMeta,
    Stored,
    new_session,
)

T = TypeVar("T", bound=BaseModel)

# The major version of the format that this program writes.
_MAJOR_VERSION = int(SCHEMA_VERSION.split(".")[0])
_MAX_DIGITS = 4300  # Python can't read integers with more digits
_INT_LIMIT = 10**_MAX_DIGITS
_ENCODE_ERRORS = (ValueError, TypeError, RecursionError)  # pydantic's errors are ValueErrors
_NOT_STORABLE = "The data contains something that can't be stored as JSON."
_LEGACY_META_KEYS = ("notebook_id", "cell_id", "created_at", "last_updated")
# Keys of legacy turns that have new names.
_NEW_KEYS = {"request": "user_request", "response": "ai_response"}
# Git's conflict markers. They can't be in a string, because JSON strings contain no line breaks.
_MARKER = re.compile(rb"^(<{7,} .*|\|{7,}( .*)?|={7,}|>{7,} .*)\r?$", re.MULTILINE)

SESSION_KEYS = ("meta", "interactions", "events")
"""The known keys of a session. Its other keys are called unknown keys and are preserved."""


class DamagedData(ValueError):
    """The bytes aren't a valid session of the expected cell."""


class DuplicateKey(DamagedData):
    """An object has duplicate keys."""


class Parsed(NamedTuple):
    """A session, and the format in which it was stored."""

    session: Session
    is_legacy: bool = False


def encode(record: Stored, indent: int | None = 2) -> bytes:
    """Encode a record as JSON in UTF-8, with exactly the keys that were set and a final newline.

    NaN and infinity become null. Raises InvalidRequest if JSON can't represent the record.
    """
    try:
        content = record.to_dict()
        try:
            # This takes half the time of `model_dump_json` (benchmarks/stores.py).
            return to_json(content, indent=indent, inf_nan_mode="null") + b"\n"
        except PydanticSerializationError:
            # JSON can escape a lone surrogate in an unknown key.
            text = json.dumps(content, ensure_ascii=False, indent=indent) + "\n"
            return text.encode("utf-8", "backslashreplace")
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
    """Raise ValueError for integers with too many digits for Python to read."""
    if isinstance(value, dict):
        for nested in value.values():
            _check_numbers(nested)
    elif isinstance(value, list):
        for nested in value:
            _check_numbers(nested)
    elif isinstance(value, int) and not -_INT_LIMIT < value < _INT_LIMIT:
        raise ValueError("number too long")


def has_markers(data: bytes) -> bool:
    """Return whether git has left conflict markers."""
    return b"<<<<<<< " in data and len(_MARKER.findall(data)) > 2


def parse(data: bytes, key: SessionKey | None = None) -> Session:
    """Return the session in these bytes. Raises DamagedData, also for another cell than ``key``."""
    return read(data, key).session


def read(data: bytes, key: SessionKey | None = None) -> Parsed:
    """Return the session, and whether its format is the legacy one. Raises DamagedData."""
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
    # Bytes that AI Server wrote need no check. Encoding the session again and comparing is faster.
    with contextlib.suppress(InvalidRequest):
        if encode(session, 2 if data.startswith(b"{\n") else None) == data:
            return
    try:
        # Integers stay strings, because they may have too many digits.
        json.loads(data, object_pairs_hook=_reject_duplicates, parse_int=str)
    except DuplicateKey:
        raise
    except (ValueError, RecursionError):
        return  # only pydantic can parse this


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise DuplicateKey("an object has duplicate keys")
    return content


def parse_record(record_type: type[T], data: str | bytes) -> T:
    """Parse a turn or event that ``encode`` has written. Raises ValueError if it isn't valid."""
    try:
        return record_type.model_validate_json(data)
    except ValidationError:  # pydantic's parser rejects lone surrogates and deep nesting
        try:
            return record_type.model_validate(json.loads(data))
        except RecursionError as exc:
            raise ValueError("nested too deeply") from exc


class Log(NamedTuple):
    """A change log's entries, and the number of damaged lines."""

    entries: list[NotebookLogEntry]
    damaged_count: int


def parse_log(data: bytes) -> Log:
    """Parse a change log; damaged lines are counted and skipped.

    An incomplete last line isn't counted: another process may be writing it. If git left conflict
    markers, the entries of both sides are returned, each once. A seq that isn't higher than the one
    before it is replaced.
    """
    lines = log_text(data).split(b"\n")
    has_conflict = has_markers(data)
    parsed = [_parse_line(line) for line in lines]
    damaged_count = sum(
        bool(line) and not entry and not (has_conflict and _MARKER.fullmatch(line))
        for line, entry in zip(lines[:-1], parsed, strict=False)
    )
    entries: list[NotebookLogEntry] = []
    seen_contents: set[str] = set()
    last_seq = 0
    for entry in filter(None, parsed):
        if has_conflict:
            content = entry_content(entry)
            if content in seen_contents:
                continue
            seen_contents.add(content)
        if entry.seq <= last_seq:
            fields = to_dict(entry) | {"seq": last_seq + 1}
            entry = NotebookLogEntry.model_validate(fields)
        entries.append(entry)
        last_seq = entry.seq
    return Log(entries, damaged_count)


def log_text(data: bytes) -> bytes:
    """Return the lines of a log in UTF-8 without a byte order mark.

    An editor may have saved it in UTF-16, and AI Server then appended UTF-8.
    """
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.removeprefix(codecs.BOM_UTF8)
    end = data.find(b'\n{"')
    utf16, utf8 = (data, b"") if end < 0 else (data[:end], data[end:])
    # ``utf16`` may end within a line break, which has two bytes.
    utf16 = utf16[: len(utf16) // 2 * 2]
    return utf16.decode("utf-16", "replace").encode() + utf8


def entry_content(entry: NotebookLogEntry) -> str:
    """Return an entry as JSON, without what a merge changes."""
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
    """Parse what pydantic's parser has rejected. Raises DamagedData."""
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as exc:
        raise DamagedData("not JSON") from exc
    meta = content.get("meta") if isinstance(content, dict) else None
    if isinstance(meta, dict) and is_newer(meta.get("version")):
        return Parsed(_read_newer(content, meta, key))
    from_legacy = is_legacy(content)
    try:
        converted = convert_legacy(content) if from_legacy else content
        return Parsed(Session.model_validate(converted), from_legacy)
    except ValidationError as exc:
        raise DamagedData("not a session") from exc


def is_legacy(content: Any) -> bool:
    """Return whether parsed JSON is the content of a legacy file."""
    return (
        isinstance(content, dict)
        and "meta" not in content
        and isinstance(content.get("interactions"), list)
        and {"notebook_id", "cell_id"} <= content.keys()
    )


def convert_legacy(content: dict[str, Any]) -> dict[str, Any]:
    """Convert a legacy file's content to a session's, without validating it."""
    turns = [_convert_turn(turn) for turn in content["interactions"]]
    times = [turn["timestamp"] for turn in turns if isinstance(turn, dict) and "timestamp" in turn]
    first, last = (times[0], times[-1]) if times else (None, None)
    meta = {"version": SCHEMA_VERSION} | {name: content.get(name) for name in _LEGACY_META_KEYS}
    meta["created_at"] = meta["created_at"] or first
    meta["last_updated"] = meta["last_updated"] or last
    unknown_keys = {name: value for name, value in content.items() if name not in _LEGACY_META_KEYS}
    return {"meta": meta, **unknown_keys, "interactions": turns}


def _convert_turn(turn: Any) -> Any:
    if not isinstance(turn, dict):
        return turn
    return {_NEW_KEYS.get(name, name): value for name, value in turn.items()}


def is_newer(version: Any) -> bool:
    """Return whether a format's major version is above ours."""
    # Python can't convert longer texts to integers.
    match = re.match(r"(\d{1,4000})(\.|$)", str(version))
    return match is not None and int(match[1]) > _MAJOR_VERSION


def _read_newer(content: dict[str, Any], meta: dict[str, Any], key: SessionKey | None) -> Session:
    empty_session = new_session(key or SessionKey("unknown", "unknown"))
    meta_fields = empty_session.meta.to_dict()
    # The model requires a major and a minor number.
    major, minor = re.findall(r"^(\d+)(\.\d+$)?", str(meta["version"]))[0]
    meta_fields["version"] = major + (minor or ".0")
    for name in meta.keys() & SessionMeta.model_fields.keys() - {"version"}:
        # Only if ``meta`` stays valid.
        if any(_valid_items(SessionMeta, [meta_fields | {name: meta[name]}])):
            meta_fields[name] = meta[name]
    turns = list(_valid_items(Interaction, content.get("interactions")))
    session = Session(meta=SessionMeta.model_validate(meta_fields), interactions=turns)
    if events := list(_valid_items(Event, content.get("events"))):
        session.events = events
    return session


def _valid_items(model: type[T], items: Any) -> Iterator[T]:
    for item in items if isinstance(items, list) else ():
        with contextlib.suppress(ValidationError):
            yield model.model_validate(item)
