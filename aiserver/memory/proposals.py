"""Proposals: texts that wait until the person confirms or rejects them. Pure.

A proposal that is being confirmed is stored with the person's decision before the entry is written.
So if the process is killed in between, the confirmation can be finished later, and nobody can
reject the proposal in the meantime.

Invariants: a proposal expires after its lifetime, unless it is being confirmed. An expired proposal
is never returned. Unknown fields of stored proposals are preserved.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import Any, Literal, get_args

from .entries import SCOPES, Scope, TurnSource, is_entry_id

Origin = Literal["request", "person", "import", "correction"]
"""The origin of a text: a request, a button that the person pressed, or another program's file.
An earlier version proposed changes that the person made to several answers: ``correction``."""

MAX_PROPOSALS = 200


@dataclass(frozen=True)
class Decision:
    """The person's confirmation. The entry ``replaces`` is removed; it may be empty."""

    text: str
    scope: Scope
    replaces: str = ""


@dataclass(frozen=True)
class Proposal:
    """A text that waits for the person. The times are in seconds since 1970.

    ``project`` identifies the project if the scope is ``project``, because a person's proposals for
    all projects are stored together.
    """

    id: str
    text: str
    scope: Scope
    origin: Origin
    created_at: float
    expires_at: float
    source: TurnSource | None = None
    project: str = ""
    decision: Decision | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def belongs_to(self, project: str) -> bool:
        """Return whether the person decides about the proposal in this project.

        This is so for all proposals for the person's own memory.
        """
        scope = self.decision.scope if self.decision else self.scope
        return scope == "person" or self.project == project

    def to_dict(self) -> dict[str, Any]:
        """Return the proposal as it is stored."""
        fields: dict[str, Any] = self.extra | {
            "id": self.id,
            "text": self.text,
            "scope": self.scope,
            "origin": self.origin,
            "created_at": self.created_at,
            "expires_at": self.expires_at,
        }
        if self.project:
            fields["project"] = self.project
        if self.source:
            fields["source"] = self.source.to_dict()
        if self.decision:
            decision = self.decision
            fields["decision"] = {
                "text": decision.text,
                "scope": decision.scope,
                "replaces": decision.replaces,
            }
        return fields


_FIELDS = {item.name for item in dataclass_fields(Proposal)}


def parse(data: bytes | None, now: float) -> list[Proposal]:
    """Return the stored proposals that haven't expired, oldest first. Invalid ones are left out."""
    try:
        stored = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return []
    listed = stored.get("proposals") if isinstance(stored, dict) else None
    proposals = [_proposal(fields) for fields in listed] if isinstance(listed, list) else []
    return [
        proposal
        for proposal in proposals
        if proposal is not None and (proposal.decision or proposal.expires_at > now)
    ]


def encode(proposals: Sequence[Proposal]) -> bytes | None:
    """Return proposals as they are stored; None if there are none."""
    if not proposals:
        return None
    listed = [proposal.to_dict() for proposal in proposals]
    return (json.dumps({"proposals": listed}, ensure_ascii=False, indent=1) + "\n").encode()


def append(proposals: Sequence[Proposal], proposal: Proposal) -> list[Proposal]:
    """Return the proposals with a new one, without the oldest ones if there are too many."""
    waiting = [other for other in proposals if not other.decision]
    surplus = max(len(waiting) + 1 - MAX_PROPOSALS, 0)
    dropped = {other.id for other in waiting[:surplus]}
    return [*(other for other in proposals if other.id not in dropped), proposal]


def decide(proposal: Proposal, decision: Decision | None, project: str) -> Proposal:
    """Return the proposal with the person's decision, made in a project, or without it."""
    scope = decision.scope if decision else proposal.scope
    return replace(proposal, decision=decision, project=project if scope == "project" else "")


def _proposal(fields: Any) -> Proposal | None:
    if not isinstance(fields, dict):
        return None
    id_, text, scope = (fields.get(name) for name in ("id", "text", "scope"))
    origins: tuple[Origin, ...] = get_args(Origin)
    origin = next((origin for origin in origins if origin == fields.get("origin")), None)
    times = [fields.get(f"{name}_at") for name in ("created", "expires")]
    are_numbers = all(isinstance(time, int | float) and abs(time) < 1e12 for time in times)
    project = fields.get("project", "")
    if not (
        isinstance(id_, str)
        and is_entry_id(id_)
        and isinstance(text, str)
        and text
        and scope in SCOPES
        and origin is not None
        and are_numbers
        and isinstance(project, str)
    ):
        return None
    return Proposal(
        id=id_,
        text=text,
        scope=scope,
        origin=origin,
        created_at=float(times[0] or 0),
        expires_at=float(times[1] or 0),
        source=TurnSource.from_dict(fields.get("source")),
        project=project,
        decision=_decision(fields.get("decision")),
        extra={name: value for name, value in fields.items() if name not in _FIELDS},
    )


def _decision(fields: Any) -> Decision | None:
    if not isinstance(fields, dict):
        return None
    text, scope, replaces = (fields.get(name) for name in ("text", "scope", "replaces"))
    if not (isinstance(text, str) and text and scope in SCOPES and isinstance(replaces, str)):
        return None
    return Decision(text, scope, replaces)
