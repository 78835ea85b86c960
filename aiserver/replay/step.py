"""One step of a cell's replay, and its contributor. Pure.

An event's contributor is the stored one; a kind of a later version is ``unknown``. Early versions
stored none: that is the person, except for initial observations and imported edits. The contributor
of an inferred change is ``unknown``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from ..errors import UserText
from ..models import Event, NewTurn
from ..payload import Payload, nullable

StructuralKind = Literal["split", "merge", "copy", "delete", "undelete", "type", "move"]
Kind = Literal[
    "start", "turn", "edit", "accept", "run", "restore", "context_reset", StructuralKind, "other"
]
STRUCTURAL_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(StructuralKind)}
"""The kind of step for each type of event that concerns a cell as a whole."""
Outcome = Literal[
    "open", "unused", "refined", "accepted", "rejected", "repeated", "error", "cancelled", "done"
]


ContributorKind = Literal["person", "model", "agent", "program", "unknown"]
_KINDS: dict[str, ContributorKind] = {kind: kind for kind in get_args(ContributorKind)}


class Contributor(NamedTuple):
    """A contributor's kind, and the name if it is recorded."""

    kind: ContributorKind
    name: str | None = None


PERSON = Contributor("person")
UNKNOWN = Contributor("unknown")
_MODEL = Contributor("model")
CORRECTOR = Contributor("program", "AI Server")
"""AI Server itself, which corrects obvious mistakes in suggestions."""


@dataclass(frozen=True, slots=True)
class Attempt(Payload):
    """One of several answers to the request of a step.

    ``outcome`` is ``open`` for a suggestion, ``done`` for an answer in words. ``title`` is the text
    that was sent for a repair, if it isn't the request itself: the problems to correct.
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
    error_text: UserText | None = None
    title: str | None = None
    receipt: dict[str, Any] | None = None


_FIRST = Attempt.__dataclass_fields__.keys() - {"title"}  # the fields that a step has, too
# A step keeps the time and mode of its request.
_SHOWN = _FIRST - {"seq", "timestamp", "mode"}


@dataclass(slots=True)
class Step(Payload):
    """One step of a cell's replay.

    ``before`` is the cell's source before the step. ``code`` is the suggestion of a turn, otherwise
    the source after the step. Only if ``applied`` did the cell contain ``code`` after the step.
    ``base`` is the code that was sent with a request, if it isn't ``before``. ``title`` is the
    intent of a turn, or of an agent's change.

    ``seq`` is that of the step's record, and ``event`` its type. A change that no record contains
    is inferred from the next record: it has that ``seq`` but no ``event``. ``settled_seq`` and
    ``settled_at`` come from an accept or reject directly after its turn, which has no step.

    ``name`` is that of an agent or program, ``run`` that of the agent's run. ``missing`` is the
    length of a source that was too large to record. ``from_step`` is the index of the step whose
    code an accept or restore wrote,
    ``parent`` that of the step from which this one continues, and ``part_of`` that of the step that
    shows this one (``folding.py``). ``column``: see there.
    ``attempts`` are all answers to a turn's request, if there are several, and ``mode`` is that of
    the request. ``repeats_turn_id`` is the turn whose request is asked again. ``dataframes`` are
    names, and ``schema_changes`` their changes.
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
    error_text: UserText | None = None
    from_step: int | None = None
    event: str | None = None
    data: dict[str, Any] | None = None
    settled_seq: int | None = None
    settled_at: str | None = None
    name: str | None = None
    run: str | None = None
    missing: int | None = None
    receipt: dict[str, Any] | None = None
    attempts: list[Attempt] | None = None
    dataframes: list[str] | None = None
    schema_changes: list[dict[str, Any]] | None = None
    parent: int | None = nullable()
    part_of: int | None = None
    column: int = 0

    def add_attempt(self, attempt: Attempt) -> None:
        """Add an answer, and show the newest of the most useful ones."""
        if self.attempts is None:
            self.attempts = [Attempt(**{name: getattr(self, name) for name in _FIRST})]
        self.attempts.append(attempt)
        if _rank(attempt.outcome) >= _rank(self.outcome):
            self._show(attempt)

    def show_attempt(self, turn_id: int) -> None:
        for attempt in self.attempts or ():
            if attempt.turn_id == turn_id:
                self._show(attempt)

    def _show(self, attempt: Attempt) -> None:
        for name in _SHOWN:
            setattr(self, name, getattr(attempt, name))

    def show_code(self, code: str) -> None:
        """Show the newest suggestion with this code, if there is one."""
        if self.code != code:
            for attempt in self.attempts or ():
                if (attempt.code, attempt.outcome) == (code, "open"):
                    self.show_attempt(attempt.turn_id)

    def code_of(self, turn_id: int | None) -> str:
        codes = (attempt.code for attempt in self.attempts or () if attempt.turn_id == turn_id)
        return next(codes, self.code)

    @property
    def asked_code(self) -> str:
        return self.before if self.base is None else self.base

    @property
    def turn_ids(self) -> set[int]:
        ids = {attempt.turn_id for attempt in self.attempts or ()}
        return ids if self.turn_id is None else {*ids, self.turn_id}

    @property
    def codes(self) -> set[str]:
        return {self.code, *(attempt.code for attempt in self.attempts or ())}

    @property
    def is_existing(self) -> bool:
        """Whether this is the source from before anything was recorded."""
        return self.kind == "start" and self.author == "unknown"

    @property
    def restored_to(self) -> str | None:
        """The time to which the whole notebook was restored, if the step is a part of that."""
        time = self.data.get("restored_to") if self.data else None
        return time if isinstance(time, str) else None

    @property
    def is_correction(self) -> bool:
        """Whether AI Server corrected a suggestion that was then accepted."""
        contributor = Contributor(self.author, self.name)
        return (self.kind, self.event, contributor) == ("edit", "accept", CORRECTOR)

    @property
    def after(self) -> str:
        return self.code if self.applied else self.before


def _rank(outcome: Outcome) -> int:
    """Rank suggestions before answers in words, and these before failures."""
    return {"open": 2, "done": 1}.get(outcome, 0)


def proposer_of(turn: NewTurn) -> Contributor:
    """Return the contributor of a turn's suggestion: a model, or the agent that proposes it."""
    return _recorded(turn) or _MODEL


def contributor_of(event: Event) -> Contributor:
    """Return the contributor of an event."""
    recorded = _recorded(event)
    if recorded is not None or event.type != "edit":
        return recorded or PERSON
    is_unknown = "imported" in (event.data or {}) or is_initial_observation(event)
    return UNKNOWN if is_unknown else PERSON


def intent_of(event: Event) -> str:
    """Return the intent of an agent's change; empty if it has given none."""
    intent = (event.data or {}).get("intent")
    return intent if isinstance(intent, str) else ""


def _recorded(record: NewTurn | Event) -> Contributor | None:
    recorded = record.contributor
    if recorded is None:
        return None
    return Contributor(_KINDS.get(recorded.kind, "unknown"), recorded.name or None)


def is_initial_observation(event: Event) -> bool:
    """Return whether an event records the source from when tracking began."""
    return event.type == "edit" and (event.data or {}).get("trigger") == "first"
