"""Select the past turns that a model gets for a request in a cell.

Invariants:

- Of the cell's own turns, a model gets those after the last ``context_reset`` (“New conversation”).
  If the request continues from an older turn, it gets only that turn and its ancestors.
- A turn that asks a request again, of another model, doesn't change what the next request continues
  from. If a person then accepts or restores its answer, or another one that isn't among these
  turns, the next request continues from that turn and its ancestors.
- If the cell then gets exactly the code again that it had before, as by an undo, the next request
  continues from the earlier turns again; after a redo, from those of the branch. The next request
  ends this.
- Without such turns, the next request continues from all turns of the conversation.
- A request that is asked again, of another model, begins without the cell's own turns.
- If other cells were merged into the cell, their turns up to the merge come first, in the order in
  which the merge joined the code; but not after a ``context_reset`` of the cell.
- The turns of one cell are ordered by seq. Timestamps are ignored.
- If a person asks a small model for another answer, the earlier answers are left out.
- A damaged session counts as empty, so that a request is still possible.
- A model gets the newest ``HISTORY_TURNS`` turns word for word, as far as they fit, and a valid
  summary of older ones (``condensed_turns.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import SessionCorrupt
from ..models import CONDENSED_TURNS, Event, Interaction, Session, SessionKey, is_id, new_session
from ..redact import redact
from ..sessions.base import SessionManager
from .condensed_turns import CondensedTurns, newest_valid

HISTORY_TURNS = 50  # the most turns; a prompt's budget may allow fewer
_MAX_CELLS = 50  # merged cells that are loaded


async def load_or_new(sessions: SessionManager, key: SessionKey) -> Session:
    """Return a session, an empty one if it is missing or damaged."""
    try:
        return await sessions.load_session(key)
    except SessionCorrupt:  # new requests must remain possible
        return new_session(key)


@dataclass(frozen=True)
class PastTurns:
    """A request's past turns, oldest first, and the newest valid summary of older ones."""

    all: Sequence[Interaction] = ()
    condensed: CondensedTurns | None = None
    left_out: int = 0
    """The number of turns that are left out, because they are attempts at the same request."""

    @property
    def recent(self) -> list[Interaction]:
        """The turns that a model gets word for word, if they fit."""
        return list(self.all[-HISTORY_TURNS:])

    @property
    def recent_start(self) -> int:
        return max(len(self.all) - HISTORY_TURNS, 0)


async def load_past_turns(
    sessions: SessionManager,
    key: SessionKey,
    parent_turn_id: int | None = None,
    *,
    session: Session | None = None,
    condenses: bool = True,
    begins_branch: bool = False,
    before: tuple[str, str] | None = None,
) -> PastTurns:
    """Return the past turns for a request; ``session`` may be loaded already.

    With ``parent_turn_id``, only that turn of the cell and its ancestors; with ``begins_branch``,
    none. With ``before``, an intent and source, the turns before the newest attempts at it.
    ``condenses``: there may be a summary.
    """
    session = session or await load_or_new(sessions, key)
    # In threads, because there can be very many turns.
    turns: list[Interaction] = []
    if not begins_branch:
        turns = await asyncio.to_thread(conversation, session, parent_turn_id)
    # Only a summary needs merged cells' turns that are older than the recent turns.
    if session.meta.parents and (condenses or len(turns) < HISTORY_TURNS):
        turns = [*await _MergedCells(sessions, key).turns_before(session), *turns]
    count = len(turns)
    if before:
        turns = await asyncio.to_thread(before_request, turns, *before)
    left_out = count - len(turns)
    events = [event for event in session.events or [] if event.type == CONDENSED_TURNS]
    if not (events and condenses):
        return PastTurns(turns, left_out=left_out)
    return PastTurns(turns, await asyncio.to_thread(newest_valid, events, turns), left_out)


def before_request(turns: Sequence[Interaction], intent: str, source: str) -> list[Interaction]:
    """Return the turns before the newest attempts at a request; all if there was none.

    An attempt has this ``intent`` and ``source``, perhaps redacted, or corrects such an answer.
    """
    words = redact(intent, is_prose=True)
    sources = (redact(source), redact(source, is_prose=True))  # the cell may contain prose
    attempts = [(intent, source), *((words, stored) for stored in sources)]
    end = None
    for index in range(len(turns) - 1, -1, -1):
        turn = turns[index]
        request = turn.user_request
        if (request.intent, request.current_code) in attempts:
            end = index
        elif end is not None and turn.mode != "repair":
            break
    return list(turns[:end])


