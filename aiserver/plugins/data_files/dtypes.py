"""Guess the dtypes that pandas would give to columns, from some of their values. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

# Texts that `read_csv` reads as missing values.
MISSING = frozenset(
    [
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    ]
)
_BOOLS = frozenset(["True", "TRUE", "true", "False", "FALSE", "false"])
_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity)\s*", re.IGNORECASE
)
_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)
_LONGEST_INTEGER = 40  # characters; longer integers make the dtype `object`


class Date:
    """A placeholder for a date in a workbook, with a date as its text."""

    def __str__(self) -> str:
        return "1900-01-01"


def is_number(text: str) -> bool:
    """Return whether pandas reads a text as a number."""
    return _NUMBER.fullmatch(text) is not None


def dtype_of_texts(values: Sequence[str]) -> str:
    """Return the dtype of these texts in a CSV or TSV file."""
    present = [value for value in values if value not in MISSING]
    if not present:
        return "float64" if values else "object"
    has_missing = len(present) < len(values)
    if all(map(_INTEGER.fullmatch, present)):
        if any(len(value) > _LONGEST_INTEGER for value in present):
            return "object"
        return _integer_dtype([int(value) for value in present], has_missing)
    if all(map(is_number, present)):
        return "float64"
    if not has_missing and all(value in _BOOLS for value in present):
        return "bool"
    return "object"


def dtype_of_values(values: Sequence[Any]) -> str:
    """Return the dtype of typed values; None is a missing value."""
    present = [value for value in values if value is not None]
    if not present:
        return "float64" if values else "object"
    has_missing = len(present) < len(values)
    types = {type(value) for value in present}
    if types == {bool}:
        return "object" if has_missing else "bool"
    if types == {int}:
        return _integer_dtype(present, has_missing)
    if types <= {int, float}:
        return "float64"
    return "datetime64[ns]" if types == {Date} else "object"


def _integer_dtype(values: Sequence[int], has_missing: bool) -> str:
    if has_missing:
        return "float64"
    if all(value in _INT64 for value in values):
        return "int64"
    return "uint64" if all(value in _UINT64 for value in values) else "object"
