"""What a contender can do. (Nothing but the standard library.)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turns import Turn

NOTEBOOK = "notebook"


class Contender:
    """A place for sessions. What it has no way for raises NotImplementedError."""

    def __init__(self, place: str) -> None:
        self.place = place

    async def open(self) -> None:
        """Make ready."""

    async def close(self) -> None:
        """Let go."""

    async def fill(self, cell: str, turns: list[Turn]) -> None:
        """Have a session of these turns, in one go if there is a way."""
        raise NotImplementedError

    async def fill_many(self, notebook: str, sessions: int) -> None:
        """Have that many sessions of a turn each in a notebook."""
        raise NotImplementedError

    def floor(self, cell: str) -> Callable[[], None]:
        """Writes the bytes that the last save has written, and does nothing else."""
        raise NotImplementedError

    def made(self, turn: Turn) -> Any:
        """A turn in its own terms, as whoever saves has it at hand. The clock stands still."""
        return turn

    async def save(self, cell: str, made: Any) -> None:
        """Add a turn that is ``made``, as a person waits for it."""
        raise NotImplementedError

    async def load(self, cell: str) -> int:
        """Read a session whole, from the disk; how many turns it has."""
        raise NotImplementedError

    async def history(self, cell: str, turns: int) -> int:
        """The newest turns, for a model; how many came."""
        raise NotImplementedError

    async def list(self, notebook: str) -> int:
        """What there is of a notebook, a summary each; how many."""
        raise NotImplementedError

    async def intents(self, cell: str) -> list[str]:
        """What was asked, turn by turn."""
        raise NotImplementedError
