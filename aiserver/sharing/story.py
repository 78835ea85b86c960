"""All that a shared replay tells, as plain data: cells, their steps, the notebook's moments. Pure.

What must hold:

- Nothing is judged here: steps, moments, blame and report are those of ``aiserver/replay``.
- It is JSON, and not larger than it must be: each text stands in it once; of the notebook's
  order only the changes do.
- To gather it costs about as much as to read the notebook's history.

Its shape (``page/*.js`` reads it): ``texts`` are all sources that there ever were; ``cells`` have
``steps``, whose ``code`` and ``was`` (what it is compared with) are places in ``texts`` and whose
``by`` names the lines' origins as runs ``[lines, step or null, author, [cell, step]?]``, where the
author is a place in ``AUTHORS``;
``rows`` are the steps as they are listed, runs folded into the step that they ran (``fold.py``);
``first`` is what a cell held before, as far as is known; ``moments`` have ``steps`` as ``[cell,
step]``; ``orders`` are changes of the row of cells: ``[moment, start, how many are cut, [[cell,
type] …]]``, and ``gone`` those of the deleted cells, likewise without types. ``markdown`` has the
trees (``markdown.py``) of Markdown cells by their place in ``texts``, ``answer`` that of a step's
explanation, where there is more to draw than text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ..models import Session
from ..notebooks.history import History
from ..replay import Moment, Origin, Step, blame_steps, report
from ..replay.cell_rows import RowChange
from . import markdown
from .fold import Row, fold
from .pictures import hashes

AUTHORS = ("person", "model", "agent", "program", "unknown", "existing")
"""The authors of lines; the page knows them by their place."""

_MARKDOWN = 1_000_000  # characters that are drawn as Markdown; the rest is shown as it is


def story(
    history: History, name: str, pictures: Mapping[str, str], *, language: str | None = None
) -> dict[str, Any]:
    """The story of a notebook called ``name``."""
    timeline = history.timeline
    texts, trees = _Texts(), _Trees()
    rows = timeline.cells()
    changes = list(timeline.row_changes())
    types = [(row["cellId"], row["type"]) for row in rows]
    types += [typed for change in changes for typed in change.inserted]
    prose = {cell_id for cell_id, type_ in types if type_ == "markdown"}
    versions: dict[str, Any] = {}  # Markdown by its place in the texts
    place = {row["cellId"]: number for number, row in enumerate(rows)}
    cells = []
    for row in rows:
        cell_id = row["cellId"]
        session = history.sessions.get(cell_id)
        steps = timeline.steps(cell_id)
        told = _steps(session, steps, history.sessions, place, texts, pictures) if session else []
        for one in told:
            trees.add(one, "answer", one.get("said", ""))
        first = texts.place(timeline.initial_source(cell_id))
        for number in dict.fromkeys([first, *(one["code"] for one in told)]):
            if cell_id in prose and str(number) not in versions:
                trees.add(versions, str(number), texts.all[number])
        cells.append(
            {
                "id": cell_id,
                "type": row["type"],
                "deleted": row["deleted"],
                "mergedInto": place.get(row["mergedInto"] or ""),
                "steps": told,
                "rows": [_row(row) for row in fold(steps)] if told else [],
                "first": first,
            }
        )
    return {
        "name": name,
        "language": language or language_of(history),
        "cells": cells,
        "moments": [_moment(moment, place) for moment in timeline.moments],
        **_orders(changes, place),
        "texts": texts.all,
        "markdown": versions,
        "pictures": dict(pictures),
        "report": report(timeline, history.sessions),
    }


def language_of(history: History) -> str:
    """The language that most was asked in."""
    asked = [
        turn.user_request.language
        for session in history.sessions.values()
        for turn in session.interactions
    ]
    code = sorted(one for one in asked if one not in ("markdown", "text"))
    return max(code, key=code.count, default="python")


class _Texts:
    """Texts that are said once."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._place: dict[str, int] = {}

    def place(self, text: str) -> int:
        if text not in self._place:
            self._place[text] = len(self.all)
            self.all.append(text)
        return self._place[text]


