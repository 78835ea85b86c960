"""Asks before something is removed."""

from __future__ import annotations

import sys

from ..errors import SettingError


def confirm(question: str, *, yes: bool) -> bool:
    """Whether a person wants it. Where nobody can be asked, ``--yes`` must have been said."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise SettingError("Can't ask for confirmation here. Use --yes to confirm.")
    try:
        answer = input(f"{question} [y/N] ").strip().lower()
    except EOFError:  # Ctrl+D
        return False
    return answer in ("y", "yes", "是")
