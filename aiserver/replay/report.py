"""Count the lines of a notebook by the kind of contributor who wrote them. Pure.

Invariants: each line that isn't blank counts once, for the kind of its origin in ``blame.py``;
lines from before anything was recorded count separately (``existing``); the total is the sum of the
cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..models import Session
from .blame import Origin, trace
from .timeline import Timeline

UNKNOWN_MODEL = "unknown"  # of turns that other tools stored without a model

COUNTS = ("byModel", "byPerson", "byAgent", "byProgram", "byUnknown", "existing")
"""The shares of a cell or a notebook: they add up to its ``lines``."""


def report(timeline: Timeline, sessions: Mapping[str, Session]) -> dict[str, Any]:
    """Return the ``Report`` of ``rest-api.yml`` for the last moment.

    ``sessions`` by cell id are used to find the origin of lines that came from other cells.
    """
    notebook = timeline.last()
    rows = [
        _row(cell.cell_id, cell.type, cell.source, timeline, sessions)
        for cell in (notebook.cells if notebook else [])
    ]
    sums: dict[str, Any] = {name: sum(row[name] for row in rows) for name in ("lines", *COUNTS)}
    for name in ("models", "names"):
        counts: Counter[str] = Counter()
        for row in rows:
            counts.update(row[name])
        sums[name] = dict(counts)
    sums["turns"] = sum(row["turns"] for row in rows)
    return {"cells": rows, "total": sums}


def _row(
    cell_id: str, type_: str, source: str, timeline: Timeline, sessions: Mapping[str, Session]
) -> dict[str, Any]:
    models: Counter[str] = Counter()
    names: Counter[str] = Counter()
    counts = dict.fromkeys(COUNTS, 0)
    if source.strip():
        origins = trace(cell_id, timeline.steps(cell_id), sessions).current.origins
        for line, origin in zip(source.split("\n"), origins, strict=True):
            if not line.strip():
                continue
            counts[_count_of(origin)] += 1
            if origin.author == "model":
                models[origin.model or origin.name or UNKNOWN_MODEL] += 1
            elif origin.name:
                names[origin.name] += 1
    return {
        "cellId": cell_id,
        "type": type_,
        "lines": sum(counts.values()),
        **counts,
        "turns": timeline.own_turns(cell_id),
        "models": dict(models),
        "names": dict(names),
    }


def _count_of(origin: Origin) -> str:
    return "existing" if origin.is_existing else f"by{origin.author.capitalize()}"
