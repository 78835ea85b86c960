"""A Jupyter server with AI Server and the scripted model.

The server is configured by traits, like users configure it; nothing is patched.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import settings
from jupyter_server import serverapp
from jupyter_server._sysinfo import get_sys_info
from jupyter_server.serverapp import ServerApp
from tornado.httpclient import HTTPClientError, HTTPResponse
from tornado.httputil import HTTPHeaders

from aiserver.extension import AIServer
from aiserver.redact.texts import REGISTERED

from .scripted_model import ScriptedModel

pytest_plugins = ["pytest_jupyter.jupyter_server", "aiserver.testing", "tests.servers"]

API_KEY = "canary-key-4f1d9b"

# A slow machine isn't a fault, so no example has a deadline.
settings.register_profile("quick", max_examples=20, deadline=None)
settings.register_profile("thorough", deadline=None)
settings.load_profile("quick")  # ``--hypothesis-profile`` loads another one later

# Settings of the person who runs the tests: folders, accounts and keys.
PERSONAL = re.compile(
    r"(AISERVER_(?!TEST_|GIT_|SKIPPED)|GIT_|HF_|IPYTHON|JPY_|JUPYTER|LANGCHAIN_|LANGSMITH_|OLLAMA_"
    r"|OPENAI_|PIP_CONFIG|PYTHON_KEYRING|SSL_CERT_|XDG_)|.*_(API_KEY|BASE_URL|TOKEN)$"
)
GIT_CONFIG = "[user]\n\tname = Test\n\temail = test@example.org\n[core]\n\teditor = true\n"


@pytest.fixture(scope="session", autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the tests a home without the person's settings, and git an identity."""
    home = tmp_path_factory.mktemp("home")
    config = home / "gitconfig"
    config.write_text(GIT_CONFIG)
    # Jupyter Server imports this package, which compiles a grammar for a second, to check a format
    # that none of its schemas has. Without the package, the format isn't checked.
    modules = tmp_path_factory.mktemp("modules")
    (modules / "rfc3987_syntax.py").write_text("raise ImportError")
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(PERSONAL.match, [*os.environ]):
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.syspath_prepend(modules)
        inherited = os.environ.get("PYTHONPATH")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(modules), inherited])))
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))  # also if a test has another home
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        # Each server would start ``git`` and ``uname`` for its ``sys_info``.
        patch.setattr(serverapp, "get_sys_info", functools.cache(get_sys_info))
        yield


@pytest.fixture
def scripted() -> Iterator[ScriptedModel]:
    """Return a model with scripted answers, which replaces paid services."""
    with ScriptedModel() as model:
        yield model


@pytest.fixture
def server_config() -> dict[str, Any]:
    """Return more configuration; tests override it with parametrize."""
    return {}


@pytest.fixture
def model_url(request: pytest.FixtureRequest, scripted: ScriptedModel) -> str:
    """Return the model's URL. With the fixture ``remote_model``, it counts as remote.

    It doesn't look like a loopback address then, but Linux and macOS connect to this machine.
    """
    if "remote_model" in request.fixturenames:
        return scripted.base_url.replace("127.0.0.1", "0.0.0.0")
    return scripted.base_url


@pytest.fixture
def remote_model() -> None:
    """Make the scripted model count as remote, like a provider's."""


@pytest.fixture
def jp_server_config(model_url: str, server_config: dict[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = {
        "ServerApp": {"jpserver_extensions": {"aiserver": True, "jupyter_server_terminals": False}},
        "AIServer": {"model": "openai:scripted"},
        "ModelRegistry": {"model_options": {"base_url": model_url, "api_key": API_KEY}},
    }
    for section, traits in server_config.items():
        config[section] = config.get(section, {}) | traits
    return config


@pytest.fixture
def jp_nbconvert_templates() -> None:
    """Replace pytest-jupyter's fixture, which copies templates that no test needs."""


@pytest.fixture(autouse=True)
def registered_secrets() -> Iterator[None]:
    """Forget the secrets that a test registers."""
    with patch.dict(REGISTERED):
        yield


@pytest.fixture(autouse=True)
def jp_server_cleanup(jp_asyncio_loop: Any) -> Iterator[None]:
    """Replace pytest-jupyter's fixture, which creates a server after each test without one."""
    yield
    if ServerApp.initialized():
        app = ServerApp.instance()
        jp_asyncio_loop.run_until_complete(app._cleanup())
        app.kernel_manager.context.destroy()
        ServerApp.clear_instance()


@pytest.fixture
def extension(jp_serverapp: Any, jp_asyncio_loop: Any) -> Iterator[AIServer]:
    """Return the extension of the running server, and stop it like a server does."""
    app = jp_serverapp.extension_manager.extension_points["aiserver"].app
    app.load()
    yield app
    jp_asyncio_loop.run_until_complete(app.stop_extension())


@dataclass
class Answer:
    """An HTTP response: its status, headers and JSON body."""

    status: int
    headers: HTTPHeaders  # case-insensitive
    raw: bytes
    data: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        if "json" in self.headers.get("Content-Type", "") and self.raw:
            self.data = json.loads(self.raw)

    @property
    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """The events of a stream, without comments."""
        events = []
        for block in self.raw.decode().split("\n\n"):
            if block.startswith("event: "):
                name, data = block.split("\n")
                events.append((name[7:], json.loads(data[6:])))
        return events


Call = Callable[..., Coroutine[Any, Any, Answer]]


@pytest.fixture
def call(jp_fetch: Any, extension: AIServer) -> Call:
    """Call the API: ``await call("POST", "generate", body)``. HTTP errors are returned, too."""

    async def _call(
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        raw: bytes | None = None,
        **options: Any,
    ) -> Answer:
        if method in ("POST", "PUT", "PATCH"):
            options["body"] = raw if raw is not None else json.dumps(body)
        path, _, query = path.partition("?")
        if query:
            options["params"] = dict(pair.split("=") for pair in query.split("&"))
        try:
            reply: HTTPResponse = await jp_fetch(
                "aiserver", *path.split("/"), method=method, headers=dict(headers or {}), **options
            )
        except HTTPClientError as error:
            if error.response is None:
                raise
            reply = error.response
        return Answer(reply.code, reply.headers, reply.body)

    return _call


def request(intent: str = "load the data", **more: Any) -> dict[str, Any]:
    """Return a body of ``generate``."""
    return {"notebookId": "nb", "cellId": "c1", "intent": intent, "source": ""} | more


SSE = {"Accept": "text/event-stream"}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Write the skipped tests and the reasons to a file for ``make test``."""
    if not (named := os.environ.get("AISERVER_SKIPPED")):
        return
    reports = terminalreporter.stats.get("skipped", [])
    reasons = sorted({str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports})
    notes = Path(named)
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text("".join(f"tests ({reason})\n" for reason in reasons), "utf-8")
