"""Write labels and other scalars as text without running a person's code, in bounded time.

Even a library's own object can run such code for its text or hash: that of a date's time zone, a
period's frequency, or an interval's bounds.
"""

from __future__ import annotations

import datetime
import re
from typing import Any

from .objects import (
    class_name,
    is_library_class,
    is_own_arrow_type,
    is_plain_dtype,
    is_plain_time_zone,
    loaded_value,
)

MAX_LABEL = 200  # characters of a label
MAX_DTYPE = 100
_PLAIN_CLASSES = (str, int, float, bool, type(None), datetime.date)
_ZONED_CLASSES = (datetime.datetime, datetime.time)
_PLAIN_LIBRARY_CLASSES = ("Timedelta", "NAType", "NaTType")
_INCOMPLETE_WORD = re.compile(r"[!-~]*\Z")
_NUMPY_KINDS = "biufcSUMm"  # without objects and structures


def is_plain_scalar(value: Any) -> bool:
    """Return whether a scalar's text and hash run no code of a person's."""
    kind = type(value)
    if any(kind is plain for plain in _PLAIN_CLASSES):
        return True
    name = class_name(kind) if is_library_class(kind) else ""
    if name == "Timestamp" or any(kind is zoned for zoned in _ZONED_CLASSES):
        return value.tzinfo is None or is_plain_time_zone(value.tzinfo)
    if name == "Period":
        return is_library_class(type(value.freq))
    if name == "Interval":
        return _is_plain(value.left) and _is_plain(value.right)
    return name in _PLAIN_LIBRARY_CLASSES


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or pandas' NA or NaT."""
    cls = type(value)
    if cls is float:
        return bool(value != value)
    return value is None or (is_library_class(cls) and class_name(cls) in ("NAType", "NaTType"))


def label_text(label: Any, limit: int) -> str:
    text = _tuple_part(label, [limit]) if type(label) is tuple else _scalar_text(label)
    return text[:limit].encode("utf-8", "replace").decode()


def whole_words(text: str, limit: int) -> str:
    """Shorten a text between words, because a part of a key isn't recognised as a secret."""
    text = text[: limit + 1].encode("utf-8", "replace").decode()
    return text if len(text) <= limit else _INCOMPLETE_WORD.sub("", text[: limit - 1]) + "…"


def _tuple_part(label: Any, room: list[int]) -> str:
    """Return a label in a tuple as text.

    Stops when ``room``, the remaining characters, is used up: tuples that contain another one twice
    double with each level.
    """
    if type(label) is not tuple:
        text = repr(label[: room[0]]) if type(label) is str else _scalar_text(label)
        room[0] -= len(text)
        return text
    room[0] -= 1
    texts: list[str] = []
    for part in label:
        if room[0] <= 0:
            break
        texts.append(_tuple_part(part, room))
    return "(" + ", ".join(texts) + ")"


def _scalar_text(value: Any) -> str:
    return str(value) if _is_plain(value) else f"<{class_name(type(value))}>"


def _is_plain(value: Any) -> bool:
    if is_plain_scalar(value):
        return True
    generic = loaded_value("numpy", "generic")
    kind = type(value)
    own = is_library_class(kind) and any(base is generic for base in kind.__mro__)
    return own and value.dtype.kind in _NUMPY_KINDS


def dtype_text(dtype: Any) -> str:
    """Return a dtype's text without values, such as categories."""
    if isinstance(dtype, type):  # the class of an array, or a dtype of polars without parameters
        return cut(class_name(dtype))[:MAX_DTYPE]
    name = cut(class_name(type(dtype)))[:MAX_DTYPE]
    if name in ("Enum", "SparseDtype") or not (is_plain_dtype(dtype) or is_own_arrow_type(dtype)):
        return name
    text = "category" if name == "CategoricalDtype" else str(dtype)
    return name if "Enum(" in text or "categories" in text else cut(text)[:MAX_DTYPE]


def cut(text: str) -> str:
    """Remove lone surrogates, and limit the length to ``MAX_LABEL``."""
    return text[:MAX_LABEL].encode("utf-8", "replace").decode()
