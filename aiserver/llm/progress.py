"""Report the progress of a long download, in a terminal or as JSON lines."""

from __future__ import annotations

import json
import sys
import time
from types import TracebackType
from typing import Any

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_STATES = 0.2


class Progress:
    """A sequence of steps, each with a size in bytes. A context manager that prints nothing.

    A step may be part of something larger: ``before`` of ``overall`` bytes were done when it began.
    ``phase`` is looking, fetching or checking.
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
        """Report a sentence on a line of its own."""

    def step(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        """Begin a step of ``total`` bytes."""
        self.name, self.total, self.done = name, total, 0
        self.phase, self.source = phase, source
        self.before, self.overall = before, overall or total

    def set_done(self, done: int) -> None:
        """Set the number of bytes of this step that are done."""
        self.done = done

    def advance(self, count: int) -> None:
        """Add ``count`` to the bytes of this step that are done."""
        self.set_done(self.done + count)


class TerminalProgress(Progress):
    """Shows a progress bar in a terminal, and occasional plain lines otherwise."""

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
    """Prints JSON lines with ``phase``, ``bytes``, ``total``, ``source`` and ``message``.

    ``bytes`` never decreases within a phase, even if a part is downloaded again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._message: str | None = None
        self._last_time, self._last_done = 0.0, 0
        self._maximum: tuple[str, int] = ("", 0)  # phase, bytes

    def log(self, sentence: str) -> None:
        """See Progress."""
        self._message = sentence
        self._print()

    def step(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        """See Progress."""
        super().step(name, total, phase, source, before=before, overall=overall)
        self._print()

    def set_done(self, done: int) -> None:
        """See Progress."""
        super().set_done(done)
        has_advanced = done - self._last_done >= self.overall / 100  # also just before a stall
        if has_advanced or time.monotonic() - self._last_time >= _SECONDS_BETWEEN_STATES:
            self._print()

    def _print(self) -> None:
        self._last_time, self._last_done = time.monotonic(), self.done
        phase, maximum = self._maximum
        done = min(self.before + self.done, self.overall)
        self._maximum = (self.phase, max(done, maximum if phase == self.phase else 0))
        state = {
            "phase": self.phase,
            "bytes": self._maximum[1],
            "total": self.overall or None,
            "source": self.source or None,
            "message": self._message,
        }
        print(json.dumps({key: value for key, value in state.items() if value is not None}))
        sys.stdout.flush()
