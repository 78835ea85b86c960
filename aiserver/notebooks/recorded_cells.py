"""Read what cells contained, and record which were recognised."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Sequence

from ..errors import StorageError
from ..models import Contributor, Event, NewEvent, Session, SessionKey, utc_now
from ..replay import replay
from ..sessions.base import SessionManager
from ..sessions.record.recovery import parse_or_recover
from .cell_match import Match, normalized
from .history import load_raw_batch

FOUND_AGAIN = "found"
"""The type of the event that records by which sign a cell was recognised."""
_MAX_SOURCES = 500  # contents of a cell that are compared, newest first
_MAX_BYTES = 64 * 1024 * 1024


async def read_contents(
    store: SessionManager, notebook_id: str, owner: str, cell_ids: Collection[str]
) -> dict[str, Sequence[str]]:
    """Return the contents of each cell, newest first and ``normalized``.

    The last one is the first recorded, even if the cell has had it again. Contents are empty for an
    unreadable session, and beyond ``_MAX_BYTES`` together. Raises StorageError.
    """
    raw = await load_raw_batch(store, owner, notebook_id, sorted(cell_ids), _MAX_BYTES)
    left_out = sorted(set(cell_ids) - raw.keys())  # too large, empty, or just deleted
    if left_out and await load_raw_batch(store, owner, notebook_id, left_out, 0):
        return dict.fromkeys(cell_ids, ())

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
    """Record by which signs cells were recognised, once until something else happens to them."""
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
        except StorageError:  # the cell has its history all the same
            logging.getLogger(__name__).warning("A step of %s was not recorded.", match.id)


def _contents(session: Session) -> list[str]:
    """Return each content by its last use, and again the first one."""
    steps = reversed(replay(session))
    sources = [normalized(text) for step in steps for text in (step.after, step.before)] or [""]
    first = next(filter(None, reversed(sources)), "")
    return [*list(dict.fromkeys(sources))[:_MAX_SOURCES], first]
