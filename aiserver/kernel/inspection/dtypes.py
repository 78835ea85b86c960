"""Determine what the columns of a DataFrame contain: texts, numbers, dates and so on.

Of an object column, only the first values are read, and only those whose class is exactly ``str``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .objects import class_name, is_library_class, is_numpy_dtype, loaded_value

_MAX_TYPED_COLUMNS = 200
_SAMPLED_ROWS = 50
_KINDS = {"i": "number", "u": "number", "f": "number", "b": "boolean", "M": "date", "m": "duration"}
# The texts that ``read_csv`` doesn't read as text.
_MISSING_TEXTS = set(
    "#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan "
    "null".split()
) | {"", "#N/A N/A"}


class Dtype:
    """The kind of values that a column contains.

    ``kind`` is "text", "number", "boolean", "date", "duration", or "object" for values of several
    kinds. If ``has_words`` is true, at least one value is a text that isn't a number.
    """

    def __init__(self, kind: str, has_words: bool = False) -> None:
        self.kind, self.has_words = kind, has_words

    @property
    def has_text(self) -> bool:
        """Whether at least one value is a text."""
        return self.kind == "text" or self.has_words

    def of_some_rows(self) -> Dtype:
        """Return what some rows of the column contain."""
        return Dtype(self.kind)


def frame_dtypes(frame: Any) -> dict[str, Dtype]:
    """Return what the columns of a pandas DataFrame contain.

    ``frame`` is an instance of pandas' own class. Columns of other dtypes, such as categories, are
    left out. Return {} for a frame with more than ``_MAX_TYPED_COLUMNS`` columns, and for pandas 1,
    in which the methods of a DataFrame ignore the columns that they can't use.
    """
    names = list(frame.columns)
    if len(names) > _MAX_TYPED_COLUMNS or len(set(names)) < len(names) or not is_pandas_2():
        return {}
    dtypes = {}
    # The blocks are read because ``frame.iloc`` would call the methods of a person's own arrays.
    for block in frame._mgr.blocks:
        values = block.values
        if type(values) is loaded_value("numpy", "ndarray") or is_library_class(type(values)):
            for row, number in enumerate(block.mgr_locs):
                column = values[row] if values.ndim == 2 else values
                dtype = _dtype(values.dtype, column[:_SAMPLED_ROWS])
                if dtype is not None and type(names[number]) is str:
                    dtypes[names[number]] = dtype
    return dtypes


def is_pandas_2() -> bool:
    """Return whether pandas 2 or a later version is loaded."""
    version = loaded_value("pandas", "__version__")
    return type(version) is str and version.partition(".")[0] not in ("0", "1")


def _dtype(dtype: Any, head: Any) -> Dtype | None:
    """Return what an array contains; ``head`` has its first values."""
    if is_numpy_dtype(dtype) and dtype.kind == "O":
        values = [value for value in head if not _is_missing(value)]
        are_texts = bool(values) and all(type(value) is str for value in values)
        return Dtype("text" if are_texts else "object", any(map(_is_word, values)))
    if is_numpy_dtype(dtype):
        return Dtype(_KINDS[dtype.kind]) if dtype.kind in _KINDS else None
    if not is_library_class(type(dtype)):
        return None
    if class_name(type(dtype)) == "StringDtype":
        return Dtype("text", any(map(_is_word, head)))
    return Dtype("date") if class_name(type(dtype)) == "DatetimeTZDtype" else None


def _is_missing(value: Any) -> bool:
    return value is None or (type(value) is float and value != value)


def _is_word(value: Any) -> bool:
    """Return whether a value is a text that isn't a number."""
    if type(value) is not str:
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def csv_dtypes(header: list[str], rows: Iterable[list[str]]) -> dict[str, Dtype]:
    """Return the columns of a CSV file that ``read_csv`` reads as text, from the file's first rows.

    Return {} if a row has more or fewer cells than the header.
    """
    cells: dict[str, set[str]] = {name: set() for name in header}
    for row in rows:
        if len(row) != len(header):
            return {}
        for name, cell in zip(header, row):
            cells[name].add(cell)
    return {
        name: Dtype("text", True)
        for name, values in cells.items()
        if any(map(_is_word, values - _MISSING_TEXTS))
        and not {value.lower() for value in values - _MISSING_TEXTS} <= {"true", "false"}
    }
