"""Profile one column: missing and distinct values, range, histogram, most frequent values.

Columns of more than ``EXACT_ROWS`` rows are profiled from ``SAMPLED_ROWS`` rows. The range and the
mean of numbers are those of all rows up to ``WHOLE_RANGE_ROWS``; ``all`` then has the numbers of
all rows and of missing values. The figures are those of ``describe`` in pandas: the standard
deviation of a sample, and quartiles by linear interpolation.

A column is a numpy array of one dimension, an array of pandas, a polars Series or a
``pyarrow.ChunkedArray``.

Invariants: values are read only by these libraries, from arrays whose class and dtype are their
own. Only objects of exact classes are looked at, never of a person's subclass. Others are only
counted.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..inspection.objects import (
    class_name,
    is_library_class,
    is_plain_arrow_type,
    is_plain_dtype,
    loaded_module,
    loaded_value,
)
from ..inspection.scalars import is_plain_scalar

EXACT_ROWS = 100_000  # up to this number, all rows are examined
SAMPLED_ROWS = 20_000
_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2
_MISSING_TIME = -(2**63)  # NaT
# The kinds of numpy's and polars' dtypes; "values" are read one by one.
_KINDS_OF_NUMPY = dict(zip("iufmMbOUST", ["number"] * 3 + ["time"] * 2 + ["values"] * 5))
_POLARS_KINDS = {
    name: kind
    for kind, names in {
        "number": (
            "Int8 Int16 Int32 Int64 Int128 UInt8 UInt16 UInt32 UInt64 UInt128 Float16 Float32 "
            "Float64"
        ),
        "time": "Date Datetime Time Duration",
        "values": "Decimal String Utf8 Categorical Enum Boolean List Array Struct",
    }.items()
    for name in names.split()
}
WHOLE_RANGE_ROWS = 2_000_000
BINS = 20
MAX_TOP = 5
MAX_VALUE = 60  # characters
_FEW_VALUES = 10  # up to this number of values, integers are also counted by value
_NUMBER_CLASSES = (int, float, decimal.Decimal)
_DATE_CLASSES = (datetime.datetime, datetime.date)
_NESTED_CLASSES = (list, tuple, dict, set, frozenset)
_OTHER_PLAIN = (datetime.timedelta, bytes)
_LIBRARY_PLAIN = ("Timedelta", "Period", "Interval")


def profile_column(values: Any) -> dict[str, Any]:
    """Return a profile: ``rows``, ``missing``, ``distinct`` and what fits the values."""
    column = inner_column(values)
    kind = kind_of(column)
    if not kind:
        return {"rows": 0, "missing": None, "distinct": None, "note": "unsupported"}
    sample = sample_of(column)
    plain = plain_values(sample, kind)
    if kind == "time":
        return _profile_times(plain, lambda index: sample[index])
    if kind == "category":
        used = {id(value): value for value in plain if value is not None}
        texts = {key: _plain_text(value) for key, value in used.items()}
        return profile_values([texts.get(id(value)) for value in plain])
    if kind != "number":
        return profile_values(plain)
    present = [value for value in plain if value is not None and value == value]
    profile: dict[str, Any] = {"rows": len(plain), "missing": len(plain) - len(present)}
    profile.update(_profile_numbers(present))
    if len(plain) < len(column) <= WHOLE_RANGE_ROWS:
        numbers = present_numbers(column)
        profile["all"] = {"rows": len(column), "missing": len(column) - len(numbers)}
        if len(numbers):
            profile["numbers"].update(_whole_range(numbers))
    return profile


def profile_values(values: list[Any]) -> dict[str, Any]:
    classified = [_classify(value) for value in values]
    present = [plain for kind, plain in classified if kind != "missing"]
    kinds = {kind for kind, _ in classified} - {"missing"}
    profile: dict[str, Any] = {"rows": len(values), "missing": len(values) - len(present)}
    if kinds & {"nested", "object"}:
        note = "nested" if "object" not in kinds else "objects"
        return {**profile, "distinct": None, "note": note}
    if kinds == {"number"}:
        return {**profile, **_profile_numbers(present)}
    counts = Counter(present)
    profile["distinct"] = len(counts)
    if kinds == {"date"}:
        profile.update(_profile_dates(present))
    if kinds - {"date"} or (kinds and len(counts) <= _FEW_VALUES):
        profile["top"] = _top_values(counts)
    return profile


def value_text(value: Any) -> str:
    """Return a plain value's text, at most ``MAX_VALUE`` characters."""
    text = value if type(value) is str else str(value)
    if len(text) > MAX_VALUE:
        text = text[: MAX_VALUE - 1] + "…"
    return text.encode("utf-8", "replace").decode()


