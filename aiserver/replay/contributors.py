"""The contributor of a step: a person, a model, an agent, a program, or unknown. Pure.

Invariants:

- The contributor of an event is the contributor that is stored in the event. A later version of AI
  Server may have stored a kind that this version doesn't have. Such a kind is read as ``unknown``;
  the contributor's name is read as usual.
- Early versions of AI Server stored no contributors. If an event has none, its contributor is the
  person. There are two exceptions, for which the contributor is ``unknown``: the tracker's initial
  observation of a cell (an ``edit`` whose trigger is ``first``), and an ``edit`` that was imported
  from another program, which didn't record the contributor.
- If a change wasn't recorded, but inferred from later records, its contributor is ``unknown``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from ..models import Event

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
