"""List a kernel's variables, and read a DataFrame's first rows.

Invariants:

- None of the person's code runs: no ``repr``, and no methods except those of pandas, polars and
  numpy. A variable's class is read without attributes that it could redefine, such as
  ``__class__``. An instance of a subclass of pandas' DataFrame is first converted to a plain
  DataFrame, because pandas would call methods that the subclass overrides.
- A hostile object doesn't affect how other objects are described.
- Without ``examples`` and ``has_values``, the result contains no values. A custom dtype, or one
  whose text includes categories or a fill value, is described by the name of its class.
- A value becomes a text only if its class is exactly a built-in one, or a library's own. Others are
  described by the name of their class.
- A value's text is limited in its length, depth and number of items; ``…`` marks the rest. A long
  text is cut between words, because a part of a key isn't recognised as a secret.
"""

from __future__ import annotations

import abc
import datetime
import decimal
import itertools
import re
import sys
from collections.abc import Iterator
from typing import Any

from .inspection.objects import (
    class_name,
    encode,
    has_own_index,
    instance_dict,
    is_instance,
    is_library_class,
    is_numpy_dtype,
    is_plain_class,
    is_plain_dtype,
    loaded_value,
    module_of,
)
from .inspection.scalars import dtype_text, is_plain_scalar, label_text, whole_words

MAX_FRAMES = 50
MAX_COLUMNS = 200
MAX_LEVELS = 5  # of an index
MAX_VARIABLES = 200
MAX_NAME = 200  # characters
MAX_EXAMPLE = 24  # characters of a value
_IPYTHON_NAMES = ("In", "Out", "exit", "quit", "open", "get_ipython")
_SEARCHED_ROWS = 50  # rows that are searched for examples
_SEARCHED_ELEMENTS = 50  # elements whose classes are compared

_SIZED = (str, bytes, list, tuple, dict, set, frozenset)
MAX_VALUE = 1000  # characters of a value; the last item may exceed it
MAX_ITEMS = 20  # of a container
MAX_DEPTH = 3
MAX_VALUE_TEXT = 200  # characters of a text
MAX_BITS = 256  # of an int; a long one takes long to write
_MAX_DIMENSIONS = 3
_LEFT_OUT = "…"
_WORD_AT_END = re.compile(r"[!-~]+\Z")  # ASCII: other texts may have no spaces between words
_BRACKETS = (
    (list, "[", "]"),
    (tuple, "(", ")"),
    (dict, "{", "}"),
    (set, "{", "}"),
    (frozenset, "frozenset({", "})"),
)
_ATOMS = (type(None), bool, float, complex)
_DATES = (datetime.date, datetime.timedelta)
MAX_CELL = 60  # characters of a value
MAX_BYTES = 64_000  # of all values, in UTF-8; the limit of the HTTP API
_OTHER_SCALARS = (datetime.timedelta, decimal.Decimal, complex)
_MAX_CELL_BITS = 512  # Python refuses to write very long integers


def describe(variables: dict[str, Any], examples: int = 0, has_values: bool = False) -> str:
    """Return ``{"frames": […], "variables": […]}`` as JSON in base64, the newest first.

    ``examples`` is the number of values for each column or index of texts. With ``has_values``,
    other variables have values, if ``value_text`` supports them.
    """
    classes = list(library_classes())
    frames: list[dict[str, Any]] = []
    others: list[dict[str, str]] = []
    for name, value in reversed(list(variables.items())):
        if type(name) is not str or name[:1] == "_" or not name.isidentifier():
            continue
        if name in _IPYTHON_NAMES:
            continue
        kind, base = next((pair for pair in classes if is_instance(value, pair[1])), ("", None))
        try:
            if kind in ("pandas.DataFrame", "polars.DataFrame"):
                plain = plain_frame(kind, base, value)
                if plain is not None and len(frames) < MAX_FRAMES:
                    frames.append(_profile(name, kind, plain, examples))
            elif len(others) < MAX_VARIABLES:
                described = _describe(value, kind if type(value) is base else "")
                others.append({"name": name[:MAX_NAME], "kind": described})
                if has_values and (text := value_text(value)):
                    others[-1]["value"] = text
        except Exception:  # an object that can't be described is left out
            continue
    return encode({"frames": frames, "variables": others})


def library_classes() -> Iterator[tuple[str, type]]:
    names = ("pandas.DataFrame", "polars.DataFrame", "pandas.Series", "polars.Series")
    indexes = ("pandas.DatetimeIndex", "pandas.MultiIndex", "pandas.RangeIndex", "pandas.Index")
    for name in (*names, "numpy.ndarray", *indexes):
        library, _, attribute = name.partition(".")
        cls: Any = getattr(sys.modules.get(library), attribute, None)
        metaclass = type(cls)
        if metaclass is type or metaclass is abc.ABCMeta or is_library_class(metaclass):
            yield name, cls


