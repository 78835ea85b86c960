"""The story of a notebook as Markdown, which a person reads from top to bottom. Pure.

What must hold: whatever a session holds stays in its place (``fences.py``); each step is told, and
of each version what changed, so that all of them can be read off.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from ..notebooks.history import History
from ..replay import Step, report
from .contributions import contributor, edit_title, shares
from .fences import fenced, quoted, words
from .story import language_of

_TITLES = {
    "start": "Existing content",
    "accept": "Accepted an answer",
    "context_reset": "New conversation",
    "split": "Split a cell",
    "merge": "Merged cells",
    "copy": "Pasted a copy of a cell",
    "delete": "Deleted a cell",
    "undelete": "Restored a deleted cell",
    "type": "Changed a cell’s type",
    "move": "Moved a cell",
}
_OUTCOMES = {
    "open": "pending",
    "refined": "superseded",
    "accepted": "accepted",
    "rejected": "rejected",
    "error": "failed",
    "cancelled": "stopped",
}


def narrative(history: History, name: str) -> str:
    """The story of all cells: those in the notebook in their order, then those that are gone."""
    timeline = history.timeline
    found = report(timeline, history.sessions)
    by_cell = {row["cellId"]: row for row in found["cells"]}
    language = language_of(history)
    parts = [f"# How {words(name)} was made", f"{shares_told(found['total'])}."]
    rows = timeline.cells()
    for number, row in enumerate(rows, 1):
        steps = timeline.steps(row["cellId"])
        if not steps:
            continue
        share = by_cell.get(row["cellId"])
        parts.append(f"## {cell_name(number if share else None, row)}")
        if share:
            parts.append(f"{shares_told(share)}.")
        parts += cell_story(steps, language if row["type"] == "code" else row["type"])
    return "\n\n".join(parts) + "\n"


def shares_told(share: Mapping[str, Any]) -> str:
    """How many lines each kind of contributor wrote, in a sentence without its full stop."""
    lines = share["lines"]
    if not lines:
        return "No code yet"
    parts = [f"{count} {label}" for label, count in shares(share)]
    parts[0] += f" ({percent(share['byModel'], lines)})"
    if share["models"]:
        parts[0] += f", including {_counts(share['models'])}"
    if share["names"]:
        parts.append(f"by agents and programs: {_counts(share['names'])}")
    return f"{lines} lines: {'; '.join(parts)}"


def _counts(by_name: Mapping[str, int]) -> str:
    rows = sorted(by_name.items(), key=_most)
    return ", ".join(f"{words(name)} {count}" for name, count in rows)


def cell_name(number: int | None, row: Mapping[str, Any]) -> str:
    """The name of a cell: its place in the notebook, or that it is no longer there."""
    if number is not None:
        return f"Cell {number}"
    return "Merged cell" if row["mergedInto"] else "Deleted cell"


def percent(part: int, whole: int) -> str:
    """A share as people write it."""
    return f"{round(100 * part / whole)}%" if whole else "–"


def cell_story(steps: Sequence[Step], language: str, *, level: int = 3) -> list[str]:
    """The steps of a cell as paragraphs, each step under a heading of that level."""
    parts = []
    shown = {""}  # codes that a reader has seen by now, so that a change of them can be followed
    for step in steps:
        parts.append(f"{'#' * level} {step.index + 1}. {words(title(step))}")
        parts.append(" · ".join(_told(step)))
        if step.kind == "turn":
            parts.append(quoted(step.title))
        if step.base is not None and step.base not in shown:
            parts += ["Starting from:", fenced(step.base, language)]
        parts += _change(step, language)
        shown |= {step.base or "", step.code}
        if step.explanation:
            parts += ["Answer:", quoted(step.explanation)]
        if step.error:
            parts += ["Error:", quoted(step.error)]
        printed = ((step.data or {}).get("outputs") or {}) if step.kind == "run" else {}
        text = printed.get("text") if isinstance(printed, dict) else None
        if isinstance(text, str) and text:
            parts += ["Output:", fenced(text.rstrip("\n"), "")]
    return parts


def title(step: Step) -> str:
    """What a step was, in a few words."""
    if step.kind == "turn":
        return "Request"
    if step.kind == "run":
        return {"error": "Run failed", "cancelled": "Run stopped"}.get(step.outcome, "Run")
    if step.kind == "restore":
        if step.from_step is None:
            return "Restored an earlier version"
        return f"Restored step {step.from_step + 1}"
    if step.kind == "edit":
        return edit_title(step)
    return _TITLES.get(step.kind, "Other change")


def outcome(step: Step) -> str:
    """How a request ended, where it was one."""
    return _OUTCOMES.get(step.outcome, "") if step.kind == "turn" else ""


def change(step: Step) -> list[str]:
    """What a step changed, as the lines of a unified diff without its head."""
    before = step.before if step.base is None else step.base
    if not before:
        return [f"+{line}" for line in step.code.split("\n")] if step.code else []
    lines = difflib.unified_diff(before.split("\n"), step.code.split("\n"), lineterm="")
    return list(lines)[2:]


def _told(step: Step) -> list[str]:
    told = [contributor(step), step.model, step.timestamp, outcome(step)]
    return [words(one) for one in told if one]


def _change(step: Step, language: str) -> list[str]:
    before = step.before if step.base is None else step.base
    if before == step.code or step.kind == "run":
        return []
    if not before:
        return [fenced(step.code, language)]
    return [fenced("\n".join(change(step)), "diff")]


def _most(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]
