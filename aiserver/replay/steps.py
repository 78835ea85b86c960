"""Convert a session's records to steps, which show how the source changed. Pure.

Invariants:

- Steps are in the order of ``seq``. Any valid session has a replay, whichever tool wrote it.
- The source after a step is the source before the next one. If a record shows another source, the
  change is inferred: an open suggestion with this code was accepted, or else a step by an unknown
  author is added.
- Each recorded source is the ``code``, ``before`` or ``base`` of a step, or the ``code`` of an
  attempt.
- A request is one step (P49). Another answer or a repair before the decision is an attempt of it.
- Each event becomes a step, except for accepts and rejects (see below), summaries of older turns,
  and runs that Jupyter skipped.
- ``parent`` is always an earlier step, or None, so the steps form a tree (``folding.py``).

Outcomes: a suggestion doesn't change the cell until a person accepts it. If that is no longer
possible, its outcome is ``unused``.

- An ``accept`` directly after its turn sets the outcome of the turn's step; changes before it
  follow as edits, which are parts of the step (``folding.py``). One with the data ``part``, or
  after other steps, is a step of its own, unless it changes nothing.
- A ``reject`` rejects an open or refined suggestion. Another source in it is an edit.
- A request that continues from an open suggestion refines it: the cell doesn't change, and the code
  from which it started is the ``base`` of its step. The same holds for a request that is sent
  again because its accepted code failed.
- An answer in words has the outcome ``done``, and an open suggestion stays open.
- Without any accepts and rejects, a suggestion counts as accepted if the next request starts from
  its code.
- A request that is asked again, of another model, is ``repeated``, and changes and refines nothing.
  It begins a branch where the original request began, or continues such a branch.

Branches: a step continues from the previous one, unless it brings back older code, as a restore, an
accept of an older suggestion and a request from an older turn do. The steps in between, from the
first that changed the older code, are an abandoned branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors.stored import find_text
from ..models import CONDENSED_TURNS, Event, Interaction, Session
from .folding import assign_columns, assign_parts
from .receipts import receipt_of
from .schema_changes import add_dataframes
from .step import (
    CORRECTOR,
    STRUCTURAL_KINDS,
    UNKNOWN,
    Attempt,
    Contributor,
    Kind,
    Outcome,
    Step,
    contributor_of,
    intent_of,
    is_initial_observation,
    proposer_of,
)

_SKIPPED_MS = 200
REPAIR_MODE = "repair"  # the mode of a request to correct a suggestion
_NEW_START = ("context_reset", "copy")  # after these, each request is a new one


def replay(session: Session) -> list[Step]:
    """Return the steps of a session, oldest first."""
    reader = _Reader(
        session.meta.cell_id,
        records_outcomes=any(event.type in ("accept", "reject") for event in session.events or []),
    )
    position = 0
    for record in session.ordered():
        # A turn of another tool may have no `seq`.
        position = record.seq if record.seq is not None else position + 1
        if isinstance(record, Interaction):
            reader.add_turn(record, position)
        else:
            reader.add_event(record)
    _mark_unused(reader.steps)
    assign_parts(reader.steps)
    assign_columns(reader.steps, reader.next_parent)
    add_dataframes(reader.steps, session.interactions)
    return reader.steps


def _mark_unused(steps: list[Step]) -> None:
    own = [step for step in steps if step.kind == "turn" and step.repeats_turn_id is None]
    for turn in [step for step in own if step.outcome != "done"][:-1]:
        if turn.outcome == "open":
            turn.outcome = "unused"


class _Reader:
    """Converts records to steps, one by one. The next step continues from ``next_parent``."""

    def __init__(self, cell_id: str, *, records_outcomes: bool) -> None:
        self.cell_id, self.records_outcomes = cell_id, records_outcomes
        self.steps: list[Step] = []
        self.step_by_turn: dict[int, Step] = {}
        self.open_suggestion_by_turn: dict[int, Step] = {}
        """For each turn in words, the step of the suggestion that was open at the request."""
        self.next_parent: int | None = None
        self.unrecorded_length: int | None = None
        """The length of the current source, if it was too large to record."""
        self.suggestions_for_older_code: set[int] = set()
        """The indexes of suggestions for older code, whose acceptance starts a branch."""
        self.last_request: Step | None = None
        """The step of the person's last request."""
        self.parent_of_request: int | None = None
        """The ``parent_turn_id`` of its first turn."""

    @property
    def source(self) -> str:
        return self.steps[-1].after if self.steps else ""

    @property
    def _last_own_step(self) -> Step | None:
        return next((step for step in reversed(self.steps) if step.repeats_turn_id is None), None)

    def add_turn(self, turn: Interaction, seq: int) -> None:
        request, answer = turn.user_request, turn.ai_response
        is_suggestion = answer.status == "success" and bool(answer.suggestion.strip())
        is_answer_in_words = answer.status == "success" and not is_suggestion
        is_repeat = turn.repeats_turn_id is not None
        outcome: Outcome = answer.status if answer.status != "success" else "done"
        if is_suggestion:
            outcome = "repeated" if is_repeat else "open"
        refined = None if is_repeat else self._refined_step(turn)
        if not is_repeat and (step := self._step_of_request(turn)) is not None:
            if refined is not None and refined is not step and is_suggestion:
                refined.outcome = "refined"
            self._add_attempt(step, turn, seq, outcome)
            return
        base = branched_from = None
        if is_repeat:
            base = request.current_code if request.current_code != self.source else None
            branched_from = self._repeated_from(turn)
        elif refined is None and self._corrects_failed_run(turn):
            base = request.current_code
        elif refined is None:
            self._infer_change(request.current_code, seq, turn.timestamp)
        else:
            if refined.outcome == "open" and is_suggestion:
                refined.outcome = "refined"
            elif refined.outcome == "open" and is_answer_in_words:
                self.open_suggestion_by_turn[turn.turn_id] = refined
            base = request.current_code if request.current_code != self.source else None
            if refined.index in self.suggestions_for_older_code or (
                base is not None and refined.after != self.source
            ):
                branched_from = _last_index_with_source(
                    self.steps, refined.index, request.current_code
                )
        proposer = proposer_of(turn)
        step = self._add_step(
            seq,
            "turn",
            turn.timestamp,
            self.source if is_answer_in_words else answer.suggestion,
            author=proposer.kind,
            name=proposer.name,
            run=turn.run,
            applied=False,
            base=base,
            title=request.intent,
            outcome=outcome,
            repeats_turn_id=turn.repeats_turn_id,
            branched_from=branched_from,
            is_branch=is_repeat,
            data={"selection": turn.selection} if turn.selection else turn.data,
            **_answer_fields(turn),
        )
        self.step_by_turn[turn.turn_id] = step
        if not is_repeat:
            self.last_request, self.parent_of_request = step, turn.parent_turn_id

    def _step_of_request(self, turn: Interaction) -> Step | None:
        """Return the step of the request that the turn answers again, or None."""
        step = self.last_request
        if (
            step is None
            or step.outcome not in ("open", "done", "error", "cancelled")
            or any(later.kind in _NEW_START for later in self.steps[step.index + 1 :])
            or step.before != self.source
        ):
            return None
        request = turn.user_request
        parent_id = turn.parent_turn_id
        if parent_id is not None and self.step_by_turn.get(parent_id) is step:
            is_part = bool(turn.selection) and request.intent == step.title
            return step if is_part or turn.mode == REPAIR_MODE else None
        is_same = (request.intent, request.current_code) == (step.title, step.asked_code)
        return step if is_same and turn.parent_turn_id == self.parent_of_request else None

    def _add_attempt(self, step: Step, turn: Interaction, seq: int, outcome: Outcome) -> None:
        intent = turn.user_request.intent
        step.add_attempt(
            Attempt(
                seq=seq,
                timestamp=turn.timestamp,
                code=self.source if outcome == "done" else turn.ai_response.suggestion,
                outcome=outcome,
                title=intent if intent != step.title else None,
                **_answer_fields(turn),
            )
        )
        self.step_by_turn[turn.turn_id] = step

    def _repeated_from(self, turn: Interaction) -> int | None:
        if turn.parent_turn_id is not None and turn.parent_turn_id in self.step_by_turn:
            return self.step_by_turn[turn.parent_turn_id].index
        original = self.step_by_turn.get(turn.repeats_turn_id or 0)
        return original.parent if original is not None else self.next_parent

    def _refined_step(self, turn: Interaction) -> Step | None:
        if turn.parent_turn_id is not None:
            parent_id = turn.parent_turn_id
            return self.open_suggestion_by_turn.get(parent_id) or self.step_by_turn.get(parent_id)
        last = self._last_own_step if self.records_outcomes else None
        if last is None or last.outcome != "open":
            return None
        return last if last.code == turn.user_request.current_code else None

    def _corrects_failed_run(self, turn: Interaction) -> bool:
        request = turn.user_request
        if not self.steps or (self.steps[-1].kind, self.steps[-1].outcome) != ("run", "error"):
            return False
        turns = (step for step in reversed(self.steps) if step.kind == "turn")
        last = next((step for step in turns if step.repeats_turn_id is None), None)
        if last is None or last.after != self.source or request.current_code == self.source:
            return False
        return (last.title, last.asked_code) == (request.intent, request.current_code)

    def add_event(self, event: Event) -> None:
        """Add the event's step, or update that of its turn."""
        if event.type == CONDENSED_TURNS:
            return
        turn_step = self.step_by_turn.get(event.turn_id) if event.turn_id is not None else None
        if event.type == "accept" and turn_step is not None:
            self._accept(event, turn_step)
        elif event.type == "reject" and turn_step is not None:
            if turn_step.outcome in ("open", "refined"):
                has_part = self._accepted_part_of(turn_step)
                turn_step.outcome = "accepted" if has_part else "rejected"
                self._settle(turn_step, event)
            if event.source is not None and event.source != self.source:
                # An unrecorded change before the reject.
                self._add_event_step(event, "edit", event.source, contributor=UNKNOWN)
        elif event.type == "edit":
            is_initial = is_initial_observation(event) and not self.steps
            is_start = is_initial and contributor_of(event).kind == UNKNOWN.kind
            self._add_event_step(event, "start" if is_start else "edit", event.source)
        elif event.type == "restore":
            self._restore(event)
        elif event.type == "run":
            self._infer_change(event.source, event.seq, event.timestamp)
            if not was_skipped(event.data or {}):
                outcome, error = run_result(event.data or {})
                self._add_event_step(event, "run", None, outcome=outcome, error=error)
        elif event.type in ("context_reset", "delete"):
            # The event has the cell's source before it.
            self._infer_change(event.source, event.seq, event.timestamp)
            self._add_event_step(
                event, "delete" if event.type == "delete" else "context_reset", None
            )
        else:
            self._add_event_step(event, STRUCTURAL_KINDS.get(event.type, "other"), event.source)

    def _accept(self, event: Event, turn_step: Step) -> None:
        if turn_step.outcome != "accepted":
            turn_step.show_attempt(event.turn_id or 0)
        suggestion = turn_step.code_of(event.turn_id)
        source = suggestion if event.source is None else event.source
        corrected = _corrected_suggestion(event, source)
        self._infer_replaced(event)
        is_part = bool((event.data or {}).get("part"))
        if turn_step is self.steps[-1] and not is_part:
            turn_step.outcome = "accepted"
            self._settle(turn_step, event)
            self._apply(turn_step)
        elif turn_step.outcome != "accepted" or source != self.source:
            if not is_part:
                turn_step.outcome = "accepted"
            is_older = turn_step.index in self.suggestions_for_older_code or (
                turn_step.before != self.source and not self._accepted_part_of(turn_step)
            )
            self._add_event_step(
                event,
                "accept",
                source if corrected is None else suggestion,
                from_step=turn_step.index,
                branched_from=turn_step.index if is_older else None,
            )
        if corrected not in (None, self.source):
            self._add_event_step(event, "edit", corrected, contributor=CORRECTOR)
        if source != self.source:
            self._add_event_step(event, "edit", source)

    def _accepted_part_of(self, turn_step: Step) -> bool:
        for step in reversed(self.steps[turn_step.index + 1 :]):
            if step.after == self.source and step.kind == "accept":
                return step.from_step == turn_step.index
            if step.after != self.source:
                break
        return False

    def _restore(self, event: Event) -> None:
        data = event.data or {}
        self._infer_replaced(event)
        is_same_cell = data.get("from_cell") in (None, self.cell_id)
        restored = (
            _restored_step(self.steps, event.source, data.get("from_seq")) if is_same_cell else None
        )
        source, from_step, branched_from = event.source, None, None
        if restored is not None:
            source = restored.code if source is None else source
            if restored.outcome == "open":  # nobody has decided on its attempts
                restored.show_code(source)
            from_step = restored.index
            if source != self.source:
                branched_from = _last_index_with_source(self.steps, from_step, source)
        self._add_event_step(
            event, "restore", source, from_step=from_step, branched_from=branched_from
        )

    def _infer_replaced(self, event: Event) -> None:
        replaced = (event.data or {}).get("replaced")
        if isinstance(replaced, str):
            self._infer_change(replaced, event.seq, event.timestamp)

    def _infer_change(self, source: str | None, seq: int, timestamp: str) -> None:
        if source is not None:
            self.unrecorded_length = None
        if source is None or source == self.source:
            return
        last = self.steps[-1] if self.steps else None
        if last is not None and last.outcome == "open":
            last.show_code(source)
        if last is not None and last.outcome == "open" and last.code == source:
            last.outcome = "accepted"
            self._apply(last)
        else:
            kind: Kind = "edit" if self.steps else "start"
            self._add_step(seq, kind, timestamp, source, author=UNKNOWN.kind)

    def _settle(self, turn_step: Step, event: Event) -> None:
        if turn_step is self.steps[-1] and turn_step.settled_seq is None:
            turn_step.settled_seq, turn_step.settled_at = event.seq, event.timestamp

    def _apply(self, turn_step: Step) -> None:
        turn_step.applied, self.next_parent = True, turn_step.index
        turn_step.missing = self.unrecorded_length = None

    def _add_event_step(
        self,
        event: Event,
        kind: Kind,
        source: str | None,
        *,
        contributor: Contributor | None = None,
        **fields: Any,
    ) -> None:
        """Add an event's step. If ``source`` is None, the source stays the same."""
        code = self.source if source is None else source
        unrecorded_length = (event.data or {}).get("too_long")
        if source is not None:
            self.unrecorded_length = None
        elif isinstance(unrecorded_length, int):
            self.unrecorded_length = unrecorded_length
        author, name = contributor or contributor_of(event)
        self._add_step(
            event.seq,
            kind,
            event.timestamp,
            code,
            author=author,
            name=name,
            turn_id=event.turn_id,
            event=event.type,
            data=event.data,
            run=event.run,
            title=intent_of(event) if author == "agent" else "",
            **fields,
        )

    def _add_step(
        self,
        seq: int,
        kind: Kind,
        timestamp: str,
        code: str,
        *,
        branched_from: int | None = None,
        is_branch: bool = False,
        **fields: Any,
    ) -> Step:
        is_branch = is_branch or branched_from is not None
        step = Step(
            **fields,
            index=len(self.steps),
            seq=seq,
            kind=kind,
            timestamp=timestamp,
            before=self.source,
            code=code,
            missing=self.unrecorded_length,
            parent=branched_from if is_branch else self.next_parent,
        )
        self.steps.append(step)
        # A suggestion for older code becomes the next parent only if accepted.
        if step.applied or not is_branch:
            self.next_parent = step.index
        else:
            self.suggestions_for_older_code.add(step.index)
        return step


