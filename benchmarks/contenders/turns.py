"""The turns that are kept: the same for all. (Nothing but the standard library.)"""

from __future__ import annotations

from typing import NamedTuple


class Turn(NamedTuple):
    """What was asked, of which code, and what was answered."""

    intent: str
    code: str
    answer: str
    explanation: str


def turn(number: int, small: bool = False) -> Turn:
    """A turn of ordinary size, some forty lines of code; or of a line."""
    lines = 1 if small else 40
    return Turn(
        f"读取 data.csv 并显示前{number}行",
        "x = 1\n" * lines,
        "frame = pd.read_csv('data.csv')\n" * lines,
        "Reads the file and shows its head.",
    )
