"""Encode stored records. Pure.

Invariants: ``codec.parse`` reads what ``encode`` writes.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import PydanticSerializationError

from ...errors import InvalidRequest
from ...models import Stored

_MAX_DIGITS = 4300  # Python can't read integers with more digits
_INT_LIMIT = 10**_MAX_DIGITS
_ENCODE_ERRORS = (ValueError, TypeError, RecursionError)  # pydantic's errors are ValueErrors
_NOT_STORABLE = "The data contains something that can't be stored as JSON."
META_DEPTH = 1  # the level of indentation of ``meta``
ITEM_DEPTH = 2  # the level of indentation of a turn or event


def dumps(record: Stored, indent: int | None = 2) -> bytes:
    """Encode a record as JSON in UTF-8, with unescaped non-ASCII characters and a final newline.

    The keys are those of ``to_dict``; NaN and infinity become null. Raises ValueError on failure.
    """
    try:
        # This does the same as `model_dump_json`, but doesn't create a str. Creating the str would
        # take a third of the time of a save.
        writer = record.__pydantic_serializer__
        return writer.to_json(record, indent=indent, exclude_unset=True) + b"\n"
    except PydanticSerializationError:
        # A lone surrogate in an unknown key isn't valid UTF-8, but JSON can escape it.
        text = json.dumps(record.to_dict(), ensure_ascii=False, indent=indent) + "\n"
        return text.encode("utf-8", "backslashreplace")


def encode(record: Stored, indent: int | None = 2) -> bytes:
    """Return a session, turn, event or entry as JSON.

    Raises InvalidRequest if JSON can't represent it.
    """
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
    """Raise ValueError for an integer with so many digits that Python couldn't read it again."""
    if isinstance(value, dict):
        for nested in value.values():
            _check_numbers(nested)
    elif isinstance(value, list):
        for nested in value:
            _check_numbers(nested)
    elif isinstance(value, int) and not -_INT_LIMIT < value < _INT_LIMIT:
        raise ValueError("number too long")


def indent(text: bytes, depth: int) -> bytes:
    """Indent all lines of a text except the first."""
    # JSON strings contain no line breaks, so each line break belongs to the layout.
    return text.replace(b"\n", b"\n" + depth * b"  ")


def to_text(record: Stored, depth: int = ITEM_DEPTH) -> bytes:
    """Return a record as JSON, indented as inside a session.

    Raises InvalidRequest if JSON can't represent the record.
    """
    return indent(encode(record)[:-1], depth)
