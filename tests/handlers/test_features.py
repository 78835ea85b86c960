"""Features that the administrator forbids or fixes, through the HTTP API."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from aiserver.features import Features

from ..conftest import SSE, request

CANARY, SECRET = "canary-9c4e", "sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
RULES = f"Use polars. {CANARY}"
LOCAL = {"ModelRegistry": {"local_servers": ["*"]}}
FILES = [
    ("rules_file", "sub/AGENTS.md"),
    ("file", "notes.md"),
    ("file", "sales.csv"),
]
PAST_ANSWER = [("past_answer", "sales.ipynb")]
OUTPUT = [("output", "@cell3"), ("mention", "@config")]
COMPLETION = {"prefix": "x = ", "suffix": "", "cells": []}


def setting(**features: str) -> dict[str, Any]:
    return {"AIServer": {"features": features}}


def ask_for_everything() -> dict[str, Any]:
    """Return a request that names files, an output and a value, and has chosen to send them."""
    digest = hashlib.sha256(RULES.encode()).hexdigest()
    cell = {
        "kind": "cell",
        "name": "@cell3",
        "source": "print(total)",
        "output": f"output {CANARY}",
        "error": "NameError: y",
        "shared": True,
    }
    file = {"kind": "file", "name": "@notes.md", "file": "notes.md", "shared": True}
    value = {"kind": "variable", "name": "@config", "output": f"'value {CANARY}'", "shared": True}
    example = {"kind": "past_answer", "name": "sales.ipynb", "source": f"answer('{CANARY}')"}
    return request(
        "use sales.csv as in @cell3 and @notes.md, and @config",
        notebookPath="sub/n.ipynb",
        source="total = 3",
        context={
            "mentions": [cell, file, value, example],
            "rulesFiles": [{"path": "sub/AGENTS.md", "sha256": digest}],
        },
    )


@pytest.fixture
def folder(jp_root_dir: Path) -> Path:
    folder = jp_root_dir / "sub"
    folder.mkdir()
    (folder / "sales.csv").write_text(f"city,column {CANARY}\nRome,1\n")
    (folder / "notes.md").write_text(f"notes {CANARY}")
    (folder / "AGENTS.md").write_text(RULES)
    return folder


def forbidden_items(items: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(item["kind"], item["name"]) for item in items if item.get("forbidden")]


@pytest.mark.parametrize(
    ("server_config", "left_out"),
    [
        (setting(files="allowed", outputs="allowed"), []),
        (setting(files="forbidden"), FILES),
        (setting(outputs="forbidden"), OUTPUT),
        (setting(memory="forbidden"), PAST_ANSWER),
        (
            setting(files="forbidden", outputs="forbidden") | LOCAL,
            [*FILES[:-1], *OUTPUT, FILES[-1]],
        ),
    ],
)
async def test_what_is_forbidden_is_left_out_and_listed_in_the_receipt(
    call, scripted, folder, left_out, server_config
):
    """P43: a local model doesn't get it, either, and the preview is what is sent."""
    body = ask_for_everything()
    preview = (await call("POST", "generate/preview", body)).data
    turn = (await call("POST", "generate", body)).data
    messages = scripted.requests[-1]["body"]["messages"]
    sent = json.dumps(messages)
    assert [message["text"] for message in preview["messages"]] == [
        message["content"] for message in messages
    ]
    texts = {
        ("rules_file", "sub/AGENTS.md"): RULES,
        ("file", "notes.md"): f"notes {CANARY}",
        ("file", "sales.csv"): f"column {CANARY}",
        ("output", "@cell3"): f"output {CANARY}",
        ("mention", "@config"): f"config = 'value {CANARY}'",
        ("past_answer", "sales.ipynb"): f"answer('{CANARY}')",
    }
    assert {item for item, text in texts.items() if text not in sent} == set(left_out)
    assert "print(total)" in sent and "NameError: y" in sent
    assert forbidden_items(preview["items"]) == forbidden_items(turn["context"]) == left_out
    shown = (await call("GET", "sessions/nb/c1/turns/1/prompt")).data["items"]
    assert shown == preview["items"]
    assert not any(item["included"] for item in shown if item["forbidden"])


