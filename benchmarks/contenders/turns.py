"""The turns that all contenders save.

This module imports only the standard library (see ``base.py``).
"""

from __future__ import annotations

from typing import NamedTuple


class Turn(NamedTuple):
    """A request (``intent`` and ``code``) and the answer (``answer``, ``explanation``)."""

    intent: str
    code: str
    answer: str
    explanation: str


def turn(number: int, small: bool = False) -> Turn:
    """Return a turn: with forty lines of code, as is usual, or with one line if it is small."""
    lines = 1 if small else 40
    return Turn(
        f"读取 data.csv 并显示前{number}行",
        "x = 1\n" * lines,
        "frame = pd.read_csv('data.csv')\n" * lines,
        "Reads the file and shows its head.",
    )
