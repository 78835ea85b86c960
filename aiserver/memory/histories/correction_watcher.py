"""Count the corrections of answers in the background, and propose those that are repeated.

Invariants:

- A save or an answer never waits for it: a cell is read some time after its last change, in a task
  of its own, and its code is compared in a thread.
- A failure is logged without contents. The next edit in the cell starts another try.
- An edit by somebody else is stored before anything is counted, also if a write has failed, and
  when the server stops.
- A substitution is only proposed if its turns still exist. It counts until its proposal is stored.
- Nothing is counted if memories are forbidden or the administrator has turned it off.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Iterable, Sequence
from functools import partial

from ...errors import AIServerError, NotRemembered
from ...i18n import current_locale
from ...models import NewEvent, Session, SessionKey
from ...safe_traceback import outline_of
from ...sessions.base import SessionManager
from ..corrections.compare import Substitution, substitutions
from ..corrections.counts import MAX_FOREIGN, Counts, Repeated, newest
from ..corrections.texts import is_covered, text_of
from ..corrections.turns import corrected_turns
from ..entries import TurnSource
from ..manager import MemoryManager
from ..proposals import MAX_PROPOSALS

PAUSE = 10.0  # seconds after an edit; so a burst of edits is counted at once
_MAX_CELLS = 500  # that wait; further ones aren't counted
_log = logging.getLogger(__name__)

_TurnChanges = dict[int, tuple[float, Sequence[Substitution]]]


class CorrectionWatcher:
    """Counts corrections in the sessions of one owner."""

    def __init__(
        self, sessions: SessionManager, memory: MemoryManager, *, is_enabled: bool = True
    ) -> None:
        self._sessions, self._memory = sessions, memory
        self._is_enabled = is_enabled
        self._user_by_key: dict[SessionKey, str] = {}  # cells that wait
        self._foreign: dict[SessionKey, float] = {}  # edited by somebody else, and not stored yet
        self._task: asyncio.Task[None] | None = None
        self.pause = PAUSE

    def note(
        self,
        changes: Iterable[tuple[SessionKey, Sequence[NewEvent]]],
        *,
        user: str = "",
        is_owner: bool,
    ) -> None:
        """Read these cells later if the events are edits by a person.

        ``user`` is the name of the person who sent the events; it may be empty. ``is_owner`` is
        false if the memories belong to somebody else; then the cells count nothing from now on.
        """
        if not self._is_enabled:
            return
        for key in (key for key, events in changes if any(map(_is_edit, events))):
            if not is_owner:
                self._foreign[key] = self._memory.corrections.now()
            elif key in self._user_by_key or len(self._user_by_key) < _MAX_CELLS:
                self._user_by_key[key] = user
        self._foreign = newest(self._foreign, MAX_FOREIGN, float("-inf"))
        if (self._user_by_key or self._foreign) and self._task is None:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop. Cells that weren't read are read after the next edit in them."""
        self._is_enabled = False
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        await _succeeds(self._store_foreign())

    async def _run(self) -> None:
        try:
            while self._user_by_key or self._foreign:
                await asyncio.sleep(self.pause)
                if not await _succeeds(self._store_foreign()):
                    return  # the next edit starts another try
                cells, self._user_by_key = self._user_by_key, {}
                for key, user in cells.items():
                    await _succeeds(self._count(key, user))
        finally:
            self._task = None

    async def _store_foreign(self) -> None:
        """Store which cells somebody else has edited. After a failure, they can be stored again."""
        cells = dict(self._foreign)

        def mark(counts: Counts) -> None:
            for key, at in cells.items():
                counts.set_foreign((key.notebook_id, key.cell_id), at)

        if cells:
            await self._memory.corrections.update(mark)
            self._foreign = {key: at for key, at in self._foreign.items() if cells.get(key) != at}

    async def _count(self, key: SessionKey, user: str) -> None:
        """Store the substitutions in a cell, and propose those that are repeated."""
        corrections = self._memory.corrections
        session = await self._sessions.load_if_exists(key)
        changes: _TurnChanges = {}
        if session is not None and session.interactions:
            changes = await asyncio.to_thread(_changes_of, session, user)

        def count(counts: Counts) -> None:
            if key not in self._foreign:
                counts.set_cell((key.notebook_id, key.cell_id), changes, corrections.now())

        repeated = (await corrections.update(count)).repeated()
        while deleted := await self._deleted_turns(repeated, key.owner):
            counts = await corrections.update(partial(Counts.drop, sources=deleted))
            repeated = counts.repeated()
        for item in repeated:
            if await self._propose(item):
                group = item.substitution.group
                await corrections.update(partial(Counts.dismiss, group=group))

    async def _deleted_turns(self, repeated: Iterable[Repeated], owner: str) -> list[TurnSource]:
        """Return the turns that no longer exist, because the person has deleted their histories."""
        sources = {source for item in repeated for source in item.turns}
        ids_by_cell: dict[tuple[str, str], set[int]] = {}
        for cell in {(source.notebook_id, source.cell_id) for source in sources}:
            session = await self._sessions.load_if_exists(SessionKey(*cell, owner))
            turns = session.interactions if session is not None else []
            ids_by_cell[cell] = {turn.turn_id for turn in turns}
        return [s for s in sources if s.turn_id not in ids_by_cell[s.notebook_id, s.cell_id]]

    async def _propose(self, repeated: Repeated) -> bool:
        """Store the proposal of a substitution, unless an entry says it already.

        Return False if it has to be tried again, because too many proposals wait.
        """
        listed = await self._memory.list_entries(skip_unreadable=True)
        texts = [item.entry.text for item in listed]
        text = await asyncio.to_thread(_new_text, repeated.substitution, texts)
        if not text:
            return True
        if len(await self._memory.pending()) >= MAX_PROPOSALS:
            return False
        with contextlib.suppress(NotRemembered):
            await self._memory.propose(
                text,
                "person",
                "correction",
                repeated.turns[-1],
                answer_count=len(repeated.turns),
            )
        return True


async def _succeeds(work: Coroutine[None, None, None]) -> bool:
    """Do work on corrections, and log an error without contents. Return whether it succeeded."""
    try:
        await work
    except AIServerError as error:
        _log.info("Corrections of a cell weren't counted: %s", error.code)
    except Exception as error:
        _log.error("Corrections of a cell weren't counted: %s", outline_of(error))
    else:
        return True
    return False


def _is_edit(event: NewEvent) -> bool:
    """Return whether an event can be a correction by a person, or take one back."""
    is_person = event.contributor is None or event.contributor.kind == "person"
    return event.type in ("accept", "edit", "restore") and is_person


def _changes_of(session: Session, user: str) -> _TurnChanges:
    return {
        turn.turn_id: (turn.at, substitutions(turn.suggestion, turn.code))
        for turn in corrected_turns(session, user)
    }


def _new_text(substitution: Substitution, texts: Sequence[str]) -> str:
    """Return the text to propose; empty if one of the entries' texts says it already."""
    locale = current_locale()
    is_remembered = is_covered(substitution, texts, locale)
    return "" if is_remembered else text_of(substitution, locale)
