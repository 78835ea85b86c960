"""The texts of exports and of the command line: titles of steps, contributors and shares. Pure.

Invariant: steps are titled as in the sidebar (``src/labels/stepLabels.ts``).
"""

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
_TITLES = {
    "start": "Existing content",
    "context_reset": "New conversation",
    "split": "Split",
    "merge": "Merged with another cell",
    "copy": "Copied from another cell",
    "delete": "Deleted",
    "undelete": "Restored after deletion",
    "type": "Changed cell type",
    "move": "Moved",
    "recovered": "Recovered from a damaged file",
}
_OUTCOMES = {
    "open": "pending",
    "refined": "superseded",
    "accepted": "accepted",
    "rejected": "rejected",
    "error": "failed",
    "cancelled": "stopped",
}
# Matches the names of commands that format code.
_FORMATS = re.compile(r"format|prettif|black|ruff|isort|yapf", re.IGNORECASE)


def contributor(step: Step) -> str:
    """Return the name of a step's contributor, or the contributor's kind if no name is recorded."""
    if step.is_existing:
        return "existing"
    if step.name and step.author != "person":
        return step.name
    return _KINDS[step.author]


def title(step: Step) -> str:
    """Return the title of a step."""
    origin_number = None if step.from_step is None else step.from_step + 1
    if step.kind == "turn":
        return "Request"
    if step.kind == "run":
        count = (step.data or {}).get("execution_count")
        return f"Run [{count}]" if isinstance(count, int) else "Run"
    if step.kind == "accept":
        return f"Accepted step {origin_number}" if origin_number else "Accepted an earlier answer"
    if step.kind == "restore":
        return f"Restored step {origin_number}" if origin_number else "Restored an earlier version"
    if step.kind == "edit":
        return _edit_title(step)
    kind = step.event or "" if step.kind == "other" else step.kind
    return _TITLES.get(kind, kind.replace("_", " "))


def _edit_title(step: Step) -> str:
    """Return the title of an edit, which depends on its event and its contributor."""
    if step.event == "accept":
        return "Accepted with edits"
    if step.event == "reject":
        return "Edited before rejecting"
    if step.author == "person":
        return "Edited by hand"
    if step.name == ON_DISK:
        return "Changed on disk"
    if step.author == "unknown":
        return f"Changed by {step.name}" if step.name else "Changed by an unknown source"
    command = (step.data or {}).get("command")
    is_format = isinstance(command, str) and _FORMATS.search(command)
    return f"{'Formatted' if is_format else 'Edited'} by {contributor(step)}"


def outcome(step: Step) -> str:
    """Return how a request or a failed run ended; empty for other steps."""
    has_outcome = step.kind == "turn" or (step.kind == "run" and step.outcome != "done")
    return _OUTCOMES.get(step.outcome, "") if has_outcome else ""


def cell_name(number: int | None, row: Mapping[str, Any]) -> str:
    """Return a cell's name: "Cell" and its number, or "Merged cell" or "Deleted cell"."""
    if number is not None:
        return f"Cell {number}"
    return "Merged cell" if row["mergedInto"] else "Deleted cell"


def percent(part: int, total: int) -> str:
    """Format a share as a percentage."""
    return f"{round(100 * part / total)}%" if total else "–"


def shares(share: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the label and the line count of each share.

    The shares by AI and by hand are always included, each further share only if it isn't zero.
    """
    return [
        (label, share[name])
        for name, label in SHARES.items()
        if share[name] or name in ("byModel", "byPerson")
    ]
