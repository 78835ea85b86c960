"""How far a long download is: for a person at a terminal, or for a program that reads lines."""

from __future__ import annotations

import json
import sys
import time
from types import TracebackType
from typing import Any

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_STATES = 0.2


class Progress:
    """Steps, one after the other, each with a number of bytes to come. A context manager.

    This one keeps them to itself. A step may be part of something larger: ``before`` bytes of its
    ``overall`` were done when it began. ``phase`` is looking, fetching or checking.
    """

    def __init__(self) -> None:
        self.name = ""
        self.phase, self.source = "looking", ""
        self.total = self.done = 0
        self.before = self.overall = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def log(self, sentence: str) -> None:
        """A line of its own."""

    def step(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        """Begin a step of ``total`` bytes."""
        self.name, self.total, self.done = name, total, 0
        self.phase, self.source = phase, source
        self.before, self.overall = before, overall or total

    def set_done(self, done: int) -> None:
        """So many bytes of the step are done."""
        self.done = done

    def advance(self, count: int) -> None:
        """So many more bytes of the step are done."""
        self.set_done(self.done + count)


class TerminalProgress(Progress):
    """A bar at a terminal, a plain line now and then elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Any = None
        self._task: Any = None
        self._last_line = 0.0

    def __enter__(self) -> TerminalProgress:
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

    def log(self, sentence: str) -> None:
        """See Progress."""
        if self._bar is not None:
            self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            print(sentence, flush=True)

    def step(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        """See Progress."""
        super().step(name, total, phase, source, before=before, overall=overall)
        self._last_line = time.monotonic()
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(name, total=total)
        else:
            print(f"{name} …", flush=True)

    def set_done(self, done: int) -> None:
        """See Progress."""
        super().set_done(done)
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
        elif time.monotonic() - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            print(f"{self.name}: {done / 1e6:.0f} of {self.total / 1e6:.0f} MB", flush=True)


class JsonProgress(Progress):
    """A JSON object a line: ``phase``, ``bytes``, ``total``, ``source``, ``message``.

    Within a phase ``bytes`` never falls: what is fetched once more is not told twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self._message: str | None = None
        self._last, self._told = 0.0, 0
        self._most: tuple[str, int] = ("", 0)  # of which phase, how many bytes

    def log(self, sentence: str) -> None:
        """See Progress."""
        self._message = sentence
        self._tell()

    def step(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        """See Progress."""
        super().step(name, total, phase, source, before=before, overall=overall)
        self._tell()

    def set_done(self, done: int) -> None:
        """See Progress."""
        super().set_done(done)
        far = done - self._told >= self.overall / 100  # also just before it stands still
        if far or time.monotonic() - self._last >= _SECONDS_BETWEEN_STATES:
            self._tell()

    def _tell(self) -> None:
        self._last, self._told = time.monotonic(), self.done
        phase, most = self._most
        reached = min(self.before + self.done, self.overall)
        self._most = (self.phase, max(reached, most if phase == self.phase else 0))
        state = {
            "phase": self.phase,
            "bytes": self._most[1],
            "total": self.overall or None,
            "source": self.source or None,
            "message": self._message,
        }
        print(json.dumps({key: value for key, value in state.items() if value is not None}))
        sys.stdout.flush()
