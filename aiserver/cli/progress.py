"""Show the progress of long work: as a bar at a terminal, as lines, or as JSON."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, TextIO

from ..llm.local.progress import Progress

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_STATES = 0.2


def _bar(stream: TextIO, *columns: str) -> Any:
    """Return a bar with one task, number 0, which shows nothing unless ``stream`` is a terminal."""
    from rich import console, progress

    bar = progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        *(getattr(progress, name)() for name in columns),
        progress.TimeRemainingColumn(compact=True),
        console=console.Console(file=stream),
        transient=stream is sys.stderr,
        disable=not stream.isatty(),
    )
    bar.add_task("", total=None)
    return bar


class ProgressBar:
    """Counts items on standard error, if that is a terminal. A context manager."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._bar = _bar(sys.stderr, "MofNCompleteColumn")
        self.begin(what, total)

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def begin(self, what: str, total: int | None) -> None:
        """Start the next part of the work."""
        self._bar.reset(0, description=what, total=total)

    def step(self) -> None:
        """Advance by one item."""
        self._bar.advance(0)


class TerminalProgress(Progress):
    """Shows bytes on standard output: as a bar at a terminal, else as occasional lines."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = _bar(sys.stdout, "DownloadColumn", "TransferSpeedColumn")
        self._next_line = 0.0

    def __enter__(self) -> TerminalProgress:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def log(self, sentence: str) -> None:
        """See Progress."""
        self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    def show_step(self) -> None:
        """See Progress."""
        self._bar.reset(0, description=self.name, total=self.total)
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        if self._bar.disable:
            self.log(f"{self.name} …")

    def show_done(self) -> None:
        """See Progress."""
        self._bar.update(0, completed=self.done)
        if self._bar.disable and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
            self.log(f"{self.name}: {self.done / 1e6:.0f} of {self.total / 1e6:.0f} MB")


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
        self.show_step()

    def show_step(self) -> None:
        """See Progress."""
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
        print(
            json.dumps({key: value for key, value in state.items() if value is not None}),
            flush=True,
        )

    def show_done(self) -> None:
        """See Progress."""
        has_advanced = self.done - self._last_done >= self.overall / 100  # also just before a stall
        if has_advanced or time.monotonic() - self._last_time >= _SECONDS_BETWEEN_STATES:
            self.show_step()
