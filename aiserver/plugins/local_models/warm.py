"""Limit the number of local models that run at the same time.

Loading one takes seconds, so two stay loaded if there is enough memory.

Invariants:

- At most ``MAX_WARM`` models run, two only if their memory and ``RESERVE`` fit.
- A model that is answering a request is ended only after its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from . import machine
from .process import LocalProcess

MAX_WARM = 2
RESERVE = 1_000_000_000  # bytes for other programs, such as kernels


class WarmModel(Protocol):
    """A local model, as ``WarmModels`` uses it."""

    process: LocalProcess

    @property
    def is_answering(self) -> bool:
        """Whether the model is answering a request."""

    async def close(self) -> None:
        """End the process, which starts again at the next use."""


class WarmModels:
    """The running local models.

    Their weights count as ``available_memory``, because files are mapped.
    """

    def __init__(
        self, available_memory: Callable[[], int | None] = machine.available_memory
    ) -> None:
        self._available_memory = available_memory
        self._models: list[WarmModel] = []  # the most recently used one is last
        self._to_end: set[WarmModel] = set()  # models to be ended after their answers
        self._tasks: set[asyncio.Task[None]] = set()

    async def admit(self, model: WarmModel) -> None:
        """Make room for ``model``; end older ones if needed."""
        needs_room = not model.process.is_running or model in self._to_end
        self._to_end.discard(model)
        self._models = [
            other for other in self._models if other is not model and other.process.is_running
        ]
        others = self._models
        self._models = [*others, model]
        if not needs_room:
            return
        while others and not self._fit([*others, model]):
            oldest, *others = others
            if oldest.is_answering:
                self._to_end.add(oldest)
            else:
                await oldest.close()

    def release(self, model: WarmModel) -> None:
        """End ``model`` after its answer, if another one needs its memory."""
        if model in self._to_end and not model.is_answering:
            self._to_end.discard(model)
            task = asyncio.create_task(model.close())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _fit(self, models: list[WarmModel]) -> bool:
        available = self._available_memory()
        if len(models) > MAX_WARM or available is None:
            return False
        return sum(model.process.memory for model in models) + RESERVE <= available
