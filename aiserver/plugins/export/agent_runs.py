"""The runs of agents in exports. Pure."""

from __future__ import annotations

from ...notebooks.history import History
from ..agents.runs import RunSummary, summaries
from .fences import escape_inline


def runs_of(history: History) -> list[RunSummary]:
    """Return the runs of agents in a notebook, the oldest first."""
    timeline = history.timeline
    steps = {cell["cellId"]: timeline.steps(cell["cellId"]) for cell in timeline.cells()}
    return summaries(history.log, steps, frozenset())[::-1]


def list_runs(history: History) -> list[str]:
    """Return paragraphs of Markdown that list the runs of agents, if there are any."""
    items = []
    for run in runs_of(history):
        agent = " ".join(filter(None, (run.agent.name, run.agent.version)))
        cells = f"{len(run.cells)} {'cell' if len(run.cells) == 1 else 'cells'}"
        facts = [agent, run.intent, run.summary, f"run {short_id(run.run)}", cells, run.begun]
        facts += ["undone"] if run.state == "undone" else []
        items.append(f"- {' · '.join(escape_inline(fact) for fact in facts if fact)}")
    return ["Runs of agents:", "\n".join(items)] if items else []


def short_id(run: str) -> str:
    """Return the beginning of a run's id, which is enough for a search."""
    return run[:8]
