"""Profile values that are plain Python objects, such as the texts of a column.

Invariant: only objects of exact classes are looked at, never an instance of a subclass that a
person wrote. Others are counted, and nothing else.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..inspection.objects import (
    class_name,
    is_library_class,
    loaded_value,
)
from ..inspection.scalars import is_plain_scalar
from .numbers import histogram, profile_floats

MAX_TOP = 5  # values
MAX_VALUE = 60  # characters

_NUMBER_CLASSES = (int, float, decimal.Decimal)
_DATE_CLASSES = (datetime.datetime, datetime.date)
_CONTAINERS = (list, tuple, dict, set, frozenset)
_OTHER_PLAIN = (datetime.timedelta, bytes)
_LIBRARY_PLAIN = ("Timedelta", "Period", "Interval")


def profile_values(values: Iterable[Any]) -> dict[str, Any]:
    """Return the profile of a list of values, as `profile_columns` of ``profile.py`` describes."""
    present: list[Any] = []
    kinds: set[str] = set()
    missing = count = 0
    for value in values:
        count += 1
        kind, plain = _classify(value)
        if kind == "missing":
            missing += 1
            continue
        kinds.add(kind)
        present.append(plain)
    profile: dict[str, Any] = {"rows": count, "missing": missing}
    if kinds & {"nested", "object"}:
        profile["note"] = "nested" if "object" not in kinds else "objects"
        return {**profile, "distinct": None}
    counts = Counter(present)
    profile["distinct"] = len(counts)
    if kinds == {"number"}:
        profile.update(profile_floats([_as_float(value) for value in present]))
    elif kinds == {"date"}:
        profile.update(_profile_dates(present))
    if kinds - {"number", "date"} or (kinds and len(counts) <= 10):
        profile["top"] = top_values(counts)
    return profile


def top_values(counts: Counter[Any]) -> list[dict[str, Any]]:
    """Return the most frequent values, the first of equally frequent values first."""
    return [
        {"value": value_text(value), "count": count} for value, count in counts.most_common(MAX_TOP)
    ]


def value_text(value: Any) -> str:
    """Return the text of a plain value, at most ``MAX_VALUE`` characters."""
    text = value if type(value) is str else str(value)
    if len(text) > MAX_VALUE:
        text = text[: MAX_VALUE - 1] + "…"
    return text.encode("utf-8", "replace").decode()


def _classify(value: Any) -> tuple[str, Any]:
    """Return the kind of a value, and the value as a plain Python object."""
    cls = type(value)
    if cls is str or cls is bool or any(cls is plain for plain in _OTHER_PLAIN):
        return "text", value
    if value is None:
        return "missing", None
    if cls is datetime.time:
        return ("text", value) if value.tzinfo is None else ("object", None)
    if any(cls is number for number in _NUMBER_CLASSES):
        return ("missing", None) if value != value else ("number", value)
    if any(cls is date for date in _DATE_CLASSES):
        return ("date", value) if is_plain_scalar(value) else ("object", None)
    if any(cls is container for container in _CONTAINERS):
        return "nested", None
    if not is_library_class(cls):
        return "object", None
    return _classify_library_value(value)


def _classify_library_value(value: Any) -> tuple[str, Any]:
    name = class_name(type(value))
    if name in ("NAType", "NaTType"):
        return "missing", None
    if name == "Timestamp" or name in _LIBRARY_PLAIN:
        kind = "date" if name == "Timestamp" else "text"
        return (kind, value) if is_plain_scalar(value) else ("object", None)
    generic = loaded_value("numpy", "generic")
    if any(base is generic for base in type(value).__mro__):
        plain = value.item()
        cls = type(plain)
        if cls is datetime.datetime or any(cls is own for own in (int, float, bool, str)):
            return _classify(plain)
    return "object", None


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _profile_dates(values: list[Any]) -> dict[str, Any]:
    """Return the earliest and latest date, and a histogram, if the dates can be compared."""
    try:
        first, last = min(values), max(values)
    except TypeError:  # dates with and without a time zone, or dates and times
        return {}
    origin = first
    seconds = [(value - origin).total_seconds() for value in values]
    counts = histogram(seconds, 0.0, (last - origin).total_seconds())
    return {"dates": {"min": first.isoformat(), "max": last.isoformat()}, "histogram": counts}
