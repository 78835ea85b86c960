"""Count the lines of a notebook by the kind of contributor who wrote them. Pure.

Each line that isn't blank counts once, for its author (``blame.py``), or as ``existing``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..models import Session, SessionSummary
from .blame import Origin, trace
from .moments import CellSnapshot
from .step import Step
from .timeline import Timeline

_MAX_INTENT = 500  # characters of a summary's last request
UNKNOWN_MODEL = "unknown"  # for turns that other tools stored without a model

COUNTS = ("byModel", "byPerson", "byAgent", "byProgram", "byUnknown", "existing")
"""The names of the line counts in a report. The sum of these counts is the count ``lines``."""


CountCache = dict[str, tuple[Sequence[Step], dict[str, Any]]]
"""Maps a cell id to the steps of a cell and the result of ``count_lines`` for its last version."""


def report(
    timeline: Timeline, sessions: Mapping[str, Session], cache: CountCache | None = None
) -> dict[str, Any]:
    """Return the ``Report`` of ``rest-api.yml`` for the notebook after the last moment.

    Lines of other cells are found in ``sessions``. Cells in ``cache`` with the same list of steps
    aren't counted again; only those without lines of other cells are added.
    """
    notebook = timeline.last()
    cells = [
        _count_cell(cell, timeline, sessions, cache)
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
    cell: CellSnapshot,
    timeline: Timeline,
    sessions: Mapping[str, Session],
    cache: CountCache | None,
) -> dict[str, Any]:
    cell_id, source = cell.cell_id, cell.source
    steps = timeline.steps(cell_id)
    cached_steps, counts = (cache or {}).get(cell_id, (None, {}))
    if cached_steps is not steps:
        origins = trace(cell_id, steps, sessions).current.origins if source.strip() else ()
        counts = count_lines(source, origins)
        if cache is not None and not any(map(_copies_lines, steps)):
            cache[cell_id] = steps, counts
    turns = timeline.own_turn_count(cell_id)
    return {"cellId": cell_id, "type": cell.type, **counts, "turns": turns}


def count_lines(source: str, origins: Sequence[Origin]) -> dict[str, Any]:
    """Count the lines of a source by author."""
    models: Counter[str] = Counter()
    names: Counter[str] = Counter()
    counts = dict.fromkeys(COUNTS, 0)
    if source.strip():
        for line, origin in zip(source.split("\n"), origins, strict=True):
            if not line.strip():
                continue
            counts[_count_name(origin)] += 1
            if origin.author == "model":
                models[origin.model or origin.name or UNKNOWN_MODEL] += 1
            elif origin.name:
                names[origin.name] += 1
    lines = sum(counts.values())
    return {"lines": lines, **counts, "models": dict(models), "names": dict(names)}


def with_requests(summary: SessionSummary, steps: Sequence[Step]) -> SessionSummary:
    """Return a session's summary with its requests instead of its turns."""
    requests = [step for step in steps if step.kind == "turn"]
    if not requests:
        return summary
    failed = sum(step.outcome in ("error", "cancelled") for step in requests)
    intent = requests[-1].title[:_MAX_INTENT]
    return summary.model_copy(
        update={"turns": len(requests), "failed": failed, "last_intent": intent}
    )


def _copies_lines(step: Step) -> bool:
    """Return whether lines may come from another cell, whose session can change."""
    return step.kind == "merge" or "from_cell" in (step.data or {})


def _count_name(origin: Origin) -> str:
    return "existing" if origin.is_existing else f"by{origin.author.capitalize()}"
