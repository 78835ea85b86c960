"""Export a notebook's history in W3C PROV, as PROV-JSON. Pure.

Source: https://www.w3.org/submissions/prov-json/

Each version of a cell, and each suggestion, is an entity; each step that made one is an activity,
and so is each run of a cell and each run of an agent. Agents in the sense of PROV are a person,
models, agents and programs. A step by an unknown author is associated with nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ....notebooks.history import History
from ....redact import redact
from ....replay import Step
from ...agents.runs import runs_of
from ...local_models.labels import model_label
from .agent_trace import with_offset

_PREFIXES = {"aiserver": "urn:x-aiserver:term:", "nb": "urn:x-aiserver:notebook:"}
_WITHOUT_CODE = ("error", "cancelled", "done")  # the outcomes of requests without a suggestion


def prov(history: History, name: str) -> dict[str, Any]:
    """Return the document about a notebook called ``name``."""
    document = _Document(history.notebook_id)
    notebook = document.add("entity", "notebook", "prov:Collection", name)
    for run in runs_of(history):
        agent = document.agent("agent", run.agent.name, {"aiserver:version": run.agent.version})
        times = {"prov:startTime": run.begun, "prov:endTime": run.ended}
        activity = document.add("activity", f"run/{quote(run.run)}", "Run", run.intent, times)
        document.relate("wasAssociatedWith", activity=activity, agent=agent)
    for summary in history.timeline.cells():
        cell_id = summary["cellId"]
        cell = document.add("entity", f"cell/{cell_id}", "Cell", None)
        document.relate("hadMember", collection=notebook, entity=cell)
        document.add_steps(cell, cell_id, history.timeline.steps(cell_id))
    return document.content


class _Document:
    def __init__(self, notebook_id: str) -> None:
        self._notebook_id = notebook_id
        self.content: dict[str, Any] = {"prefix": _PREFIXES}
        self._counts: defaultdict[str, int] = defaultdict(int)

    def add(
        self,
        kind: str,
        name: str,
        type_: str,
        label: str | None,
        attributes: Mapping[str, Any] | None = None,
    ) -> str:
        """Add an element of the notebook, and return its identifier."""
        return self._put(kind, f"nb:{self._notebook_id}/{name}", [type_], label, attributes)

    def agent(self, kind: str, name: str, attributes: Mapping[str, Any] | None = None) -> str:
        """Add an agent in the sense of PROV, unless there is it, and return its identifier."""
        if kind == "person":
            return self.add("agent", "person", "prov:Person", None)
        id_ = f"nb:{kind}/{quote(name, safe='') or 'unnamed'}"
        types = ["prov:SoftwareAgent", f"aiserver:{kind.capitalize()}"]
        return self._put("agent", id_, types, name, attributes)

    def relate(self, kind: str, **ends: str) -> None:
        """Add a relation between elements."""
        self._counts[kind] += 1
        relation = {f"prov:{name}": id_ for name, id_ in ends.items()}
        self.content.setdefault(kind, {})[f"_:{kind}{self._counts[kind]}"] = relation

    def add_steps(self, cell: str, cell_id: str, steps: Sequence[Step]) -> None:
        """Add the steps of a cell, with the versions that they made."""
        current: str | None = None
        versions: dict[int, str] = {}
        for step in steps:
            place = f"{cell_id}/{step.index + 1}"
            type_ = {"turn": "Request", "run": "Execution"}.get(step.kind, "Change")
            attributes = {
                "prov:startTime": step.timestamp,
                "aiserver:kind": step.kind,
                "aiserver:outcome": step.outcome,
            }
            label = step.title or None
            activity = self.add("activity", f"step/{place}", type_, label, attributes)
            self._associate(activity, step)
            if current is not None:
                self.relate("used", activity=activity, entity=current)
            has_code = step.kind != "turn" or step.outcome not in _WITHOUT_CODE
            if step.code == step.before or not has_code:
                continue
            version = self.add("entity", f"version/{place}", "Version", None)
            self.relate("specializationOf", specificEntity=version, generalEntity=cell)
            self.relate("wasGeneratedBy", entity=version, activity=activity)
            source = versions.get(-1 if step.from_step is None else step.from_step, current)
            if source is not None:
                self.relate("wasDerivedFrom", generatedEntity=version, usedEntity=source)
            versions[step.index] = version
            if step.applied:
                current = version

    def _associate(self, activity: str, step: Step) -> None:
        name = model_label(step.model) if step.author == "model" and step.model else step.name
        kinds = [step.author] if step.author != "unknown" else []
        kinds += ["person"] if step.author == "model" and step.kind == "turn" else []
        for kind in kinds:
            agent = self.agent(kind, name or "")
            self.relate("wasAssociatedWith", activity=activity, agent=agent)
        if step.run:
            run = f"nb:{self._notebook_id}/run/{quote(step.run)}"
            self.relate("wasInformedBy", informed=activity, informant=run)

    def _put(
        self,
        kind: str,
        id_: str,
        types: Sequence[str],
        label: str | None,
        attributes: Mapping[str, Any] | None,
    ) -> str:
        values = [
            {"$": name if ":" in name else f"aiserver:{name}", "type": "prov:QUALIFIED_NAME"}
            for name in types
        ]
        element: dict[str, Any] = {"prov:type": values[0] if len(values) == 1 else values}
        element |= {"prov:label": redact(label, is_prose=True)} if label else {}
        for name, value in (attributes or {}).items():
            if value:
                element[name] = with_offset(value) if name.endswith("Time") else value
        self.content.setdefault(kind, {}).setdefault(id_, element)
        return id_
