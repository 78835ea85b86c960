"""The runs of agents, as a notebook's log and its sessions tell them. Pure.

A run is one piece of an agent's work. Entries of the log:

- ``run {run, agent {name, version?}, intent, plan?, state, summary?, order?, after?}``: what
  happened to a run: ``begun``, ``ended``, ``undone`` or ``redone``, with the orders of the cells
  before and after it.
- ``agent_call {run, tool, outcome, cell?, reason?, code?, cells?, order?}``: a call that was
  ``refused``, and why; code that it ``ran`` without a cell; the cells that it ``moved``, and the
  order of all cells after it; once at the end, the ids of the cells that were ``read``.

The turns and events of the run have its id. A run that has neither ended nor is active in this
server is ``interrupted``: the server or the agent has stopped. The agent may continue it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Literal

from ...models import NewLogEntry, NotebookLogEntry, utc_now
from ...notebooks.history import History
from ...payload import Payload, nullable
from ...redact import redact_json
from ...replay import Step
from .permissions import Level
from .protocol import Agent

RUN = "run"
CALL = "agent_call"
_TEXTS = ("intent", "plan", "summary", "reason")
State = Literal["active", "ended", "interrupted", "undone"]


@dataclass(frozen=True)
class RunAgent(Payload):
    """The agent of a run, as it calls itself."""

    name: str
    version: str | None = None


@dataclass(frozen=True)
class RefusedCall(Payload):
    """A call that was refused, and the reason as a sentence."""

    tool: str
    reason: str
    cell: str | None = None


@dataclass
class ProposalCounts(Payload):
    """The numbers of a run's proposals: waiting, accepted and rejected."""

    open: int = 0
    accepted: int = 0
    rejected: int = 0


@dataclass
class RunSummary(Payload):
    """A run, for people."""

    run: str
    agent: RunAgent
    intent: str
    state: State
    begun: str
    ended: str | None = nullable()
    plan: list[str] = field(default_factory=list)
    summary: str | None = None
    cells: list[str] = field(default_factory=list)
    """The ids of the cells that it changed or wants to change, in the order of its steps."""
    edits: int = 0
    proposals: ProposalCounts = field(default_factory=ProposalCounts)
    read: int = 0
    """The number of cells that it read."""
    refused: list[RefusedCall] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    """The code that it has run without a cell."""
    can_redo: bool = False


@dataclass(frozen=True)
class NotebookRuns(Payload):
    """The runs of agents in a notebook, the newest first.

    ``permissions`` are the chosen levels by the agents' names, and ``cap`` is the highest that the
    administrator allows.
    """

    runs: list[RunSummary]
    permissions: dict[str, Level]
    cap: Level


def new_run_id() -> str:
    """Return the id of a new run."""
    return uuid.uuid4().hex


def run_of_session(agent: Agent, session: str, log: Iterable[NotebookLogEntry]) -> tuple[str, bool]:
    """Return the id of the run of an agent's own session, and whether it is new.

    After its run was undone, the next change in the session belongs to a new run.
    """
    states = {item.data.get("run"): item.data.get("state") for item in log if item.type == RUN}
    run = f"{agent.name}\n{session}"
    while True:
        run = uuid.uuid5(uuid.NAMESPACE_URL, run).hex
        if states.get(run) != "undone":
            return run, run not in states


def entry(type_: str, **data: Any) -> NewLogEntry:
    """Return a log entry with the data that isn't None, without secrets in its texts."""
    stored = {
        key: redact_json(value) if key in _TEXTS else value
        for key, value in data.items()
        if value is not None
    }
    return NewLogEntry(type=type_, timestamp=utc_now(), data=stored)


def agent_data(agent: Agent) -> dict[str, str]:
    """Return an agent as it is stored in a log."""
    return {"name": agent.name} | ({"version": agent.version} if agent.version else {})


def runs_of(history: History, active: Set[str] = frozenset()) -> list[RunSummary]:
    """Return the runs of a notebook, the oldest first. ``active`` are those of this server."""
    runs: dict[str, RunSummary] = {}
    for item in history.log:
        if item.type == RUN:
            _add_entry(runs, item, active)
        elif item.type == CALL and (run := runs.get(str(item.data.get("run")))):
            _add_call(run, item.data)
    numbered = [
        (step.timestamp, step.seq, cell_id, step)
        for cell_id in history.sessions
        for step in history.timeline.steps(cell_id)
        if step.run in runs
    ]
    for _, _, cell_id, step in sorted(numbered, key=lambda item: item[:3]):
        _add_step(runs[step.run or ""], cell_id, step)
    return list(runs.values())


def _add_entry(runs: dict[str, RunSummary], item: NotebookLogEntry, active: Set[str]) -> None:
    data = item.data
    run_id, state = str(data.get("run")), data.get("state")
    if state == "begun" and run_id not in runs:
        runs[run_id] = RunSummary(
            run=run_id,
            agent=_agent(data.get("agent")),
            intent=str(data.get("intent", "")),
            state="active" if run_id in active else "interrupted",
            begun=item.timestamp,
            plan=[str(line) for line in data.get("plan") or ()],
        )
    elif (run := runs.get(run_id)) is not None:
        run.can_redo = state == "undone"
        if state == "ended":
            run.ended = item.timestamp
            run.summary = data.get("summary")
        run.state = "undone" if state == "undone" else "ended"


def _agent(data: object) -> RunAgent:
    stored = data if isinstance(data, dict) else {}
    version = stored.get("version")
    return RunAgent(str(stored.get("name", "agent")), version and str(version))


def _add_call(run: RunSummary, data: Mapping[str, Any]) -> None:
    if data.get("outcome") == "refused":
        cell = data.get("cell")
        reason = str(data.get("reason", ""))
        run.refused.append(RefusedCall(str(data.get("tool", "")), reason, cell and str(cell)))
    elif data.get("outcome") == "ran":
        run.code.append(str(data.get("code", "")))
    elif data.get("outcome") == "read":
        run.read += len(data.get("cells") or ())
    elif data.get("outcome") == "moved":
        cells = list(map(str, data.get("cells") or ()))
        run.cells += [cell for cell in cells if cell not in run.cells]
        run.edits += len(cells)


def _add_step(run: RunSummary, cell_id: str, step: Step) -> None:
    if cell_id not in run.cells:
        run.cells.append(cell_id)
    if step.kind != "turn":
        run.edits += 1
    elif step.outcome == "open":
        run.proposals.open += 1
    elif step.outcome == "accepted":
        run.proposals.accepted += 1
    elif step.outcome in ("rejected", "unused"):
        run.proposals.rejected += 1
