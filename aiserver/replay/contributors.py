"""The contributor of a step: a person, a model, an agent, a program, or unknown. Pure.

Invariants (P40):

- An event's own ``contributor`` decides. A kind that a later version added counts as ``unknown``;
  its name is kept.
- Events without one were recorded before contributors were, and count as the person's. Exceptions
  are ``unknown``: the tracker's initial observation of a cell (an ``edit`` whose trigger is
  ``first``), and an ``edit`` imported from another program, which did not record who made it.
- A change that no record explains is ``unknown``, never the person's.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from ..models import Event

ContributorKind = Literal["person", "model", "agent", "program", "unknown"]
_KINDS: dict[str, ContributorKind] = {kind: kind for kind in get_args(ContributorKind)}


class Contributor(NamedTuple):
    """A kind, and a name where one is recorded."""

    kind: ContributorKind
    name: str | None = None


PERSON = Contributor("person")
UNKNOWN = Contributor("unknown")


def contributor_of(event: Event) -> Contributor:
    """Return the contributor of an event."""
    recorded = event.contributor
    if recorded is not None:
        return Contributor(_KINDS.get(recorded.kind, "unknown"), recorded.name or None)
    is_imported = event.type == "edit" and "imported" in (event.data or {})
    return UNKNOWN if is_imported or is_initial_observation(event) else PERSON


def is_initial_observation(event: Event) -> bool:
    """Return whether the event is the source of a cell when its tracking began."""
    return event.type == "edit" and (event.data or {}).get("trigger") == "first"
