"""Find columns by which tables can be joined.

Only integers, texts and dates are compared. A pair of columns is a candidate in two cases:

- their names are similar (``customer_id`` and ``id`` of ``customers``), and at least half of the
  distinct values of one occur in the other, or they are too many to count;
- their names differ, but they are texts, nearly all of these occur in the other column, and one of
  the columns has no value twice.

The values stay in the kernel: the result has names and shares.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from ..inspection.objects import (
    encode,
    plain_variables,
)
from ..inspection.scalars import dtype_text, is_missing
from .columns import inner_column, is_arrow, kind_of, plain_values
from .containers import Container, container_of

MAX_KEY_ROWS = 1_000_000  # values of longer columns aren't compared
MAX_KEY_COLUMNS = 50  # of a table
MAX_CANDIDATES = 3  # of two tables
JOIN_SECONDS = 1.0
_SIMILAR_NAMES_SHARE = 0.5
_OTHER_NAMES_SHARE = 0.9
_FEWEST_TEXTS = 5  # of columns whose names differ


class KeyColumn:
    """A column with its distinct values; ``values`` is None if there are too many.

    ``kind`` is "integer", "date…" or "text", or "" if it can't be a key.
    """

    def __init__(self, table: str, container: Container, index: int) -> None:
        self.table, self.name = table, container.columns[index][0]
        self.kind = ""
        self.values: set[Any] | None = None
        self.is_unique = False
        with contextlib.suppress(Exception):  # unreadable values
            if container.column is not None:
                self._read(inner_column(container.column(index)), container.row_count or 0)

    def _read(self, column: Any, rows: int) -> None:
        kind = _key_kind(column)
        if kind and rows <= MAX_KEY_ROWS:
            values = _key_values(column, kind)
            if values is None:
                return
            self.values = set(values)
            self.is_unique = len(values) == len(self.values)
        self.kind = kind


def join_keys(variables: dict[str, Any], names: list[str]) -> str:
    """Return ``{"keys": […]}`` as JSON in base64, the likeliest candidates first.

    A candidate has ``left``, ``leftColumn``, ``right``, ``rightColumn`` and ``share``: that of the
    values of the column with fewer distinct values which occur in the other, None if unknown.
    """
    deadline = time.monotonic() + JOIN_SECONDS
    plain = plain_variables(variables)
    tables = [(name, container) for name in names if (container := container_of(plain.get(name)))]
    columns: dict[tuple[str, int], KeyColumn] = {}
    keys: list[tuple[float, dict[str, Any]]] = []
    for position, (left, left_table) in enumerate(tables):
        for right, right_table in tables[position + 1 :]:
            candidates = []
            for similarity, i, j in _pairs(left, left_table, right, right_table):
                if time.monotonic() > deadline:
                    break
                for place in ((left, left_table, i), (right, right_table, j)):
                    if (place[0], place[2]) not in columns:
                        columns[place[0], place[2]] = KeyColumn(*place)
                key = _candidate(columns[left, i], columns[right, j], similarity)
                if key:
                    candidates.append((similarity + (key["share"] or 0), key))
            candidates.sort(key=lambda pair: -pair[0])
            keys += candidates[:MAX_CANDIDATES]
    keys.sort(key=lambda pair: -pair[0])
    return encode({"keys": [key for _, key in keys]})


def _pairs(
    left: str, left_table: Container, right: str, right_table: Container
) -> list[tuple[float, int, int]]:
    pairs = [
        (_similarity(left, name, right, other), i, j)
        for i, (name, _) in enumerate(left_table.columns[:MAX_KEY_COLUMNS])
        for j, (other, _) in enumerate(right_table.columns[:MAX_KEY_COLUMNS])
    ]
    return sorted(pairs, key=lambda pair: -pair[0])


def _similarity(left: str, name: str, right: str, other: str) -> float:
    first, second = _plain_name(name), _plain_name(other)
    if not first or not second:
        return 0
    if first == second:
        return 1
    # `customer_id`, and `id` of `customers`
    for long, short, table in ((first, second, right), (second, first, left)):
        stem = long[: -len(short)] if long.endswith(short) else ""
        if stem and len(stem) > 1 and _plain_name(table).startswith(stem[:-1]):
            return 0.9
        if stem and len(short) > 1:
            return 0.5
    return 0


def _plain_name(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _candidate(left: KeyColumn, right: KeyColumn, similarity: float) -> dict[str, Any] | None:
    if not left.kind or left.kind != right.kind:
        return None
    share = None
    if left.values is not None and right.values is not None:
        fewer = min(len(left.values), len(right.values))
        share = len(left.values & right.values) / fewer if fewer else 0.0
        least = _SIMILAR_NAMES_SHARE if similarity else _OTHER_NAMES_SHARE
        if share < least or (not similarity and fewer < _FEWEST_TEXTS):
            return None
    is_unique = left.is_unique or right.is_unique
    if not similarity and (share is None or left.kind != "text" or not is_unique):
        return None
    return {
        "left": left.table,
        "leftColumn": left.name,
        "right": right.table,
        "rightColumn": right.name,
        "share": share,
    }


def _key_kind(column: Any) -> str:
    if not kind_of(column):
        return ""
    name = (str(column.type) if is_arrow(column) else dtype_text(column.dtype)).lower()
    if name.startswith(("datetime64", "datetime(", "timestamp", "date")):
        return f"date {name}"
    if name.startswith(("int", "uint", "float", "double")):
        return "integer"
    texts = ("object", "str", "large_string", "category", "categorical", "<u", ">u")
    return "text" if name.startswith(texts) else ""


def _key_values(column: Any, kind: str) -> list[Any] | None:
    values = [value for value in plain_values(column, kind_of(column)) if not is_missing(value)]
    if kind == "text":
        return values if all(type(value) is str for value in values) else None
    if kind == "integer":
        is_whole = all(type(value) is int or value.is_integer() for value in values)
        return list(map(int, values)) if is_whole else None
    return values
