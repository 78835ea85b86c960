"""Labels of contributors, and their shares of a cell or a notebook. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..replay import Step

ON_DISK = "file on disk"
"""The recorded contributor of changes made to the file outside of JupyterLab."""

SHARES = {
    "byModel": "by AI",
    "byPerson": "by hand",
    "byAgent": "by agents",
    "byProgram": "by programs",
    "byUnknown": "of unknown origin",
    "existing": "existing",
}
"""The shares of a report with their labels, in display order."""

_KINDS = {
    "model": "AI",
    "person": "by hand",
    "agent": "an agent",
    "program": "a program",
    "unknown": "unknown",
}
_FORMATS = re.compile(r"format|prettif|black|ruff|isort|yapf", re.IGNORECASE)


def contributor(step: Step) -> str:
    """Return a step's contributor, by name if one is recorded."""
    if step.is_existing:
        return "existing"
    if step.name and step.author != "person":
        return step.name
    return _KINDS[step.author]


def edit_title(step: Step) -> str:
    """Return the title of a step that edited a cell."""
    if step.author == "person":
        return "Edited by hand"
    if step.name == ON_DISK:
        return "Changed on disk"
    if step.author == "unknown":
        return f"Changed by {step.name}" if step.name else "Changed by an unknown source"
    if step.author == "model":
        return "Completed by AI"
    command = (step.data or {}).get("command")
    is_format = isinstance(command, str) and _FORMATS.search(command)
    return f"{'Formatted' if is_format else 'Edited'} by {contributor(step)}"


def shares(share: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return labels and line counts: always for AI and by hand, else if not zero."""
    return [
        (label, share[name])
        for name, label in SHARES.items()
        if share[name] or name in ("byModel", "byPerson")
    ]
