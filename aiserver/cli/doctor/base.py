"""What a check finds. A check is a function that returns findings and raises nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    ``problem`` is what keeps AI Server from working, ``note`` what a person should know. ``mend``
    is what to do about it, and is there for every problem.
    """

    level: Level
    text: str
    mend: str = ""


def ok(text: str) -> Finding:
    """All is well."""
    return Finding("ok", text)


def note(text: str, mend: str = "") -> Finding:
    """It works, but a person should know this."""
    return Finding("note", text, mend)


def problem(text: str, mend: str) -> Finding:
    """It does not work until this is mended."""
    return Finding("problem", text, mend)
