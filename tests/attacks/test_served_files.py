"""P5, P6, P10: stored histories are only served by our API, and never as a page."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_jupyter.jupyter_server import jp_nbconvert_templates
from tornado.httpclient import HTTPClientError

from aiserver.errors import InvalidRequest
from aiserver.models import SessionKey

from ..conftest import request
from ..examples import examples

__all__ = ["jp_nbconvert_templates"]  # Jupyter converts with them

FOLDER = ".aiserver_sessions"
EVIL = "<script>alert('canary-html')</script>"


async def get(jp_fetch: Any, *parts: str, **params: str) -> tuple[int, bytes, str]:
    try:
        reply = await jp_fetch(*parts, params=params)
    except HTTPClientError as error:
        return error.code, error.response.body if error.response else b"", ""
    return reply.code, reply.body, reply.headers.get("Content-Type", "")


async def test_jupyter_serves_no_session_as_a_file(call, jp_fetch, jp_root_dir):
    """P6: not by the file browser and not as a download, for any spelling of the path."""
    await call("POST", "generate", request(EVIL))
    [path] = (jp_root_dir / FOLDER).glob("*.json")
    spellings = [FOLDER, "%2eaiserver_sessions", f"x/../{FOLDER}", f"./{FOLDER}", f"{FOLDER}/."]
    for folder in spellings:
        for service in (("files",), ("api", "contents"), ("nbconvert", "html"), ("view",)):
            code, body, _ = await get(jp_fetch, *service, *folder.split("/"), path.name)
            # (“view” is a frame around the file's URL, for any name.)
            assert code in (400, 403, 404) or service == ("view",), (service, folder)
            assert b"canary-html" not in body
    code, body, _ = await get(jp_fetch, "api", "contents", "")
    assert code == 200 and FOLDER not in body.decode()


async def test_a_link_to_sessions_is_not_served(call, jp_fetch, jp_root_dir):
    """P6, P10: a cloned repository may contain a link to the folder or a file.

    (The file browser's own API follows it, like any link, and returns the user's own text as JSON.)
    """
    await call("POST", "generate", request(EVIL))
    [path] = (jp_root_dir / FOLDER).glob("*.json")
    (jp_root_dir / "data").symlink_to(jp_root_dir / FOLDER)
    (jp_root_dir / "linked.json").symlink_to(path)
    for parts in (("data", path.name), ("linked.json",)):
        code, body, _ = await get(jp_fetch, "files", *parts)
        assert code in (403, 404) and b"canary-html" not in body, parts
        _, _, kind = await get(jp_fetch, "api", "contents", *parts)
        assert kind in ("", "application/json"), parts


async def test_a_linked_folder_of_sessions_is_not_used(call, scripted, jp_root_dir, tmp_path):
    """P6: a clone can contain a link; nothing is written or read through it, and it is reported."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (jp_root_dir / FOLDER).symlink_to(outside)
    for method, path, body in (
        ("POST", "generate", request()),
        ("GET", "sessions/nb/c1", None),
        ("POST", "sessions/nb/c1/events", [{"type": "run"}]),
    ):
        reply = await call(method, path, body)
        assert (reply.status, reply.data["code"]) == (503, "storage_error")
        assert str(tmp_path) not in reply.raw.decode()
    assert list(outside.iterdir()) == [] and not scripted.requests


BAD = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from([".", "..", "/", "\\", "%2e", "%2f", "\0", "a", "_", "~", "\n", "C:", " "]),
        min_size=1,
        max_size=8,
    ).map("".join),
    st.sampled_from(["x" * 65, "x" * 10_000, "/etc/passwd", "../root2/x", "Ａ", "a\u0301"]),
)


def is_id(text: str) -> bool:
    return (
        0 < len(text) <= 64
        and text.isascii()
        and text.replace("-", "_").replace("_", "a").isalnum()
    )


@settings(max_examples=examples(500), deadline=None)
@given(text=BAD)
def test_only_valid_ids_create_a_key(text: str) -> None:
    """P5: nothing else can reach a store."""
    for make in (lambda: SessionKey(text, "c"), lambda: SessionKey("n", text)):
        if is_id(text):
            make()
        else:
            with pytest.raises(InvalidRequest) as refused:
                make()
            assert len(str(refused.value)) < 100


def test_no_id_leaves_the_store_over_http(call, jp_asyncio_loop, jp_root_dir, jp_fetch):
    """P5: in the URL and in the body, plain and percent-encoded."""
    outside = sorted(jp_root_dir.parent.rglob("*"))

    @settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
    @given(text=BAD.filter(lambda text: not is_id(text)))
    def tried(text: str) -> None:
        async def once() -> None:
            body = request(cellId=text)
            reply = await call("POST", "generate", body)
            assert (reply.status, reply.data["code"]) == (400, "invalid_request")
            reply = await call("POST", "notebooks", {"path": "a.ipynb", "cellIds": [text]})
            assert reply.status == 400
            encoded = quote(text.encode("utf-8", "surrogatepass"), safe="")
            for path in (("sessions", encoded, "c"), ("sessions", "n", encoded, "replay")):
                code, data, _ = await get(jp_fetch, "aiserver", *path)
                assert code in (400, 404), text
                assert code == 404 or json.loads(data)["code"] == "invalid_request"

        jp_asyncio_loop.run_until_complete(once())

    tried()
    assert not (jp_root_dir / FOLDER).exists()
    assert sorted(jp_root_dir.parent.rglob("*")) == outside
