"""The interface of a contender. (Imports only the standard library.)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turns import Turn

NOTEBOOK = "notebook"


class Contender:
    """A store of sessions. Unsupported operations raise NotImplementedError."""

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
        """Create that many sessions of one turn each in a notebook."""
        raise NotImplementedError

    def floor(self, cell: str) -> Callable[[], None]:
        """A function that only writes the bytes of the last save."""
        raise NotImplementedError

    def prepare(self, turn: Turn) -> Any:
        """Convert a turn to the contender's own type; not timed."""
        return turn

    async def save(self, cell: str, prepared: Any) -> None:
        """Append a prepared turn durably."""
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
        """The intent of each turn."""
        raise NotImplementedError
