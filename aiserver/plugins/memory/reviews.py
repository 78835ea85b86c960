"""A person's decisions about entries of projects' memories that they didn't write. Pure.

They are stored by the project's folder and the entry's digest, so that a changed entry must be seen
again. When an entry is removed here, so is its decision: if git brings it back, the person sees it
again.

Invariants: other projects' decisions, and those of a newer version, are preserved. Each function
raises DamagedDocument.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from .stores.base import DamagedDocument, parse_object

MAX_DECISIONS = 20_000  # of a project; the oldest are dropped


def parse(data: bytes | None, project: str) -> dict[str, bool]:
    """Return by digest whether an entry of the project is used."""
    decisions = _stored(data).get(project, {})
    return {digest: used for digest, used in decisions.items() if isinstance(used, bool)}


def add(data: bytes | None, project: str, digests: Iterable[str], *, used: bool) -> bytes:
    """Add decisions about a project's entries, which become the newest."""
    stored = _stored(data)
    new = dict.fromkeys(digests, used)
    old = {digest: used for digest, used in stored.get(project, {}).items() if digest not in new}
    return _encode(stored | {project: dict([*old.items(), *new.items()][-MAX_DECISIONS:])})


def drop(data: bytes | None, project: str, digests: Collection[str]) -> bytes | None:
    """Remove decisions about a project's entries."""
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
