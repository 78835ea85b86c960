"""Models over HTTP: the list, the user's choice, connections and limits."""

from __future__ import annotations

import asyncio
import errno
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ..conftest import SSE, Call, request
from ..ports import ReservedPort
from ..scripted_wires import Answer, WireServer
from .test_generate import running, until

KEY = "canary-key-e77d"
EMBEDDED = "local:qwen2.5-coder-0.5b"


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove keys, weights, Ollama and keyring; use the test's own settings."""
    for name in ("OPENAI", "ANTHROPIC", "DEEPSEEK", "GOOGLE", "GEMINI", "MISTRAL"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


@pytest.fixture
def jp_server_config(server_config: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    config: dict[str, Any] = {
        "ServerApp": {"jpserver_extensions": {"aiserver": True}},
        "ModelRegistry": {"data_dir": str(tmp_path / "own")},
    }
    for section, traits in server_config.items():
        config[section] = config.get(section, {}) | traits
    return config


async def connect(call: Call, scripted: Any) -> None:
    body = {"key": KEY, "address": scripted.base_url}
    assert (await call("PUT", "models/keys/openai_compatible", body)).status == 204


async def test_without_a_model_the_options_are_listed(call: Call):
    seen = (await call("GET", "models")).data
    assert seen["default"] is None
    assert [model["id"] for model in seen["models"]] == [EMBEDDED]
    assert not seen["models"][0]["ready"]
    local = seen["local"]
    assert (local["id"], local["installed"], local["installing"]) == (EMBEDDED, False, None)
    assert local["bytes"] == 491_400_064
    providers = {provider["name"]: provider for provider in seen["providers"]}
    assert set(providers) == {
        *("openai", "anthropic", "deepseek", "google_genai", "mistralai", "ollama"),
        "openai_compatible",
    }
    openai = providers["openai"]
    assert (openai["keySource"], openai["keyName"]) == (None, "OPENAI_API_KEY")
    assert openai["suggested"] and openai["needsKey"] and not openai["needsAddress"]
    compatible = providers["openai_compatible"]
    assert compatible["label"] == "OpenAI-compatible server"
    assert compatible["needsAddress"] and not compatible["needsKey"]


async def test_a_connected_model_answers_once_it_is_chosen(call: Call, scripted: Any):
    """P4: nothing is sent before a model is chosen."""
    await connect(call, scripted)
    assert (await call("POST", "generate", request())).data["code"] == "no_model"
    seen = (await call("GET", "models")).data
    assert seen["default"] is None
    listed = [model for model in seen["models"] if model["provider"] == "openai_compatible"]
    assert [model["id"] for model in listed] == [
        "openai_compatible:scripted"
    ]  # as the server lists them
    assert not scripted.requests
    chosen = await call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
    assert (chosen.status, chosen.data) == (200, {"default": "openai_compatible:scripted"})
    scripted.script({"text": "```python\nx = 1\n```"})
    turn = (await call("POST", "generate", request())).data
    assert turn["ai_response"]["suggestion"] == "x = 1"
    assert turn["model"] == "openai_compatible:scripted"
    sent = scripted.requests[0]
    assert sent["authorization"] == f"Bearer {KEY}"
    assert sent["body"]["max_tokens"] == 8192  # P17
    seen = (await call("GET", "models")).data
    assert seen["default"] == seen["models"][0]["id"] == "openai_compatible:scripted"


async def test_any_name_of_a_connected_provider_can_be_chosen(call: Call, scripted: Any):
    await connect(call, scripted)
    chosen = await call("PUT", "models/choice", {"model": "openai_compatible:org/other-7b"})
    assert chosen.status == 200
    assert (await call("GET", "models")).data["models"][0]["id"] == "openai_compatible:org/other-7b"


async def test_the_choice_survives_a_restart_and_can_be_reset(
    call: Call, scripted: Any, extension: Any, tmp_path: Path
):
    await connect(call, scripted)
    await call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
    again = type(extension.models)(data_dir=str(tmp_path / "own"))
    default = await again.default()
    assert default.id == "openai_compatible:scripted" and default.ready
    assert (await call("PUT", "models/choice", {"model": None})).data == {"default": None}
    assert await again.default() is None


@pytest.mark.parametrize("server_config", [{"AIServer": {"model": "openai:of-the-admin"}}])
async def test_the_users_choice_overrides_the_configured_model(
    call: Call, scripted: Any, server_config: Any
):
    assert (await call("GET", "models")).data["default"] == "openai:of-the-admin"
    await connect(call, scripted)
    await call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
    assert (await call("GET", "models")).data["default"] == "openai_compatible:scripted"
    forgotten = await call("PUT", "models/choice", {"model": None})
    assert forgotten.data["default"] == "openai:of-the-admin"


@pytest.mark.parametrize(
    "model", ["openai:gpt-4.1", "nobody:x", "local:/etc/passwd", "x", "openai:"]
)
async def test_unknown_models_cannot_be_chosen(call: Call, model: str):
    reply = await call("PUT", "models/choice", {"model": model})
    assert (reply.status, reply.data["code"]) == (404, "not_found")
    assert (await call("GET", "models")).data["default"] is None


async def test_a_chosen_model_without_a_key_is_reported_and_not_replaced(call: Call, scripted: Any):
    await call("PUT", "models/keys/openai", {"key": KEY})
    await call("PUT", "models/choice", {"model": "openai:gpt-4.1-mini"})
    assert (await call("DELETE", "models/keys/openai")).status == 204
    seen = (await call("GET", "models")).data
    assert seen["default"] == "openai:gpt-4.1-mini"
    assert not seen["models"][0]["ready"] and "No API key" in seen["models"][0]["problem"]
    turn = (await call("POST", "generate", request())).data
    assert "No API key for OpenAI" in turn["ai_response"]["error"]


async def test_a_new_key_is_used_immediately(call: Call, scripted: Any):
    await connect(call, scripted)
    await call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
    await call("POST", "generate", request())
    body = {"key": "another", "address": scripted.base_url}
    await call("PUT", "models/keys/openai_compatible", body)
    await call("POST", "generate", request())
    assert [item["authorization"] for item in scripted.requests] == [
        f"Bearer {KEY}",
        "Bearer another",
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"key": "two words"}, "key"),
        ({}, "key"),
        ({"key": "x" * 4097}, "key"),
        ({"key": KEY, "address": "no address"}, "address"),
        ({"key": [KEY]}, "key"),
        ({"kye": KEY}, "kye"),
    ],
)
async def test_an_invalid_key_is_not_repeated_in_the_error(
    call: Call, body: Any, field: str, caplog: Any
):
    """P8"""
    caplog.set_level("DEBUG")
    reply = await call("PUT", "models/keys/openai", body)
    assert reply.status == 400
    assert KEY not in reply.raw.decode() and "two words" not in reply.raw.decode()
    assert KEY not in caplog.text
    assert (await call("PUT", "models/keys/nobody", {"key": KEY})).status == 404


