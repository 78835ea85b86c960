"""Entries of a memory, and the turns that they come from. Pure."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...models import is_id
from ...payload import SnakeCasePayload, nullable

Scope = Literal["project", "person"]
Review = Literal["new", "used", "declined"]

SCOPES: tuple[Scope, ...] = ("project", "person")
_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True)
class TurnSource(SnakeCasePayload):
    """The turn from which an entry or a proposal comes. ``turn_id`` is 0 for a cell without one."""

    notebook_id: str
    cell_id: str
    turn_id: int = 0

    @classmethod
    def from_dict(cls, fields: Any) -> TurnSource | None:
        if not isinstance(fields, Mapping):
            return None
        ids = (fields.get("notebook_id"), fields.get("cell_id"))
        turn_id = fields.get("turn_id", 0)
        is_number = isinstance(turn_id, int) and not isinstance(turn_id, bool) and turn_id >= 0
        if not (all(isinstance(id_, str) and is_id(id_) for id_ in ids) and is_number):
            return None
        return cls(str(ids[0]), str(ids[1]), turn_id)


@dataclass(frozen=True)
class MemoryEntry(SnakeCasePayload):
    """An entry of a memory.

    The ``id`` is stored in the entry's line or computed from its text. ``date`` is in ISO format,
    or empty. ``section`` is the nearest heading above it that isn't a title, or empty. ``review``
    is the person's decision; entries of their own memory, or that they added here, are ``used``.
    """

    id: str
    text: str
    date: str = ""
    source: TurnSource | None = nullable()
    section: str = ""
    scope: Scope = "person"
    review: Review = "used"
    digest: str = field(default="", init=False)
    """A hash of the section and the text, by which ``MemoryReviewBody`` names the entry."""

    def __post_init__(self) -> None:
        digest = hashlib.sha256(f"{self.section}\0{self.text}".encode()).hexdigest()
        object.__setattr__(self, "digest", digest)


def new_id() -> str:
    """Return a random id."""
    return secrets.token_hex(6)


def computed_id(text: str, number: int = 0) -> str:
    """Return the id for a text; ``number`` counts the same ids before it."""
    return hashlib.sha256(f"{number}\n{text}".encode()).hexdigest()[:12]


def is_entry_id(text: str) -> bool:
    """Return whether a text has the form of an id."""
    return bool(_ID.fullmatch(text))
