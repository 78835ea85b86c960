"""How a cell came to be: a session read as a list of steps. Pure.

What must hold:

- Steps come in the order of ``seq``, never by a clock (P26).
- The chain is whole: what the cell held after a step is what it held before the next one. Where
  the record jumps, an edit that nobody recorded is put in between; its author is unknown (P40).
- Nothing is lost: each source in the record is the ``code`` or ``before`` of some step, and each
  event that is not a turn's accept or reject is a step, also of a type that is not known here.
- It is total: any valid session has a replay, also one that another tool wrote.
- ``parent`` is always an earlier step, so that the steps are a tree (``lanes.py`` lays it out).

How a turn ends. An answer is a proposal: the cell keeps its old code until a person accepts.
An ``accept`` directly after its turn is folded into it; one with another source than the
suggestion (hunks refused, or edited first) is the turn and then a hand edit. An ``accept`` that
comes later, with other steps between, is a step of its own. A request that goes on from an open
answer refines it: the cell does not change, and the step tells which code it started from.
Tools that record no events are read by what came next: if the next request starts from the
suggestion, it was accepted.

How a step branches. It goes on from the one before, unless code came back that the cell had left:
by a restore, a late accept, or a request that goes on from an older turn. What lies between was
left then, and stays; but not what was done with that very code (a run of it): the way goes on
behind that. An answer that is open or was refused is no branch, but an attempt.
"""

from __future__ import annotations

from typing import Any

from ..models import Event, Interaction, Session
from .contributors import UNKNOWN, contributor_of, is_first_look
from .lanes import lay_out
from .step import STRUCTURAL_KINDS, Kind, Outcome, Step


def replay(session: Session) -> list[Step]:
    """The steps of a session, oldest first."""
    reader = _Reader(
        session.meta.cell_id,
        tells_outcomes=any(event.type in ("accept", "reject") for event in session.events or []),
    )
    position = 0
    for record in session.ordered():
        # Files of other tools may lack `seq`: then a turn counts by its place, as in `ordered`.
        position = record.seq if record.seq is not None else position + 1
        if isinstance(record, Interaction):
            reader.turn(record, position)
        else:
            reader.event(record)
    lay_out(reader.steps, reader.head)
    return reader.steps


