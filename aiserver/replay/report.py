"""Count the lines of a notebook by the kind of contributor who wrote them. Pure.

Invariants: each line that isn't blank is counted once, for the author that ``blame.py`` finds.
Lines that a cell contained before anything was recorded are counted separately, as ``existing``.
Each count of the notebook is the sum of the same count of all its cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..models import Session
from .blame import Origin, trace
from .timeline import Timeline

UNKNOWN_MODEL = "unknown"  # the model's name in turns that other tools stored without a model

COUNTS = ("byModel", "byPerson", "byAgent", "byProgram", "byUnknown", "existing")
"""The names of the line counts in a report. The sum of these counts is the count ``lines``."""


def report(timeline: Timeline, sessions: Mapping[str, Session]) -> dict[str, Any]:
    """Return the ``Report`` of ``rest-api.yml`` for the notebook after the last moment.

    ``sessions`` contains the notebook's sessions by cell id. They are needed to find the authors of
    lines that came from other cells.
    """
    notebook = timeline.last()
    cells = [
        _count_cell(cell.cell_id, cell.type, cell.source, timeline, sessions)
        for cell in (notebook.cells if notebook else [])
    ]
    sums: dict[str, Any] = {name: sum(cell[name] for cell in cells) for name in ("lines", *COUNTS)}
    for name in ("models", "names"):
        counts: Counter[str] = Counter()
        for cell in cells:
            counts.update(cell[name])
        sums[name] = dict(counts)
    sums["turns"] = sum(cell["turns"] for cell in cells)
    return {"cells": cells, "total": sums}


def _count_cell(
    cell_id: str, type_: str, source: str, timeline: Timeline, sessions: Mapping[str, Session]
) -> dict[str, Any]:
    """Return the counts of one cell, as the API sends them."""
    models: Counter[str] = Counter()
    names: Counter[str] = Counter()
    counts = dict.fromkeys(COUNTS, 0)
    if source.strip():
        origins = trace(cell_id, timeline.steps(cell_id), sessions).current.origins
        for line, origin in zip(source.split("\n"), origins, strict=True):
            if not line.strip():
                continue
            counts[_count_name(origin)] += 1
            if origin.author == "model":
                models[origin.model or origin.name or UNKNOWN_MODEL] += 1
            elif origin.name:
                names[origin.name] += 1
    return {
        "cellId": cell_id,
        "type": type_,
        "lines": sum(counts.values()),
        **counts,
        "turns": timeline.own_turn_count(cell_id),
        "models": dict(models),
        "names": dict(names),
    }


def _count_name(origin: Origin) -> str:
    return "existing" if origin.is_existing else f"by{origin.author.capitalize()}"
