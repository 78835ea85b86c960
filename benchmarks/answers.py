"""Check whether the output of a cell contains the expected values. Pure.

Rules, for a question with named values (``@name[value]`` in its own format):

- The cell's text, which is its printed output and its result, must contain all of them.
- A number matches any number in the text that equals it at the precision of the expected one,
  that is within half a unit of its last digit. An integer under 100 must match exactly. ``12%``
  counts as 12 and as 0.12.
- Words match case-insensitively as complete words; ``_``, ``-`` and spaces are equal. Each item of
  a list must match. An empty expected value matches ``[]``, ``None``, ``no`` or an empty frame.
- Text with more than ``MAX_NUMBERS`` numbers matches nothing, because it would match anything.
"""

from __future__ import annotations

import re

MAX_NUMBERS = 40

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?")
_EMPTY = re.compile(r"\[\]|\bnone\b|\bno\b|\bempty\b|series\(\[\]|\bset\(\)")


def contains_all(expected: list[tuple[str, str]], text: str) -> bool:
    """Whether each expected ``(name, value)`` is in the text."""
    present = numbers(text)
    if len(present) > MAX_NUMBERS:
        return False
    return all(_contains(value, text, present) for _, value in expected)


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


def _contains(value: str, text: str, present: list[float]) -> bool:
    value = value.strip()
    if not value:
        return bool(_EMPTY.search(text.lower()))
    if _NUMBER.fullmatch(value):
        return any(same_number(value, number) for number in present)
    items = [item for item in (_plain(part) for part in value.split(",")) if item]
    plain = f" {_plain(text)} "
    return all(f" {item} " in plain for item in items)


def same_number(expected: str, number: float) -> bool:
    """Whether a number equals a written one at its precision."""
    bare = expected.rstrip("%").replace(",", "")
    mantissa = re.split("[eE]", bare)[0]
    decimals = len(mantissa.partition(".")[2])
    exponent = int(bare.lower().partition("e")[2] or 0)
    target = float(bare)
    slack = 10.0 ** (exponent - decimals) / 2
    if decimals == 0 and exponent == 0 and abs(target) < 100:
        slack = 0.0
    return abs(number - target) <= slack + 1e-9 * max(1.0, abs(target))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w.]+|_", " ", text.lower()).split()).strip(". ")
