"""Show the progress of a long task as a bar at a terminal."""

from __future__ import annotations

import sys
from typing import Any, TextIO


def create_bar(stream: TextIO, *columns: str) -> Any:
    """Create a bar of ``rich`` with one task, whose id is 0.

    The bar is shown only if ``stream`` is a terminal. ``columns`` are names of classes of ``rich``.
    Each of these classes adds a column to the right of the bar.
    """
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
    """A context manager that shows how many items are done.

    The bar is on standard error. If standard error is not a terminal, nothing is shown.
    """

    def __init__(self, label: str, total: int | None = None) -> None:
        self._bar = create_bar(sys.stderr, "MofNCompleteColumn")
        self.begin(label, total)

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def begin(self, label: str, total: int | None) -> None:
        """Begin the next phase of the work.

        The phase has ``total`` items. None means that their number is unknown.
        """
        self._bar.reset(0, description=label, total=total)

    def advance(self) -> None:
        """Count one more item as done."""
        self._bar.advance(0)
