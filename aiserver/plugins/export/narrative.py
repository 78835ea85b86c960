"""Render a notebook's history as Markdown. Pure.

Text from cells, requests and models is escaped. All versions of a cell can be reconstructed.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from ...notebooks.history import History
from ...replay import Step, report, shown_numbers
from ..local_models.labels import model_label
from .agent_runs import list_runs, short_id
from .fences import escape_inline, fenced, quoted
from .labels import cell_name, contributor, label_counts, outcome, percent, title
from .labels import shares as shares_of
from .page_data import main_language


def narrative(history: History, name: str, cell_id: str | None = None) -> str:
    """Render the history of each cell, or of only one; removed cells come last."""
    timeline = history.timeline
    report_data = report(timeline, history.sessions)
    counts_by_cell = {counts["cellId"]: counts for counts in report_data["cells"]}
    language = main_language(history)
    paragraphs = [
        f"# How {escape_inline(name)} was made",
        f"{shares_summary(report_data['total'])}.",
        *left_out(history),
        *list_runs(history, cell_id),
    ]
    for number, summary in enumerate(timeline.cells(), 1):
        steps = timeline.steps(summary["cellId"])
        if not steps or cell_id not in (None, summary["cellId"]):
            continue
        counts = counts_by_cell.get(summary["cellId"])
        paragraphs.append(f"## {cell_name(number if counts else None, summary)}")
        if counts:
            paragraphs.append(f"{shares_summary(counts)}.")
        cell_language = language if summary["type"] == "code" else summary["type"]
        paragraphs += cell_history(steps, cell_language)
    return "\n\n".join(paragraphs) + "\n"


def left_out(history: History) -> list[str]:
    """Return a paragraph on the cells that are left out, if there are any."""
    if not history.left_out:
        return []
    return [
        "The history of this notebook is very large. Only those of the cells that changed last are"
        f" included. Cells that are left out: {history.left_out:,}."
    ]


def shares_summary(counts: Mapping[str, Any]) -> str:
    """Return a sentence, without its full stop, on how many lines each contributor wrote."""
    lines = counts["lines"]
    if not lines:
        return "No code yet"
    phrases = [f"{count} {label}" for label, count in shares_of(counts)]
    phrases[0] += f" ({percent(counts['byModel'], lines)})"
    if counts["models"]:
        phrases[0] += f", including {_format_counts(label_counts(counts['models']))}"
    if counts["names"]:
        phrases.append(f"by agents and programs: {_format_counts(counts['names'])}")
    return f"{lines} {'line' if lines == 1 else 'lines'}: {'; '.join(phrases)}"


def _format_counts(by_name: Mapping[str, int]) -> str:
    """Format line counts, largest first: ``{"a": 2, "b": 3}`` -> ``"b 3, a 2"``."""
    largest_first = sorted(by_name.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{escape_inline(name)} {count}" for name, count in largest_first)


def cell_history(
    steps: Sequence[Step], language: str, *, level: int = 3, first: int = 0, diffs: bool = True
) -> list[str]:
    """Return the paragraphs on a cell's steps, with headings of ``level``, or lower for parts.

    Without ``diffs``, the code of each step is complete.
    """
    paragraphs = []
    numbers = shown_numbers(steps)
    # A version from which a diff starts is shown before it, unless it was shown already.
    shown_versions = {""}
    for step in steps[first:]:
        heading = escape_inline(title(step, numbers))
        is_part = step.part_of is not None
        number = "" if is_part else f"{numbers[step.index]}. "
        paragraphs.append(f"{'#' * (level + is_part)} {number}{heading}")
        paragraphs.append(" · ".join(_facts(step)))
        if step.kind == "turn" or step.title:
            paragraphs.append(quoted(step.title))
        if step.base is not None and step.base not in shown_versions:
            paragraphs += ["Starting from:", fenced(step.base, language)]
        paragraphs += _change_block(step, language, diffs)
        shown_versions |= {step.base or "", step.code}
        if step.explanation:
            paragraphs += ["Answer:", quoted(step.explanation)]
        if step.error:
            paragraphs += ["Error:", quoted(step.error)]
        paragraphs += _other_answers(step, language)
        outputs = ((step.data or {}).get("outputs") or {}) if step.kind == "run" else {}
        text = outputs.get("text") if isinstance(outputs, dict) else None
        if isinstance(text, str) and text:
            paragraphs += ["Output:", fenced(text.rstrip("\n"), "")]
    return paragraphs


def _other_answers(step: Step, language: str) -> list[str]:
    paragraphs = []
    for attempt in step.attempts or ():
        if attempt.turn_id != step.turn_id:
            model = model_label(attempt.model) if attempt.model else None
            facts = ("Another answer", model, attempt.timestamp, attempt.error)
            paragraphs.append(" · ".join(map(escape_inline, filter(None, facts))))
            if attempt.code and attempt.outcome != "done":
                paragraphs.append(fenced(attempt.code, language))
            if attempt.explanation:
                paragraphs.append(quoted(attempt.explanation))
    return paragraphs


def _facts(step: Step) -> list[str]:
    model = model_label(step.model) if step.model else None
    run = f"run {short_id(step.run)}" if step.run else None
    facts = [contributor(step), run, model, step.timestamp, outcome(step)]
    return [escape_inline(fact) for fact in facts if fact]


def _change_block(step: Step, language: str, diffs: bool) -> list[str]:
    """Return the paragraphs that show the change of a step: a diff, its first code, or none."""
    # The cell's code at the time of a request can differ from the source before the step.
    before = step.asked_code
    if before == step.code or step.kind == "run":
        return []
    if not (before and diffs):
        return [fenced(step.code, language)]
    lines = difflib.unified_diff(before.split("\n"), step.code.split("\n"), lineterm="")
    return [fenced("\n".join([*lines][2:]), "diff")]  # without the two lines of the header
