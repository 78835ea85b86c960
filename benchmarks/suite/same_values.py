"""Compare the value of an answer with the expected value. Pure.

The rules:

- Numbers are equal within a relative difference of 1e-6; NaN equals NaN. The kind of a dtype, such
  as integer or float, doesn't matter.
- A DataFrame or Series has the same rows, columns and labels. The names of indexes and of Series,
  and the order of columns don't matter; nor does the order of rows, unless the request asks for an
  order. Named indexes may also be columns, as after ``reset_index``.
- A DataFrame or Series of polars is compared as one of pandas without an index. Of it, a date is
  the same as midnight of the day.
- A list, a one-dimensional array, an Index and a Series with the same elements are equal, and so
  are a number and a container of one number.
"""

from __future__ import annotations

import math
import numbers
import re
from typing import Any

import numpy as np
import pandas as pd

_ORDER = re.compile(
    r"\b(sort|order(ed)? by|in order|(de|a)scending|first|last|top|head|tail|revers\w*|rank\w*|"
    r"largest|smallest|highest|lowest|nlargest|shuffle|append|most|least|newest|oldest)\b"
    r"|排序|升序|降序|倒序|前\s*\w+\s*[行条个名]|最后|开头|末尾|从[大小高低多少]到",
    re.IGNORECASE,
)
_TOLERANCE = 1e-6


def asks_for_order(request: str) -> bool:
    """Whether a request is about the order of rows, so that another order is wrong."""
    return _ORDER.search(request) is not None


def is_same(expected: Any, actual: Any, ordered: bool) -> bool:
    """Return whether two values are the same, by the rules above."""
    try:
        return _is_same(expected, actual, ordered)
    except Exception:  # values of the answer that can't be compared, such as an odd class
        return False


def _is_same(expected: Any, actual: Any, ordered: bool) -> bool:
    expected, actual = _plain(expected), _plain(actual)
    if isinstance(expected, pd.DataFrame) and isinstance(actual, pd.DataFrame):
        return _same_frames(expected, actual, ordered)
    if isinstance(expected, pd.DataFrame) or isinstance(actual, pd.DataFrame):
        return _same_as_frame(expected, actual, ordered)
    if isinstance(expected, pd.Series) or isinstance(actual, pd.Series):
        return _same_as_series(expected, actual, ordered)
    if isinstance(expected, np.ndarray) or isinstance(actual, np.ndarray):
        return _same_arrays(np.asarray(expected), np.asarray(actual))
    if isinstance(expected, tuple | list) and isinstance(actual, tuple | list):
        return len(expected) == len(actual) and all(
            _is_same(left, right, ordered) for left, right in zip(expected, actual, strict=True)
        )
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(
            _is_same(value, actual[key], ordered) for key, value in expected.items()
        )
    return same_cells(expected, actual)


def _plain(value: Any) -> Any:
    """Unwrap containers of one value, return Indexes as arrays, and objects of polars as pandas."""
    if type(value).__module__.partition(".")[0] == "polars":
        value = _as_pandas(value)
    if isinstance(value, pd.MultiIndex):
        return list(value)
    if isinstance(value, pd.Index):
        return value.to_numpy()
    if isinstance(value, pd.DataFrame | pd.Series | np.ndarray) and value.size == 1:
        return _plain(np.asarray(value).reshape(-1)[0])
    if isinstance(value, tuple | list) and len(value) == 1:
        return _plain(value[0])
    if isinstance(value, set | frozenset):
        return sorted(value, key=_sort_key)
    return value


def _as_pandas(value: Any) -> Any:
    """Return a DataFrame or Series of polars as one of pandas. ``to_pandas`` needs pyarrow."""
    name = type(value).__name__
    if name == "DataFrame":
        return pd.DataFrame({column.name: _as_pandas(column) for column in value.get_columns()})
    if name == "Series":
        values = pd.Series(value.to_list())
        return pd.to_datetime(values) if str(value.dtype) == "Date" else values
    return value


def same_cells(expected: Any, actual: Any) -> bool:
    """Return whether two single values are the same."""
    if _is_missing(expected) or _is_missing(actual):
        return _is_missing(expected) and _is_missing(actual)
    if isinstance(expected, bool | np.bool_) or isinstance(actual, bool | np.bool_):
        kinds = (bool, np.bool_)
        is_pair = isinstance(expected, kinds) and isinstance(actual, kinds)
        return is_pair and bool(expected) == bool(actual)
    if isinstance(expected, numbers.Number) and isinstance(actual, numbers.Number):
        first: Any = expected  # `numbers.Number` has no methods for the type checker
        second: Any = actual
        if isinstance(expected, complex) or isinstance(actual, complex):
            return bool(np.isclose(complex(first), complex(second), rtol=_TOLERANCE))
        left, right = float(first), float(second)
        return math.isclose(left, right, rel_tol=_TOLERANCE, abs_tol=1e-9)
    if isinstance(expected, str) and isinstance(actual, str):
        return expected.strip() == actual.strip()
    if isinstance(expected, pd.Period) and isinstance(actual, pd.Timestamp):
        return bool(expected.start_time == actual or expected.end_time.date() == actual.date())
    return bool(expected == actual)


def _is_missing(value: Any) -> bool:
    if isinstance(value, numbers.Number):
        return bool(value != value)
    return value is None or value is pd.NaT or value is pd.NA


def _same_arrays(expected: np.ndarray, actual: np.ndarray) -> bool:
    if expected.shape != actual.shape:
        return False
    if expected.dtype.kind in "iufc" and actual.dtype.kind in "iufc":
        close = np.allclose(actual, expected, rtol=_TOLERANCE, atol=1e-9, equal_nan=True)
        return bool(close)
    pairs = zip(expected.reshape(-1).tolist(), actual.reshape(-1).tolist(), strict=True)
    return all(_is_same(left, right, True) for left, right in pairs)


