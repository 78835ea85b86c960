"""One step of a cell's replay, the kinds of steps, and the data of their events. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic.alias_generators import to_camel

from ..errors.stored import find_text
from .contributors import CORRECTOR, Contributor, ContributorKind

StructuralKind = Literal["split", "merge", "copy", "delete", "undelete", "type", "move"]
Kind = Literal[
    "start", "turn", "edit", "accept", "run", "restore", "context_reset", StructuralKind, "other"
]
STRUCTURAL_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(StructuralKind)}
"""The kind of step for each type of event that concerns a cell as a whole.

Kind and type have the same name.
"""
Outcome = Literal[
    "open", "unused", "refined", "accepted", "rejected", "repeated", "error", "cancelled", "done"
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer to the request of a step; ``to_wire`` gives the ``Attempt`` of ``rest-api.yml``.

    ``outcome`` is ``open`` for a suggestion, ``done`` for an answer in words, and otherwise
    ``error`` or ``cancelled``. ``title`` is the text that was sent, if it isn't the request itself:
    the problems that a repair was asked to correct.
    """

    turn_id: int
    seq: int
    timestamp: str
    code: str
    outcome: Outcome
    model: str | None = None
    mode: str | None = None
    explanation: str | None = None
    error: str | None = None
    title: str | None = None
    receipt: dict[str, Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return the attempt as sent: camelCase, without None values."""
        values = ((to_camel(name), getattr(self, name)) for name in Attempt.__dataclass_fields__)
        return {name: value for name, value in values if value is not None} | _error_text(self)


_FIRST = Attempt.__dataclass_fields__.keys() - {"title"}  # the fields that a step has, too
# A step keeps the time and the mode of its request, whichever answer it shows.
_SHOWN = _FIRST - {"seq", "timestamp", "mode"}


@dataclass(slots=True)
class Step:
    """One step of a cell's replay; ``to_wire`` gives the ``Step`` of ``rest-api.yml``.

    ``before`` is the cell's source before the step. ``code`` is the code that the step shows: for a
    turn the suggestion, for any other step the cell's source. If ``applied`` is true, the cell
    contained ``code`` after the step; otherwise, it still contained ``before``. ``base`` is the
    code that was sent with a request, or None if this code is the same as ``before``.

    ``seq`` is the seq of the step's record. ``event`` is the record's type if the record is an
    event. If a record shows that the source was changed before it, but no record contains this
    change, the step of the change is inferred. An inferred step has no ``event``. Its ``seq`` is
    that of the record from which it was inferred.

    If an accept or reject directly follows its turn, it has no step of its own. Its seq and time
    are the ``settled_seq`` and ``settled_at`` of the turn's step.

    ``name`` is the name of the agent or program that made the change, if recorded. If the new
    source was too large to record, ``missing`` is its length in characters, and ``code`` is the
    same as ``before``. If the step is an accept or restore that wrote the code of an earlier step
    into the cell, ``from_step`` is the index of that earlier step. ``parent`` is the index of the
    step that this step continues from. ``part_of`` is the index of the step that shows this step
    (see ``folding.py``). ``column`` (sent as ``lane``) is the column in which the step's branch is
    drawn; the steps that led to the cell's current code are in column 0.
    ``attempts`` are all answers to a turn's request, if there are several; the step shows one of
    them. ``mode`` is the mode of the request, whichever of them is shown. ``receipt`` is the
    receipt of a turn (see ``receipts.py``). ``repeats_turn_id`` is the id of the turn whose request
    this turn asks again, of another model.

    ``dataframes`` are the names of the DataFrames of a turn's request, and ``schema_changes`` the
    changes of these DataFrames since an earlier turn (see ``schema_changes.py``).
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
    repeats_turn_id: int | None = None
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
    receipt: dict[str, Any] | None = None
    attempts: list[Attempt] | None = None
    dataframes: list[str] | None = None
    schema_changes: list[dict[str, Any]] | None = None
    parent: int | None = None
    part_of: int | None = None
    column: int = 0

    def add_attempt(self, attempt: Attempt) -> None:
        """Add an answer to the step's request, and show the newest of the most useful answers."""
        if self.attempts is None:
            self.attempts = [Attempt(**{name: getattr(self, name) for name in _FIRST})]
        self.attempts.append(attempt)
        # All earlier attempts are at most as useful as the one that the step shows.
        if _rank(attempt.outcome) >= _rank(self.outcome):
            self._show(attempt)

    def show_attempt(self, turn_id: int) -> None:
        """Show the attempt with this turn. Nothing changes if the step has no such attempt."""
        for attempt in self.attempts or ():
            if attempt.turn_id == turn_id:
                self._show(attempt)

    def _show(self, attempt: Attempt) -> None:
        for name in _SHOWN:
            setattr(self, name, getattr(attempt, name))

    def show_code(self, code: str) -> None:
        """Show the newest suggestion with this code. Nothing changes if the step has none."""
        if self.code != code:
            for attempt in self.attempts or ():
                if (attempt.code, attempt.outcome) == (code, "open"):
                    self.show_attempt(attempt.turn_id)

    def code_of(self, turn_id: int | None) -> str:
        """Return the code of the attempt with this turn, or else that of the step."""
        codes = (attempt.code for attempt in self.attempts or () if attempt.turn_id == turn_id)
        return next(codes, self.code)

    @property
    def answer_count(self) -> int:
        """The number of answers to the step's request; attempts that failed aren't answers."""
        return sum(attempt.outcome in ("open", "done") for attempt in self.attempts or ())

    @property
    def asked_code(self) -> str:
        """The code that was sent with the request of a turn."""
        return self.before if self.base is None else self.base

    @property
    def turn_ids(self) -> set[int]:
        """The ids of the turns that answered the step's request."""
        ids = {attempt.turn_id for attempt in self.attempts or ()}
        return ids if self.turn_id is None else {*ids, self.turn_id}

    @property
    def codes(self) -> set[str]:
        """The code of the step and of all its attempts."""
        return {self.code, *(attempt.code for attempt in self.attempts or ())}

    @property
    def is_existing(self) -> bool:
        """Whether the step shows the source that the cell had before anything was recorded."""
        return self.kind == "start" and self.author == "unknown"

    @property
    def is_correction(self) -> bool:
        """Whether the step shows how AI Server corrected a suggestion that was then accepted."""
        contributor = Contributor(self.author, self.name)
        return (self.kind, self.event, contributor) == ("edit", "accept", CORRECTOR)

    @property
    def after(self) -> str:
        """The cell's source after the step."""
        return self.code if self.applied else self.before

    def to_wire(self) -> dict[str, Any]:
        """Return the step as sent: camelCase, without None values except ``parent``."""
        values = {wire_name: getattr(self, name) for name, wire_name in WIRE_NAMES.items()}
        present = {name: value for name, value in values.items() if value is not None}
        if self.attempts:
            present["attempts"] = [attempt.to_wire() for attempt in self.attempts]
        if self.kind == "turn":
            present |= _error_text(self)
        return {**present, "parent": self.parent}


def _rank(outcome: Outcome) -> int:
    """A suggestion is shown rather than an answer in words, and both rather than a failure."""
    return {"open": 2, "done": 1}.get(outcome, 0)


def _error_text(answer: Attempt | Step) -> dict[str, Any]:
    """Return the error of an answer in the form that the page can translate, if there is one."""
    text = find_text(answer.error) if answer.error else None
    return {"errorText": text.to_wire()} if text else {}


WIRE_NAMES = {name: to_camel(name) for name in Step.__dataclass_fields__} | {"column": "lane"}
