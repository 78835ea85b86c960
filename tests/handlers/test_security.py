"""Access rights: the promises about authentication and authorization, on a live server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_server.auth import Authorizer
from tornado.httpclient import AsyncHTTPClient
from traitlets import List

from aiserver.handlers.base import RESOURCE
from aiserver.handlers.routes import ROUTES as OF_CORE
from aiserver.loaded_plugins import load_plugins

from ..conftest import request

ROUTES = [*OF_CORE, *load_plugins().routes()]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "TRACE", "FOO")
ID = "0" * 32


def paths() -> list[str]:
    """Return a concrete path for each route."""
    samples = {"([^/]+)": "x1", "([0-9a-f]{32})": ID, "([a-z_]{1,64})": "openai"}
    samples["([0-9a-f]{64})"] = 2 * ID
    samples["([0-9]{1,9})"] = "0"
    samples["([0-9a-f]{12})"] = ID[:12]
    samples["(project|person)"] = "person"
    result = []
    for pattern, _ in ROUTES:
        for regex, sample in samples.items():
            pattern = pattern.replace(regex, sample)
        result.append(pattern)
    return result


def live_patterns(router: Any) -> Iterator[str]:
    """Yield the patterns of a router, including nested routers."""
    for rule in getattr(router, "rules", []):
        if hasattr(rule.target, "rules"):
            yield from live_patterns(rule.target)
        elif isinstance(rule.target, type):  # a handler, not the loader of the API
            yield getattr(getattr(rule.matcher, "regex", None), "pattern", "")


async def fetch(port: int, base: str, path: str, method: str, **options: Any) -> Any:
    if method in ("POST", "PUT", "PATCH"):
        options.setdefault("body", "{}")
    url = f"http://127.0.0.1:{port}{base.rstrip('/')}{path}"
    options |= {"raise_error": False, "follow_redirects": False}
    options["allow_nonstandard_methods"] = True
    return await AsyncHTTPClient().fetch(url, method=method, **options)


@pytest.mark.parametrize(
    "server_config",
    [
        {},
        {
            "ServerApp": {
                "jpserver_extensions": {"aiserver": True},
                "allow_unauthenticated_access": False,
            }
        },
    ],
)
async def test_every_route_rejects_anonymous_requests(
    extension, jp_serverapp, http_server, jp_http_port, jp_base_url, scripted, server_config
):
    """P1: each route and method, also with ``allow_unauthenticated_access=False``."""
    ours = [p for p in live_patterns(jp_serverapp.web_app.default_router) if "/aiserver" in p]
    ours = [p for p in ours if "/static/" not in p]
    assert len(ours) == len(ROUTES), ours
    for path in paths():
        for method in METHODS:
            reply = await fetch(jp_http_port, jp_base_url, path, method)
            if method == "OPTIONS":  # sent by browsers without a token; the response is empty
                assert reply.code in (200, 204) and not reply.body, path
                assert "Access-Control-Allow-Origin" not in reply.headers
                continue
            assert reply.code in (401, 403, 405), (method, path, reply.code)
            assert reply.code != 405 or not has_method(path, method)
            assert len(reply.body) < 300, (method, path)
    assert not scripted.requests


@pytest.mark.parametrize(
    "server_config", [{"ServerApp": {"allow_origin_pat": r"https://.*\.example"}}]
)
async def test_pages_on_allowed_hosts_can_read_errors(
    extension, http_server, jp_http_port, jp_base_url, jp_auth_header, server_config
):
    for origin, allowed in (("https://a.example", "https://a.example"), ("https://b.test", None)):
        headers = {**jp_auth_header, "Origin": origin}
        for path, method, code in (
            ("/aiserver/models", "GET", 200),
            ("/aiserver/sessions/nb/none", "GET", 404),
            ("/aiserver/generate", "POST", 400),
            ("/aiserver/models", "PATCH", 405),
        ):
            reply = await fetch(jp_http_port, jp_base_url, path, method, headers=headers)
            assert reply.headers.get("Access-Control-Allow-Origin") == allowed, (path, origin)
            assert reply.code == code or not allowed, path


def has_method(path: str, method: str) -> bool:
    """Whether our handler of a path implements this method."""
    for pattern, handler in ROUTES:
        if re.fullmatch(pattern, path):
            ours = (kind for kind in handler.__mro__ if kind.__module__.startswith("aiserver"))
            return any(method.lower() in vars(kind) for kind in ours)
    raise AssertionError(path)


class Recorder(Authorizer):
    """Denies everything, and records the calls."""

    asked: List[Any] = List()

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        self.asked = [
            *self.asked,
            (type(handler).__name__, handler.request.method, action, resource),
        ]
        return False


EXPECTED = {
    ("GenerateHandler", "POST"): "execute",
    ("AnalyzeDataFrameHandler", "POST"): "execute",
    ("PreviewHandler", "POST"): "execute",
    ("CompleteHandler", "POST"): "execute",
    ("StopHandler", "DELETE"): "execute",
    ("SessionListHandler", "GET"): "read",
    ("SessionHandler", "GET"): "read",
    ("SessionHandler", "DELETE"): "write",
    ("ReplayHandler", "GET"): "read",
    ("TurnPromptHandler", "GET"): "read",
    ("UsageHandler", "GET"): "read",
    ("NoteHandler", "GET"): "read",
    ("NoteHandler", "POST"): "write",
    ("NoteHandler", "PATCH"): "write",
    ("NoteHandler", "DELETE"): "write",
    ("UsageTableHandler", "GET"): "read",
    ("BlameHandler", "POST"): "read",
    ("TimelineHandler", "GET"): "read",
    ("MomentHandler", "GET"): "read",
    ("ReportHandler", "GET"): "read",
    ("ExportHandler", "GET"): "read",
    ("ExportHandler", "POST"): "read",
    ("SearchHandler", "GET"): "read",
    ("SearchHandler", "POST"): "read",
    ("EventsHandler", "POST"): "write",
    ("NotebooksHandler", "POST"): "write",
    ("ChangesHandler", "POST"): "write",
    ("BlobsHandler", "PUT"): "write",
    ("BlobHandler", "GET"): "read",
    ("GitHandler", "GET"): "read",
    ("GitHandler", "POST"): "write",
    ("RulesFilesHandler", "POST"): "read",
    ("DataFilesHandler", "POST"): "read",
    ("RecipesHandler", "POST"): "read",
    ("RecipesHandler", "PUT"): "write",
    ("MemoryHandler", "GET"): "read",
    ("MemoryHandler", "POST"): "write",
    ("MemoryEntryHandler", "PATCH"): "write",
    ("MemoryEntryHandler", "DELETE"): "write",
    ("MemoryReviewHandler", "POST"): "write",
    ("MemorySearchHandler", "POST"): "read",
    ("PastAnswerHandler", "POST"): "read",
    ("ProposalsHandler", "GET"): "read",
    ("ProposalsHandler", "POST"): "write",
    ("MemoryConfirmHandler", "POST"): "write",
    ("MemoryRejectHandler", "POST"): "write",
    ("ModelsHandler", "GET"): "read",
    ("WarmUpHandler", "POST"): "execute",
    ("ChoiceHandler", "PUT"): "execute",
    ("CheckHandler", "POST"): "execute",
    ("NamesHandler", "POST"): "execute",
    ("KeyHandler", "PUT"): "execute",
    ("KeyHandler", "PATCH"): "execute",
    ("KeyHandler", "DELETE"): "execute",
    ("InstallHandler", "POST"): "execute",
    ("InstallHandler", "DELETE"): "execute",
    ("LocalModelHandler", "DELETE"): "execute",
    ("HealthHandler", "GET"): "read",
    ("McpHandler", "POST"): "execute",
    ("ChannelHandler", "GET"): "write",
    ("HookHandler", "POST"): "write",
    ("RunsHandler", "GET"): "read",
    ("PermissionHandler", "PUT"): "write",
    ("UndoHandler", "POST"): "write",
}


def test_every_method_is_listed() -> None:
    """P2: each method is listed here with its action and resource."""
    served = {
        (handler.__name__, method)
        for pattern, handler in ROUTES
        for method in METHODS
        if any(method.lower() in vars(k) for k in handler.__mro__ if "aiserver" in k.__module__)
    }
    assert served == set(EXPECTED)


@pytest.mark.parametrize(
    "server_config",
    [{"ServerApp": {"jpserver_extensions": {"aiserver": True}, "authorizer_class": Recorder}}],
)
async def test_the_authorizer_gets_the_action_and_resource(
    call, jp_serverapp, scripted, server_config
):
    """P2: each method is called twice, because the decorator caches on shared methods."""
    for _ in range(2):
        jp_serverapp.authorizer.asked = []
        for path in paths():
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                reply = await call(method, path.removeprefix("/aiserver/"), {})
                assert reply.status in (403, 405)
        asked = {
            (name, method): (action, resource)
            for name, method, action, resource in jp_serverapp.authorizer.asked
            if (name, method) in EXPECTED
        }
        assert asked == {key: (action, RESOURCE) for key, action in EXPECTED.items()}
    assert not scripted.requests


class Writers(Authorizer):
    """Allows reading and writing, but not executing."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return action != "execute"


