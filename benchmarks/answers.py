"""Check whether the output of a cell contains the expected values of a question. Pure.

The rules:

- The text, which is the cell's printed output and its result, must contain all expected values.
- An expected number is contained if a number in the text differs from it by at most half a unit of
  its last digit: 0.52 matches 0.519. An integer under 100 must match exactly. ``12%`` in the text
  counts as 12 and as 0.12.
- Expected words must occur as complete words. Case is ignored, and ``_``, ``-`` and spaces are
  equal. If the expected value is a list, each of its elements must be contained.
- An empty expected value is contained in a text with ``[]``, ``None``, ``no`` or an empty frame.
- A text with more than ``MAX_NUMBERS`` numbers contains nothing, because an expected number would
  be found in it by chance.
"""

from __future__ import annotations

import re

MAX_NUMBERS = 40

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?")
_EMPTY = re.compile(r"\[\]|\bnone\b|\bno\b|\bempty\b|series\(\[\]|\bset\(\)")


def contains_all(expected: list[tuple[str, str]], text: str) -> bool:
    """Return whether the text contains the value of each expected ``(name, value)``."""
    text_numbers = numbers(text)
    if len(text_numbers) > MAX_NUMBERS:
        return False
    return all(_contains(value, text, text_numbers) for _, value in expected)


def numbers(text: str) -> list[float]:
    """Return the numbers in a text. A percentage counts twice: as written, and as a fraction."""
    values: list[float] = []
    for match in _NUMBER.findall(text):
        bare = match.rstrip("%").replace(",", "")
        try:
            values.append(float(bare))
        except ValueError:
            continue
        if match.endswith("%"):
            values.append(values[-1] / 100)
    return values


def _contains(value: str, text: str, text_numbers: list[float]) -> bool:
    """Return whether a text contains one expected value."""
    value = value.strip()
    if not value:
        return bool(_EMPTY.search(text.lower()))
    if _NUMBER.fullmatch(value):
        return any(is_same_number(value, number) for number in text_numbers)
    elements = [words for words in (_plain_words(part) for part in value.split(",")) if words]
    text_words = f" {_plain_words(text)} "
    return all(f" {words} " in text_words for words in elements)


def is_same_number(expected: str, number: float) -> bool:
    """Return whether ``number`` equals the number ``expected``, at the precision of the latter."""
    bare = expected.rstrip("%").replace(",", "")
    mantissa = re.split("[eE]", bare)[0]
    decimals = len(mantissa.partition(".")[2])
    exponent = int(bare.lower().partition("e")[2] or 0)
    target = float(bare)
    tolerance = 10.0 ** (exponent - decimals) / 2
    if decimals == 0 and exponent == 0 and abs(target) < 100:
        tolerance = 0.0
    # The second term allows for rounding errors of floats.
    return abs(number - target) <= tolerance + 1e-9 * max(1.0, abs(target))


def _plain_words(text: str) -> str:
    """Return the words of a text in lower case, separated by single spaces."""
    return " ".join(re.sub(r"[^\w.]+|_", " ", text.lower()).split()).strip(". ")
