"""Collect the data of the exported page: cells with their steps, and the moments. Pure.

Invariants:

- Steps, moments, blame and report come from ``aiserver/replay``; this module only encodes them.
- The result is small as JSON. It contains each source only once. Instead of the order of the cells
  at each moment, it contains the changes of this order.
- Collecting the data takes about as long as reading the notebook's history.

The main fields of the format, which ``src/exportedPage/model/replay.ts`` reads:

- ``texts``: each text that is the ``before``, ``code`` or ``base`` of a step, or the ``first`` of a
  cell. These fields contain the text's index in this list
- ``cells``: each cell has ``steps`` and ``first`` (the source before the first step)
- a step is encoded as in the HTTP API, except for ``before``, ``code`` and ``base`` (see ``texts``)
- a step's ``by``: the origins of its lines. Each item ``[line count, step, author]`` represents
  adjacent lines of one origin. The step is null if it isn't recorded. The author is an index into
  ``AUTHORS``. If the lines were copied from another cell, a fourth element ``[cell, step]`` says
  which step of that cell wrote them
- ``moments``: each moment has ``steps``, a list of ``[cell, step]``
- ``orders``: changes of the order of cells, as ``[moment, start, count, [[cell, type] …]]``: the
  listed cells replace ``count`` cells, beginning at the index ``start``
- ``deleted``: changes of the list of deleted cells, in the same form but without types
- ``markdown``: maps the index of a text to the tree (``markdown.py``) of this text. It contains
  only sources of Markdown cells
- ``leftOut``: the number of cells that are left out; missing if there are none
- a step's ``answer``: the tree of its explanation; missing if the explanation has no tree

Here, a cell is an index into ``cells``, a step an index into the cell's ``steps``, and a moment an
index into ``moments``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ..llm.labels import model_label
from ..notebooks.history import History
from ..replay import CountCache, Moment, Origin, Step, count_lines, report, trace
from ..replay.timeline import ListChange
from . import markdown
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

    ``pictures`` contains the ``data:`` URLs of pictures, by hash. If ``language`` is None, the
    result contains the main language of the history.
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
    """A list of texts without duplicates."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._index: dict[str, int] = {}

    def add(self, text: str) -> int:
        """Add a text if it is new, and return its index."""
        if text not in self._index:
            self._index[text] = len(self.all)
            self.all.append(text)
        return self._index[text]


class _Trees:
    """Parses texts as Markdown, until their total length would exceed ``_MARKDOWN_LIMIT``."""

    def __init__(self) -> None:
        self._budget = _MARKDOWN_LIMIT

    def add(self, target: dict[str, Any], name: str, text: str) -> None:
        """Set ``target[name]`` to the tree of ``text``, if the text has a tree."""
        self._budget -= len(text)
        tree = markdown.tree(text) if self._budget >= 0 else None
        if tree is not None:
            target[name] = tree


def _with_labels(report: dict[str, Any]) -> dict[str, Any]:
    """Replace the ids of models in a report by their labels."""
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
    """Return data in which numbers that JSON can't represent, such as NaN, are replaced by None.

    Other tools may have written such numbers to a session.
    """
    if isinstance(value, dict):
        return {name: _nan_to_none(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_nan_to_none(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _encode_lines(origin: Origin, line_count: int, index_by_cell: Mapping[str, int]) -> list[Any]:
    """Encode the origin of ``line_count`` adjacent lines."""
    author = "existing" if origin.is_existing else origin.author
    data: list[Any] = [line_count, origin.step, AUTHORS.index(author)]
    copied = origin.copied_from
    if copied is not None and copied.cell_id in index_by_cell:
        data.append([index_by_cell[copied.cell_id], copied.step])
    return data


def _encode_moment(moment: Moment, index_by_cell: Mapping[str, int]) -> dict[str, Any]:
    steps = [(moment.cell_id, moment.step), *moment.further_steps]
    data: dict[str, Any] = {
        "timestamp": moment.timestamp,
        "kind": moment.kind,
        "steps": [[index_by_cell[cell], step] for cell, step in steps if cell and step is not None],
    }
    return data | ({"saved": True} if moment.saved else {})


def _encode_orders(
    changes: Sequence[ListChange], index_by_cell: Mapping[str, int]
) -> dict[str, Any]:
    """Encode the changes of both lists: the cells in the notebook, and the deleted cells."""
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
