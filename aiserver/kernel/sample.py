"""Read the first rows of a DataFrame as texts, for a request whose privacy level is ``sample``.

Invariants:

- The invariants of ``variables.py`` apply. A value becomes a text only if its class is exactly a
  built-in one or a library's own. Any other value is described by the name of its class.
- Each text has at most ``MAX_CELL`` characters. A longer text ends before its last incomplete
  word, because a part of a key isn't recognised as a secret.
- All texts together have at most ``MAX_BYTES`` bytes.
"""

from __future__ import annotations

import datetime
import decimal
import sys
from typing import Any

from .inspection.objects import class_name, is_instance, is_plain_dtype
from .inspection.scalars import encode, is_plain_scalar, label_text, whole_words
from .variables import (
    MAX_COLUMNS,
    MAX_NAME,
    library_classes,
    plain_frame,
)

MAX_CELL = 60  # characters of a value
MAX_BYTES = 64_000  # of all values, in UTF-8; the limit of the HTTP API
_OTHER_SCALARS = (datetime.timedelta, decimal.Decimal, complex)
_MAX_BITS = 512  # of an integer; Python refuses to write very long ones


def first_rows(variables: dict[str, Any], name: str, count: int) -> str:
    """Return ``{"columns": […], "rows": [[…], …]}`` as JSON in base64.

    ``columns`` are the names of the first columns, as ``describe`` returns them. ``rows`` are the
    first ``count`` rows, or fewer if the texts would be too long; a missing value is null. Return
    ``{"problem": "missing"}`` if there is no such DataFrame.
    """
    value = variables.get(name)
    result: dict[str, Any] = {"problem": "missing"}
    for kind, base in library_classes():
        if kind in ("pandas.DataFrame", "polars.DataFrame") and is_instance(value, base):
            frame = plain_frame(kind, base, value)
            if frame is not None:
                result = _first_rows(kind, frame, count)
            break
    return encode(result)


def _first_rows(kind: str, frame: Any, count: int) -> dict[str, Any]:
    names = list(frame.columns[:MAX_COLUMNS])
    dtypes = list(frame.dtypes)[:MAX_COLUMNS]
    columns = [
        _column_texts(kind, frame, index, dtype, count) for index, dtype in enumerate(dtypes)
    ]
    rows = []
    size = 0
    for row in zip(*columns):
        size += sum(len(text.encode()) for text in row if text)
        if size > MAX_BYTES:
            break
        rows.append(list(row))
    return {"columns": [label_text(name, MAX_NAME) for name in names], "rows": rows}


def _column_texts(kind: str, frame: Any, index: int, dtype: Any, count: int) -> list[str | None]:
    if not is_plain_dtype(dtype):
        # The values of another package's dtype can't be read without its code.
        rows = min(count, frame.shape[0])
        return ["<" + str(class_name(type(dtype)))[: MAX_CELL - 2] + ">"] * rows
    if kind == "pandas.DataFrame":
        values = frame.iloc[:count, index].tolist()
    else:
        values = frame.to_series(index).head(count).to_list()
    return [_value_text(value) for value in values]


def _value_text(value: Any) -> str | None:
    """Return a value as text; None if it is missing."""
    cls = type(value)
    pandas = sys.modules.get("pandas")
    missing = [getattr(pandas, name, None) for name in ("NA", "NaT")] if pandas else []
    if value is None or any(value is item for item in missing):
        return None
    if cls is float and value != value:
        return None
    is_scalar = is_plain_scalar(value) or any(cls is other for other in _OTHER_SCALARS)
    if not is_scalar or (cls is int and value.bit_length() > _MAX_BITS):
        return "<" + str(class_name(cls))[: MAX_CELL - 2] + ">"
    text = value[: MAX_CELL + 1] if cls is str else str(value)
    return whole_words(text, MAX_CELL)
