"""The in-memory store, for tests and experiments.

Sessions are stored as bytes, so callers can't change them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .key_value import MEMORY, KeyValueSessionManager, Transaction

T = TypeVar("T")


class InMemorySessionManager(KeyValueSessionManager):
    """Stores sessions in memory (``memory://``). **Not durable**: the process loses them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._memory = _Memory()

    async def start(self) -> list[str]:
        return ["Histories are kept in memory only, so they are lost when the server stops."]

    async def run(self, work: Callable[[Transaction], T]) -> T:
        return work(self._memory)


class _Memory(Transaction):
    """The values by kind and owner, then by name."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], dict[str, bytes]] = {}

    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        return self._values.get((kind, owner), {}).get(name)

    def put(self, kind: str, owner: str, name: str, value: bytes) -> None:
        self._values.setdefault((kind, owner), {})[name] = value

    def delete(self, kind: str, owner: str, name: str) -> bool:
        return self._values.get((kind, owner), {}).pop(name, None) is not None

    def names(self, kind: str, owner: str) -> list[str]:
        return list(self._values.get((kind, owner), {}))

    def owners(self) -> list[str]:
        return list(
            {owner for (kind, owner), each in self._values.items() if each and kind != MEMORY}
        )
