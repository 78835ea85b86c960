"""Render a notebook's history as Markdown, to be read from top to bottom. Pure.

Invariants: foreign text is escaped (``fences.py``). Each step is included with its changes, so that
all versions can be reconstructed.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from ..notebooks.history import History
from ..replay import Step, report
from .fences import escape_inline, fenced, quoted
from .labels import cell_name, contributor, outcome, percent, title
from .labels import shares as shares_of
from .page_data import main_language


def narrative(history: History, name: str) -> str:
    """Render all cells: those in the notebook in order, then the deleted ones."""
    timeline = history.timeline
    shares = report(timeline, history.sessions)
    by_cell = {row["cellId"]: row for row in shares["cells"]}
    language = main_language(history)
    parts = [f"# How {escape_inline(name)} was made", f"{shares_summary(shares['total'])}."]
    rows = timeline.cells()
    for number, row in enumerate(rows, 1):
        steps = timeline.steps(row["cellId"])
        if not steps:
            continue
        share = by_cell.get(row["cellId"])
        parts.append(f"## {cell_name(number if share else None, row)}")
        if share:
            parts.append(f"{shares_summary(share)}.")
        parts += cell_history(steps, language if row["type"] == "code" else row["type"])
    return "\n\n".join(parts) + "\n"


def shares_summary(share: Mapping[str, Any]) -> str:
    """Describe the lines per contributor in a sentence without its full stop."""
    lines = share["lines"]
    if not lines:
        return "No code yet"
    parts = [f"{count} {label}" for label, count in shares_of(share)]
    parts[0] += f" ({percent(share['byModel'], lines)})"
    if share["models"]:
        parts[0] += f", including {_counts(share['models'])}"
    if share["names"]:
        parts.append(f"by agents and programs: {_counts(share['names'])}")
    return f"{lines} lines: {'; '.join(parts)}"


def _counts(by_name: Mapping[str, int]) -> str:
    rows = sorted(by_name.items(), key=lambda row: (-row[1], row[0]))
    return ", ".join(f"{escape_inline(name)} {count}" for name, count in rows)


def cell_history(steps: Sequence[Step], language: str, *, level: int = 3) -> list[str]:
    """Return the paragraphs of a cell's steps; each step has a heading of ``level``."""
    parts = []
    shown = {""}  # versions printed so far, which diffs can refer to
    for step in steps:
        parts.append(f"{'#' * level} {step.index + 1}. {escape_inline(title(step))}")
        parts.append(" · ".join(_facts(step)))
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
        outputs = ((step.data or {}).get("outputs") or {}) if step.kind == "run" else {}
        text = outputs.get("text") if isinstance(outputs, dict) else None
        if isinstance(text, str) and text:
            parts += ["Output:", fenced(text.rstrip("\n"), "")]
    return parts


def change(step: Step) -> list[str]:
    """Return a step's change as the lines of a unified diff without its header."""
    before = step.before if step.base is None else step.base
    if not before:
        return [f"+{line}" for line in step.code.split("\n")] if step.code else []
    lines = difflib.unified_diff(before.split("\n"), step.code.split("\n"), lineterm="")
    return list(lines)[2:]


def _facts(step: Step) -> list[str]:
    facts = [contributor(step), step.model, step.timestamp, outcome(step)]
    return [escape_inline(fact) for fact in facts if fact]


def _change(step: Step, language: str) -> list[str]:
    before = step.before if step.base is None else step.base
    if before == step.code or step.kind == "run":
        return []
    if not before:
        return [fenced(step.code, language)]
    return [fenced("\n".join(change(step)), "diff")]