def finite(value: Any) -> Any:
    """Return a number, or None for infinity and NaN, which JSON lacks."""
    if value is None or type(value) is int:
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def _plain_text(value: Any) -> str:
    return value_text(value) if _classify(value)[0] != "object" else "…"


def _top_values(counts: Counter[Any]) -> list[dict[str, Any]]:
    """Return the most frequent values; of equally frequent ones, the first comes first."""
    top = counts.most_common(MAX_TOP)
    return [{"value": value_text(value), "count": count} for value, count in top]


def _profile_numbers(numbers: list[Any]) -> dict[str, Any]:
    counts = Counter(numbers)
    profile: dict[str, Any] = {"distinct": len(counts)}
    if not numbers:
        return profile
    values = sorted(map(_as_float, numbers))
    mean = _sum(values) / len(values)
    squares = _sum([(value - mean) * (value - mean) for value in values])
    profile["numbers"] = {
        "min": finite(min(numbers)),
        "max": finite(max(numbers)),
        "mean": finite(mean),
        "std": finite(math.sqrt(squares / (len(values) - 1))) if len(values) > 1 else None,
        "quartiles": [finite(_quantile(values, part / 4)) for part in (1, 2, 3)],
    }
    profile["histogram"] = _histogram(values)
    if len(counts) <= _FEW_VALUES and all(type(value) is int for value in counts):
        profile["top"] = _top_values(counts)
    return profile


def _whole_range(numbers: Any) -> dict[str, Any]:
    np: Any = loaded_module("numpy")
    with contextlib.nullcontext() if np is None else np.errstate(all="ignore"):
        return {
            "min": finite(numbers.min()),
            "max": finite(numbers.max()),
            "mean": finite(numbers.mean()),
            "std": finite(numbers.std(ddof=1)),
        }


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _sum(values: list[float]) -> float:
    """Return the exact sum; NaN if it is too large, or if there are infinities of both signs."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return math.nan


def _quantile(ordered: list[float], share: float) -> float:
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    if ordered[low] == ordered[high]:
        return ordered[low]
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _histogram(values: list[float]) -> dict[str, Any] | None:
    """Count values in ``BINS`` equal bins; None if the range isn't finite."""
    low, high = min(values), max(values)
    if not math.isfinite(high - low):
        return None
    width = (high - low) / BINS
    counts = [0] * BINS
    for value in values:
        place = int((value - low) / width) if width > 0 else 0
        counts[place if place < BINS else -1] += 1
    return {"min": low, "max": high, "counts": counts}


def _profile_times(numbers: list[Any], element: Callable[[int], Any]) -> dict[str, Any]:
    """Profile dates, times or durations; ``numbers`` count from an origin."""
    present = [number for number in numbers if number is not None]
    profile: dict[str, Any] = {"rows": len(numbers), "missing": len(numbers) - len(present)}
    profile["distinct"] = len(set(present))
    if present:
        first = min(present)
        ends = [element(numbers.index(number)) for number in (first, max(present))]
        profile["dates"] = dict(zip(("min", "max"), map(_time_text, ends)))
        profile["histogram"] = _histogram([float(number - first) for number in present])
    return profile


def _profile_dates(values: list[Any]) -> dict[str, Any]:
    try:
        first, last = min(values), max(values)
    except TypeError:  # dates with and without a time zone, or dates and times
        return {}
    seconds = [(value - first).total_seconds() for value in values]
    dates = {"min": _time_text(first), "max": _time_text(last)}
    return {"dates": dates, "histogram": _histogram(seconds)}


def _time_text(value: Any) -> str:
    is_duration = class_name(type(value)) in ("Timedelta", "timedelta")
    has_format = hasattr(value, "isoformat") and not is_duration
    return value_text(value.isoformat() if has_format else str(value))


def _classify(value: Any) -> tuple[str, Any]:
    cls = type(value)
    if cls is str or cls is bool or any(cls is plain for plain in _OTHER_PLAIN):
        return "text", value
    if value is None:
        return "missing", None
    if any(cls is number for number in _NUMBER_CLASSES):
        return ("missing", None) if value != value else ("number", value)
    if cls is datetime.time:
        return ("text", value) if value.tzinfo is None else ("object", None)
    if any(cls is date for date in _DATE_CLASSES):
        return ("date", value) if is_plain_scalar(value) else ("object", None)
    if any(cls is container for container in _NESTED_CLASSES):
        return "nested", None
    return _classify_library_value(value) if is_library_class(cls) else ("object", None)


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


