"""Complete the code of a cell while a person types.

Invariants:

- Only embedded models complete code, so no text leaves the machine.
- Nothing is stored or logged: a completion isn't a turn.
- At most one completion runs at a time. A newer one cancels it, because the person has typed on.
- A request or a warm-up cancels the completion. While one is running, the result is empty, so that
  no answer is delayed.
"""

from __future__ import annotations

import asyncio
import contextlib

from ...errors import AnswerCut, NoCompletionModel
from ...generation.assistant import Assistant
from ...llm.base import ModelInfo
from ...llm.registry import ModelRegistry
from .gap import MAX_TOKENS, CompletionBody, find_gap

TIMEOUT = 10.0  # seconds, including the start of the model


class Completer:
    """Completes code, one request at a time."""

    _task: asyncio.Task[str] | None = None

    async def complete(
        self, body: CompletionBody, models: ModelRegistry, assistant: Assistant
    ) -> str:
        """Return the code to insert at the cursor.

        It is empty if there is none, and if the completion was cancelled or took too long. If the
        caller is cancelled, the model stops at once. Raises NoCompletionModel, ModelError.
        """
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if assistant.is_busy:
            return ""
        info = models.completing()
        if info is None:
            raise NoCompletionModel
        assistant.background.cancel_local()
        task = self._task = asyncio.create_task(_complete(body, info, models))
        assistant.background.watch("completion", None, task)
        try:
            await asyncio.wait({task}, timeout=TIMEOUT)
            return task.result() if task.done() and not task.cancelled() else ""
        finally:
            task.cancel()


async def _complete(body: CompletionBody, info: ModelInfo, models: ModelRegistry) -> str:
    gap = find_gap(body)
    if gap is None:
        return ""
    model = await models.get(info.id)
    text = ""
    try:
        async with contextlib.aclosing(
            model.complete(gap.prefix, gap.suffix, stop=gap.stop, max_tokens=MAX_TOKENS)
        ) as pieces:
            async for piece in pieces:
                text += piece
                if gap.end_of(text) is not None:
                    break
    except AnswerCut:
        text = text.rpartition("\n")[0]  # only complete lines are useful
    return gap.fit(text)
