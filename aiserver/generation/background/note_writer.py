"""Let a model on this machine word the purpose of notebooks for their notes, in the background.

Invariants:

- Only a model on this machine gets the texts, without secrets and lines about the author.
- If the model fails, or its answer isn't a short text in the language of the notebook, the note
  stays as it is, and the model isn't asked again before the outline changes or the person asks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence

from ...errors import AIServerError, BadAnswer
from ...llm.base import ChatModel
from ...memory.notes.manager import NoteManager
from ...memory.notes.outline import Outline, clean_cells
from ...memory.notes.personal import is_personal
from ...prompts.note import MAX_PURPOSE, clean_purpose, purpose_messages
from ...redact import redact
from ...requests import NoteCell
from .tasks import BackgroundTasks

_MAX_REMEMBERED = 1000  # outlines for which the model has been asked


class NoteWriter:
    """Words notes in background tasks, at most one per notebook."""

    def __init__(self, tasks: BackgroundTasks, log: logging.Logger) -> None:
        self._tasks, self._log = tasks, log
        self._asked: dict[str, str] = {}  # for each notebook, the last outline that was worded

    def start(
        self,
        notes: NoteManager,
        notebook_id: str,
        outline: Outline,
        cells: Sequence[NoteCell],
        model: ChatModel,
        *,
        again: bool = False,
    ) -> bool:
        """Start wording a note, unless this outline was worded already and ``again`` is false.

        Return whether the wording is running. Raises ValueError for a remote model.
        """
        if not model.info.on_this_machine:
            raise ValueError("a note is never sent to another machine")
        if self._asked.get(notebook_id) == outline.text and not again:
            return False
        work = self._word(notes, notebook_id, outline, cells, model)
        self._tasks.start(_key(notebook_id), model.info, work, "A note could not be worded")
        return self.is_running(notebook_id)

    def is_running(self, notebook_id: str) -> bool:
        """Return whether the note of a notebook is being worded."""
        return self._tasks.is_running(_key(notebook_id))

    async def _word(
        self,
        notes: NoteManager,
        notebook_id: str,
        outline: Outline,
        cells: Sequence[NoteCell],
        model: ChatModel,
    ) -> None:
        started_at = time.monotonic()
        clean = await asyncio.to_thread(clean_cells, cells)
        messages = await purpose_messages(
            outline.text, clean, model.style, model.prompt_tokens, model.count_tokens
        )
        try:
            answer, _ = await self._tasks.answer(model, messages, 2 * MAX_PURPOSE)
        except AIServerError:
            self._remember(notebook_id, outline)
            raise
        self._remember(notebook_id, outline)
        purpose = clean_purpose(redact(answer, is_prose=True), outline.text)
        if not purpose or is_personal(purpose):
            raise BadAnswer
        await notes.word(notebook_id, outline.with_purpose(purpose), model.info.id, outline)
        milliseconds = round((time.monotonic() - started_at) * 1000)
        self._log.info("note worded: model=%s ms=%d", model.info.loggable_id, milliseconds)

    def _remember(self, notebook_id: str, outline: Outline) -> None:
        self._asked.pop(notebook_id, None)
        self._asked[notebook_id] = outline.text
        while len(self._asked) > _MAX_REMEMBERED:
            del self._asked[next(iter(self._asked))]


def _key(notebook_id: str) -> tuple[str, str]:
    return "note", notebook_id
