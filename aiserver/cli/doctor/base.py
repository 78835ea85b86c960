"""The findings of checks. A check is a function that returns a list of findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One result of a check, printed as a line of the doctor's report.

    Its level is ``problem`` if it prevents AI Server from working, ``note`` if it doesn't but is
    worth knowing, and else ``ok``.
    """

    level: Level
    text: str
    fix: str = ""
    """An instruction for fixing the problem. Notes may have none."""


def ok(text: str) -> Finding:
    """Return a finding that reports that something is as it should be."""
    return Finding("ok", text)


def note(text: str, fix: str = "") -> Finding:
    """Return a finding that is worth knowing but doesn't prevent AI Server from working."""
    return Finding("note", text, fix)


def problem(text: str, fix: str) -> Finding:
    """Return a finding that prevents AI Server from working."""
    return Finding("problem", text, fix)
