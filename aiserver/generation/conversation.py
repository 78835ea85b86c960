"""Select the turns of a cell's session from which its next request continues. Pure.

Invariants:

- Turns before the last event ``context_reset`` don't count.
- A turn that asks a request again, of another model, doesn't change what the next request continues
  from. If a person then accepts or restores its answer, the next request continues from this turn
  and its ancestors. An accepted or restored answer that isn't among these turns brings its own
  turns back in the same way.
- If the cell then gets exactly the code again that it had before the acceptance or the restore, as
  by an undo, the next request continues from the earlier turns again; after a redo, from those of
  the branch. The next request ends this.
- Without such turns, the next request continues from all turns of the conversation.
"""

from __future__ import annotations

from typing import NamedTuple

from ..models import Event, Interaction, Session


def conversation(session: Session, parent_turn_id: int | None = None) -> list[Interaction]:
    """Return the turns from which the next request continues, oldest first.

    With ``parent_turn_id``, return only that turn and its ancestors. A request that continues
    from an older turn needs only these, because the model must not see what was tried later.
    """
    path = _Path(session.meta.cell_id)
    for record in session.ordered():
        if isinstance(record, Interaction):
            path.add_turn(record)
        elif record.type == "context_reset":
            path = _Path(session.meta.cell_id)
        else:
            path.add_event(record)
    return path.turns if parent_turn_id is None else path.ancestors(parent_turn_id)


class _State(NamedTuple):
    """The turns from which a request continues while the cell has this source."""

    source: str | None
    turns: list[Interaction]
    ids: set[int]
    current_id: int | None


class _Path:
    """The turns of a conversation up to some record, from which the next request continues."""

    def __init__(self, cell_id: str) -> None:
        self.turns: list[Interaction] = []
        self._cell_id = cell_id
        self._ids: set[int] = set()  # the ids of `turns`
        self._turns_with_parents: list[tuple[Interaction, int | None]] = []
        self._all_ids: set[int] = set()
        self._id_by_seq: dict[int, int] = {}
        """Maps the seq of a record to the id of the turn whose code the record shows."""
        self._current_id: int | None = None
        self._source: str | None = None  # the cell's source after the last record
        self._other: _State | None = None  # the state that an undo or redo brings back

    def add_turn(self, turn: Interaction) -> None:
        """Add a turn. The parent of a turn that was stored without a parent is the previous one."""
        parent_id = turn.parent_turn_id
        if turn.repeats_turn_id is None:
            self._other = None
            self._continue_from(parent_id)
            if parent_id is None and self.turns:
                parent_id = self.turns[-1].turn_id
            self.turns.append(turn)
            self._ids.add(turn.turn_id)
            self._source = turn.user_request.current_code
        self._turns_with_parents.append((turn, parent_id))
        self._all_ids.add(turn.turn_id)
        if turn.seq is not None:
            self._id_by_seq[turn.seq] = turn.turn_id

    def add_event(self, event: Event) -> None:
        """Add an event. An acceptance or a restore may bring the turns of another branch back."""
        source = event.source
        state = _State(self._source, self.turns, self._ids, self._current_id)
        if event.type == "accept":
            self._current_id = event.turn_id
        elif event.type == "restore":
            data = event.data or {}
            if isinstance(replaced := data.get("replaced"), str):
                state = state._replace(source=replaced)  # an edit that isn't recorded
            seq = data.get("from_seq")
            is_same_cell = data.get("from_cell") in (None, self._cell_id)
            self._current_id = (
                self._id_by_seq.get(seq) if is_same_cell and isinstance(seq, int) else None
            )
        if event.type in ("accept", "restore"):
            has_changed = self._continue_from(self._current_id)
            self._other = state if has_changed else None
        elif self._other and source is not None and source == self._other.source != self._source:
            self._other, (_, self.turns, self._ids, self._current_id) = state, self._other
        self._source = self._source if source is None else source
        if self._current_id is not None:
            self._id_by_seq[event.seq] = self._current_id

    def _continue_from(self, turn_id: int | None) -> bool:
        """Continue from a turn that isn't among ``turns``; return whether it is such a turn."""
        if turn_id not in self._all_ids or turn_id in self._ids:
            return False
        assert turn_id is not None
        self.turns = self.ancestors(turn_id)
        self._ids = {turn.turn_id for turn in self.turns}
        return True

    def ancestors(self, turn_id: int) -> list[Interaction]:
        """Return the turn with the id ``turn_id`` and its ancestors, oldest first."""
        ancestors: list[Interaction] = []
        ancestor_id: int | None = turn_id
        for turn, parent_id in reversed(self._turns_with_parents):
            if turn.turn_id == ancestor_id:
                ancestors.append(turn)
                ancestor_id = parent_id
        return ancestors[::-1]
