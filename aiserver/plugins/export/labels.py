"""The texts of exports and of the command line: titles, outcomes, contributors, shares. Pure.

They match those in the sidebar (``src/labels/stepLabels.ts``), but some have fewer details.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...notebooks.disk_writers import FILE_ON_DISK
from ...replay import Step
from ..local_models.labels import model_label

SHARES = {
    "byModel": "by AI",
    "byPerson": "by hand",
    "byAgent": "by agents",
    "byProgram": "by programs",
    "byUnknown": "of unknown origin",
    "existing": "existing",
}
"""The labels of the shares in a report, in display order."""

_NAMES_OF_KINDS = {
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
    "found": "Found again by its content",
}
OUTCOMES = {
    "open": "pending",
    "unused": "not used",
    "refined": "superseded",
    "accepted": "accepted",
    "rejected": "rejected",
    "repeated": "asked again",
    "error": "failed",
    "cancelled": "stopped",
}
_FORMATTERS = re.compile(r"format|prettif|black|ruff|isort|yapf", re.IGNORECASE)


def contributor(step: Step) -> str:
    """Return the name of a step's contributor, or "by hand", "AI" or "existing"."""
    if step.is_existing:
        return "existing"
    if step.name and step.author != "person":
        return step.name
    return _NAMES_OF_KINDS[step.author]


def title(step: Step, numbers: Sequence[int] = ()) -> str:
    """Return the title of a step. ``numbers`` are those of all steps (see ``shown_numbers``)."""
    from_number = None
    if step.from_step is not None:
        from_number = numbers[step.from_step] if numbers else step.from_step + 1
    if step.kind == "turn":
        return "Request"
    if step.kind == "run":
        count = (step.data or {}).get("execution_count")
        return f"Run [{count}]" if isinstance(count, int) else "Run"
    if step.kind == "accept" and {"part", "hunks"} & (step.data or {}).keys():
        return _part_title((step.data or {}).get("hunks"))
    if step.kind == "accept":
        return f"Accepted step {from_number}" if from_number else "Accepted an earlier answer"
    if step.kind == "restore":
        return f"Restored step {from_number}" if from_number else "Restored an earlier version"
    if step.kind == "edit":
        return _edit_title(step)
    kind = step.event or "" if step.kind == "other" else step.kind
    return _TITLES.get(kind, kind.replace("_", " "))


def _part_title(hunks: object) -> str:
    counts = hunks if isinstance(hunks, dict) else {}
    accepted, total = counts.get("accepted"), counts.get("of")
    has_counts = isinstance(accepted, int) and isinstance(total, int)
    return f"Accepted {accepted} of {total} changes" if has_counts else "Accepted a change"


def _edit_title(step: Step) -> str:
    past_answer = (step.data or {}).get("past_answer")
    if isinstance(past_answer, dict) and isinstance(past_answer.get("notebook"), str):
        return f"Inserted from {past_answer['notebook']}"
    if step.restored_to:
        return "Restored with the notebook"
    if step.is_correction:
        corrections = (step.data or {}).get("corrections")
        texts = ", ".join(map(str, corrections)) if isinstance(corrections, list) else ""
        return f"Edited by AI Server: {texts}" if texts else "Edited by AI Server"
    if step.event == "accept":
        return "Accepted with edits"
    if step.event == "reject":
        return "Edited before rejecting"
    if step.author == "person":
        return "Edited by hand"
    if step.name == FILE_ON_DISK:
        return "Changed on disk"
    if step.author == "unknown":
        return f"Changed by {step.name}" if step.name else "Changed by an unknown source"
    command = (step.data or {}).get("command")
    is_formatter = isinstance(command, str) and _FORMATTERS.search(command)
    return f"{'Formatted' if is_formatter else 'Edited'} by {contributor(step)}"


def outcome(step: Step, parts: Sequence[Step] = ()) -> str:
    """Return the outcome of a step: that of its last run, or else of its request; else empty.

    ``parts`` are shown inside the step. Runs that ended alike are counted.
    """
    runs = [_run_outcome(part) for part in (*reversed(parts), step) if part.kind == "run"]
    if runs:
        count = next((n for n, text in enumerate(runs) if text != runs[0]), len(runs))
        return f"{runs[0]} ×{count}" if count > 1 else runs[0]
    if step.kind != "turn":
        return ""
    return "answered" if step.outcome == "done" else OUTCOMES.get(step.outcome, "")


def _run_outcome(run: Step) -> str:
    if run.outcome == "done":
        return "ran"
    error = re.match(r"\w{1,40}(?=:|$)", run.error or "")
    return error[0] if error and run.outcome == "error" else OUTCOMES[run.outcome]


def cell_name(number: int | None, summary: Mapping[str, Any]) -> str:
    """Return a cell's name, such as "Cell 3", or "Deleted cell" if ``number`` is None."""
    if number is not None:
        return f"Cell {number}"
    return "Merged cell" if summary["mergedInto"] else "Deleted cell"


def label_counts(by_model: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers of lines by label of their model, from those by id."""
    counts: dict[str, int] = {}
    for model_id, count in by_model.items():
        label = model_label(model_id)
        counts[label] = counts.get(label, 0) + count
    return counts


def percent(part: int, total: int) -> str:
    """Format ``part`` as a percentage of ``total``; a dash if ``total`` is 0."""
    return f"{round(100 * part / total)}%" if total else "–"


def shares(counts: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the label and number of lines of each share, "by AI" and "by hand" even if zero."""
    return [
        (label, counts[name])
        for name, label in SHARES.items()
        if counts[name] or name in ("byModel", "byPerson")
    ]
