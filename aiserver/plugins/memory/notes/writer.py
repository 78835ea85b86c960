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

from ....errors import AIServerError, BadAnswer
from ....generation.assistant import Assistant
from ....generation.background import BackgroundTasks
from ....llm.base import ChatModel
from ....redact import redact
from ..bodies import NoteCell
from .manager import NoteManager
from .outline import Outline, clean_cells
from .personal import is_personal
from .wording import MAX_PURPOSE, clean_purpose, purpose_messages

_MAX_REMEMBERED = 1000  # outlines for which the model has been asked


class NoteWriter:
    """Words notes in background tasks, at most one per notebook."""

    def __init__(self, notes: NoteManager, log: logging.Logger) -> None:
        self._notes, self._log = notes, log
        self._asked: dict[str, str] = {}  # for each notebook, the last outline that was worded

    async def start(
        self,
        assistant: Assistant,
        notebook_id: str,
        outline: Outline,
        cells: Sequence[NoteCell],
        *,
        again: bool = False,
    ) -> bool:
        """Let the default model word a note in the background; return whether this is running.

        An outline is worded only once, unless the person asks for it ``again``. Nothing is sent to
        a model on another machine. While a person waits for a model, no wording begins.
        """
        model = await assistant.idle_model()
        if model is None or not model.info.on_this_machine:
            return False
        if self._asked.get(notebook_id) == outline.text and not again:
            return False
        tasks = assistant.background
        work = self._word(tasks, notebook_id, outline, cells, model)
        tasks.start(_key(notebook_id), model.info, work, "A note could not be worded")
        return self.is_running(assistant, notebook_id)

    def is_running(self, assistant: Assistant, notebook_id: str) -> bool:
        """Return whether the note of a notebook is being worded."""
        return assistant.background.is_running(_key(notebook_id))

    async def _word(
        self,
        tasks: BackgroundTasks,
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
            answer, _ = await tasks.answer(model, messages, 2 * MAX_PURPOSE)
        except AIServerError:
            self._remember(notebook_id, outline)
            raise
        self._remember(notebook_id, outline)
        purpose = clean_purpose(redact(answer, is_prose=True), outline.text)
        if not purpose or is_personal(purpose):
            raise BadAnswer
        await self._notes.word(notebook_id, outline.with_purpose(purpose), model.info.id, outline)
        milliseconds = round((time.monotonic() - started_at) * 1000)
        self._log.info("note worded: model=%s ms=%d", model.info.loggable_id, milliseconds)

    def _remember(self, notebook_id: str, outline: Outline) -> None:
        self._asked.pop(notebook_id, None)
        self._asked[notebook_id] = outline.text
        while len(self._asked) > _MAX_REMEMBERED:
            del self._asked[next(iter(self._asked))]


def _key(notebook_id: str) -> tuple[str, str]:
    return "note", notebook_id
