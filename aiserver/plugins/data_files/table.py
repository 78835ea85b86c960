"""Describe a table by its first rows: its header, columns and dtypes. Pure.

Invariant (P15): if ``examples`` is 0, a description contains no values, not even as column names of
a table without a header.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ...kernel.inspection.scalars import whole_words
from ...prompts.prompt_input import MAX_COLUMNS, Table, describe_column
from ...surrogates import fix_surrogates
from .dtypes import MISSING, dtype_of_texts, is_number

MAX_EXAMPLE = 24  # characters, as in `kernel/variables.py`
_MAX_CELLS = 10_000  # enough cells to guess dtypes well, in a few milliseconds
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
# `2024`, `2024-05`, `2024/05/31 10:00`, `31.5.24`, `2024年5月`, `May 2024`
_PERIOD = re.compile(
    r"\s*(?:(?:19|20)[0-9]{2}|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2,4}|"
    r"[0-9]{1,4}[-/年][0-9]{1,2}(?:[-/月][0-9]{1,4}日?)?月?(?:[ T][0-9:.]+(?:Z|[+-][0-9:]+)?)?|"
    rf"{_MONTH}[-., /]+(?:19|20)[0-9]{{2}})\s*",
    re.IGNORECASE,
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
# `31-May-2024`, `May 31, 2024`, `31st of May 2024`
_NAMED_MONTH = re.compile(
    rf"\s*(?:{_DAY}[-. /]+(?:of +)?{_MONTH}|{_MONTH}[-. /]+{_DAY})[-,. /]+(?:\d{{2}}|\d{{4}})\b.*",
    re.IGNORECASE,
)
# `3 juin 2024`, `3. Mai 2024`, `3 de mayo de 2024`
_DAY_AND_YEAR = re.compile(
    r"\s*\d{1,2}(?:\.|er)? +(?:de +)?[^\W\d_]{3,10}\.?(?: +de)? +(?:19|20)\d{2}\s*"
)
_ADDRESS = re.compile(r"[^\s@]@[^\s@]+\.[^\s@]")
# A UUID, a device's address, or a Chinese ID number with a letter.
_IDENTIFIER = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|\d{17}x",
    re.IGNORECASE,
)
# For example `1,234.50 €` or `12%`; `_is_value` looks for a digit.
_NUMERIC = re.compile(r"[-+()0-9 .,:/%$€£¥]+")
# Missing values that pandas doesn't know.
_MISSING = re.compile(r"[-–—?.]+|n\. ?a\.", re.IGNORECASE)
_MIN_SAMPLE = 10  # rows; fewer don't show the length of others
_KINDS = {dict: "objects", list: "lists", str: "texts", bool: "booleans", type(None): "nulls"}
_KINDS |= {int: "numbers", float: "numbers"}
_LONGEST_NAME = 300  # characters of a column's name


def describe_rows(
    rows: Sequence[Sequence[Any]],
    *,
    examples: int = 0,
    is_complete: bool = False,
    dtype_of: Callable[[Sequence[Any]], str] = dtype_of_texts,
) -> Table:
    """Describe a table, whose first row may be a header.

    It has no columns if that is shorter than the others, like a title. ``is_complete``: there are
    no further rows.
    """
    if not rows or not rows[0]:
        return Table()
    first = [_as_text(value).strip() for value in rows[0]]
    below = rows[1 : 1 + max(1, _MAX_CELLS // len(first))]
    # If rows have one cell more than the header, pandas reads the first column as the index.
    has_index = len(first) > 1 and all(len(row) == len(first) + 1 for row in below)
    is_short = bool(below) and Counter(map(len, below)).most_common(1)[0][0] > len(first)
    has_header = _is_header(["", *first] if has_index else first, below)
    if is_short and not (has_index and has_header):
        return Table()
    data = below if has_header else [rows[0], *below]
    if is_short:
        data = [row[1:] for row in data]
    names = _unique_names(first) if has_header else list(map(str, range(len(first))))
    columns = []
    for index, name in enumerate(names[:MAX_COLUMNS]):
        values = [row[index] for row in data if index < len(row)]
        dtype = dtype_of(values)
        shown = example_values(values, examples) if dtype == "object" else []
        columns.append(describe_column(name, dtype, shown))
    count = len(rows) - has_header if is_complete else None
    return Table(columns, len(first), count, has_header)


def estimated_row_count(sample_count: int, sample_size: int, size: int) -> int | None:
    """Return the rows of a file of ``size`` bytes; None if the sample is too small."""
    if sample_count < _MIN_SAMPLE:
        return None
    return round(size * sample_count / sample_size)


def example_values(values: Sequence[Any], count: int) -> list[str]:
    """Return the first ``count`` distinct texts, shortened to ``MAX_EXAMPLE``.

    They are cut between words, because a part of a key isn't recognised as a secret.
    """
    texts: dict[str, None] = {}
    for value in values if count else ():
        if isinstance(value, str) and value.strip() and value not in MISSING:
            texts.setdefault(whole_words(fix_surrogates(value.strip()), MAX_EXAMPLE))
            texts.pop("…", None)  # the first word was too long
            if len(texts) == count:
                break
    return list(texts)


def _is_header(first: Sequence[str], below: Sequence[Sequence[Any]]) -> bool:
    numbers = [cell for cell in first if is_number(cell)]
    if len(numbers) > 1 and numbers == list(map(str, range(len(numbers)))):
        return True  # pandas' names of columns without names
    rows = [[_as_text(value).strip() for value in row[:MAX_COLUMNS]] for row in below]
    start = list(first[:MAX_COLUMNS])
    # Files that were joined repeat the header.
    rows = [row for row in rows if any(row) and row != start]
    columns = [[row[index] for row in rows if index < len(row)] for index in range(len(start))]
    if not _is_complete(start, columns):
        return False
    for cell, column in zip(start, columns, strict=True):
        if _PERIOD.fullmatch(cell):
            # A name may be a year or a date, if most values below aren't.
            periods = [value for value in column if _PERIOD.fullmatch(value)]
            if not column or 2 * len(periods) >= len(column):
                return False
        elif (
            _is_value(cell) or (cell and cell in {*column, *MISSING}) or _is_like_most(cell, column)
        ):
            return False
    return any(first)


def _is_complete(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether each column has a name, or the names that are there must be names.

    They are if one is above numbers. A single one may be a title, unless only the index, which
    pandas doesn't name, lacks one.
    """
    unnamed = [n for n, cell in enumerate(first) if not cell and any(columns[n])]
    has_index = unnamed == [0]
    if not unnamed or (has_index and columns[0] == list(map(str, range(len(columns[0]))))):
        return True
    named = [column for cell, column in zip(first, columns, strict=True) if cell]
    present = [[text for text in column if text not in MISSING] for column in named]
    is_above_numbers = any(dtype_of_texts(texts) != "object" for texts in present)
    return is_above_numbers and (has_index or len(named) > 1)


