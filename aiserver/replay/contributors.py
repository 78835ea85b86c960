"""The contributor of a step: a person, a model, an agent, a program, or unknown. Pure.

Invariants (P40):

- An event's own ``contributor`` decides. A kind that is not one of ours (of a later version)
  counts as ``unknown``; its name stays.
- Events without one are of the time before contributors were recorded. They count as the
  person's, as they always did; but for an ``edit`` whose trigger is ``first``: that is what a
  cell held when it was first looked at, which nobody here wrote (``unknown``). So is an ``edit``
  that was imported from another program, which did not record who made it.
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
    """The contributor of an event."""
    recorded = event.contributor
    if recorded is not None:
        return Contributor(_KINDS.get(recorded.kind, "unknown"), recorded.name or None)
    is_imported = event.type == "edit" and "imported" in (event.data or {})
    return UNKNOWN if is_imported or is_first_look(event) else PERSON


def is_first_look(event: Event) -> bool:
    """Whether the event notes what a cell held when it was first looked at."""
    return event.type == "edit" and (event.data or {}).get("trigger") == "first"