class _MergedCells:
    def __init__(self, sessions: SessionManager, key: SessionKey) -> None:
        self._sessions = sessions
        self._loaded_keys = {key}

    async def turns_before(self, session: Session) -> list[Interaction]:
        """Return the turns of merged cells; none after a ``context_reset``."""
        if any(event.type == "context_reset" for event in session.events or []):
            return []
        forked_from = (session.meta.forked_from or {}).get("cell_id")
        # A merged cell's event names this cell or, for a copy, the original.
        cell_ids = {session.meta.cell_id, forked_from}
        turns: list[Interaction] = []
        for parent in session.meta.parents or []:
            parent_session = await self._load_parent(session, parent)
            if parent_session is not None:
                session_at_merge = _until_merged(parent_session, cell_ids)
                turns += await self.turns_before(session_at_merge)
                turns += conversation(session_at_merge)
        return turns

    async def _load_parent(self, session: Session, parent: dict[str, object]) -> Session | None:
        # A copied notebook has its own copies of the parents' sessions.
        for notebook_id in (session.meta.notebook_id, parent.get("notebook_id")):
            cell_id = parent.get("cell_id")
            if not (isinstance(notebook_id, str) and isinstance(cell_id, str)):
                continue
            if not (is_id(notebook_id) and is_id(cell_id)) or len(self._loaded_keys) > _MAX_CELLS:
                continue
            key = SessionKey(notebook_id, cell_id, session.meta.owner or "")
            if key in self._loaded_keys:
                return None
            loaded = await self._load_readable(key)
            if loaded is not None:
                self._loaded_keys.add(key)
                return loaded
        return None

    async def _load_readable(self, key: SessionKey) -> Session | None:
        try:
            return await self._sessions.load_if_exists(key)
        except SessionCorrupt:
            return None


def _until_merged(session: Session, cell_ids: set[str | None]) -> Session:
    """Cut a session at the merge into one of ``cell_ids``, else at the first merge."""
    merges = [
        (event.seq, (event.data or {}).get("into"))
        for event in session.events or []
        if event.type == "merge" and (event.data or {}).get("into") is not None
    ]
    ends = [seq for seq, into in merges if into in cell_ids] or [seq for seq, _ in merges]
    if not ends:
        return session
    end = min(ends)
    return session.until(end)


def conversation(session: Session, parent_turn_id: int | None = None) -> list[Interaction]:
    """Return the turns from which the next request continues, oldest first.

    With ``parent_turn_id``, return only that turn and its ancestors: the model must not see what
    was tried later.
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
    """The turns up to some record, from which the next request continues."""

    def __init__(self, cell_id: str) -> None:
        self.turns: list[Interaction] = []
        self._cell_id = cell_id
        self._ids: set[int] = set()
        self._turns_with_parents: list[tuple[Interaction, int | None]] = []
        self._all_ids: set[int] = set()
        self._id_by_seq: dict[int, int] = {}
        """Maps the seq of a record to the id of the turn whose code the record shows."""
        self._current_id: int | None = None
        self._source: str | None = None  # the cell's source after the last record
        self._other: _State | None = None  # the state that an undo or redo brings back

    def add_turn(self, turn: Interaction) -> None:
        """Add a turn. The parent of a turn without one is the previous turn."""
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
        """Add an event. An acceptance or a restore may bring another branch's turns back."""
        source = event.source
        state = _State(self._source, self.turns, self._ids, self._current_id)
        if event.type == "accept":
            self._current_id = event.turn_id
        elif event.type == "restore":
            data = event.data or {}
            if isinstance(replaced := data.get("replaced"), str):
                state = state._replace(source=replaced)  # an unrecorded edit
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
        """Continue from a turn that isn't among ``turns``; return whether there is one."""
        if turn_id not in self._all_ids or turn_id in self._ids:
            return False
        assert turn_id is not None
        self.turns = self.ancestors(turn_id)
        self._ids = {turn.turn_id for turn in self.turns}
        return True

    def ancestors(self, turn_id: int) -> list[Interaction]:
        ancestors: list[Interaction] = []
        ancestor_id: int | None = turn_id
        for turn, parent_id in reversed(self._turns_with_parents):
            if turn.turn_id == ancestor_id:
                ancestors.append(turn)
                ancestor_id = parent_id
        return ancestors[::-1]
