"""The data of the session manager that the contract suite tests."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pytest

from ..models import SessionKey
from ..sessions.base import SessionManager


class Backend(ABC):
    """The data of one test, which several managers can open one after another."""

    @abstractmethod
    def open(self) -> SessionManager:
        """Return a manager of this data.

        A durable store returns a new one each time, so that nothing is read from a cache.
        """

    def plant(self, key: SessionKey, data: bytes) -> None:
        """Store the bytes of a session as another program would; replace an existing one.

        Optional: without it, the tests that need such data are skipped.
        """
        pytest.skip(f"{type(self).__name__}.plant is not implemented")
