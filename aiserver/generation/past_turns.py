"""The turns that a model is told of when it is asked in a cell.

What must hold:

- They are the cell's own, since it was started afresh; where it goes on from an older turn, those
  that led to it.
- A merged cell goes on from the cells that it was made of: their turns come first, as far as they
  had come when they were merged, unless it was started afresh since.
- Within a cell the oldest come first; merged cells one after the other, in the order in which
  their code stands. No clock has a say (P26).
- What can't be read of another cell keeps nobody from asking in this one.
"""

from __future__ import annotations

from ..errors import SessionCorrupt
from ..models import Interaction, Session, SessionKey, is_id, new_session
from ..sessions.base import SessionManager

HISTORY_TURNS = 50  # more than any budget holds; the budget decides
_CELLS = 50  # that a cell was merged from, and those from others: more are not looked up


async def load_or_new(sessions: SessionManager, key: SessionKey) -> Session:
    """The session of a cell; an empty one where nothing whole of it is left."""
    try:
        return await sessions.load_session(key)
    except SessionCorrupt:  # that keeps nobody from asking anew
        return new_session(key)


async def load_past_turns(
    sessions: SessionManager, key: SessionKey, parent_turn_id: int | None = None
) -> list[Interaction]:
    """The turns that a model may be told of; with a turn, those that led to it."""
    return await past_turns_of(sessions, await load_or_new(sessions, key), key, parent_turn_id)


async def past_turns_of(
    sessions: SessionManager,
    session: Session,
    key: SessionKey,
    parent_turn_id: int | None = None,
) -> list[Interaction]:
    """As ``load_past_turns``, of a session that is read already."""
    turns = session.history(parent_turn_id)
    if session.meta.parents and len(turns) < HISTORY_TURNS:
        turns = [*await _Past(sessions, key).before(session), *turns]
    return turns[-HISTORY_TURNS:]


class _Past:
    """Looks up what the cells that were merged into one had been asked."""

    def __init__(self, sessions: SessionManager, key: SessionKey) -> None:
        self._sessions = sessions
        self._seen = {key}

    async def before(self, session: Session) -> list[Interaction]:
        """The turns that a merged cell's own go on from."""
        if any(event.type == "context_reset" for event in session.events or []):
            return []
        forked_from = (session.meta.forked_from or {}).get("cell_id")
        names = {session.meta.cell_id, forked_from}
        turns: list[Interaction] = []
        for parent in session.meta.parents or []:
            found = await self._load(session, parent)
            if found is not None:
                merged = _until_merged(found, names)
                turns += [*await self.before(merged), *merged.history()]
        return turns

    async def _load(self, session: Session, parent: dict[str, object]) -> Session | None:
        # A duplicate of a notebook has the parents' histories, too: its own say what it knows.
        for notebook_id in (session.meta.notebook_id, parent.get("notebook_id")):
            cell_id = parent.get("cell_id")
            if not (isinstance(notebook_id, str) and isinstance(cell_id, str)):
                continue
            if not (is_id(notebook_id) and is_id(cell_id)) or len(self._seen) > _CELLS:
                continue
            key = SessionKey(notebook_id, cell_id, session.meta.owner or "")
            if key in self._seen:
                return None
            found = await self._try(key)
            if found is not None:
                self._seen.add(key)
                return found
        return None

    async def _try(self, key: SessionKey) -> Session | None:
        try:
            return await self._sessions.load_if_exists(key)
        except SessionCorrupt:
            return None


def _until_merged(session: Session, names: set[str | None]) -> Session:
    """A session as it was when its cell was merged into one of these; else into any."""
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
