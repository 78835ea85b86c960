"""A person's decisions about entries of projects' memories that they didn't write. Pure.

Decisions are stored by the project's folder and the entry's digest, so that an entry whose text
changes must be seen again. An entry without a decision isn't used. When an entry is removed here,
so is the decision: if git brings the entry back, the person sees it again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

Review = Literal["new", "used", "declined"]

MAX_DECISIONS = 20_000  # of each project; the oldest ones are dropped


def parse(data: bytes | None, project: str) -> dict[str, bool]:
    """Return the decisions for a project by digest: whether the entry is used."""
    decisions = _stored(data).get(project)
    if not isinstance(decisions, dict):
        return {}
    return {digest: used for digest, used in decisions.items() if isinstance(used, bool)}


def add(data: bytes | None, project: str, digests: Iterable[str], *, used: bool) -> bytes:
    """Return the stored decisions with further ones for a project."""
    stored = _stored(data)
    decisions = parse(data, project)
    for digest in digests:
        decisions.pop(digest, None)  # so that it becomes the newest
        decisions[digest] = used
    newest = list(decisions.items())[-MAX_DECISIONS:]
    return _encode({**stored, project: dict(newest)})


def drop(data: bytes | None, project: str, digests: Collection[str]) -> bytes | None:
    """Return the stored decisions without some of a project's."""
    decisions = parse(data, project)
    if decisions.keys().isdisjoint(digests):
        return data
    remaining = {digest: used for digest, used in decisions.items() if digest not in digests}
    return _encode(_stored(data) | {project: remaining})


def review_of(decisions: Mapping[str, bool], digest: str) -> Review:
    """Return the decision about an entry."""
    if digest not in decisions:
        return "new"
    return "used" if decisions[digest] else "declined"


def _encode(stored: dict[str, Any]) -> bytes:
    return (json.dumps(stored, indent=1) + "\n").encode()


def _stored(data: bytes | None) -> dict[str, Any]:
    try:
        stored = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}