class _Trees:
    """Texts as Markdown, until there are too many."""

    def __init__(self) -> None:
        self._room = _MARKDOWN

    def add(self, place: dict[str, Any], name: str, text: str) -> None:
        self._room -= len(text)
        tree = markdown.tree(text) if self._room >= 0 else None
        if tree is not None:
            place[name] = tree


def _steps(
    session: Session,
    steps: Sequence[Step],
    others: Mapping[str, Session],
    place: Mapping[str, int],
    texts: _Texts,
    pictures: Mapping[str, str],
) -> list[dict[str, Any]]:
    origins = blame_steps(session, others=others, steps=steps)
    return [_step(one, by, place, texts, pictures) for one, by in zip(steps, origins, strict=True)]


def _step(
    step: Step,
    by: Sequence[Origin],
    place: Mapping[str, int],
    texts: _Texts,
    pictures: Mapping[str, str],
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": step.kind,
        "author": "existing" if step.is_existing else step.author,
        "time": step.timestamp,
        "outcome": step.outcome,
        "code": texts.place(step.code),
        "was": texts.place(step.before if step.base is None else step.base),
        "applied": step.applied,
        "by": [_run(origin, len(list(lines)), place) for origin, lines in groupby(by)],
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
    return told | {name: value for name, value in optional.items() if value not in (None, "")}


def _row(row: Row) -> dict[str, Any]:
    told = {"step": row.step, "runs": row.runs, "cut": row.cut}
    return {name: value for name, value in told.items() if value not in (None, [])}


def _run(origin: Origin, lines: int, place: Mapping[str, int]) -> list[Any]:
    author = "existing" if origin.is_existing else origin.author
    run: list[Any] = [lines, origin.step, AUTHORS.index(author)]
    brought = origin.copied_from
    if brought is not None and brought.cell_id in place:
        run.append([place[brought.cell_id], brought.step])
    return run


def _command(data: Mapping[str, Any] | None) -> str | None:
    """The command that a program edited by."""
    command = (data or {}).get("command")
    return command if isinstance(command, str) else None


def _output(data: Mapping[str, Any] | None, pictures: Mapping[str, str]) -> dict[str, Any] | None:
    """What a run printed and how long it took. The session may be any tool's: all is checked."""
    data = data or {}
    outputs = data.get("outputs")
    outputs = outputs if isinstance(outputs, dict) else {}
    text = outputs.get("text")
    kept = {
        "count": _number(data.get("execution_count")),
        "ms": _number(data.get("duration_ms")),
        "text": text if isinstance(text, str) else None,
        "cut": True if outputs.get("truncated") is True else None,
        "pictures": [one for one in hashes(data) if one in pictures],
    }
    return {name: value for name, value in kept.items() if value not in (None, "", [])} or None


def _number(value: object) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _moment(moment: Moment, place: Mapping[str, int]) -> dict[str, Any]:
    steps = [(moment.cell_id, moment.step), *moment.also]
    told: dict[str, Any] = {
        "time": moment.timestamp,
        "kind": moment.kind,
        "steps": [[place[cell], step] for cell, step in steps if cell and step is not None],
    }
    return told | ({"saved": True} if moment.saved else {})


def _orders(changes: Sequence[RowChange], place: Mapping[str, int]) -> dict[str, Any]:
    """The row of cells, and that of deleted ones, as changes of them."""
    orders: list[list[Any]] = []
    gone: list[list[Any]] = []
    for moment, row, start, cut, put in changes:
        if row == "cells":
            orders.append([moment, start, cut, [[place[cell_id], type_] for cell_id, type_ in put]])
        else:
            gone.append([moment, start, cut, [place[cell_id] for cell_id, _ in put]])
    return {"orders": orders, "gone": gone}
