"""Read what the cells of a notebook contained, and record which of them were recognised."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Sequence

from ..errors import StorageError
from ..models import Contributor, Event, Interaction, NewEvent, Session, SessionKey, utc_now
from ..sessions.base import SessionManager
from ..sessions.record.damage.recovery import parse_or_recover
from .cell_match import Match, normalized
from .history import load_raw_batch

FOUND_AGAIN = "found"
"""The type of the event that records by which sign a cell was recognised."""
_MAX_SOURCES = 500  # the newest contents of a cell that are compared
_MAX_BYTES = 64 * 1024 * 1024
_BATCH = 64  # sessions that are read together


async def read_contents(
    store: SessionManager, notebook_id: str, owner: str, cell_ids: Collection[str]
) -> dict[str, Sequence[str]]:
    """Return the contents that each cell has had, newest first and ``normalized``.

    The contents of a session that can't be read are empty, as are all if the sessions are larger
    than ``_MAX_BYTES`` together. Raises StorageError.
    """
    raw: dict[str, bytes] = {}
    size, ids = 0, sorted(cell_ids)
    for start in range(0, len(ids), _BATCH):
        batch = await load_raw_batch(store, owner, notebook_id, ids[start : start + _BATCH])
        size += sum(map(len, batch.values()))
        if size > _MAX_BYTES:
            return dict.fromkeys(cell_ids, ())
        raw |= batch

    def read_all() -> dict[str, Sequence[str]]:
        contents: dict[str, Sequence[str]] = dict.fromkeys(cell_ids, ())
        for cell_id, data in raw.items():
            session = parse_or_recover(data, SessionKey(notebook_id, cell_id, owner))
            contents[cell_id] = _contents(session) if session else ()
        return contents

    return await asyncio.to_thread(read_all)


async def record_matches(
    store: SessionManager, notebook_id: str, owner: str, matches: Iterable[Match]
) -> None:
    """Record in the histories of cells by which sign they were recognised.

    That is recorded once, until something else happens to the cell.
    """
    for match in matches:
        key = SessionKey(notebook_id, match.id, owner)
        event = NewEvent(
            type=FOUND_AGAIN,
            timestamp=utc_now(),
            data={"sign": match.sign},
            contributor=Contributor(kind="program", name="AI Server"),
        )
        try:
            session = await store.load_if_exists(key)
            last = session.ordered()[-1:] if session else []
            if last and not (isinstance(last[0], Event) and last[0].type == FOUND_AGAIN):
                await store.record_events(key, [event])
        except StorageError:  # the cell has its history, whether that is recorded or not
            logging.getLogger(__name__).warning("A step of %s was not recorded.", match.id)


def _contents(session: Session) -> list[str]:
    suggestions = {turn.turn_id: turn.ai_response.suggestion for turn in session.interactions}
    sources: list[str] = []
    for record in reversed(session.ordered()):
        if isinstance(record, Interaction):
            if record.parent_turn_id is None and record.repeats_turn_id is None:
                sources.append(record.user_request.current_code)
        elif record.source is not None:
            sources.append(record.source)
        elif record.type == "accept" and record.turn_id is not None:
            sources.append(suggestions.get(record.turn_id, ""))
    newest, *older = dict.fromkeys(map(normalized, sources)) or [""]
    return [newest, *filter(None, older)][:_MAX_SOURCES]
