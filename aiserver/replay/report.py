"""How much of a notebook the model wrote, and how much a person, as it is now. Pure.

What must hold: each line that isn't blank counts once, for the model or for the person, by its
origin in ``blame.py``; the total is the sum of the cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..models import Session
from .blame import held_by
from .timeline import Timeline

UNKNOWN_MODEL = "unknown"  # of turns that other tools kept without the model's name


def report(timeline: Timeline, sessions: Mapping[str, Session]) -> dict[str, Any]:
    """The ``Report`` of ``rest-api.yml``, of the last moment.

    ``sessions`` by cell are those in which lines are looked up that were merged into another.
    """
    notebook = timeline.last()
    rows = [
        _row(cell.cell_id, cell.type, cell.source, timeline, sessions)
        for cell in (notebook.cells if notebook else [])
    ]
    models: Counter[str] = Counter()
    for row in rows:
        models.update(row["models"])
    sums = {name: sum(row[name] for row in rows) for name in ("lines", "byModel", "byPerson")}
    turns = sum(row["turns"] for row in rows)
    return {"cells": rows, "total": sums | {"turns": turns, "models": dict(models)}}


def _row(
    cell_id: str, type_: str, source: str, timeline: Timeline, sessions: Mapping[str, Session]
) -> dict[str, Any]:
    models: Counter[str] = Counter()
    by_person = 0
    if source.strip():
        origins = held_by(cell_id, timeline.steps(cell_id), sessions)
        for line, origin in zip(source.split("\n"), origins, strict=True):
            if not line.strip():
                continue
            if origin.author == "model":
                models[origin.model or UNKNOWN_MODEL] += 1
            else:
                by_person += 1
    by_model = sum(models.values())
    return {
        "cellId": cell_id,
        "type": type_,
        "lines": by_model + by_person,
        "byModel": by_model,
        "byPerson": by_person,
        "turns": timeline.own_turns(cell_id),
        "models": dict(models),
    }