def _answer_fields(turn: Interaction) -> dict[str, Any]:
    error = turn.ai_response.error or None
    return {
        "turn_id": turn.turn_id,
        "model": turn.model,
        "mode": turn.mode,
        "explanation": turn.ai_response.explanation or None,
        "error": error,
        "error_text": find_text(error) if error else None,
        "receipt": receipt_of(turn),
    }


def _last_index_with_source(steps: Sequence[Step], index: int, source: str | None) -> int:
    if steps[index].after != source:
        return index
    for step in steps[index + 1 :]:
        if step.parent == index and step.after == source:
            index = step.index
    return index


def _restored_step(steps: Sequence[Step], source: str | None, seq: object) -> Step | None:
    """Return the step with ``seq``, if possible with ``source``, else the newest with that."""
    step_with_seq = None
    if isinstance(seq, int):
        for step in reversed(steps):
            if step.seq < seq:
                break
            if step.seq == seq:
                if source in step.codes:
                    return step
                step_with_seq = step_with_seq or step
    return step_with_seq or next((step for step in reversed(steps) if source in step.codes), None)


def _corrected_suggestion(event: Event, source: str) -> str | None:
    """Return the suggestion that AI Server corrected before a person accepted it, or None.

    If the accepted ``source`` has further changes by the person, the event contains this text.
    """
    data = event.data or {}
    corrections, corrected = data.get("corrections"), data.get("corrected")
    if isinstance(corrected, str):
        return corrected
    return source if isinstance(corrections, list) and corrections else None


def was_skipped(data: dict[str, Any]) -> bool:
    """Return whether a cell didn't run, because an earlier one had failed.

    Earlier versions recorded such runs, which took no time.
    """
    duration = data.get("duration_ms")
    is_aborted = data.get("status") in ("abort", "aborted") and data.get("execution_count") is None
    return is_aborted and isinstance(duration, int) and duration < _SKIPPED_MS


def run_result(data: dict[str, Any]) -> tuple[Outcome, str | None]:
    """Return a run's outcome, and ``ename: evalue`` if it failed."""
    status = data.get("status")
    if status in ("abort", "aborted", "cancelled"):
        return "cancelled", None
    if status == "error" or data.get("ename"):
        return "error", run_error(data) or None
    return "done", None


def run_error(data: dict[str, Any]) -> str:
    """Return name and message of an error; empty if the run succeeded."""
    name_and_message = (data.get("ename"), data.get("evalue"))
    return ": ".join(text for text in name_and_message if isinstance(text, str) and text)
