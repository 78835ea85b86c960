"""How far a long download is: a bar at a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """Steps, one after the other, each with a number of bytes to come. A context manager."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._name = ""
        self._total = self._done = 0
        self._last_line = 0.0

    def __enter__(self) -> Progress:
        if sys.stdout.isatty():
            from rich import progress

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.DownloadColumn(),
                progress.TransferSpeedColumn(),
                progress.TimeRemainingColumn(compact=True),
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def say(self, sentence: str) -> None:
        """A line of its own."""
        if self._bar is not None:
            self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            print(sentence, flush=True)

    def step(self, name: str, total: int) -> None:
        """Begin a step of ``total`` bytes."""
        self._name, self._total, self._done = name, total, 0
        self._last_line = time.monotonic()
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(name, total=total)
        else:
            print(f"{name} …", flush=True)

    def reach(self, done: int) -> None:
        """So many bytes of the step are done."""
        self._done = done
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
        elif time.monotonic() - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            print(f"{self._name}: {done / 1e6:.0f} of {self._total / 1e6:.0f} MB", flush=True)

    def advance(self, count: int) -> None:
        """So many more bytes of the step are done."""
        self.reach(self._done + count)
