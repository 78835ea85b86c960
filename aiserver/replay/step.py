"""One step of a cell's life, and what kinds of it there are. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from .contributors import ContributorKind

Kind = Literal[
    "start",
    "turn",
    "edit",
    "accept",
    "run",
    "restore",
    "context_reset",
    "split",
    "merge",
    "copy",
    "delete",
    "undelete",
    "type",
    "move",
    "other",
]
# Events that say what became of the cell as a whole; each is a step of its own name.
STRUCTURAL_KINDS: dict[str, Kind] = {
    "split": "split",
    "merge": "merge",
    "copy": "copy",
    "delete": "delete",
    "undelete": "undelete",
    "type": "type",
    "move": "move",
}
Outcome = Literal["open", "refined", "accepted", "rejected", "error", "cancelled", "done"]


@dataclass(slots=True)
class Step:
    """One step of a cell's life; ``to_wire`` gives the ``Step`` of ``rest-api.yml``.

    ``code`` is what the step shows: for a turn its suggestion, else what the cell held then.
    ``applied`` says whether the cell held ``code`` afterwards; if not, it still held ``before``.
    ``base`` is the code that a request started from, where the cell held something else.
    ``seq`` is that of the record it was read from; a step that was inferred has the seq of the
    record that gave it away, and no ``event``. ``settled_seq`` is that of the accept or reject
    that was folded into a turn, ``settled_at`` its time. ``name`` is that of the agent or program,
    where one is recorded. ``missing``: the cell held a source of so many characters, too
    many for the record; ``code`` is then what it held before. ``parent`` is the step that it went
    on from, ``lane`` the line that it lies on: 0 for how the cell came to what it holds.
    """

    index: int
    seq: int
    kind: Kind
    author: ContributorKind
    timestamp: str
    before: str
    code: str
    applied: bool = True
    base: str | None = None
    title: str = ""
    outcome: Outcome = "done"
    turn_id: int | None = None
    model: str | None = None
    mode: str | None = None
    explanation: str | None = None
    error: str | None = None
    from_step: int | None = None
    event: str | None = None
    data: dict[str, Any] | None = None
    settled_seq: int | None = None
    settled_at: str | None = None
    name: str | None = None
    missing: int | None = None
    parent: int | None = None
    lane: int = 0

    @property
    def is_existing(self) -> bool:
        """Whether the step only notes what was there before anything was recorded."""
        return self.kind == "start" and self.author == "unknown"

    @property
    def after(self) -> str:
        """What the cell held after the step."""
        return self.code if self.applied else self.before

    def to_wire(self) -> dict[str, Any]:
        """The step as sent: camelCase, without what does not apply (but always ``parent``)."""
        sent = {wire: getattr(self, name) for name, wire in _WIRE}
        known = {name: value for name, value in sent.items() if value is not None}
        return {**known, "parent": self.parent}


_WIRE = [(name, to_camel(name)) for name in Step.__dataclass_fields__]