@pytest.mark.parametrize("server_config", [setting(files="forbidden")])
async def test_a_secret_in_the_name_of_a_forbidden_file_is_stored_nowhere(
    call, scripted, remote_model, folder, jp_root_dir
):
    """P16"""
    turn = (await call("POST", "generate", request(f"read {SECRET}.csv", notebookPath="n"))).data
    [(kind, name)] = forbidden_items(turn["context"])
    assert kind == "file" and name.endswith(".csv") and SECRET not in json.dumps(turn["context"])


@pytest.mark.parametrize(
    ("server_config", "count"), [(setting(files="allowed"), 1), (setting(files="forbidden"), 0)]
)
async def test_rules_files_are_only_listed_if_files_are_allowed(call, folder, count):
    reply = await call("POST", "rules-files", {"path": "sub/n.ipynb"})
    assert (reply.status, len(reply.data["files"])) == (200, count)


@pytest.mark.parametrize(
    ("server_config", "stored"),
    [
        (setting(receipts="allowed"), {True: True, False: False}),
        (setting(receipts="forbidden"), {True: False, False: False}),
        (setting(receipts="always"), {True: True, False: True}),
    ],
)
async def test_prompts_are_stored_as_the_administrator_decides(call, scripted, extension, stored):
    for number, (choice, is_stored) in enumerate(stored.items(), 1):
        await call("POST", "generate", request(storesPrompt=choice), headers=SSE)
        prompt = (await call("GET", f"sessions/nb/c1/turns/{number}/prompt")).data
        assert (prompt["messages"] is not None) == is_stored
        assert prompt["items"][-1]["kind"] == "request"
    assert bool(await extension.sessions.list_blobs()) == any(stored.values())


@pytest.mark.parametrize(
    ("server_config", "code"),
    [
        (setting(completion="allowed"), "no_completion_model"),
        (setting(completion="forbidden"), "feature_forbidden"),
    ],
)
async def test_completion_can_be_forbidden(call, code, monkeypatch, tmp_path):
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    reply = await call("POST", "complete", COMPLETION)
    assert reply.data["code"] == code
    if code == "feature_forbidden":
        assert reply.status == 403
        message = "The administrator of this server does not allow inline completion."
        assert reply.data["message"] == message


@pytest.mark.parametrize(
    ("server_config", "status"),
    [
        (setting(remote_models="allowed"), 200),
        (setting(remote_models="forbidden"), 403),
        (setting(remote_models="forbidden") | LOCAL, 200),
    ],
)
async def test_a_remote_model_gets_nothing_if_remote_models_are_forbidden(
    call, scripted, status, monkeypatch, tmp_path
):
    """P4: for requests, previews and warm-ups; with ``local_servers``, the model is a local one."""
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    body = request(model="openai:scripted")
    for path in ("generate", "generate/preview"):
        reply = await call("POST", path, body)
        assert reply.status == status
        if status == 403:
            assert reply.data["code"] == "model_not_allowed"
            assert "only allows models that run on its own machine" in reply.data["message"]
    assert bool(scripted.requests) == (status == 200)
    models = (await call("GET", "models")).data
    assert (models["default"] == "openai:scripted") == (status == 200)
    assert [item["id"] for item in models["models"]].count("openai:scripted") == (status == 200)


@pytest.mark.parametrize("server_config", [{}, setting(running="forbidden", receipts="always")])
async def test_the_page_gets_the_settings(extension, jp_serverapp, server_config):
    page_config = jp_serverapp.web_app.settings["page_config_data"]
    features = server_config.get("AIServer", {}).get("features", {})
    names = [field.name for field in dataclasses.fields(Features)]
    assert page_config["aiserverFeatures"] == dict.fromkeys(names, "allowed") | features
