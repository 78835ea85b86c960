"""Ask for confirmation at a terminal."""

from __future__ import annotations

import sys

from ..errors import SettingError


def confirm(question: str, *, yes: bool, default: bool = False) -> bool:
    """Ask the user a yes/no question, and return whether the user said yes.

    If the user only presses Enter, return ``default``. If ``yes`` (the option ``--yes``) is set,
    return True without asking. Raises SettingError if ``yes`` is not set and there is no terminal.
    """
    if yes:
        return True
    if not sys.stdin.isatty():
        raise SettingError("Can't ask for confirmation here. Use --yes to confirm.")
    try:
        answer = input(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().lower()
    except EOFError:  # Ctrl+D
        return False
    return default if not answer else answer in ("y", "yes", "是")  # 是 is Chinese for yes