def plain_frame(kind: str, frame_class: Any, value: Any) -> Any:
    """Convert a variable to a plain DataFrame; None if that is impossible."""
    if kind != "pandas.DataFrame":
        return value if type(value) is frame_class else None
    manager = instance_dict(value, frame_class)["_mgr"]
    if not all(has_own_index(axis) for axis in manager.axes):
        return None
    if type(value) is frame_class:
        return value
    return frame_class._from_mgr(manager, axes=manager.axes)


def _profile(name: str, kind: str, frame: Any, examples: int) -> dict[str, Any]:
    rows, width = frame.shape
    columns = []
    names = list(frame.columns[:MAX_COLUMNS])
    for index, (column, dtype) in enumerate(zip(names, list(frame.dtypes)[:MAX_COLUMNS])):
        described: dict[str, Any] = {
            "name": label_text(column, MAX_NAME),
            "dtype": dtype_text(dtype),
        }
        if examples and _has_texts(dtype):
            described.update(_examples(_first_values(kind, frame, index), examples))
        columns.append(described)
    profile = {
        "name": name[:MAX_NAME],
        "kind": kind,
        "rowCount": int(rows),
        "columnCount": int(width),
        "columns": columns,
    }
    levels = _index_levels(frame.index, examples) if kind == "pandas.DataFrame" else []
    return {**profile, "index": levels} if levels else profile


def _index_levels(index: Any, examples: int) -> list[dict[str, Any]]:
    """Describe an index's levels like columns; [] if it only numbers the rows."""
    cls = type(index)
    if not is_library_class(cls):
        return []
    if class_name(cls) == "RangeIndex" and index.name is None:
        return []
    head = index[:_SEARCHED_ROWS]
    levels = []
    for level in range(min(index.nlevels, MAX_LEVELS)):
        values = head.get_level_values(level)
        name = "" if values.name is None else label_text(values.name, MAX_NAME)
        described: dict[str, Any] = {"name": name, "dtype": dtype_text(values.dtype)}
        if examples and _has_texts(values.dtype):
            described.update(_examples(values.tolist(), examples))
        levels.append(described)
    return levels


def _has_texts(dtype: Any) -> bool:
    if dtype_text(dtype) not in ("object", "str", "string", "String", "category"):
        return False
    return is_library_class(type(dtype)) or is_numpy_dtype(dtype)


def _first_values(kind: str, frame: Any, column: int) -> list[Any]:
    if kind == "pandas.DataFrame":
        values = frame.iloc[:_SEARCHED_ROWS, column]
    else:
        values = frame.to_series(column).head(_SEARCHED_ROWS)
    return list(values.to_list())


def _examples(values: list[Any], count: int) -> dict[str, list[str]]:
    texts: dict[str, None] = {}
    for value in values:
        if type(value) is str and value.strip():
            texts.setdefault(whole_words(value, MAX_EXAMPLE))
    texts.pop("…", None)  # the first word was too long
    return {"examples": list(texts)[:count]} if texts else {}


def _describe(value: Any, kind: str) -> str:
    cls = type(value)
    if kind == "numpy.ndarray":
        return f"{kind} {label_text(value.shape, 50)} {dtype_text(value.dtype)}"
    if kind == "pandas.MultiIndex":
        return f"{kind} of {len(value)}"
    if kind:
        return f"{kind} of {len(value)} {dtype_text(value.dtype)}"
    if any(cls is sized for sized in _SIZED):
        return f"{class_name(cls)} of {len(value)}{_elements(value)}"[:MAX_NAME]
    return class_name(cls)[:MAX_NAME]


def _elements(value: Any) -> str:
    """Return the first elements' class, as in `` str to int``; "" if their classes differ."""
    cls = type(value)
    if cls is str or cls is bytes:
        return ""
    first = list(itertools.islice(value.items() if cls is dict else value, _SEARCHED_ELEMENTS))
    columns = list(zip(*first)) if cls is dict else [first]
    # By identity, because a metaclass can redefine ``__hash__`` and ``__eq__``.
    classes = [(type(column[0]), column) for column in columns if column]
    if not classes or any(
        type(element) is not cls for cls, column in classes for element in column
    ):
        return ""
    return " " + " to ".join(class_name(cls) for cls, _ in classes)


