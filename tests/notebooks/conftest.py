"""Fixtures: the stores without a server."""

from __future__ import annotations

import pytest

from aiserver.sessions.base import SessionManager
from aiserver.testing import Backend

from ..sessions.conftest import empty_sqlite, files, local_backend

__all__ = ["empty_sqlite", "files", "local_backend", "store"]


@pytest.fixture
def store(local_backend: Backend) -> SessionManager:
    """Return a session manager of each store in turn."""
    return local_backend.open()
