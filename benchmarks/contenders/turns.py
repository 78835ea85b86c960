"""The turns that all contenders save. (Imports only the standard library.)"""

from __future__ import annotations

from typing import NamedTuple


class Turn(NamedTuple):
    """A request with its code, and the answer."""

    intent: str
    code: str
    answer: str
    explanation: str


def turn(number: int, small: bool = False) -> Turn:
    """A turn of ordinary size, about forty lines of code, or a small one."""
    lines = 1 if small else 40
    return Turn(
        f"读取 data.csv 并显示前{number}行",
        "x = 1\n" * lines,
        "frame = pd.read_csv('data.csv')\n" * lines,
        "Reads the file and shows its head.",
    )
