"""The fixture ``backend``, with which AI Server's contract suite opens the store."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiserver.models import SessionKey
from aiserver.sessions.key_value import value_key
from aiserver.testing import Backend
from aiserver_onetable import OneTableSessionManager

pytest_plugins = ["aiserver.testing"]


class OneTableBackend(Backend):
    """The database file of one test."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> OneTableSessionManager:
        return OneTableSessionManager(url=f"onetable://{self.path}")

    def plant(self, key: SessionKey, data: bytes) -> None:
        """Store any bytes as a session, as another program might do it."""
        self.open().transact(lambda table: table.put(*value_key(key), data))


@pytest.fixture
def backend(tmp_path: Path) -> OneTableBackend:
    return OneTableBackend(tmp_path / "histories.db")
