"""Findings of checks. A check is a function that returns findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    A ``problem`` prevents AI Server from working; a ``note`` is worth knowing. ``mend`` is how to
    fix it, which every problem has.
    """

    level: Level
    text: str
    mend: str = ""


def ok(text: str) -> Finding:
    """Return a finding without a problem."""
    return Finding("ok", text)


def note(text: str, mend: str = "") -> Finding:
    """Return a finding that is worth knowing."""
    return Finding("note", text, mend)


def problem(text: str, mend: str) -> Finding:
    """Return a finding that prevents AI Server from working."""
    return Finding("problem", text, mend)
