"""The interface of a contender, which is one of the stores that the benchmark compares.

This module imports only the standard library, because it also runs in the environment of the other
projects' stores (see ``worker.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turns import Turn

NOTEBOOK = "notebook"


class Contender:
    """A store of sessions. Unsupported operations raise NotImplementedError.

    ``place`` is the folder, the file name or the URL of the store.
    """

    def __init__(self, place: str) -> None:
        self.place = place

    async def open(self) -> None:
        """Connect or prepare the store."""

    async def close(self) -> None:
        """Release resources."""

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        """Create a session with these turns, in one operation if possible."""
        raise NotImplementedError

    async def fill_many(self, notebook: str, sessions: int) -> None:
        """Create a number of sessions with one turn each, all in one notebook."""
        raise NotImplementedError

    def floor(self, cell: str) -> Callable[[], None]:
        """Return a function that writes the bytes of the last save again, and does nothing else."""
        raise NotImplementedError

    def prepare(self, turn: Turn) -> Any:
        """Convert a turn to the contender's own type. The time for this isn't measured."""
        return turn

    async def save(self, cell: str, prepared: Any) -> None:
        """Append a turn, as returned by ``prepare``, durably."""
        raise NotImplementedError

    async def load(self, cell: str) -> int:
        """Read a complete session from the disk; return the number of its turns."""
        raise NotImplementedError

    async def history(self, cell: str, turns: int) -> int:
        """Read the newest turns, for a model; return their number."""
        raise NotImplementedError

    async def list(self, notebook: str) -> int:
        """List the summaries of a notebook's sessions; return their number."""
        raise NotImplementedError

    async def intents(self, cell: str) -> list[str]:
        """Return the intent of each turn of a session."""
        raise NotImplementedError
