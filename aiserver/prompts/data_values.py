"""The texts for values of a DataFrame: statistics of its columns, and its first rows.

Invariants: each value is on the line of its column or row, because texts are quoted as in code.
Only columns of numbers and dates have a smallest and a largest value, a mean and quartiles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..requests import ColumnProfile, ColumnStatistics, DataFrameProfile

# The dtypes of pandas, polars and pyarrow and the classes of R, in lower case. `interval[int64]`
# isn't one of numbers.
_NUMBERS = re.compile(r"(?:u?int|float|decimal)\d*\b|(?:double|halffloat|numeric|integer)\b")
_DATES = re.compile(r"(?:datetime|date)\d*\b|(?:timestamp|posixct)\b")
_BOOLEANS = ("bool", "logical")
_R_KINDS = ("data.frame", "tibble", "data.table")
_PLAIN = re.compile(r"[-+\w.: ]{1,40}", re.ASCII)


def is_number(dtype: str) -> bool:
    """Return whether the values of a dtype are numbers. Booleans aren't."""
    return bool(_NUMBERS.match(dtype.lower()))


def is_date(dtype: str) -> bool:
    """Return whether the values of a dtype are dates, with or without a time of the day."""
    return bool(_DATES.match(dtype.lower()))


def statistics_text(
    statistics: ColumnStatistics | None, row_count: int, *, is_short: bool = False
) -> str:
    """Return a column's statistics in one line: ``3 missing, 88 distinct, 0.5 to 80, mean 29.7``.

    If fewer than all rows were examined, the text begins with their number. The short text has no
    quartiles, and leaves out that no value is missing.
    """
    if statistics is None:
        return ""
    texts = []
    if statistics.rows < row_count:
        texts.append(f"of {statistics.rows} rows")
    if statistics.missing is not None and (statistics.missing or not is_short):
        texts.append(f"{statistics.missing} missing")
    has_range = statistics.min is not None and statistics.max is not None
    if statistics.distinct is not None and not (is_short and has_range):
        texts.append(f"{statistics.distinct} distinct")
    if has_range:
        texts.append(f"{_bound(statistics.min)} to {_bound(statistics.max)}")
    if statistics.mean is not None:
        texts.append(f"mean {_bound(statistics.mean)}")
    if statistics.quartiles and not is_short:
        texts.append(f"quartiles {' '.join(map(_bound, statistics.quartiles))}")
    return ", ".join(texts)


def row_texts(frame: DataFrameProfile) -> list[str]:
    """Return the rows of a DataFrame's sample, each as its values with commas between them."""
    if frame.sample is None:
        return []
    missing = "NA" if is_of_r(frame) else "None"
    return [_row_text(row, frame.columns, missing) for row in frame.sample.rows]


def is_of_r(frame: DataFrameProfile) -> bool:
    """Return whether a DataFrame is in an R kernel."""
    return frame.kind in _R_KINDS


def _row_text(row: Sequence[str | None], columns: Sequence[ColumnProfile], missing: str) -> str:
    pairs = zip(row, columns, strict=False)
    return ", ".join(
        missing if text is None else _value(text, column.dtype) for text, column in pairs
    )


def _value(text: str, dtype: str) -> str:
    is_plain = is_number(dtype) or is_date(dtype) or dtype.lower().startswith(_BOOLEANS)
    return text if is_plain and _PLAIN.fullmatch(text) else repr(text)


def _bound(value: float | str | None) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.5g}"
    return str(value)