@pytest.mark.parametrize(
    "server_config", [{"AIServer": {"allowed_models": ["ollama:*", "openai:gpt-4.1*"]}}]
)
async def test_an_administrator_can_exclude_models(call: Call, scripted: Any, server_config: Any):
    """P4: excluded models can't be listed, chosen, used or installed."""
    seen = (await call("GET", "models")).data
    assert {provider["name"] for provider in seen["providers"]} == {"openai", "ollama"}
    assert (seen["models"], seen["local"]) == ([], None)
    await call("PUT", "models/keys/openai", {"key": KEY})
    seen = (await call("GET", "models")).data
    assert [model["id"] for model in seen["models"]] == ["openai:gpt-4.1-mini", "openai:gpt-4.1"]
    for reply in (
        await call("PUT", "models/choice", {"model": "openai:gpt-5-mini"}),
        await call("POST", "generate", request(model="openai:gpt-5-mini")),
        await call("POST", "generate", request(model=EMBEDDED)),
        await call("PUT", "models/keys/anthropic", {"key": KEY}),
        await call("POST", "models/local/install", {}),
    ):
        assert (reply.status, reply.data["code"]) == (403, "model_not_allowed")
    assert (await call("PUT", "models/choice", {"model": "openai:gpt-4.1"})).status == 200


