"""Read JSON files with records: an array of objects, or one object per line. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from ...prompts.prompt_input import Table
from .dtypes import dtype_of_values
from .table import describe_records, estimated_row_count
from .text import decode

_SPACE = re.compile(r"[ \t\r\n]*")
_MAX_RECORDS = 500


def read_json(data: bytes, *, lines: bool, size: int, examples: int = 0) -> Table | None:
    """Describe the records' keys as columns; None if ``data`` has no records.

    ``data`` is the beginning of a file of ``size`` bytes. ``lines``: the extension means one object
    per line. Otherwise, a single object isn't described, because its keys may be data.
    """
    decoded = decode(data)
    if decoded is None:
        return None
    text, encoding = decoded
    is_complete = size <= len(data)
    is_array = text.lstrip().startswith("[")
    records, has_end = _array(text) if is_array else _lines(text, is_complete)
    if not records or not (is_array or lines or len(records) > 1):
        return None
    arguments = [
        *([] if is_array else ["lines=True"]),
        *([f"encoding={encoding!r}"] if encoding not in ("utf-8", "utf-8-sig") else []),
    ]
    table = describe_records(
        records,
        dtype_of_values,
        examples=examples,
        is_complete=is_complete and has_end,
        arguments=tuple(arguments),
    )
    if is_array or is_complete:
        return table
    lines_in_sample = text[: text.rfind("\n") + 1]
    line_count = sum(1 for line in lines_in_sample.split("\n") if line.strip())
    estimate = estimated_row_count(line_count, len(lines_in_sample.encode(encoding)), size)
    return replace(table, row_count=estimate, has_estimate=estimate is not None)


def _array(text: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the first objects, and whether these are all; none if there are other values."""
    decoder = json.JSONDecoder()
    records: list[dict[str, Any]] = []
    at = _skip(text, text.index("[") + 1)
    try:
        while len(records) < _MAX_RECORDS:
            value, at = decoder.raw_decode(text, at)
            if not isinstance(value, dict):
                return [], False
            records.append(value)
            at = _skip(text, at)
            if text[at : at + 1] != ",":
                return records, text[at : at + 1] == "]"
            at = _skip(text, at + 1)
    except (ValueError, RecursionError):
        pass  # the last object is cut or malformed
    return records, False


def _lines(text: str, is_complete: bool) -> tuple[list[dict[str, Any]], bool]:
    lines = [line for line in text.split("\n") if line.strip()]
    if not is_complete:
        lines = lines[:-1]
    records: list[dict[str, Any]] = []
    try:
        for line in lines[:_MAX_RECORDS]:
            value = json.loads(line)
            if not isinstance(value, dict):
                return [], False
            records.append(value)
    except (ValueError, RecursionError):
        return records, False  # a line is malformed
    return records, len(records) == len(lines)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
