"""Count the corrections of answers in the background, and propose those that are repeated.

Invariants:

- A save or an answer never waits for it: a cell is read some time after its last change, in a task
  of its own, and its code is compared in a thread.
- A failure is logged without contents. The next edit in the cell starts another try.
- Nothing is counted if memories are forbidden or the administrator has turned it off.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence

from ...errors import AIServerError, NotRemembered
from ...i18n import current_locale
from ...models import NewEvent, Session, SessionKey
from ...safe_traceback import outline_of
from ...sessions.base import SessionManager
from ..listed import ListedEntry
from ..manager import MemoryManager
from ..proposals import MAX_PROPOSALS
from . import counts
from .compare import Substitution, substitutions
from .texts import is_remembered, text_of
from .turns import corrected_turns

PAUSE = 10.0  # seconds after an edit; so a burst of edits is counted at once
_MAX_CELLS = 500  # that wait; further ones aren't counted
_log = logging.getLogger(__name__)

_TurnChanges = dict[int, tuple[float, Sequence[Substitution]]]


class CorrectionWatcher:
    """Counts corrections in the sessions of one owner.

    ``owner_name`` is the user to whom the memories belong; empty if they belong to every user.
    """

    def __init__(
        self,
        sessions: SessionManager,
        memory: MemoryManager,
        *,
        owner_name: str = "",
        is_enabled: bool = True,
    ) -> None:
        self._sessions, self._memory = sessions, memory
        self._owner_name, self._is_enabled = owner_name, is_enabled
        self._is_foreign_by_key: dict[SessionKey, bool] = {}
        self._task: asyncio.Task[None] | None = None
        self.pause = PAUSE

    def note(
        self, changes: Iterable[tuple[SessionKey, Sequence[NewEvent]]], *, is_owner: bool
    ) -> None:
        """Read these cells later if the events are edits by a person.

        ``is_owner`` is false if somebody else sent the events; their cells count nothing from now
        on.
        """
        if not self._is_enabled:
            return
        for key, events in changes:
            if any(map(_is_edit, events)) and len(self._is_foreign_by_key) < _MAX_CELLS:
                is_foreign = self._is_foreign_by_key.pop(key, False) or not is_owner
                self._is_foreign_by_key[key] = is_foreign
        if self._is_foreign_by_key and self._task is None:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop. Cells that weren't read are read after the next edit in them."""
        self._is_enabled = False
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _run(self) -> None:
        try:
            while self._is_foreign_by_key:
                await asyncio.sleep(self.pause)
                cells, self._is_foreign_by_key = self._is_foreign_by_key, {}
                for key, is_foreign in cells.items():
                    await self._try_count(key, is_foreign)
        finally:
            self._task = None

    async def _try_count(self, key: SessionKey, is_foreign: bool) -> None:
        try:
            await self._count(key, is_foreign)
        except AIServerError as error:
            _log.info("Corrections of a cell weren't counted: %s", error.code)
        except Exception as error:
            _log.error("Corrections of a cell weren't counted: %s", outline_of(error))

    async def _count(self, key: SessionKey, is_foreign: bool) -> None:
        """Store the substitutions in a cell, and propose those that are repeated."""
        changes: _TurnChanges = {}
        if not is_foreign:
            session = await self._sessions.load_if_exists(key)
            if session is None or not session.interactions:
                return
            changes = await asyncio.to_thread(_changes_of, session, self._owner_name)
        cell = (key.notebook_id, key.cell_id)
        repeated: list[counts.Repeated] = []

        def update(data: bytes | None) -> bytes | None:
            document = counts.parse(data)
            if is_foreign:
                document.set_foreign(cell)
            else:
                document.set_cell(cell, changes, self._memory.now())
            repeated[:] = document.take_repeated()
            return document.encode()

        await self._memory.update_corrections(update)
        for item in repeated:
            await self._propose(item)

    async def _propose(self, repeated: counts.Repeated) -> None:
        """Store the proposal of a substitution, unless an entry says it already."""
        listed = await self._memory.list_entries(skip_unreadable=True)
        text = await asyncio.to_thread(_new_text, repeated.substitution, listed)
        if text and len(await self._memory.pending()) < MAX_PROPOSALS:
            with contextlib.suppress(NotRemembered):
                await self._memory.propose(
                    text,
                    "person",
                    "correction",
                    repeated.turns[-1],
                    answer_count=len(repeated.turns),
                )


def _is_edit(event: NewEvent) -> bool:
    """Return whether an event can be a correction by a person, or take one back."""
    is_person = event.contributor is None or event.contributor.kind == "person"
    return event.type in ("accept", "edit", "restore") and is_person


def _changes_of(session: Session, owner_name: str) -> _TurnChanges:
    return {
        turn.turn_id: (turn.at, substitutions(turn.suggestion, turn.code))
        for turn in corrected_turns(session, owner_name)
    }


def _new_text(substitution: Substitution, listed: Sequence[ListedEntry]) -> str:
    """Return the text to propose; empty if an entry says it already."""
    text = text_of(substitution, current_locale())
    return "" if is_remembered(substitution, text, listed) else text
