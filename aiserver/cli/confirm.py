"""Ask for confirmation before something is deleted."""

from __future__ import annotations

import sys

from ..errors import SettingError


def confirm(question: str, *, yes: bool) -> bool:
    """Return whether the user agrees. Raises SettingError without a terminal or ``--yes``."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise SettingError("Can't ask for confirmation here. Use --yes to confirm.")
    try:
        answer = input(f"{question} [y/N] ").strip().lower()
    except EOFError:  # Ctrl+D
        return False
    return answer in ("y", "yes", "是")