@pytest.mark.parametrize("server_config", [{"AIServer": {"max_generations": 1}}])
async def test_the_limit_of_parallel_answers_is_enforced(
    call: Call, scripted: Any, extension: Any, server_config: Any
):
    """P17"""
    await connect(call, scripted)
    await call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
    task = await running(call, scripted)
    reply = await call("POST", "generate", request(cellId="c2"))
    assert (reply.status, reply.data["code"]) == (429, "too_many_generations")
    assert len(scripted.requests) == 1
    scripted.release()
    await task
    assert (await call("POST", "generate", request(cellId="c2"))).status == 200


async def test_a_stream_reports_the_wait_for_the_provider(call: Call, scripted: Any):
    """P31: the event comes before the first token."""
    await connect(call, scripted)
    await call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
    scripted.script({"status": 429, "retry_after": 0.05}, {"text": "```python\nx = 1\n```"})
    events = (await call("POST", "generate", request(), headers=SSE)).events
    assert [name for name, _ in events][:3] == ["start", "waiting", "token"]
    assert events[1][1] == {"seconds": 0.05}
    assert events[-1][0] == "done"


async def test_waiting_can_be_cancelled(call: Call, scripted: Any, extension: Any):
    """P31"""
    await connect(call, scripted)
    await call("PUT", "models/choice", {"model": "openai_compatible:scripted"})
    scripted.script({"status": 429, "retry_after": 25})
    task = asyncio.create_task(call("POST", "generate", request(), headers=SSE))
    await until(lambda: scripted.requests and scripted.requests[0]["outcome"] == "error")
    (generation_id,) = extension.assistant._running
    assert (await call("DELETE", f"generate/{generation_id}")).status == 204
    events = (await asyncio.wait_for(task, 5)).events
    assert events[-1][0] == "cancelled"
    assert len(scripted.requests) == 1


async def test_a_check_contacts_only_the_given_provider(call: Call, scripted: Any):
    """P4: it sends one request with nothing but the key."""
    check = {"model": "openai_compatible:scripted"}
    assert (await call("POST", "models/check", check)).status == 404
    await connect(call, scripted)
    assert (await call("POST", "models/check", check)).data == {"verdict": "ok"}
    other = await call("POST", "models/check", {"model": "openai_compatible:other"})
    assert other.data == {"verdict": "not_listed"}
    assert not scripted.requests  # no model got a request
    assert (await call("POST", "models/check", {"model": EMBEDDED})).data == {"verdict": "no_list"}


async def test_a_failed_check_names_the_provider(call: Call):
    with ReservedPort() as unused:
        body = {"key": KEY, "address": f"http://127.0.0.1:{unused.number}/v1"}
        await call("PUT", "models/keys/openai_compatible", body)
        answer = await call("POST", "models/check", {"model": "openai_compatible:any"})
    assert (answer.status, answer.data["code"]) == (503, "model_unavailable")
    assert answer.data["provider"]["name"] == "openai_compatible"
    assert KEY not in answer.raw.decode()


async def test_redaction_follows_whether_the_model_is_remote(call: Call, scripted: Any):
    """P4, P16: a loopback address counts as remote until the user declares it local."""
    await connect(call, scripted)
    model = "openai_compatible:scripted"
    secret = "sk-canary" + "a1B2c3D4" * 5
    body = request(f"use {secret}", model=model)
    asked = {"notebookId": "n", "cellId": "c", "intent": f"use {secret}", "model": model}

    async def decided() -> tuple[bool, bool, int]:
        seen = (await call("GET", "models")).data
        (provider,) = [item for item in seen["providers"] if item["name"] == "openai_compatible"]
        preview = (await call("POST", "generate/preview", asked)).data
        return provider["onThisMachine"], preview["model"]["onThisMachine"], preview["hidden"]

    assert await decided() == (False, False, 1)
    await call("POST", "generate", body)
    assert secret not in json.dumps(scripted.requests)
    place = "models/keys/openai_compatible"
    assert (await call("PATCH", place, {"onThisMachine": True})).status == 204
    assert await decided() == (True, True, 0)
    await call("POST", "generate", body)
    assert secret in json.dumps(scripted.requests[-1])
    assert scripted.requests[-1]["authorization"] == f"Bearer {KEY}"
    assert (await call("PATCH", place, {})).data["message"].startswith("onThisMachine")


