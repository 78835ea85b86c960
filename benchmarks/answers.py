"""Tells whether what a cell showed holds the value that was asked for. Pure; see the rules.

Rules, for a question with named values (``@name[value]`` in its own format):

- All of them must be found in the cell's text: what it prints, and its result.
- A number is found if some number in the text equals it at the precision in which the expected
  one is written, that is within half a unit of its last digit. A whole number under 100 must be
  met exactly. ``12%`` counts as 12 and as 0.12.
- Words are found, whatever their case, as whole words; ``_``, ``-`` and spaces are one. Of a
  list, each item must be found. An empty expected value is found as ``[]``, ``None``, ``no`` or
  an empty frame.
- Text that shows more than ``MAX_NUMBERS`` numbers answers nothing: something is always in it.
"""

from __future__ import annotations

import re

MAX_NUMBERS = 40

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?")
_EMPTY = re.compile(r"\[\]|\bnone\b|\bno\b|\bempty\b|series\(\[\]|\bset\(\)")


def all_found(expected: list[tuple[str, str]], text: str) -> bool:
    """Whether each expected ``(name, value)`` is in the text."""
    found = numbers(text)
    if len(found) > MAX_NUMBERS:
        return False
    return all(_found(value, text, found) for _, value in expected)


def numbers(text: str) -> list[float]:
    """The numbers of a text. A percentage counts twice: as written, and as a fraction."""
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


def _found(value: str, text: str, found: list[float]) -> bool:
    value = value.strip()
    if not value:
        return bool(_EMPTY.search(text.lower()))
    if _NUMBER.fullmatch(value):
        return any(same_number(value, number) for number in found)
    items = [item for item in (_plain(part) for part in value.split(",")) if item]
    plain = f" {_plain(text)} "
    return all(f" {item} " in plain for item in items)


def same_number(expected: str, number: float) -> bool:
    """Whether a number equals one that is written with a certain precision."""
    bare = expected.rstrip("%").replace(",", "")
    mantissa = re.split("[eE]", bare)[0]
    decimals = len(mantissa.partition(".")[2])
    exponent = int(bare.lower().partition("e")[2] or 0)
    wanted = float(bare)
    slack = 10.0 ** (exponent - decimals) / 2
    if decimals == 0 and exponent == 0 and abs(wanted) < 100:
        slack = 0.0
    return abs(number - wanted) <= slack + 1e-9 * max(1.0, abs(wanted))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w.]+|_", " ", text.lower()).split()).strip(". ")