def first_rows(variables: dict[str, Any], name: str, count: int) -> str:
    """Return ``{"columns": […], "rows": [[…], …]}`` as JSON in base64.

    ``columns`` are named as in ``describe``. There are ``count`` rows, or fewer if the texts would
    be too long; a missing value is null. Return ``{"problem": "missing"}`` without such a
    DataFrame.
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
        # Reading another package's dtype would run its code.
        rows = min(count, frame.shape[0])
        return ["<" + str(class_name(type(dtype)))[: MAX_CELL - 2] + ">"] * rows
    if kind == "pandas.DataFrame":
        values = frame.iloc[:count, index].tolist()
    else:
        values = frame.to_series(index).head(count).to_list()
    return [_value_text(value) for value in values]


def _value_text(value: Any) -> str | None:
    cls = type(value)
    pandas = sys.modules.get("pandas")
    missing = [getattr(pandas, name, None) for name in ("NA", "NaT")] if pandas else []
    if value is None or any(value is item for item in missing):
        return None
    if cls is float and value != value:
        return None
    is_scalar = is_plain_scalar(value) or any(cls is other for other in _OTHER_SCALARS)
    if not is_scalar or (cls is int and value.bit_length() > _MAX_CELL_BITS):
        return "<" + str(class_name(cls))[: MAX_CELL - 2] + ">"
    text = value[: MAX_CELL + 1] if cls is str else str(value)
    return whole_words(text, MAX_CELL)


def value_text(value: Any) -> str:
    """Write a value as Python does, shortened; "" if its class isn't supported."""
    text = _write(value, [MAX_VALUE], 1)
    return "" if text.startswith("<") else text


def _write(value: Any, room: list[int], depth: int) -> str:
    """Return a value as text. ``room`` has the number of characters that remain."""
    cls = type(value)
    for container, opening, closing in _BRACKETS:
        if cls is container:
            return _write_items(value, opening, closing, room, depth)
    if cls is loaded_value("numpy", "ndarray") and _is_own_class(cls):
        elements = _array_elements(value)
        text = "" if elements is None else _write(elements, room, depth)
        return f"array({text})" if text else "<ndarray>"
    text = _write_atom(value, cls) or f"<{class_name(cls)[:50]}>"
    room[0] -= len(text)
    return text


def _write_items(value: Any, opening: str, closing: str, room: list[int], depth: int) -> str:
    if not len(value) and type(value) in (set, frozenset):
        return f"{class_name(type(value))}()"
    is_dict = type(value) is dict
    texts: list[str] = []
    room[0] -= len(opening) + len(closing) + len(_LEFT_OUT)
    limit = MAX_ITEMS if depth <= MAX_DEPTH else 0
    for item in itertools.islice(value.items() if is_dict else value, limit):
        if room[0] <= 0:
            break
        parts = item if is_dict else (item,)
        texts.append(": ".join([_write(part, room, depth + 1) for part in parts]))
        room[0] -= 2  # for the comma
    if len(texts) < len(value):
        texts.append(_LEFT_OUT)
    elif type(value) is tuple and len(texts) == 1:
        closing = f",{closing}"
    return opening + ", ".join(texts) + closing


def _write_atom(value: Any, cls: Any) -> str:
    if cls is str:
        return _write_text(value)
    if cls is int:
        return repr(value) if value.bit_length() <= MAX_BITS else ""
    if any(cls is atom for atom in _ATOMS):
        return repr(value)
    if not _is_own_class(cls):
        return ""
    if any(cls is date for date in _DATES):
        return repr(value)
    if cls is datetime.datetime:
        # A time zone may be an object of the person's.
        zone = "" if value.tzinfo is None else ", with a time zone"
        return repr(value.replace(tzinfo=None)) + zone
    if cls is decimal.Decimal:
        text = repr(value)
        return text if len(text) <= MAX_VALUE_TEXT else ""
    return _write_numpy_scalar(value, cls)


def _is_own_class(cls: Any) -> bool:
    """Return whether a class is its module's own: libraries for tests replace some."""
    return is_plain_class(cls) and module_of(cls) in ("datetime", "decimal", "numpy")


def _write_text(text: str) -> str:
    if len(text) <= MAX_VALUE_TEXT:
        return repr(text)
    return repr(_WORD_AT_END.sub("", text[:MAX_VALUE_TEXT])) + _LEFT_OUT


def _write_numpy_scalar(value: Any, cls: Any) -> str:
    if not is_library_class(cls) or not is_numpy_dtype(getattr(value, "dtype", None)):
        return ""
    kind = value.dtype.kind
    if kind in "Mm":
        return f"{class_name(cls)}({str(value)!r})"
    plain = value.item() if kind in "biufcU" else None
    return "" if plain is None or type(plain) is cls else _write_atom(plain, type(plain))


def _array_elements(array: Any) -> Any:
    if not is_numpy_dtype(array.dtype) or array.dtype.kind not in "biufcUMm":
        return None
    if not 1 <= array.ndim <= _MAX_DIMENSIONS:
        return None
    first = array[(slice(MAX_ITEMS + 1),) * array.ndim]  # one more, to mark the end
    return (first.astype(str) if array.dtype.kind in "Mm" else first).tolist()
