"""Write the values of variables as text, for requests that mention the variables by ``@``.

Invariants:

- None of the person's code runs. Only a value whose exact class is built in, or the standard
  library's or numpy's own, is written; of any other value, the name of its class is.
- The text is limited: in its length, in the depth of containers, and in the number of their items.
  What is left out is written as ``…``.
- A long text is cut between words, because a part of a key isn't recognised as a secret.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import re
from typing import Any

from .inspection.objects import (
    class_name,
    is_library_class,
    is_numpy_dtype,
    is_plain_class,
    loaded_value,
    module_of,
)

MAX_VALUE = 1000  # characters of a value; the last item may exceed it
MAX_ITEMS = 20  # of a container
MAX_DEPTH = 3
MAX_VALUE_TEXT = 200  # characters of a text
MAX_BITS = 256  # of an int; a long one takes long to write
_MAX_DIMENSIONS = 3
_LEFT_OUT = "…"
_WORD_AT_END = re.compile(r"[!-~]+\Z")  # in ASCII; other texts may have no spaces between words
_BRACKETS = (
    (list, "[", "]"),
    (tuple, "(", ")"),
    (dict, "{", "}"),
    (set, "{", "}"),
    (frozenset, "frozenset({", "})"),
)
_ATOMS = (type(None), bool, float, complex)
_DATES = (datetime.date, datetime.timedelta)


def value_text(value: Any) -> str:
    """Return a value as Python writes it, shortened; "" if its class isn't supported."""
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
    """Return a value that isn't a container as text; "" if its class isn't supported."""
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
    """Return whether a class is the module's own: libraries for tests replace some of them."""
    return is_plain_class(cls) and module_of(cls) in ("datetime", "decimal", "numpy")


def _write_text(text: str) -> str:
    if len(text) <= MAX_VALUE_TEXT:
        return repr(text)
    return repr(_WORD_AT_END.sub("", text[:MAX_VALUE_TEXT])) + _LEFT_OUT


def _write_numpy_scalar(value: Any, cls: Any) -> str:
    """Return a number, text or date of numpy as text; "" for any other value."""
    if not is_library_class(cls) or not is_numpy_dtype(getattr(value, "dtype", None)):
        return ""
    kind = value.dtype.kind
    if kind in "Mm":
        return f"{class_name(cls)}({str(value)!r})"
    plain = value.item() if kind in "biufcU" else None
    return "" if plain is None or type(plain) is cls else _write_atom(plain, type(plain))


def _array_elements(array: Any) -> Any:
    """Return the first elements of a numpy array as lists; None if they aren't plain values."""
    if not is_numpy_dtype(array.dtype) or array.dtype.kind not in "biufcUMm":
        return None
    if not 1 <= array.ndim <= _MAX_DIMENSIONS:
        return None
    first = array[(slice(MAX_ITEMS + 1),) * array.ndim]  # one more, so that the end is marked
    return (first.astype(str) if array.dtype.kind in "Mm" else first).tolist()
