"""The data of the exported page: cells with their steps, and the notebook's moments. Pure.

Invariants:

- Steps, moments, blame and report come from ``aiserver/replay``; this module only encodes them.
- The result is compact JSON: each text occurs once, and the order of cells is stored as changes.
- Collecting it takes about as long as reading the notebook's history.

The format, which ``page/*.js`` reads:

- ``texts``: all sources of all cells; other fields refer to them by index
- ``cells``: each has ``steps``, ``rows`` (the steps as listed, with runs folded into the step that
  they ran, see ``fold.py``) and ``first`` (the source before the first step, if known)
- a step's ``code`` and ``was`` (the source it is compared with): indexes into ``texts``
- a step's ``by``: the origins of its lines as ``[lines, step or null, author, [cell, step]?]``,
  with the author as an index into ``AUTHORS``
- ``moments``: each has ``steps`` as ``[cell, step]``
- ``orders``: changes of the order of cells, as ``[moment, start, removed count, [[cell, type] …]]``
- ``gone``: changes of the order of deleted cells, likewise but without types
- ``markdown``: the trees (``markdown.py``) of Markdown cells by index into ``texts``; a step's
  ``answer`` is the tree of its explanation, if it isn't plain text
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ..notebooks.history import History
from ..replay import Moment, Origin, Step, blame_steps, report
from ..replay.cell_rows import RowChange
from . import markdown
from .fold import Row, fold
from .pictures import output_hashes

AUTHORS = ("person", "model", "agent", "program", "unknown", "existing")
"""The authors of lines; the page refers to them by index."""

_MARKDOWN = 1_000_000  # characters rendered as Markdown; the rest is shown as plain text


def page_data(
    history: History, name: str, pictures: Mapping[str, str], *, language: str | None = None
) -> dict[str, Any]:
    """Collect the page's data for a notebook called ``name``."""
    timeline = history.timeline
    texts, trees = _Texts(), _Trees()
    rows = timeline.cells()
    changes = list(timeline.row_changes())
    types = [(row["cellId"], row["type"]) for row in rows]
    types += [cell for change in changes for cell in change.inserted]
    prose = {cell_id for cell_id, type_ in types if type_ == "markdown"}
    versions: dict[str, Any] = {}  # trees by index into the texts
    index = {row["cellId"]: number for number, row in enumerate(rows)}
    cells = []
    for row in rows:
        cell_id = row["cellId"]
        steps = timeline.steps(cell_id)
        origins = blame_steps(cell_id, steps, history.sessions)
        step_data = [
            _encode_step(step, by, index, texts, pictures)
            for step, by in zip(steps, origins, strict=True)
        ]
        for step in step_data:
            trees.add(step, "answer", step.get("said", ""))
        first = texts.index(timeline.initial_source(cell_id))
        for number in dict.fromkeys([first, *(step["code"] for step in step_data)]):
            if cell_id in prose and str(number) not in versions:
                trees.add(versions, str(number), texts.all[number])
        cells.append(
            {
                "id": cell_id,
                "type": row["type"],
                "deleted": row["deleted"],
                "mergedInto": index.get(row["mergedInto"] or ""),
                "steps": step_data,
                "rows": [_encode_row(row) for row in fold(steps)],
                "first": first,
            }
        )
    return {
        "name": name,
        "language": language or main_language(history),
        "cells": cells,
        "moments": [_encode_moment(moment, index) for moment in timeline.moments],
        **_encode_orders(changes, index),
        "texts": texts.all,
        "markdown": versions,
        "pictures": dict(pictures),
        "report": report(timeline, history.sessions),
    }


def main_language(history: History) -> str:
    """Return the most frequent language of the requests."""
    languages = [
        turn.user_request.language
        for session in history.sessions.values()
        for turn in session.interactions
    ]
    code = sorted(name for name in languages if name not in ("markdown", "text"))
    return max(code, key=code.count, default="python")


