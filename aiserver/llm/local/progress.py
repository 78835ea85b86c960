"""The progress of a long download, which callers of ``fetch.py`` report by overriding methods."""

from __future__ import annotations


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

    def __exit__(self, *error: object) -> None:
        pass

    def log(self, sentence: str) -> None:
        """Report a sentence on a line of its own."""

    def step(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        """Begin a step of ``total`` bytes."""
        self.name, self.total = name, total
        self.phase, self.source = phase, source
        self.before, self.overall = before, overall or total
        self.done = 0
        self.show_step()

    def set_done(self, done: int) -> None:
        """Set the number of bytes of this step that are done."""
        self.done = done
        self.show_done()

    def advance(self, count: int) -> None:
        """Add ``count`` to the bytes of this step that are done."""
        self.set_done(self.done + count)

    def show_step(self) -> None:
        """Show the step that has begun."""

    def show_done(self) -> None:
        """Show how much of the step is done."""