class _Reader:
    """Reads records one by one and keeps what the cell holds.

    ``tells_outcomes``: the tool that wrote them records accepts, so that an answer without one
    was not accepted. ``head`` is the step that the next one goes on from, ``aside``
    are answers on a branch.
    """

    def __init__(self, cell_id: str, *, tells_outcomes: bool) -> None:
        self.cell_id, self.tells_outcomes = cell_id, tells_outcomes
        self.steps: list[Step] = []
        self.turns: dict[int, Step] = {}
        self.head: int | None = None
        self.missing: int | None = None
        """Characters of what the cell holds, where that was too large to be recorded."""
        self.aside: set[int] = set()

    @property
    def held(self) -> str:
        return self.steps[-1].after if self.steps else ""

    def turn(self, turn: Interaction, seq: int) -> None:
        request, answer = turn.user_request, turn.ai_response
        refined = self._refined(turn)
        base = branched_from = None
        if refined is None:
            self._catch_up(request.current_code, seq, turn.timestamp)
        else:
            if refined.outcome == "open" and answer.status == "success":
                refined.outcome = "refined"
            base = request.current_code if request.current_code != self.held else None
            if refined.index in self.aside or (base is not None and refined.after != self.held):
                branched_from = self._last_with(refined.index, request.current_code)
        self.turns[turn.turn_id] = self._add(
            seq,
            "turn",
            turn.timestamp,
            answer.suggestion,
            author="model",
            applied=False,
            base=base,
            title=request.intent,
            outcome="open" if answer.status == "success" else answer.status,
            turn_id=turn.turn_id,
            model=turn.model,
            mode=turn.mode,
            explanation=answer.explanation or None,
            error=answer.error or None,
            branched_from=branched_from,
        )

    def _refined(self, turn: Interaction) -> Step | None:
        """The answer that this request goes on from while the cell holds something else."""
        if turn.parent_turn_id is not None:
            return self.turns.get(turn.parent_turn_id)
        last = self.steps[-1] if self.steps and self.tells_outcomes else None
        if last is None or last.outcome != "open":
            return None
        return last if last.code == turn.user_request.current_code else None

    def event(self, event: Event) -> None:
        proposal = self.turns.get(event.turn_id) if event.turn_id is not None else None
        if event.type == "accept" and proposal is not None:
            self._accept(event, proposal)
        elif event.type == "reject" and proposal is not None:
            if proposal.outcome in ("open", "refined"):
                proposal.outcome = "rejected"
                self._settle(proposal, event)
            if event.source is not None and event.source != self.held:
                # The cell had been changed before, and nobody noted by whom.
                self._record(event, "edit", event.source, author=UNKNOWN.kind)
        elif event.type == "edit":
            is_found = is_first_look(event) and contributor_of(event).kind == UNKNOWN.kind
            is_first = is_found and not self.steps
            self._record(event, "start" if is_first else "edit", event.source)
        elif event.type == "restore":
            self._restore(event)
        elif event.type == "run":
            self._catch_up(event.source, event.seq, event.timestamp)
            outcome, error = _run_result(event.data or {})
            self._record(event, "run", None, outcome=outcome, error=error)
        elif event.type == "context_reset":
            self._catch_up(event.source, event.seq, event.timestamp)
            self._record(event, "context_reset", None)
        elif event.type == "delete":  # names what the cell held, not what it became
            self._catch_up(event.source, event.seq, event.timestamp)
            self._record(event, "delete", None)
        else:
            self._record(event, STRUCTURAL_KINDS.get(event.type, "other"), event.source)

    def _accept(self, event: Event, proposal: Step) -> None:
        source = proposal.code if event.source is None else event.source
        # An answer that is restored in the replay may replace what no step holds yet.
        replaced = (event.data or {}).get("replaced")
        self._catch_up(replaced if isinstance(replaced, str) else None, event.seq, event.timestamp)
        if proposal is self.steps[-1]:
            proposal.outcome = "accepted"
            self._settle(proposal, event)
            self._apply(proposal)
            if source != proposal.code:
                self._record(event, "edit", source)
        elif proposal.outcome != "accepted" or source != self.held:
            proposal.outcome = "accepted"
            is_old = proposal.index in self.aside or proposal.before != self.held
            self._record(
                event,
                "accept",
                source,
                from_step=proposal.index,
                branched_from=proposal.index if is_old else None,
            )

    def _restore(self, event: Event) -> None:
        data = event.data or {}
        replaced = data.get("replaced")
        self._catch_up(replaced if isinstance(replaced, str) else None, event.seq, event.timestamp)
        is_own = data.get("from_cell") in (None, self.cell_id)
        origin = self._origin(event.source, data.get("from_seq")) if is_own else None
        source = event.source
        if source is None and origin is not None:
            source = origin.code
        is_old = origin is not None and source != self.held
        self._record(
            event,
            "restore",
            source,
            from_step=origin.index if origin else None,
            branched_from=self._last_with(origin.index, source) if origin and is_old else None,
        )

    def _last_with(self, index: int, source: str | None) -> int:
        """The last step on the way on from this one at which the cell still held its code."""
        if self.steps[index].after != source:
            return index
        for step in self.steps[index + 1 :]:
            if step.parent == index and step.after == source:
                index = step.index
        return index

    def _origin(self, source: str | None, seq: object) -> Step | None:
        """The step whose code came back: the one that is named, else the newest that had it."""
        named = None
        if isinstance(seq, int):
            for step in reversed(self.steps):
                if step.seq < seq:
                    break
                if step.seq == seq:
                    if step.code == source:
                        return step
                    named = named or step
        return named or next((step for step in reversed(self.steps) if step.code == source), None)

    def _catch_up(self, source: str | None, seq: int, timestamp: str) -> None:
        """Put in the accept or the edit that nobody recorded, if the cell holds another source."""
        if source is not None:
            self.missing = None
        if source is None or source == self.held:
            return
        last = self.steps[-1] if self.steps else None
        if last is not None and last.outcome == "open" and last.code == source:
            last.outcome = "accepted"
            self._apply(last)
        else:
            kind: Kind = "edit" if self.steps else "start"
            self._add(seq, kind, timestamp, source, author=UNKNOWN.kind)

    def _settle(self, proposal: Step, event: Event) -> None:
        if proposal is self.steps[-1] and proposal.settled_seq is None:
            proposal.settled_seq, proposal.settled_at = event.seq, event.timestamp

    def _apply(self, proposal: Step) -> None:
        """The cell goes on from the newest answer."""
        proposal.applied, self.head = True, proposal.index
        proposal.missing = self.missing = None

    def _record(self, event: Event, kind: Kind, source: str | None, **fields: Any) -> None:
        code = self.held if source is None else source
        size = (event.data or {}).get("too_long")
        if source is not None:
            self.missing = None
        elif isinstance(size, int):
            self.missing = size
        who = contributor_of(event)
        details = {
            "author": who.kind,
            "name": who.name,
            "turn_id": event.turn_id,
            "event": event.type,
            "data": event.data,
        }
        self._add(event.seq, kind, event.timestamp, code, **(details | fields))

    def _add(
        self,
        seq: int,
        kind: Kind,
        timestamp: str,
        code: str,
        *,
        branched_from: int | None = None,
        **fields: Any,
    ) -> Step:
        step = Step(
            **fields,
            index=len(self.steps),
            seq=seq,
            kind=kind,
            timestamp=timestamp,
            before=self.held,
            code=code,
            missing=self.missing,
            parent=self.head if branched_from is None else branched_from,
        )
        self.steps.append(step)
        # An answer on a branch is not gone on from before it is accepted.
        if step.applied or branched_from is None:
            self.head = step.index
        else:
            self.aside.add(step.index)
        return step


def _run_result(data: dict[str, Any]) -> tuple[Outcome, str | None]:
    """How a run ended, and ``ename: evalue`` where it failed."""
    status = data.get("status")
    if status in ("abort", "aborted", "cancelled"):
        return "cancelled", None
    name, value = data.get("ename"), data.get("evalue")
    if status == "error" or name:
        parts = [part for part in (name, value) if isinstance(part, str) and part]
        return "error", ": ".join(parts) or None
    return "done", None
