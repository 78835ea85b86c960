"""Profile a column of polars."""

from __future__ import annotations

import math
from typing import Any

from ..inspection.objects import class_name, loaded_value
from .numbers import FEW_VALUES, finite, histogram
from .values import MAX_TOP, value_text

_NUMBER_DTYPES = (
    "Int8 Int16 Int32 Int64 Int128 UInt8 UInt16 UInt32 UInt64 UInt128 Float16 Float32 Float64 "
    "Decimal"
).split()
_TIME_DTYPES = ("Date", "Datetime", "Time", "Duration")
_TEXT_DTYPES = ("String", "Utf8", "Categorical", "Enum", "Boolean")
_NESTED_DTYPES = ("List", "Array", "Struct")


def profile_polars(series: Any, positions: Any, reads_all: bool) -> dict[str, Any]:
    """Return the profile of a polars Series, of the rows at ``positions`` if given.

    If ``reads_all`` is true, the range and the mean are those of all rows.
    """
    kind = _kind(series.dtype)
    sample = series if positions is None else series.gather(positions)
    profile: dict[str, Any] = {"rows": len(sample), "missing": int(sample.null_count())}
    if kind in _NESTED_DTYPES:
        return {**profile, "distinct": None, "note": "nested"}
    if kind not in (*_NUMBER_DTYPES, *_TIME_DTYPES, *_TEXT_DTYPES):
        return {**profile, "distinct": None, "note": "unsupported"}
    present = sample.drop_nulls()
    if kind == "Decimal":
        float64 = loaded_value("polars", "Float64")
        present, series = present.cast(float64), series.cast(float64)
    is_float = kind.startswith("Float") or kind == "Decimal"
    if is_float:  # NaN counts as missing, as in pandas
        present = present.drop_nans()
        profile["missing"] = len(sample) - len(present)
    profile["distinct"] = int(present.n_unique())
    if kind in _TEXT_DTYPES or (
        kind in _NUMBER_DTYPES and not is_float and profile["distinct"] <= FEW_VALUES
    ):
        profile["top"] = _top(present)
    if kind in _TIME_DTYPES and len(present):
        first, last = present.min(), present.max()
        profile["dates"] = {"min": _time_text(first), "max": _time_text(last)}
        numbers = present.to_physical()
        offsets = (numbers - numbers.min()).to_list()
        profile["histogram"] = histogram(offsets, 0.0, float(max(offsets)))
    if kind in _NUMBER_DTYPES and len(present):
        all_values = series if reads_all else present
        if reads_all:
            all_values = all_values.drop_nulls()
            all_values = all_values.drop_nans() if is_float else all_values
            profile["all"] = {"rows": len(series), "missing": len(series) - len(all_values)}
        std = all_values.std()
        profile["numbers"] = {
            "min": finite(all_values.min()),
            "max": finite(all_values.max()),
            "mean": finite(all_values.mean()),
            "std": finite(math.nan if std is None else std),
            "quartiles": [finite(present.quantile(q / 4, "linear")) for q in (1, 2, 3)],
        }
        values = present.to_list()
        profile["histogram"] = histogram(values, float(present.min()), float(present.max()))
    return profile


def _kind(dtype: Any) -> str:
    """Return the name of a dtype's class. A dtype without parameters is a class itself."""
    return class_name(dtype) if isinstance(dtype, type) else class_name(type(dtype))


def _top(values: Any) -> list[dict[str, Any]]:
    counts = values.value_counts(sort=True).head(MAX_TOP)
    return [{"value": value_text(value), "count": int(count)} for value, count in counts.rows()]


def _time_text(value: Any) -> str:
    return value_text(value.isoformat() if hasattr(value, "isoformat") else str(value))
