"""Collect the data of the exported page, as ``src/plugins/exportedPage/model`` reads it. Pure.

Each text is stored only once, in ``texts``, and other data contains its index. Cells, steps and
moments are indexes, too. Instead of the cells at each moment, the changes of their list are stored.

- a step's ``by``: items ``[line count, step, author, copied from]``, the origins of its lines. The
  author is an index into ``AUTHORS``; the last is a ``[cell, step]``, or missing
- ``orders``: changes ``[moment, start, count, [[cell, type] …]]`` of the list of cells;
  ``deleted``: those of deleted cells, without types
- ``runs``: the runs of agents, as name, intent and number of cells
- ``markdown``: the trees (``markdown_tree.py``) of the sources of Markdown cells; ``answer``: that
  of a step's explanation
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ...notebooks.history import History
from ...replay import CountCache, Moment, Origin, Step, count_lines, report, trace
from ...replay.timeline import ListChange
from ..agents.runs import runs_of
from ..local_models.labels import model_label
from . import markdown_tree
from .labels import label_counts

AUTHORS = ("person", "model", "agent", "program", "unknown", "existing")
"""The authors of lines; the page refers to them by index."""

_EVENT_DATA_KEYS = (
    *("command", "corrections", "duration_ms", "execution_count", "outputs"),
    *("pieces", "parents", "into", "from", "to", "index", "after", "hunks"),
)
"""The keys of an event's data that the page shows: in the title of a step, or as its output."""

_MARKDOWN_LIMIT = 1_000_000
"""The maximum total length, in characters, of the texts that are parsed as Markdown."""


def page_data(
    history: History, name: str, pictures: Mapping[str, str], *, language: str | None = None
) -> dict[str, Any]:
    """Collect the page's data for a notebook called ``name``.

    ``pictures`` are ``data:`` URLs, by hash. ``language`` is by default that of the history.
    """
    timeline = history.timeline
    texts, trees = _Texts(), _Trees()
    summaries = timeline.cells()
    changes = list(timeline.list_changes())
    types = [(summary["cellId"], summary["type"]) for summary in summaries]
    types += [cell for change in changes for cell in change.inserted]
    markdown_cell_ids = {cell_id for cell_id, type_ in types if type_ == "markdown"}
    cell_trees: dict[str, Any] = {}  # maps the index of a text to the text's tree
    index_by_cell = {summary["cellId"]: number for number, summary in enumerate(summaries)}
    cells = []
    counts: CountCache = {}
    for summary in summaries:
        cell_id = summary["cellId"]
        steps = timeline.steps(cell_id)
        tracer = trace(cell_id, steps, history.sessions)
        step_data = [
            _encode_step(step, version.origins, index_by_cell, texts)
            for step, version in zip(steps, tracer.versions, strict=True)
        ]
        if steps and steps[-1].missing is None:
            counts[cell_id] = steps, count_lines(tracer.current.text, tracer.current.origins)
        for step in step_data:
            trees.add(step, "answer", step.get("explanation", ""))
        first_index = texts.add(timeline.initial_source(cell_id))
        for text_index in dict.fromkeys([first_index, *(step["code"] for step in step_data)]):
            if cell_id in markdown_cell_ids and str(text_index) not in cell_trees:
                trees.add(cell_trees, str(text_index), texts.all[text_index])
        cells.append(
            {
                "id": cell_id,
                "type": summary["type"],
                "deleted": summary["deleted"],
                "mergedInto": index_by_cell.get(summary["mergedInto"] or ""),
                "steps": step_data,
                "first": first_index,
            }
        )
    runs = [[run.agent.name, run.intent, len(run.cells)] for run in runs_of(history)]
    return {
        "name": name,
        "language": language or main_language(history),
        "cells": cells,
        "moments": [_encode_moment(moment, index_by_cell) for moment in timeline.moments],
        **_encode_orders(changes, index_by_cell),
        "texts": texts.all,
        "markdown": cell_trees,
        "pictures": dict(pictures),
        **({"leftOut": history.left_out} if history.left_out else {}),
        "report": _with_labels(report(timeline, history.sessions, counts)),
        **({"runs": runs} if runs else {}),
    }


