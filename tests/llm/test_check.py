"""The check of a provider's key and address by its list of models, in each provider's protocol.

The providers are played on loopback; what is asked of them is the real request.
"""

from __future__ import annotations

import socket

import pytest

from aiserver import errors
from aiserver.llm.policy import Access
from aiserver.llm.registry import ModelRegistry

from ..scripted_wires import WIRES, Answer, WireServer

KEY = "canary-key-19af"
pytestmark = pytest.mark.parametrize("provider", WIRES)


async def check(provider: str, access: Access, name: str) -> str:
    async def access_with(*_: object) -> Access:
        return access

    registry = ModelRegistry()
    vars(registry.connections).update(access_with=access_with)
    return await registry.check(f"{provider}:{name}", access.key, access.address)


@pytest.fixture
def server(provider: str):
    with WireServer(provider) as server:
        yield server


async def test_the_key_is_only_sent_in_a_header(server: WireServer, provider: str):
    """P4, P8"""
    assert await check(provider, Access(server.address, KEY), "m") == "ok"  # a version of it
    assert await check(provider, Access(server.address, KEY), "other") == "ok"
    assert await check(provider, Access(server.address, KEY), "none") == "not_listed"
    for request in server.requests:
        assert KEY in " ".join(request["headers"].values())
        assert KEY not in request["path"]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, errors.ModelAuthFailed),
        (403, errors.ModelForbidden),
        (429, errors.ModelRateLimited),
        (500, errors.ModelFailed),
    ],
)
async def test_refusals_are_reported(server: WireServer, provider: str, status: int, kind: type):
    """P8: in our own words."""
    server.answers += [Answer(status=status, message=f"canary {KEY}")]
    with pytest.raises(errors.ModelError) as caught:
        await check(provider, Access(server.address, KEY), "m")
    assert type(caught.value) is kind
    assert "canary" not in caught.value.message


async def test_google_calls_a_wrong_key_a_wrong_request(server: WireServer, provider: str):
    server.answers += [Answer(status=400)]
    kind = errors.ModelAuthFailed if provider == "google_genai" else errors.RequestRefused
    with pytest.raises(kind):
        await check(provider, Access(server.address, KEY), "m")


async def test_a_missing_key_is_reported_as_such(server: WireServer, provider: str):
    server.answers += [Answer(status=401), Answer(status=429, message="insufficient_quota")]
    with pytest.raises(errors.ModelKeyMissing):
        await check(provider, Access(server.address), "m")
    with pytest.raises(errors.ModelNoCredit):  # a proxy's account, for example
        await check(provider, Access(server.address), "m")


async def test_a_server_without_a_list_is_not_an_error(server: WireServer, provider: str):
    assert await check(provider, Access(f"{server.address}/deeper", KEY), "m") == "no_list"
    server.listed = []
    assert await check(provider, Access(server.address, KEY), "m") == "no_list"


async def test_a_key_is_sent_to_no_other_server(server: WireServer, provider: str):
    """P8: a redirect is not followed."""
    with WireServer(provider) as other:
        server.answers += [Answer(status=302, headers={"Location": f"{other.address}/models"})]
        with pytest.raises(errors.ModelUnavailable, match="valid model response"):
            await check(provider, Access(server.address, KEY), "m")
        assert not other.requests


async def test_an_unreachable_address_is_reported(provider: str):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(errors.ModelUnavailable):
            await check(provider, Access(address, KEY), "m")


@pytest.mark.parametrize("listed", ["<html>", "[1]", '{"data": [1]}', '{"data": null}', "{}"])
async def test_a_response_without_a_list_is_not_an_answer(
    server: WireServer, provider: str, listed: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tests.scripted_wires._error", lambda *_: listed.encode())
    server.answers += [Answer(status=200)]
    with pytest.raises(errors.ModelUnavailable):
        await check(provider, Access(server.address, KEY), "m")