async def test_the_models_of_an_address_are_listed_before_it_is_saved(call: Call, scripted: Any):
    """P4, P8: the entered key is used, and a saved key is sent to no other address."""
    other = {"provider": "openai_compatible", "key": KEY, "address": scripted.base_url}
    assert (await call("POST", "models/names", other)).data == {"models": ["scripted"]}
    seen = (await call("GET", "models")).data
    assert not any(item["keySource"] for item in seen["providers"])  # nothing was saved

    await call("PUT", "models/keys/openai_compatible", {"key": KEY, "address": scripted.base_url})
    saved = {"provider": "openai_compatible"}
    assert (await call("POST", "models/names", saved)).data == {"models": ["scripted"]}
    with WireServer("openai_compatible") as moved:
        moved.listed = ["text-embedding-3", "b", "odd\tname"]
        entered = saved | {"address": moved.address}
        assert (await call("POST", "models/names", entered)).data == {"models": ["b"]}
        check = {"model": "openai_compatible:b", "address": moved.address}
        assert (await call("POST", "models/check", check)).data == {"verdict": "ok"}
        assert len(moved.requests) == 2
        assert KEY not in json.dumps(moved.requests)
    for wrong in ({"provider": "evil"}, {"provider": "openai", "address": "ftp://x"}):
        assert (await call("POST", "models/names", wrong)).status in (400, 404)


async def test_a_rejected_key_is_shown_until_it_works(call: Call, scripted: Any):
    """P8: until the provider accepts the key, or there is a new one."""

    async def refusal() -> str | None:
        seen = (await call("GET", "models")).data["providers"]
        return next(item["refusal"] for item in seen if item["name"] == "openai_compatible")

    with WireServer("openai_compatible") as server:
        body = {"key": KEY, "address": server.address}
        await call("PUT", "models/keys/openai_compatible", body)
        assert await refusal() is None
        server.answers.append(Answer(status=401))
        asked = request(model="openai_compatible:m")
        turn = (await call("POST", "generate", asked)).data
        assert turn["ai_response"]["error"].startswith(
            f"127.0.0.1:{server.server_port} rejected the API key"
        )
        # Listing models uses no scripted answer.
        assert await refusal() == "model_auth_failed"
        check = {"model": "openai_compatible:m"}
        assert (await call("POST", "models/check", check)).data == {"verdict": "ok"}
        assert await refusal() is None
        quota = Answer(status=429, message="insufficient_quota")
        server.answers.append(quota)
        answer = await call("POST", "models/check", check)
        assert answer.data["code"] == "model_no_credit"
        assert await refusal() == "model_no_credit"
        await call("PUT", "models/keys/openai_compatible", body)
        assert await refusal() is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows locks every disk")
async def test_a_disk_without_locks_is_noted_in_health_and_models(call, monkeypatch):
    def flock(fd: int, operation: int) -> None:
        raise OSError(errno.ENOSYS, "injected")

    monkeypatch.setattr("fcntl.flock", flock)
    monkeypatch.setattr("aiserver.durable.flock", flock)
    event = {"type": "edit", "source": "x = 1"}
    assert (await call("POST", "sessions/nb/c1/events", [event])).status == 201
    [sentence] = (await call("GET", "health")).data["store"]["notices"]
    assert "lock files" in sentence
    assert (await call("GET", "models")).data["notices"] == [sentence]