def sampled_positions(count: int) -> Any:
    """Return ``SAMPLED_ROWS`` of ``count`` positions, in ascending order.

    There is one in each of as many equal parts, at a varying place, so that data which repeats
    regularly doesn't bias the sample.
    """
    np: Any = loaded_module("numpy")
    width = count / SAMPLED_ROWS
    if np is None:  # polars doesn't need numpy
        places = (int((i + i * _GOLDEN_RATIO % 1) * width) for i in range(SAMPLED_ROWS))
        return [min(place, count - 1) for place in places]
    parts = np.arange(SAMPLED_ROWS)
    places = ((parts + parts * _GOLDEN_RATIO % 1) * width).astype("int64")
    return np.minimum(places, count - 1)


def is_arrow(column: Any) -> bool:
    return type(column) is loaded_value("pyarrow", "ChunkedArray")


def is_polars(column: Any) -> bool:
    return type(column) is loaded_value("polars", "Series")


def is_own_array(array: Any) -> bool:
    if type(array) is loaded_value("numpy", "ndarray"):
        return True
    return is_library_class(type(array)) and is_plain_dtype(array.dtype)


def inner_column(column: Any) -> Any:
    """Return the array inside an array of pandas, or the column itself."""
    if is_arrow(column) or is_polars(column) or not is_own_array(column):
        return column
    if hasattr(column, "_pa_array"):
        return column._pa_array
    name = class_name(type(column))
    return column._ndarray if name in ("NumpyExtensionArray", "PandasArray") else column


def kind_of(column: Any) -> str:
    """Return how an inner column can be read.

    The result is "number", "time", "category" or "values", or "" if it can't be read.
    """
    if is_arrow(column):
        return "values" if is_plain_arrow_type(column.type) else ""
    if is_polars(column):
        dtype = column.dtype  # a dtype without parameters is a class
        name = class_name(dtype) if isinstance(dtype, type) else class_name(type(dtype))
        return _POLARS_KINDS.get(name, "")
    if not is_own_array(column):
        return ""
    if class_name(type(column)) == "Categorical":
        return "category" if is_own_array(column.categories._data) else ""
    if hasattr(column, "asi8"):
        return "time"
    if hasattr(column, "_mask") and hasattr(column, "_data"):
        column = column._data
    if type(column) is loaded_value("numpy", "ndarray"):
        return _KINDS_OF_NUMPY.get(column.dtype.kind, "")
    return "values"


def sample_of(column: Any) -> Any:
    """Return a column, or a part of one with more than ``EXACT_ROWS`` rows."""
    count = len(column)
    if count <= EXACT_ROWS:
        return column
    positions = sampled_positions(count)
    if is_arrow(column):
        pyarrow: Any = loaded_module("pyarrow")
        positions = pyarrow.array(positions)
    return column.gather(positions) if is_polars(column) else column.take(positions)


def plain_values(column: Any, kind: str) -> list[Any]:
    """Return an inner column's values, None for missing ones.

    Numbers can also be NaN. Times are numbers since an origin.
    """
    if is_arrow(column):
        return list(column.to_pylist())
    if is_polars(column):
        return list((column.to_physical() if kind == "time" else column).to_list())
    if kind == "time":
        times = column.asi8 if hasattr(column, "asi8") else column.astype("int64")
        return [None if time == _MISSING_TIME else time for time in times.tolist()]
    if kind == "category":
        # Only the used ones: there may be millions of categories.
        codes = column.codes.tolist()
        used = {code: column.categories[code] for code in set(codes) if code >= 0}
        return [used.get(code) for code in codes]
    if hasattr(column, "_mask") and hasattr(column, "_data"):
        pairs = zip(column._data.tolist(), column._mask.tolist())
        return [None if is_missing else value for value, is_missing in pairs]
    return list(column.tolist())


def present_numbers(column: Any) -> Any:
    """Return the numbers that aren't missing, in an array of floats or a Series of polars."""
    if is_polars(column):
        present = column.drop_nulls()
        return present.drop_nans() if class_name(type(column.dtype)).startswith("F") else present
    if hasattr(column, "_mask"):
        column = column._data[~column._mask]
    return column[column == column].astype("float64", copy=False)
