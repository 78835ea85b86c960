"""Select the past turns that a model gets for a request in a cell.

Invariants:

- They are the cell's own turns since its context was last reset; if the request continues from an
  older turn, those that led to it.
- A merged cell continues from the cells that it was merged from: their turns up to the merge come
  first, unless its context was reset since.
- Within a cell, the oldest turns come first; merged cells follow each other in the order of their
  code. Clocks don't matter (P26).
- An unreadable history of another cell never prevents a request in this one.
"""

from __future__ import annotations

from ..errors import SessionCorrupt
from ..models import Interaction, Session, SessionKey, is_id, new_session
from ..sessions.base import SessionManager

HISTORY_TURNS = 50  # more than fit into any prompt's token budget
_MAX_CELLS = 50  # cells that are loaded at most, directly or indirectly merged


async def load_or_new(sessions: SessionManager, key: SessionKey) -> Session:
    """Return the session of a cell, or an empty one if it is corrupt."""
    try:
        return await sessions.load_session(key)
    except SessionCorrupt:  # new requests must remain possible
        return new_session(key)


async def load_past_turns(
    sessions: SessionManager, key: SessionKey, parent_turn_id: int | None = None
) -> list[Interaction]:
    """Return the past turns for a model; with ``parent_turn_id``, those that led to it."""
    return await past_turns_of(sessions, await load_or_new(sessions, key), key, parent_turn_id)


async def past_turns_of(
    sessions: SessionManager,
    session: Session,
    key: SessionKey,
    parent_turn_id: int | None = None,
) -> list[Interaction]:
    """Like ``load_past_turns``, for a session that is already loaded."""
    turns = session.history(parent_turn_id)
    if session.meta.parents and len(turns) < HISTORY_TURNS:
        turns = [*await _MergedCells(sessions, key).turns_before(session), *turns]
    return turns[-HISTORY_TURNS:]


class _MergedCells:
    """Loads the turns of the cells that were merged into a cell."""

    def __init__(self, sessions: SessionManager, key: SessionKey) -> None:
        self._sessions = sessions
        self._seen = {key}

    async def turns_before(self, session: Session) -> list[Interaction]:
        """Return the turns that precede a merged cell's own."""
        if any(event.type == "context_reset" for event in session.events or []):
            return []
        forked_from = (session.meta.forked_from or {}).get("cell_id")
        names = {session.meta.cell_id, forked_from}
        turns: list[Interaction] = []
        for parent in session.meta.parents or []:
            loaded = await self._load(session, parent)
            if loaded is not None:
                merged = _until_merged(loaded, names)
                turns += [*await self.turns_before(merged), *merged.history()]
        return turns

    async def _load(self, session: Session, parent: dict[str, object]) -> Session | None:
        # A duplicated notebook has its own copies of the parents' histories: prefer those.
        for notebook_id in (session.meta.notebook_id, parent.get("notebook_id")):
            cell_id = parent.get("cell_id")
            if not (isinstance(notebook_id, str) and isinstance(cell_id, str)):
                continue
            if not (is_id(notebook_id) and is_id(cell_id)) or len(self._seen) > _MAX_CELLS:
                continue
            key = SessionKey(notebook_id, cell_id, session.meta.owner or "")
            if key in self._seen:
                return None
            loaded = await self._load_readable(key)
            if loaded is not None:
                self._seen.add(key)
                return loaded
        return None

    async def _load_readable(self, key: SessionKey) -> Session | None:
        try:
            return await self._sessions.load_if_exists(key)
        except SessionCorrupt:
            return None


def _until_merged(session: Session, names: set[str | None]) -> Session:
    """Return a session as of the merge of its cell into one of ``names``, else into any cell."""
    merges = [
        (event.seq, (event.data or {}).get("into"))
        for event in session.events or []
        if event.type == "merge" and (event.data or {}).get("into") is not None
    ]
    ends = [seq for seq, into in merges if into in names] or [seq for seq, _ in merges]
    if not ends:
        return session
    end = min(ends)
    return session.model_copy(
        update={
            "interactions": [turn for turn in session.interactions if (turn.seq or 0) <= end],
            "events": [event for event in session.events or [] if event.seq <= end],
        }
    )
