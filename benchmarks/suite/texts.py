"""Look for a value in the printed text of an answer. Pure."""

from __future__ import annotations

import numbers as number_types
import re
from typing import Any

import pandas as pd

from ..answers import MAX_NUMBERS
from ..answers import numbers as numbers_in
from .same_values import same_cells

MAX_TOKENS = 400  # of an expected value; a longer one isn't looked for in texts
_TOKEN = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|[^\W\d]\w*")


def shows_value(expected: Any, text: str) -> bool:
    """Return whether a text shows a value as ``print`` shows it, or the number or word alone."""
    if not text.strip():
        return False
    if isinstance(expected, number_types.Real) and not isinstance(expected, bool):
        return _shows_number(float(expected), text)
    wanted = _tokens(_text(expected))
    if not 0 < len(wanted) <= MAX_TOKENS:
        return False
    tokens = _tokens(text)
    starts = range(len(tokens) - len(wanted) + 1)
    return any(
        all(_same_token(left, tokens[at + index]) for index, left in enumerate(wanted))
        for at in starts
    )


def shows_text(expected: str, text: str) -> bool:
    """Return whether a text has all numbers of an expected text, or if it has none, its words."""
    values = numbers_in(expected)
    if values:
        return all(_shows_number(value, text) for value in values)
    return shows_value(expected, text)


def _shows_number(expected: float, text: str) -> bool:
    """Return whether a number is in the text; it may be rounded to two or more decimals."""
    if len(numbers_in(text)) > MAX_NUMBERS:
        return False
    for token in _TOKEN.findall(text):
        number = _number(token)
        if number is None:
            continue
        decimals = len(token.partition(".")[2]) if "e" not in token.lower() else 0
        if same_cells(expected, number):
            return True
        if decimals >= 2 and abs(number - expected) <= 0.5 * 10.0**-decimals + 1e-12:
            return True
    return False


def _text(value: Any) -> str:
    if isinstance(value, pd.DataFrame | pd.Series):
        return str(value.to_string())
    return str(value)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _same_token(expected: str, actual: str) -> bool:
    left, right = _number(expected), _number(actual)
    if left is None or right is None:
        return expected == actual
    return same_cells(left, right)


def _number(token: str) -> float | None:
    try:
        return float(token.replace(",", ""))
    except ValueError:
        return None
