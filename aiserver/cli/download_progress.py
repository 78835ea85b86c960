"""Show the progress of a download: as a bar at a terminal, as lines of text, or as JSON."""

from __future__ import annotations

import json
import sys
import time

from ..llm.local.fetch import Progress
from .progress import create_bar

_SECONDS_BETWEEN_LINES = 5.0  # for progress that is printed as text
_SECONDS_BETWEEN_STATES = 0.2  # for progress that is printed as JSON


class TerminalProgress(Progress):
    """Shows a download's progress on standard output.

    At a terminal, the progress is shown as a bar; otherwise a line is printed every few seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self._bar = create_bar(sys.stdout, "DownloadColumn", "TransferSpeedColumn")
        self._next_line_time = 0.0

    def __enter__(self) -> TerminalProgress:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def log(self, sentence: str) -> None:
        """Print a sentence above the bar."""
        self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    def show_stage(self) -> None:
        """Show the name of the stage that has begun."""
        self._bar.reset(0, description=self.name, total=self.total)
        self._next_line_time = time.monotonic() + _SECONDS_BETWEEN_LINES
        if self._bar.disable:
            self.log(f"{self.name} …")

    def show_done(self) -> None:
        """Show how many bytes of the stage are done."""
        self._bar.update(0, completed=self.done)
        if self._bar.disable and time.monotonic() >= self._next_line_time:
            self._next_line_time = time.monotonic() + _SECONDS_BETWEEN_LINES
            self.log(f"{self.name}: {self.done / 1e6:.0f} of {self.total / 1e6:.0f} MB")


class JsonProgress(Progress):
    """Prints a download's progress as JSON, one object per line.

    The keys are ``phase``, ``bytes``, ``total``, ``source`` and ``message``; a key without a value
    is left out. ``bytes`` never decreases within a phase, even if some bytes are downloaded again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._message: str | None = None
        self._last_print_time, self._last_printed_done = 0.0, 0
        # The phase that was printed last, and the highest number of bytes printed for this phase.
        self._phase_maximum: tuple[str, int] = ("", 0)

    def log(self, sentence: str) -> None:
        """Print the state with this sentence as its message."""
        self._message = sentence
        self.show_stage()

    def show_stage(self) -> None:
        """Print the current state."""
        self._last_print_time, self._last_printed_done = time.monotonic(), self.done
        phase, maximum = self._phase_maximum
        done = min(self.before + self.done, self.overall)
        self._phase_maximum = (self.phase, max(done, maximum if phase == self.phase else 0))
        state = {
            "phase": self.phase,
            "bytes": self._phase_maximum[1],
            "total": self.overall or None,
            "source": self.source or None,
            "message": self._message,
        }
        print(
            json.dumps({key: value for key, value in state.items() if value is not None}),
            flush=True,
        )

    def show_done(self) -> None:
        """Print the current state each time 0.2 seconds have passed or another percent is done."""
        # Each percent counts, even if less than 0.2 seconds have passed. So if the download stalls,
        # the state that was printed last is nearly current.
        has_advanced = self.done - self._last_printed_done >= self.overall / 100
        if has_advanced or time.monotonic() - self._last_print_time >= _SECONDS_BETWEEN_STATES:
            self.show_stage()