def main_language(history: History) -> str:
    """Return the most frequent programming language of the requests; Python if they have none."""
    languages = [
        turn.user_request.language
        for session in history.sessions.values()
        for turn in session.interactions
    ]
    code_languages = sorted(name for name in languages if name not in ("markdown", "text"))
    return max(code_languages, key=code_languages.count, default="python")


class _Texts:
    def __init__(self) -> None:
        self.all: list[str] = []
        self._index: dict[str, int] = {}

    def add(self, text: str) -> int:
        if text not in self._index:
            self._index[text] = len(self.all)
            self.all.append(text)
        return self._index[text]


class _Trees:
    """Parses texts as Markdown, until their total length would exceed ``_MARKDOWN_LIMIT``."""

    def __init__(self) -> None:
        self._budget = _MARKDOWN_LIMIT

    def add(self, target: dict[str, Any], name: str, text: str) -> None:
        self._budget -= len(text)
        tree = markdown_tree.tree(text) if self._budget >= 0 else None
        if tree is not None:
            target[name] = tree


def _with_labels(report: dict[str, Any]) -> dict[str, Any]:
    for counts in (report["total"], *report["cells"]):
        counts["models"] = label_counts(counts["models"])
    return report


def _encode_step(
    step: Step, origins: Sequence[Origin], index_by_cell: Mapping[str, int], texts: _Texts
) -> dict[str, Any]:
    data = step.to_wire()
    attempts = data.get("attempts", ())
    for answer in (data, *attempts):
        answer.pop("receipt", None)  # colleagues needn't see what the answers cost
        if "model" in answer:
            answer["model"] = model_label(answer["model"])
    for attempt in attempts:
        attempt["code"] = texts.add(attempt["code"])
    data.pop("dataframes", None)  # the page shows only their changes
    data |= {name: texts.add(data[name]) for name in ("before", "code", "base") if name in data}
    if step.data:
        data["data"] = {
            name: _nan_to_none(step.data[name]) for name in _EVENT_DATA_KEYS if name in step.data
        }
    data["by"] = [
        _encode_lines(origin, len(list(lines)), index_by_cell) for origin, lines in groupby(origins)
    ]
    return data


def _nan_to_none(value: Any) -> Any:
    """Replace numbers that JSON can't represent, which other tools may have written."""
    if isinstance(value, dict):
        return {name: _nan_to_none(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_nan_to_none(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _encode_lines(origin: Origin, line_count: int, index_by_cell: Mapping[str, int]) -> list[Any]:
    author = "existing" if origin.is_existing else origin.author
    data: list[Any] = [line_count, origin.step, AUTHORS.index(author)]
    copied = origin.copied_from
    if copied is not None and copied.cell_id in index_by_cell:
        data.append([index_by_cell[copied.cell_id], copied.step])
    return data


def _encode_moment(moment: Moment, index_by_cell: Mapping[str, int]) -> dict[str, Any]:
    further = [(each.cell_id, each.step) for each in moment.further_steps or ()]
    steps = [(moment.cell_id, moment.step), *further]
    data: dict[str, Any] = {
        "timestamp": moment.timestamp,
        "kind": moment.kind,
        "steps": [[index_by_cell[cell], step] for cell, step in steps if cell and step is not None],
    }
    return data | ({"saved": True} if moment.saved else {})


def _encode_orders(
    changes: Sequence[ListChange], index_by_cell: Mapping[str, int]
) -> dict[str, Any]:
    orders: list[list[Any]] = []
    deleted: list[list[Any]] = []
    for moment, list_name, start, removed_count, inserted in changes:
        if list_name == "cells":
            cells = [[index_by_cell[cell_id], type_] for cell_id, type_ in inserted]
            orders.append([moment, start, removed_count, cells])
        else:
            cell_indexes = [index_by_cell[cell_id] for cell_id, _ in inserted]
            deleted.append([moment, start, removed_count, cell_indexes])
    return {"orders": orders, "deleted": deleted}