class _Texts:
    """Unique texts, referred to by index."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._index: dict[str, int] = {}

    def index(self, text: str) -> int:
        if text not in self._index:
            self._index[text] = len(self.all)
            self.all.append(text)
        return self._index[text]


class _Trees:
    """Parses texts as Markdown, up to a total size."""

    def __init__(self) -> None:
        self._budget = _MARKDOWN

    def add(self, target: dict[str, Any], name: str, text: str) -> None:
        self._budget -= len(text)
        tree = markdown.tree(text) if self._budget >= 0 else None
        if tree is not None:
            target[name] = tree


def _encode_step(
    step: Step,
    by: Sequence[Origin],
    index: Mapping[str, int],
    texts: _Texts,
    pictures: Mapping[str, str],
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "kind": step.kind,
        "author": "existing" if step.is_existing else step.author,
        "time": step.timestamp,
        "outcome": step.outcome,
        "code": texts.index(step.code),
        "was": texts.index(step.before if step.base is None else step.base),
        "applied": step.applied,
        "by": [_encode_run(origin, len(list(lines)), index) for origin, lines in groupby(by)],
    }
    optional = {
        "title": step.title,
        "turn": step.turn_id,
        "model": step.model,
        "name": step.name,
        "command": _command(step.data),
        "said": step.explanation,
        "error": step.error,
        "from": step.from_step,
        "output": _output(step.data, pictures) if step.kind == "run" else None,
    }
    return data | {name: value for name, value in optional.items() if value not in (None, "")}


def _encode_row(row: Row) -> dict[str, Any]:
    data = {"step": row.step, "runs": row.runs, "cut": row.cut}
    return {name: value for name, value in data.items() if value not in (None, [])}


def _encode_run(origin: Origin, lines: int, index: Mapping[str, int]) -> list[Any]:
    author = "existing" if origin.is_existing else origin.author
    run: list[Any] = [lines, origin.step, AUTHORS.index(author)]
    source = origin.copied_from
    if source is not None and source.cell_id in index:
        run.append([index[source.cell_id], source.step])
    return run


def _command(data: Mapping[str, Any] | None) -> str | None:
    """Return the command by which a program edited the cell."""
    command = (data or {}).get("command")
    return command if isinstance(command, str) else None


def _output(data: Mapping[str, Any] | None, pictures: Mapping[str, str]) -> dict[str, Any] | None:
    """Encode a run's output and duration. Other tools write sessions too, so values are checked."""
    data = data or {}
    outputs = data.get("outputs")
    outputs = outputs if isinstance(outputs, dict) else {}
    text = outputs.get("text")
    fields = {
        "count": _number(data.get("execution_count")),
        "ms": _number(data.get("duration_ms")),
        "text": text if isinstance(text, str) else None,
        "cut": True if outputs.get("truncated") is True else None,
        "pictures": [sha256 for sha256 in output_hashes(data) if sha256 in pictures],
    }
    return {name: value for name, value in fields.items() if value not in (None, "", [])} or None


def _number(value: object) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _encode_moment(moment: Moment, index: Mapping[str, int]) -> dict[str, Any]:
    steps = [(moment.cell_id, moment.step), *moment.also]
    data: dict[str, Any] = {
        "time": moment.timestamp,
        "kind": moment.kind,
        "steps": [[index[cell], step] for cell, step in steps if cell and step is not None],
    }
    return data | ({"saved": True} if moment.saved else {})


def _encode_orders(changes: Sequence[RowChange], index: Mapping[str, int]) -> dict[str, Any]:
    """Encode the changes of the order of cells, and of deleted cells."""
    orders: list[list[Any]] = []
    deleted: list[list[Any]] = []
    for moment, row, start, removed, inserted in changes:
        if row == "cells":
            cells = [[index[cell_id], type_] for cell_id, type_ in inserted]
            orders.append([moment, start, removed, cells])
        else:
            deleted.append([moment, start, removed, [index[cell_id] for cell_id, _ in inserted]])
    return {"orders": orders, "gone": deleted}
