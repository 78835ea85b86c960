"""The extension on a Jupyter server: quick to start, whole when it is needed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from traitlets import TraitError

from aiserver.extension import AIServer
from aiserver.sessions.memory import InMemorySessionManager

IMPORT = """
import sys
import jupyter_server.serverapp, jupyter_server.extension.application
before = set(sys.modules)
from aiserver import _jupyter_server_extension_points
_jupyter_server_extension_points()[0]["app"]()
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
print(*sorted(name for name in sys.modules if name.startswith("aiserver.")))
"""


def test_nothing_slow_is_imported_at_start():
    """The server waits for nothing but the traits: no pydantic, no LangChain, no store."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
    )
    packages, ours = done.stdout.splitlines()
    assert packages.split() == ["aiserver"]
    assert set(ours.split()) <= {"aiserver._version", "aiserver.extension", "aiserver.loading"}


async def test_the_first_request_finds_the_api(jp_serverapp: Any, jp_fetch: Any):
    """Also one that comes before the parts were loaded."""
    app = jp_serverapp.extension_manager.extension_points["aiserver"].app
    assert not hasattr(app, "sessions")
    reply = await jp_fetch("aiserver", "models")
    assert reply.code == 200
    assert app.sessions is jp_serverapp.web_app.settings["aiserver_sessions"]
    await app.stop_extension()


async def test_a_started_server_has_loaded_all(jp_serverapp: Any):
    await jp_serverapp.extension_manager.start_all_extensions()
    app = jp_serverapp.extension_manager.extension_points["aiserver"].app
    assert app.sessions and app.models and app.assistant
    await app.stop_extension()


@pytest.mark.parametrize("name", ["builtins.dict", "aiserver.nowhere.Manager"])
def test_a_class_that_is_no_store_is_refused(name: str):
    """As with any ``Type``; only later than at start, so that nothing is imported for it."""
    app = AIServer(session_manager_class=name)
    with pytest.raises(TraitError):
        AIServer.session_manager_class.load(app)
    with pytest.raises(TraitError):
        AIServer(session_manager_class=dict)


def test_a_class_is_taken_as_itself_and_by_its_name():
    named = AIServer(session_manager_class="aiserver.sessions.memory.InMemorySessionManager")
    given = AIServer(session_manager_class=InMemorySessionManager)
    for app in (named, given):
        assert AIServer.session_manager_class.load(app) is InMemorySessionManager
