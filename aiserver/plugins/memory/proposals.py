"""Proposals: texts that wait until the person confirms or rejects them. Pure.

The person's decision is stored before the entry is written. So if the process is killed in between,
the confirmation can be finished, and nobody can reject the proposal meanwhile.

Invariants: a proposal expires after its lifetime, unless it is being confirmed. An expired one is
never returned. Unknown fields, and proposals that only a newer version can read, are preserved
until they expire.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from .entries import Scope, TurnSource
from .stores.base import DamagedDocument, parse_object

Origin = Literal["request", "person", "import", "correction"]
"""The origin of a text: a request, a button that the person pressed, or another program's file.
An earlier version proposed changes that the person made to several answers: ``correction``."""

MAX_PROPOSALS = 200

_Text = Annotated[str, Field(min_length=1)]
_Time = Annotated[float, Field(gt=-1e12, lt=1e12)]  # in seconds since 1970


class Decision(BaseModel):
    """The person's confirmation. The entry ``replaces`` is removed; it may be empty."""

    model_config = ConfigDict(frozen=True, strict=True)

    text: _Text
    scope: Scope
    replaces: str = ""


class Proposal(BaseModel):
    """A text that waits for the person, as it is stored.

    ``project`` identifies the project if the scope is ``project``, because a person's proposals for
    all projects are stored together.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
    text: _Text
    scope: Scope
    origin: Origin
    created_at: _Time
    expires_at: _Time
    source: TurnSource | None = None
    project: str = ""
    decision: Decision | None = None

    @field_validator("source", mode="before")
    @classmethod
    def _valid_source(cls, value: Any) -> TurnSource | None:
        return value if isinstance(value, TurnSource) else TurnSource.from_dict(value)

    @field_validator("decision", mode="wrap")
    @classmethod
    def _valid_decision(cls, value: Any, handler: Callable[[Any], Any]) -> Any:
        try:
            return handler(value)
        except ValidationError:
            return None  # so the proposal waits

    def belongs_to(self, project: str) -> bool:
        """Return whether the person decides about the proposal in this project."""
        scope = self.decision.scope if self.decision else self.scope
        return scope == "person" or self.project == project

    def to_dict(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


def parse(data: bytes | None, now: float) -> list[Proposal]:
    """Return the stored proposals that haven't expired, oldest first.

    Those that only a newer version can read are left out. Raises DamagedDocument.
    """
    return _split(data, now)[0]


def change(
    data: bytes | None, now: float, edit: Callable[[list[Proposal]], list[Proposal]]
) -> bytes | None:
    """Return the changed document without expired proposals, or None. Raises DamagedDocument."""
    proposals, unreadable = _split(data, now)
    listed = [*unreadable, *(proposal.to_dict() for proposal in edit(proposals))]
    if not listed:
        return None
    return (json.dumps({"proposals": listed}, ensure_ascii=False, indent=1) + "\n").encode()


def _split(data: bytes | None, now: float) -> tuple[list[Proposal], list[Any]]:
    listed = parse_object(data).get("proposals", [])
    if not isinstance(listed, list):
        raise DamagedDocument
    proposals, unreadable = [], []
    for fields in listed:
        try:
            proposal = Proposal.model_validate(fields)
        except ValidationError:
            expires_at = fields.get("expires_at") if isinstance(fields, dict) else None
            if not isinstance(expires_at, (int, float)) or expires_at > now:
                unreadable.append(fields)
        else:
            if proposal.decision or proposal.expires_at > now:
                proposals.append(proposal)
    return proposals, unreadable


def append(proposals: Sequence[Proposal], proposal: Proposal) -> list[Proposal]:
    """Append a proposal, and drop the oldest ones if there are too many."""
    waiting = [other for other in proposals if not other.decision]
    dropped = {other.id for other in waiting[: max(len(waiting) + 1 - MAX_PROPOSALS, 0)]}
    return [*(other for other in proposals if other.id not in dropped), proposal]


def decide(proposal: Proposal, decision: Decision | None, project: str) -> Proposal:
    """Set or remove the person's decision, made in a project."""
    scope = decision.scope if decision else proposal.scope
    update = {"decision": decision, "project": project if scope == "project" else ""}
    return proposal.model_copy(update=update)
