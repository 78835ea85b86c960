"""Determine what the columns of a DataFrame contain.

Only a column's first values are read, if their class is exactly ``str``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .objects import class_name, is_library_class, is_numpy_dtype, loaded_value

WRONG_DTYPES = {
    **{"integer": "int", "number": "float", "numeric": "float", "decimal": "float", "text": "str"},
    **{"date": "datetime64[ns]", "datetime": "datetime64[ns]"},
}
"""Names that models invent, and the dtypes that they mean."""
_MAX_TYPED_COLUMNS = 200
_SAMPLED_ROWS = 50
_LONGEST_NUMBER = 100  # characters; longer texts aren't examined
_KINDS = {"i": "number", "u": "number", "f": "number", "b": "boolean", "M": "date", "m": "duration"}
# ``read_csv`` doesn't read these as text.
_MISSING_TEXTS = set(
    "#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan "
    "null".split()
) | {"", "#N/A N/A"}
# Dates whose day and month are clear, and other dates.
_MONTH = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_CLEAR_DATE = re.compile(
    rf"\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}|(?=.*\d{{4}}).*{_MONTH}", re.IGNORECASE
)
# Such as “$1,200.50”, “3 kg” or “¥5”; in “1,5”, the comma isn't certain to separate thousands.
_UNIT = r"\s*[^\d\s.,()%-]*\s*"
_AMOUNT = re.compile(rf"{_UNIT}-?\d+(,\d{{3}})*(\.\d+)?{_UNIT}")
# These multiply the number.
_MULTIPLIERS = set(
    "k m b bn mn mio mrd t tn thousand million billion 千 万 萬 百万 百萬 亿 億".split()
)
_NUMBER_PART = re.compile(r"[\d\s.,-]")
_DATE = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b")
# Dates that begin with the year, and those with times that pandas reads one by one.
_YEAR_FIRST = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?")
_TIME = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d{1,2}:\d{2}(:\d{2})?)?")


class Dtype:
    """The kind of values in a column.

    ``kind`` is "text", "number", "boolean", "date" or "duration", or "object" for Python objects.
    The rest describes the first values: ``has_words`` means that one is a text that isn't a number,
    ``has_figures`` that one is a text with digits, but no letters, ``has_only_words`` that no text
    is a number, and ``has_amounts`` that all are numbers with the same unit. ``dates`` is "clear"
    if all are dates as texts, "unclear" if the order of day and month isn't certain, and else "".
    ``formats`` is "" if ``to_datetime`` may read them, "dates" if all are dates, and "times" if
    some have a time.
    ``stored`` is the array with the values of all rows, and the row of the array, or None.
    """

    def __init__(self, kind: str, values: Iterable[Any] = ()) -> None:
        texts = [value for value in values if not _is_missing(value)]
        self.kind = kind
        self.stored: Any = None
        self.is_all_text = kind == "text" or (bool(texts) and all(type(t) is str for t in texts))
        texts = [text for text in texts if type(text) is str and len(text) <= _LONGEST_NUMBER]
        self.has_words = any(map(_is_word, texts))
        self.dates = _date_style(texts) if self.is_all_text else ""
        self.formats = _formats(texts) if self.is_all_text else ""
        self.has_figures = not self.dates and any(map(_is_figure, texts))
        self.has_only_words = bool(texts) and all(map(_is_word, texts))
        units = {_NUMBER_PART.sub("", text) for text in texts}
        multiplies = not _MULTIPLIERS.isdisjoint(unit.strip("$€£¥").lower() for unit in units)
        has_one_unit = len(units) == 1 and not multiplies
        self.has_amounts = has_one_unit and all(map(_AMOUNT.fullmatch, texts))

    @property
    def has_text(self) -> bool:
        """Whether a method that needs numbers fails, because of a text."""
        return self.kind == "text" or self.has_words

    def of_some_rows(self) -> Dtype:
        """Return what some rows contain; there may be no row at all."""
        dtype = Dtype(self.kind)
        dtype.is_all_text, dtype.dates, dtype.formats = self.is_all_text, self.dates, self.formats
        dtype.has_figures = self.has_figures
        dtype.has_only_words, dtype.has_amounts = self.has_only_words, self.has_amounts
        return dtype


def texts_dtype() -> Dtype:
    """Describe unknown texts; some may be numbers."""
    dtype = Dtype("object")
    dtype.is_all_text = True
    return dtype


def frame_dtypes(frame: Any) -> dict[str, Dtype]:
    """Describe the columns of a DataFrame of pandas' own class.

    Other dtypes, such as categories, are left out. Return {} for more than ``_MAX_TYPED_COLUMNS``
    columns, and for pandas 1, whose methods ignore columns that they can't use.
    """
    names = list(frame.columns)
    texts = [name for name in names if type(name) is str]
    if len(names) > _MAX_TYPED_COLUMNS or len(set(texts)) < len(texts) or not is_pandas_2():
        return {}
    # ``frame.iloc`` would call methods of a person's own arrays.
    manager = frame._mgr
    if not is_library_class(type(manager)) or type(manager.blocks) is not tuple:
        return {}
    dtypes = {}
    for block in manager.blocks:
        if not is_library_class(type(block)):
            return {}
        for row, number in enumerate(block.mgr_locs):
            dtype = _array_dtype(block.values, row)
            if dtype is not None and type(names[number]) is str:
                dtype.stored = (block.values, row)
                dtypes[names[number]] = dtype
    return dtypes


def is_pandas_2() -> bool:
    version = loaded_value("pandas", "__version__")
    return type(version) is str and version.partition(".")[0] not in ("0", "1")


def _array_dtype(array: Any, row: int) -> Dtype | None:
    """Describe a row of an array, or all if it has one dimension."""
    if type(array) is loaded_value("numpy", "ndarray"):
        kind = array.dtype.kind
        if kind == "O":
            return Dtype("object", (array[row] if array.ndim == 2 else array)[:_SAMPLED_ROWS])
        return Dtype(_KINDS[kind]) if kind in _KINDS else None
    if not is_library_class(type(array)):
        return None
    dtype = array.dtype
    if is_numpy_dtype(dtype):
        return Dtype(_KINDS[dtype.kind]) if dtype.kind in _KINDS else None
    name = class_name(type(dtype)) if is_library_class(type(dtype)) else ""
    if name == "StringDtype":
        return Dtype("text", _string_values(array))
    return Dtype("date") if name == "DatetimeTZDtype" else None


def _string_values(array: Any, count: int = _SAMPLED_ROWS) -> Iterable[Any]:
    """Return an array's first strings; none if they aren't stored as usual."""
    stored: Any = getattr(array, "_ndarray", None)
    if type(stored) is loaded_value("numpy", "ndarray"):
        return list(stored[:count])
    stored = getattr(array, "_pa_array", None)
    if type(stored) is loaded_value("pyarrow", "ChunkedArray"):
        return list(stored.slice(0, count).to_pylist())
    return []


def stored_values(dtype: Dtype, count: int) -> list[Any]:
    """Return the first values of a column in the kernel; [] if it isn't certain which it has.

    Times are numbers. The values can have any class.
    """
    array: Any
    array, row = dtype.stored or (None, 0)
    if type(array) is loaded_value("numpy", "ndarray"):
        return list((array[row] if array.ndim == 2 else array)[:count].tolist())
    if dtype.kind == "text":
        return list(_string_values(array, count))
    times: Any = getattr(array, "asi8", None)
    if times is None:
        return []
    return list((times[row] if times.ndim == 2 else times)[:count].tolist())


def _is_missing(value: Any) -> bool:
    if value is None or (type(value) is float and value != value):
        return True
    return value is loaded_value("pandas", "NA")


def _is_word(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return bool(text.strip())
    return False


def _is_figure(text: str) -> bool:
    """Return whether a text is like ``1,200`` or ``€ 3``."""
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _date_style(texts: list[str]) -> str:
    if texts and all(map(_CLEAR_DATE.match, texts)):
        return "clear"
    return "unclear" if texts and all(map(_DATE.match, texts)) else ""


def _formats(texts: list[str]) -> str:
    """Return the kind of dates that have several formats, or one that pandas doesn't know."""
    shapes = {re.sub(r"\d+", "0", text) for text in texts}
    if len(shapes) < 2 and "年" not in "".join(shapes):
        return ""
    if all(map(_YEAR_FIRST.fullmatch, texts)):
        return "dates"
    return "times" if all(map(_TIME.fullmatch, texts)) else ""


def csv_dtypes(header: list[str], rows: Iterable[list[str]]) -> dict[str, Dtype]:
    """Return the columns that ``read_csv`` reads as text, judging by the first rows."""
    cells: dict[str, list[str]] = {name: [] for name in header}
    for row in rows:
        for name, cell in zip(header, row):
            if cell not in _MISSING_TEXTS:
                cells[name].append(cell)
    version = loaded_value("pandas", "__version__")
    kind = "object" if version.startswith("2.") else "text"
    dtypes = {
        name: Dtype(kind, values)
        for name, values in cells.items()
        if not {value.lower() for value in values} <= {"true", "false"}
    }
    return {name: dtype for name, dtype in dtypes.items() if dtype.has_words}