@pytest.mark.parametrize(
    "server_config",
    [{"ServerApp": {"jpserver_extensions": {"aiserver": True}, "authorizer_class": Writers}}],
)
async def test_changing_keys_addresses_and_models_requires_execute(call, extension, server_config):
    """P2: they decide where the requests of all users are sent."""
    assert extension.owner == ""
    for method, path, body in (
        ("PUT", "models/keys/openai", {"key": "sk-of-somebody", "address": "https://evil.example"}),
        ("PATCH", "models/keys/openai", {"onThisMachine": True}),
        ("DELETE", "models/keys/openai", None),
        ("PUT", "models/choice", {"model": "openai:gpt-x"}),
    ):
        assert (await call(method, path, body)).status == 403, (method, path)
    assert (await call("GET", "models")).status == 200


async def test_get_requests_change_nothing_and_use_no_model(call, extension, scripted, jp_root_dir):
    """P3: GET changes no file and sends no request to a model, even if there is damage."""
    await call("POST", "generate", request())
    await call("POST", "generate", request(cellId="c2"))
    [damaged] = (jp_root_dir / ".aiserver_sessions").glob("*c2.json")
    damaged.write_bytes(damaged.read_bytes()[:-9])
    folder = jp_root_dir / ".aiserver_sessions"

    def disk() -> dict[str, Any]:
        files = sorted(p for p in folder.rglob("*") if p.is_file())
        return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in files}

    before, request_count = disk(), len(scripted.requests)
    stored_paths = [
        f"/aiserver/sessions/nb/{cell}{end}" for cell in ("c1", "c2") for end in ("", "/replay")
    ]
    stored_paths += [f"/aiserver/notebooks/nb/{end}" for end in ("timeline", "moments/0", "report")]
    for path in [*paths(), *stored_paths]:
        await call("GET", path.removeprefix("/aiserver/"))
    await call("GET", "sessions?notebookId=nb")
    assert disk() == before and len(scripted.requests) == request_count


