"""Requests to models that nobody waits for, such as summaries.

Invariants:

- A background task delays no request: a generation, a warm-up or a completion with the same model
  cancels it, or with any model on this machine if the task's is.
- There is at most one task for each key.
- A failure is logged without contents.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Hashable
from typing import TYPE_CHECKING, Any

from ..errors import AIServerError, ModelRateLimited
from ..llm.base import ChatModel, ModelInfo
from ..safe_traceback import outline_of

if TYPE_CHECKING:
    from ..prompts.context import Messages


def competes(info: ModelInfo, other: ModelInfo) -> bool:
    """Return whether an answer of one model can delay one of the other."""
    return info.id == other.id or (info.on_this_machine and other.on_this_machine)


class BackgroundTasks:
    """Runs background tasks, and cancels those that could delay answers."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._tasks: dict[Hashable, tuple[ModelInfo | None, asyncio.Task[Any]]] = {}
        self._cancelled: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def is_running(self, key: Hashable) -> bool:
        return key in self._tasks

    def start(
        self, key: Hashable, info: ModelInfo, work: Coroutine[Any, Any, None], failure: str
    ) -> None:
        """Run ``work``, unless the key has a task; log ``failure`` if it fails."""
        if self._is_closed or key in self._tasks:
            work.close()
            return
        self.watch(key, info, asyncio.create_task(self._run(work, failure)))

    def watch(self, key: Hashable, info: ModelInfo | None, task: asyncio.Task[Any]) -> None:
        """Cancel a task once it could delay an answer of ``info`` or, without it, any answer."""
        self._tasks[key] = info, task

        def forget(task: asyncio.Task[Any]) -> None:
            if (info, task) == self._tasks.get(key):
                del self._tasks[key]
            self._cancelled.discard(task)

        task.add_done_callback(forget)

    def cancel(self, info: ModelInfo) -> None:
        """Cancel tasks that could delay an answer of this model."""
        for running, task in self._tasks.values():
            if running is None or competes(info, running):
                self._cancel(task)

    def cancel_local(self) -> None:
        for running, task in self._tasks.values():
            if running is None or running.on_this_machine:
                self._cancel(task)

    async def close(self) -> None:
        """Cancel all tasks, and wait up to 5 s for their end. No task starts afterwards."""
        self._is_closed = True
        tasks = [task for _, task in self._tasks.values()]
        for task in tasks:
            self._cancel(task)
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    async def answer(
        self, model: ChatModel, messages: Messages, max_length: int
    ) -> tuple[str, dict[str, Any] | None]:
        """Return a model's answer and usage, in a task that ``start`` has started.

        The answer is cut off after ``max_length`` characters. Raises ModelError; ModelRateLimited
        if the provider asks to wait, because the requests of people come first.
        """
        text, usage = "", None
        async with contextlib.aclosing(model.stream(messages, language="")) as deltas:
            async for delta in deltas:
                if asyncio.current_task() in self._cancelled:
                    # Before Python 3.12, asyncio.wait_for can swallow the cancellation.
                    raise asyncio.CancelledError
                if delta.waiting is not None:
                    raise ModelRateLimited
                text += delta.text
                usage = delta.usage or usage
                if len(text) > max_length:
                    break
        return text, usage

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        self._cancelled.add(task)
        task.cancel()

    async def _run(self, work: Coroutine[Any, Any, None], failure: str) -> None:
        try:
            await work
        except AIServerError as reason:
            self._log.warning("%s: %s", failure, reason.code)
        except Exception as fault:
            self._log.error("%s: %s", failure, outline_of(fault))
        finally:
            work.close()  # the task may be cancelled before it began
