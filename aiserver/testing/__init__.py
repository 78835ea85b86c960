"""A pytest plugin with the contract suites for session managers and for stores of memories.

In the ``conftest.py`` of a package with its own session manager::

    pytest_plugins = ["aiserver.testing"]

    @pytest.fixture
    def backend(tmp_path):
        return TheirBackend(tmp_path)

``TheirBackend`` is a subclass of ``Backend``. To run the suite, add a test file with the line
``from aiserver.testing.contract import *``. The fixture ``store`` is a session manager that
``backend`` opened. The module ``records`` creates turns and events for further tests.

To test a store of memories, add the fixture ``memory_backend`` in the same way, whose class is
derived from ``MemoryBackend``, and a test file with ``from aiserver.testing.memory_contract import
*``.

Nothing else in ``aiserver`` imports this package, which needs pytest and Hypothesis:
``pip install 'aiserver[testing]'``.

A ``conftest.py`` that imports ``Backend`` loads this module before pytest loads its plugins. With
the marker PYTEST_DONT_REWRITE, pytest doesn't warn that it can't rewrite the assertions in it.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

import pytest

from ..models import SessionKey
from ..plugins.memory.stores.base import MemoryStore
from ..sessions.base import SessionManager
from .records import EXAMPLE_FILE

__all__ = ["Backend", "MemoryBackend", "example", "store"]

pytest.register_assert_rewrite("aiserver.testing.contract", "aiserver.testing.memory_contract")


class Backend(ABC):
    """The stored data of one test, on which it may open several session managers in turn."""

    @abstractmethod
    def open(self) -> SessionManager:
        """Return a session manager.

        A durable store returns a new one each time, so that no test reads from its cache.
        """

    def plant(self, key: SessionKey, data: bytes) -> None:
        """Store ``data`` as the bytes of a session, as if another program had written it.

        If this isn't implemented, the tests that call it are skipped.
        """
        pytest.skip(f"{type(self).__name__}.plant is not implemented")


class MemoryBackend(ABC):
    """The documents of one test, for the suite of stores of memories."""

    @abstractmethod
    def open(self) -> MemoryStore:
        """Return a store of these documents; a new one each time if it is durable."""

    @abstractmethod
    def content(self) -> bytes:
        """Return everything that is stored now: all rows, or the bytes of all files."""


@pytest.fixture
def store(backend: Backend) -> SessionManager:
    """Return a session manager for the data of the backend under test."""
    return backend.open()


@pytest.fixture
def example() -> dict[str, Any]:
    """Return a session of format version 1.0, as another program could have written it."""
    content: dict[str, Any] = json.loads(EXAMPLE_FILE.read_text("utf-8"))
    return content
