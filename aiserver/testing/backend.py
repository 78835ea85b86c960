"""The base classes through which the contract suites open the stores that they test."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pytest

from ..models import SessionKey
from ..plugins.memory.stores.base import MemoryStore
from ..sessions.base import SessionManager


class Backend(ABC):
    """The stored data of one test.

    A test may open several session managers on this data, one after the other.
    """

    @abstractmethod
    def open(self) -> SessionManager:
        """Return a session manager that reads and writes this data.

        For a durable store, return a new manager each time, so that tests don't read from a cache.
        """

    def plant(self, key: SessionKey, data: bytes) -> None:
        """Store ``data`` as the bytes of a session, and replace any existing session.

        This simulates a session that another program wrote. Implementing this method is optional.
        If it isn't implemented, the tests that call it are skipped.
        """
        pytest.skip(f"{type(self).__name__}.plant is not implemented")


class MemoryBackend(ABC):
    """The documents of one test, for the suite of stores of memories."""

    @abstractmethod
    def open(self) -> MemoryStore:
        """Return a store of these documents.

        For a durable store, return a new store each time, so that tests don't read from a cache.
        """

    @abstractmethod
    def content(self) -> bytes:
        """Return everything that is stored now: all rows, or the bytes of all files."""
