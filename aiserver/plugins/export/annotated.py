"""Export a notebook as a copy in which the history of each cell follows the cell. Pure.

Each cell that has a history is followed by a folded Markdown cell with this history; those of other
cells are at the end. Earlier versions are code blocks, since "Run all" would run cells.

Invariants: the copy is valid nbformat 4.5, the same for each export, with unique cell ids and
without a notebook id. The file's cells and outputs are unchanged, except for invalid ids. Each
version and each request of the history is included.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...notebooks.history import History
from ...replay import Step, report, shown_steps
from .agent_runs import list_runs
from .fences import escape_inline
from .labels import cell_name
from .narrative import cell_history, left_out, shares_summary
from .page_data import main_language
from .restored import notebook_at

_VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def annotate(history: History, name: str, notebook: dict[str, Any] | None) -> dict[str, Any]:
    """Return a copy of a notebook, with the history of its cells.

    Without a valid ``notebook``, the copy has the cells of the history's last moment.
    """
    result = _from_file(notebook) or notebook_at(history, len(history.timeline.moments) - 1)
    timeline, language = history.timeline, main_language(history)
    report_data = report(timeline, history.sessions)
    counts_by_cell = {counts["cellId"]: counts for counts in report_data["cells"]}
    summary_by_cell = {summary["cellId"]: summary for summary in timeline.cells()}
    used_ids = {cell["id"] for cell in result["cells"]}
    cells = [
        _markdown_cell(
            "\n\n".join(
                [
                    f"# How {escape_inline(name)} was made",
                    f"{shares_summary(report_data['total'])}.",
                    "Each cell that was written with AI or has changed is followed by its history.",
                    *left_out(history),
                    *list_runs(history),
                ]
            ),
            "story",
            used_ids,
        )
    ]
    for cell in result["cells"]:
        cells.append(cell)
        summary = summary_by_cell.pop(cell["id"], None)
        steps = timeline.steps(cell["id"])
        source = "".join(cell.get("source", ""))  # a text or a list of lines
        if summary and _has_history(steps, source):
            counts = counts_by_cell.get(cell["id"])
            cells.append(
                _history_cell(summary, steps, counts, "How this cell was made", language, used_ids)
            )
    # The remaining summaries are those of cells that aren't in the notebook's file.
    for summary in summary_by_cell.values():
        if steps := timeline.steps(summary["cellId"]):
            heading = _heading_of_missing_cell(summary)
            cells.append(_history_cell(summary, steps, None, heading, language, used_ids))
    result["cells"] = cells
    return result


def _has_history(steps: Sequence[Step], source: str) -> bool:
    """Return whether the steps contain a request, or a version other than ``source``."""
    return any(
        step.kind == "turn" or step.code != source or step.before not in ("", source)
        for step in steps
    )


def _heading_of_missing_cell(summary: Mapping[str, Any]) -> str:
    if summary["mergedInto"] or summary["deleted"]:
        return cell_name(None, summary)
    return "Cell not in this file"


def _history_cell(
    summary: Mapping[str, Any],
    steps: Sequence[Step],
    counts: Mapping[str, Any] | None,
    heading: str,
    language: str,
    used_ids: set[str],
) -> dict[str, Any]:
    """Return the folded Markdown cell with the history of one cell; ``counts`` are its lines."""
    count = len(list(shown_steps(steps)))
    unit = "step" if count == 1 else "steps"
    paragraphs = [
        f"<details>\n<summary>{heading} · {count} {unit}</summary>",
        *([f"{shares_summary(counts)}."] if counts else []),
        *cell_history(steps, language if summary["type"] == "code" else summary["type"], level=4),
        "</details>",
    ]
    return _markdown_cell("\n\n".join(paragraphs), summary["cellId"], used_ids)


def _markdown_cell(source: str, id_seed: str, used_ids: set[str]) -> dict[str, Any]:
    """Return a Markdown cell. Its id is derived from ``id_seed``, and is added to ``used_ids``."""
    cell_id, number = "", 0
    while not cell_id or cell_id in used_ids:
        digest = hashlib.sha256(f"{id_seed} {number}".encode()).hexdigest()
        cell_id, number = f"story-{digest[:16]}", number + 1
    used_ids.add(cell_id)
    return {
        "cell_type": "markdown",
        "id": cell_id,
        "metadata": {"editable": False},
        "source": source.splitlines(keepends=True),
    }


def _from_file(notebook: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a copy of a valid ``notebook`` of format 4, as 4.5, without its id; else None."""
    if not notebook or notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        return None
    if not all(isinstance(cell, dict) for cell in notebook["cells"]):
        return None
    result = copy.deepcopy(notebook)
    result["nbformat_minor"] = max(5, result.get("nbformat_minor", 5))
    if isinstance(result.get("metadata"), dict):
        result["metadata"].pop("aiserver", None)
    used_ids: set[str] = set()
    for number, cell in enumerate(result["cells"]):
        cell_id = cell.get("id")
        # Formats before 4.5 have no cell ids. Ids that are invalid or not unique are replaced, too.
        if not isinstance(cell_id, str) or not _VALID_ID.fullmatch(cell_id) or cell_id in used_ids:
            cell["id"] = f"cell-{number}-{hashlib.sha256(str(number).encode()).hexdigest()[:8]}"
        used_ids.add(cell["id"])
    return result
