"""A person's decisions about entries of projects' memories that they didn't write. Pure.

Decisions are stored by the project's folder and the entry's digest, so that an entry whose text
changes must be seen again. An entry without a decision isn't used. When an entry is removed here,
so is the decision: if git brings the entry back, the person sees it again.

Invariants: other projects' decisions, and those that only a newer version knows, are preserved.
Each function raises DamagedDocument.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from .stores.base import DamagedDocument, parse_object

MAX_DECISIONS = 20_000  # of each project; the oldest ones are dropped


def parse(data: bytes | None, project: str) -> dict[str, bool]:
    """Return the decisions for a project by digest: whether the entry is used."""
    decisions = _stored(data).get(project, {})
    return {digest: used for digest, used in decisions.items() if isinstance(used, bool)}


def add(data: bytes | None, project: str, digests: Iterable[str], *, used: bool) -> bytes:
    """Return the stored decisions with further ones for a project, which become the newest."""
    stored = _stored(data)
    new = dict.fromkeys(digests, used)
    old = {digest: used for digest, used in stored.get(project, {}).items() if digest not in new}
    return _encode(stored | {project: dict([*old.items(), *new.items()][-MAX_DECISIONS:])})


def drop(data: bytes | None, project: str, digests: Collection[str]) -> bytes | None:
    """Return the stored decisions without some of a project's."""
    stored = _stored(data)
    decisions = stored.get(project, {})
    remaining = {digest: used for digest, used in decisions.items() if digest not in digests}
    return data if remaining == decisions else _encode(stored | {project: remaining})


def _encode(stored: dict[str, Any]) -> bytes:
    return (json.dumps(stored, indent=1) + "\n").encode()


def _stored(data: bytes | None) -> dict[str, dict[str, Any]]:
    stored = parse_object(data)
    if not all(isinstance(decisions, dict) for decisions in stored.values()):
        raise DamagedDocument
    return stored
