"""The runs of agents in exports. Pure."""

from __future__ import annotations

from ...notebooks.history import History
from ..agents.runs import runs_of
from .fences import escape_inline


def list_runs(history: History, cell_id: str | None = None) -> list[str]:
    """Return paragraphs of Markdown that list the runs of agents, all or those in a cell."""
    items = []
    for run in runs_of(history):
        if cell_id is not None and cell_id not in run.cells:
            continue
        agent = " ".join(filter(None, (run.agent.name, run.agent.version)))
        cells = f"{len(run.cells)} {'cell' if len(run.cells) == 1 else 'cells'}"
        facts = [agent, run.intent, run.summary, f"run {short_id(run.run)}", cells, run.begun]
        facts += ["undone"] if run.state == "undone" else []
        items.append(f"- {' · '.join(escape_inline(fact) for fact in facts if fact)}")
    return ["Runs of agents:", "\n".join(items)] if items else []


def short_id(run: str) -> str:
    """Return the beginning of a run's id, which is enough for a search."""
    return run[:8]