async def test_requests_without_xsrf_token_are_rejected(
    jp_serverapp, extension, http_server, jp_http_port, jp_base_url, scripted
):
    """P3: with a cookie alone (a browser), POST and DELETE need the XSRF token."""
    from jupyter_server.auth.identity import User
    from tornado.web import create_signed_value

    provider = jp_serverapp.identity_provider
    user = provider.user_to_cookie(User(username="somebody"))
    name = re.sub(r"\W", "-", f"username-127.0.0.1:{jp_http_port}")
    cookie = create_signed_value(
        jp_serverapp.web_app.settings["cookie_secret"], name, user
    ).decode()
    headers = {"Cookie": f"{name}={cookie}", "Host": f"127.0.0.1:{jp_http_port}"}
    reply = await fetch(jp_http_port, jp_base_url, "/aiserver/health", "GET", headers=headers)
    assert reply.code == 200, "the cookie is not accepted"
    for path in paths():
        for method in ("POST", "PUT", "DELETE"):
            reply = await fetch(jp_http_port, jp_base_url, path, method, headers=headers)
            assert reply.code == 403, (method, path)
    assert not scripted.requests


async def test_no_content_is_served_as_html(call, scripted):
    """P10: stored text is sent as JSON or an event stream, never sniffed or rendered."""
    evil = "<script>alert(1)</script>"
    scripted.script({"text": f"```python\nx = '{evil}'\n```\n{evil}"})
    await call("POST", "generate", request(evil, source=evil))
    gets = ["sessions/nb/c1", "sessions/nb/c1/replay", "sessions?notebookId=nb", "models", "health"]
    gets += [f"notebooks/nb/{end}" for end in ("timeline", "moments/0", "report")]
    for path in [*gets, f"sessions/{evil}/c1".replace("/script", "script")]:
        reply = await call("GET", path)
        assert reply.headers["Content-Type"].startswith("application/json"), path
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]


async def test_errors_have_a_code_a_message_and_a_request_id(call):
    reply = await call("POST", "generate", {})
    assert set(reply.data) == {"code", "message", "text", "requestId"}
    assert json.dumps(reply.data).count("/") == 0


async def test_errors_of_jupyter_server_have_a_code(
    extension, http_server, jp_http_port, jp_base_url, jp_auth_header
):
    path = "/aiserver/sessions?notebookId=%ff"
    reply = await fetch(jp_http_port, jp_base_url, path, "GET", headers=jp_auth_header)
    assert (reply.code, json.loads(reply.body)["code"]) == (400, "invalid_request")