def _same_as_series(expected: Any, actual: Any, ordered: bool) -> bool:
    """Compare two values of which at least one is a Series."""
    expected, actual = (
        pd.Series(value) if isinstance(value, dict) else value for value in (expected, actual)
    )
    if isinstance(expected, pd.Series) and isinstance(actual, pd.Series):
        names = ["value"]
        left, right = expected.to_frame(), actual.to_frame()
        left.columns, right.columns = pd.Index(names), pd.Index(names)
        return _same_frames(left, right, ordered)
    if _has_labels(expected):  # of an expected Series, the labels are a part of the answer
        return False
    return _same_lists(_elements(expected), _elements(actual), ordered)


def _same_as_frame(expected: Any, actual: Any, ordered: bool) -> bool:
    """Compare two values of which one is a DataFrame: it may have one column, or be an array."""
    if isinstance(expected, pd.DataFrame) and isinstance(actual, np.ndarray):
        return not _has_labels(expected) and _same_arrays(expected.to_numpy(), actual)
    if isinstance(actual, pd.DataFrame) and isinstance(expected, np.ndarray):
        return _same_arrays(expected, actual.to_numpy())
    frame = expected if isinstance(expected, pd.DataFrame) else actual
    if frame.shape[1] == 1:
        column = frame.iloc[:, 0]
        pair = (column, actual) if frame is expected else (expected, column)
        return _same_as_series(*pair, ordered)
    flat = frame.reset_index() if _has_labels(frame) else frame
    other = actual if frame is expected else expected
    if isinstance(other, pd.Series) and _has_labels(other):
        named = other.to_frame("value").reset_index()
        if flat.shape != named.shape:
            return False
        flat, named = (
            flat.set_axis(range(flat.shape[1]), axis=1),
            named.set_axis(range(named.shape[1]), axis=1),
        )
        return _same_rows(flat, named, ordered)
    return False


def _same_frames(expected: pd.DataFrame, actual: pd.DataFrame, ordered: bool) -> bool:
    """Compare DataFrames as they are, then with their named indexes as columns."""
    if _same_labelled(expected, actual, ordered):
        return True
    flat = [frame.reset_index() if _is_named(frame) else frame for frame in (expected, actual)]
    if flat[0] is expected and flat[1] is actual:
        return False
    return _same_labelled(flat[0], flat[1], ordered)


def _same_labelled(expected: pd.DataFrame, actual: pd.DataFrame, ordered: bool) -> bool:
    if expected.shape != actual.shape:
        return False
    labels = [str(label) for label in expected.columns]
    own = [str(label) for label in actual.columns]
    if sorted(labels) != sorted(own) or len(set(labels)) != len(labels):
        return labels == own and _same_indexed(expected, actual, ordered)
    return _same_indexed(expected, actual.iloc[:, [own.index(label) for label in labels]], ordered)


def _same_indexed(expected: pd.DataFrame, actual: pd.DataFrame, ordered: bool) -> bool:
    """Compare frames with the same columns: their rows, and their labels if both have some."""
    if _has_labels(expected) and _has_labels(actual):
        levels = expected.index.nlevels
        if levels != actual.index.nlevels:
            return False
        names = [f"index {level}" for level in range(levels)]
        expected = expected.set_axis(range(expected.shape[1]), axis=1).reset_index(names=names)
        actual = actual.set_axis(range(actual.shape[1]), axis=1).reset_index(names=names)
    return _same_rows(expected, actual, ordered)


def _same_rows(expected: pd.DataFrame, actual: pd.DataFrame, ordered: bool) -> bool:
    left, right = _rows(expected), _rows(actual)
    return _same_lists(left, right, ordered)


def _rows(frame: pd.DataFrame) -> list[Any]:
    columns = [frame.iloc[:, index].tolist() for index in range(frame.shape[1])]
    return list(zip(*columns, strict=True))


def _same_lists(expected: list[Any], actual: list[Any], ordered: bool) -> bool:
    if len(expected) != len(actual):
        return False
    pairs = list(zip(expected, actual, strict=True))
    if all(_same_elements(left, right) for left, right in pairs):
        return True
    if ordered:
        return False
    both = (sorted(expected, key=_sort_key), sorted(actual, key=_sort_key))
    return all(_same_elements(left, right) for left, right in zip(*both, strict=True))


def _same_elements(expected: Any, actual: Any) -> bool:
    if isinstance(expected, tuple) and isinstance(actual, tuple):
        return len(expected) == len(actual) and all(
            _same_elements(left, right) for left, right in zip(expected, actual, strict=True)
        )
    return _is_same(expected, actual, True)


def _sort_key(value: Any) -> str:
    """Return a text that sorts equal values alike, whatever the kind of their numbers is."""
    if isinstance(value, tuple):
        return "|".join(_sort_key(element) for element in value)
    if _is_missing(value):
        return "nan"
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return f"{float(value):.5e}"
    return str(value).strip()


def _elements(value: Any) -> list[Any]:
    if isinstance(value, pd.Series):
        return list(value.tolist())
    if isinstance(value, np.ndarray):
        return list(value.tolist())
    return list(value) if isinstance(value, list | tuple) else [value]


def _has_labels(value: Any) -> bool:
    """Whether the index has labels of its own, and not just the numbers of the rows."""
    if not isinstance(value, pd.DataFrame | pd.Series):
        return False
    return not isinstance(value.index, pd.RangeIndex)


def _is_named(frame: pd.DataFrame) -> bool:
    return all(name is not None for name in frame.index.names)