def _is_like_most(cell: str, column: Sequence[str]) -> bool:
    """Return whether a text such as ``NO123`` has the form of most texts in its column."""
    shape = _shape(cell)
    return (
        "9" in shape and bool(column) and 2 * list(map(_shape, column)).count(shape) >= len(column)
    )


def _shape(text: str) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d+(?:[.,]\d+)*", "9", text[:_LONGEST_NAME]))


def _is_value(cell: str) -> bool:
    """Return whether a text is a number, a sign of no value, a URL, an e-mail address, or long."""
    if len(cell) > _LONGEST_NAME or "://" in cell or (cell and all(map(is_number, cell.split()))):
        return True
    forms = (_MISSING, _IDENTIFIER, _NAMED_MONTH, _DAY_AND_YEAR)
    if cell.lower() in ("true", "false") or any(form.fullmatch(cell) for form in forms):
        return True
    if _NUMERIC.fullmatch(cell) and any(char.isdigit() for char in cell):
        return True
    return _ADDRESS.search(cell) is not None


def _unique_names(first: Sequence[str]) -> list[str]:
    """Name columns as pandas does: ``["a", "", "a"] -> ["a", "Unnamed: 1", "a.1"]``."""
    names: list[str] = []
    seen: dict[str, int] = {}
    for index, cell in enumerate(first):
        name = cell or f"Unnamed: {index}"
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.append(f"{name}.{count}" if count else name)
    return names


def _as_text(value: Any) -> str:
    return "" if value is None else str(value)


def describe_records(
    records: Sequence[dict[str, Any]],
    dtype_of: Callable[[Sequence[Any]], str],
    *,
    examples: int = 0,
    is_complete: bool = False,
    arguments: tuple[str, ...] = (),
) -> Table:
    """Describe a table whose columns are the records' keys.

    Keys that may be values, such as people, are only counted.
    """
    names = list(dict.fromkeys(key for record in records for key in record))
    if names and _are_values(names, records):
        key_count = len(names) if is_complete else 0
        kinds = {_KINDS[type(value)] for record in records for value in record.values()}
        return Table((), key_count, arguments=arguments, value_kinds=" or ".join(sorted(kinds)))
    columns = []
    for name in names[:MAX_COLUMNS]:
        values = [record.get(name) for record in records]
        dtype = dtype_of(values)
        shown = example_values(values, examples) if dtype == "object" else []
        columns.append(describe_column(name, dtype, shown))
    count = len(records) if is_complete else None
    return Table(columns, len(names), count, arguments=arguments)


def _are_values(names: Sequence[str], records: Sequence[dict[str, Any]]) -> bool:
    """Return whether the records' keys may be values: the records are mappings.

    They are names if a record has values of several kinds, or several records have the same keys.
    Objects that have keys in common show a mapping, even a repeated one.
    """
    values = [name for name in names if _is_value(name) and not _PERIOD.fullmatch(name)]
    if values != list(map(str, range(len(values)))):  # pandas' names of columns without names
        return True
    if len(records) > 1 and len(names) == sum(map(len, records)):
        return True  # the records have no common keys
    present = [[value for value in record.values() if value is not None] for record in records]
    if any(len({_KINDS[type(value)] for value in values}) > 1 for values in present):
        return False
    is_repeated = len(records) > 1 and all(record.keys() == records[0].keys() for record in records)
    return not is_repeated or any(map(_are_alike, present))


def _are_alike(values: Sequence[Any]) -> bool:
    objects = [value.keys() for value in values if isinstance(value, dict)]
    return len(objects) > 1 and bool(set.intersection(*map(set, objects)))
