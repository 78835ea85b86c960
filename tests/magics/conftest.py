"""A running Jupyter server, whose model has scripted answers."""

from __future__ import annotations

import pytest

from ..attacks.conftest import LiveServer, live

__all__ = ["live", "server"]


@pytest.fixture
def server(live: LiveServer) -> LiveServer:
    """Return the server, without the requests of earlier tests."""
    live.model.clear()
    return live
