"""P4 on a real server: only the chosen model is contacted, for any environment."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ..conftest import request
from ..guarded import GuardedServer

# Variables that make libraries report, download or use another host.
NOSY = {
    **{f"{prefix}_TRACING": "true" for prefix in ("LANGSMITH", "LANGCHAIN")},
    **{f"{prefix}_TRACING_V2": "true" for prefix in ("LANGSMITH", "LANGCHAIN")},
    **{f"{prefix}_API_KEY": "canary-trace" for prefix in ("LANGSMITH", "LANGCHAIN")},
    **{f"{prefix}_ENDPOINT": "http://trace.invalid" for prefix in ("LANGSMITH", "LANGCHAIN")},
    "LANGSMITH_GATEWAY": "http://gateway.invalid",
    "LANGSMITH_GATEWAY_API_KEY": "canary-gateway",
    "LANGSMITH_OTEL_ENABLED": "true",
    "LANGCHAIN_HANDLER": "langchain",
    "LANGCHAIN_WANDB_TRACING": "true",
    "LANGCHAIN_COMET_TRACING": "true",
    "LANGCHAIN_VERBOSE": "true",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://otel.invalid:4318",
    "OTEL_TRACES_EXPORTER": "otlp",
    "HF_ENDPOINT": "http://hub.invalid",
    "HF_TOKEN": "canary-hub",
    "WANDB_API_KEY": "canary-wandb",
    "SENTRY_DSN": "http://canary@sentry.invalid/1",
}
# The same for libraries that read only one of the variables.
OLD_TRACER = {"LANGCHAIN_TRACING": "true"}
KEYS = {
    "OPENAI_API_KEY": "canary-openai",
    "ANTHROPIC_API_KEY": "canary-anthropic",
    "DEEPSEEK_API_KEY": "canary-deepseek",
    "GOOGLE_API_KEY": "canary-google",
    "MISTRAL_API_KEY": "canary-mistral",
    "OLLAMA_API_KEY": "canary-ollama",
    "DASHSCOPE_API_KEY": "canary-dashscope",
}


def config(scripted: Any) -> dict[str, Any]:
    options = {"base_url": scripted.base_url, "api_key": "canary-own"}
    return {
        "AIServer": {"model": "openai:scripted"},
        "ModelRegistry": {"model_options": options},
    }


@pytest.mark.parametrize("environment", [NOSY | KEYS, OLD_TRACER], ids=["all", "old tracer"])
def test_only_the_chosen_model_is_contacted(
    scripted: Any, tmp_path: Path, environment: dict[str, str]
) -> None:
    """P4: it answers; no other host gets a request or is looked up."""
    with GuardedServer(tmp_path, config(scripted), environment) as server:
        turn = server.post("generate", request("count the rows"))
        assert turn["ai_response"]["status"] == "success", turn
        server.get("models")
        asked, started = server.asked, server.started
    assert started == []
    assert asked == {urlsplit(scripted.url).netloc, "127.0.0.1:9"}  # and Ollama's, on loopback
    assert scripted.requests[0]["authorization"] == "Bearer canary-own"


def test_keys_in_the_environment_do_not_choose_a_model(scripted: Any, tmp_path: Path) -> None:
    """P4: with keys of every provider but no choice, there is no model."""
    with GuardedServer(tmp_path, {}, NOSY | KEYS) as server:
        assert server.get("models")["default"] is None
        assert server.post("generate", request("count the rows"))["code"] == "no_model"
        server.post("models/warm-up", {"notebookId": "nb", "cellId": "c1"})
        until = time.monotonic() + 30  # it warms up in the background
        while "Warm-up failed" not in server.log.read_text():
            assert time.monotonic() < until, server.log.read_text()
            time.sleep(0.02)
        asked, started = server.asked, server.started
    assert started == []
    assert asked <= {"127.0.0.1:9"}


HOSTS = {
    "openai:gpt-4.1-mini": "api.openai.com",
    "anthropic:claude-sonnet-4-5": "api.anthropic.com",
    "deepseek:deepseek-chat": "api.deepseek.com",
    "google_genai:gemini-2.5-flash": "generativelanguage.googleapis.com",
    "mistralai:codestral-latest": "api.mistral.ai",
}


def test_a_chosen_provider_is_contacted_directly(tmp_path: Path) -> None:
    """P4: a gateway in the environment is ignored; only the provider's host is looked up."""
    with GuardedServer(tmp_path, {}, NOSY | KEYS) as server:
        for model, host in HOSTS.items():
            server.call("PUT", "aiserver/models/choice", {"model": model})
            server.clear()
            turn = server.post("generate", request("count the rows"))
            assert server.started == []
            assert turn["ai_response"]["status"] == "error"  # the guard blocked the request
            assert {item.partition(":")[0] for item in server.asked} == {host}


def test_the_guard_detects_processes_and_requests(tmp_path: Path) -> None:
    """P4: otherwise the tests above couldn't fail."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "jupyter_server_config.py").write_text(
        "import os, socket, subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', ''])\n"
        "os.waitpid(os.posix_spawn(sys.executable, [sys.executable, '-c', ''], os.environ), 0)\n"
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', 9999))\n"
    )
    with GuardedServer(tmp_path, {}, {}) as server:
        assert [what.split()[0] for what in server.started] == [
            "subprocess.Popen",
            "os.posix_spawn",
        ]
        assert "127.0.0.1:9999" in server.asked
