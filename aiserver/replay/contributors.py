"""The contributor of a step: a person, a model, an agent, a program, or unknown. Pure.

The contributor of an event is the stored one; a kind of a later version is ``unknown``. Early
versions stored none: that is the person, except for initial observations and imported edits. The
contributor of an inferred change is ``unknown``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from ..models import Event, Interaction

ContributorKind = Literal["person", "model", "agent", "program", "unknown"]
_KINDS: dict[str, ContributorKind] = {kind: kind for kind in get_args(ContributorKind)}


class Contributor(NamedTuple):
    """The kind of a contributor, and the name if it is recorded."""

    kind: ContributorKind
    name: str | None = None


PERSON = Contributor("person")
UNKNOWN = Contributor("unknown")
CORRECTOR = Contributor("program", "AI Server")
"""AI Server itself, which corrects obvious mistakes in suggestions."""


def proposer_of(turn: Interaction) -> Contributor:
    """Return the contributor of a turn's suggestion: a model, or the agent that proposes it."""
    recorded = turn.contributor
    if recorded is None:
        return Contributor("model")
    return Contributor(_KINDS.get(recorded.kind, "unknown"), recorded.name or None)


def contributor_of(event: Event) -> Contributor:
    """Return the contributor of an event."""
    recorded = event.contributor
    if recorded is not None:
        return Contributor(_KINDS.get(recorded.kind, "unknown"), recorded.name or None)
    is_imported = event.type == "edit" and "imported" in (event.data or {})
    return UNKNOWN if is_imported or is_initial_observation(event) else PERSON


def is_initial_observation(event: Event) -> bool:
    """Return whether the event records the source that a cell had when its tracking began."""
    return event.type == "edit" and (event.data or {}).get("trigger") == "first"
