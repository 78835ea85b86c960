"""The in-memory store, for tests and experiments.

Invariants: this store behaves like every other store, except that its data is lost when the process
ends. Sessions are stored as bytes, so callers can't change a stored session by changing an object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..models import Event, Interaction, NewEvent, NewTurn, Session, SessionKey, new_session
from .key_value import KeyValueSessionManager, Transaction, value_key
from .record.mutations import check_writable
from .record.splice import SessionBytes

T = TypeVar("T")


class InMemorySessionManager(KeyValueSessionManager):
    """Stores sessions in memory (``memory://``). **Not durable**: they are lost with the process.

    Each write is atomic: it never waits for anything, so no other task runs before it has ended.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._memory = _Memory()

    async def start(self) -> list[str]:
        """Warn that the store is not durable."""
        return ["Histories are kept in memory only, so they are lost when the server stops."]

    async def run(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` with the values in memory."""
        return work(self._memory)

    async def save_interaction(
        self, key: SessionKey, turn: NewTurn, *, if_revision: int | None = None
    ) -> tuple[Interaction, int]:
        """Append a turn. This takes equally long for short and for long sessions."""
        return self._extend(key, if_revision, lambda session: session.add_turn(turn))

    async def record_events(
        self, key: SessionKey, events: Sequence[NewEvent], *, if_revision: int | None = None
    ) -> tuple[list[Event], int]:
        """Append events. This takes equally long for short and for long sessions."""
        return self._extend(key, if_revision, lambda session: session.add_events(events))

    def _extend(
        self, key: SessionKey, if_revision: int | None, add: Callable[[SessionBytes], T]
    ) -> tuple[T, int]:
        """Append records to a new or stored session with ``add``.

        Return the result of ``add`` and the new revision.
        """
        values = self._memory.values
        session = values.get(value_key(key)) or SessionBytes(new_session(key))
        assert isinstance(session, SessionBytes)  # ``_Memory.save`` stores this type
        check_writable(session, if_revision)
        saved = add(session)
        if saved:
            values[value_key(key)] = session
        return saved, session.revision


class _Memory(Transaction):
    """The values of the store in a dictionary, by kind, owner and name."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, str, str], bytes | SessionBytes] = {}

    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        value = self.values.get((kind, owner, name))
        return value.to_bytes() if isinstance(value, SessionBytes) else value

    def put(self, kind: str, owner: str, name: str, value: bytes) -> None:
        self.values[kind, owner, name] = value

    def delete(self, kind: str, owner: str, name: str) -> bool:
        return self.values.pop((kind, owner, name), None) is not None

    def names(self, kind: str, owner: str) -> list[str]:
        return [name for *prefix, name in self.values if prefix == [kind, owner]]

    def owners(self) -> list[str]:
        return list({owner for _, owner, _ in self.values})

    def save(self, key: SessionKey, session: Session) -> None:
        self.values[value_key(key)] = SessionBytes(session)
