"""The findings of checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One line of the report: ``problem`` if AI Server doesn't work, ``note``, or ``ok``.

    ``fix`` says how to fix it.
    """

    level: Level
    """The kind of the finding.

    - ``problem``: something prevents AI Server from working.
    - ``note``: AI Server works, but the user should know something.
    - ``ok``: something is as it should be.
    """
    text: str
    fix: str = ""
    """An instruction for fixing the problem; empty if there is nothing to fix."""


def ok(text: str) -> Finding:
    """Return a finding that something is as it should be."""
    return Finding("ok", text)


def note(text: str, fix: str = "") -> Finding:
    """Return a finding about what the user should know, although AI Server works."""
    return Finding("note", text, fix)


def problem(text: str, fix: str) -> Finding:
    """Return a finding about what prevents AI Server from working."""
    return Finding("problem", text, fix)
