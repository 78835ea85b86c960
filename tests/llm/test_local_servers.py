"""A server counts as on this computer only by declaration, not by its address (P4, P16)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aiserver import errors
from aiserver.llm.registry import ModelRegistry

LOOPBACK = "http://127.0.0.1:4000/v1"
MODEL = "openai_compatible:any"


pytestmark = pytest.mark.usefixtures("bare_machine")


async def is_local(registry: ModelRegistry, model: str = MODEL) -> bool:
    return (await registry.get(model)).info.on_this_machine


async def test_a_loopback_address_is_remote_until_the_user_declares_it_local():
    """P4, P16: a proxy (LiteLLM) or an SSH tunnel listens there as well."""
    registry = ModelRegistry()
    await registry.connect("openai_compatible", None, LOOPBACK)
    assert not await is_local(registry)
    await registry.declare_local("openai_compatible", True)
    assert await is_local(registry)
    assert await is_local(ModelRegistry())  # it is stored with the connection
    await registry.declare_local("openai_compatible", False)
    assert not await is_local(registry)
    await registry.connect("openai_compatible", None, LOOPBACK, True)
    assert await is_local(registry)


async def test_the_word_holds_for_the_address_it_was_given_for(monkeypatch: pytest.MonkeyPatch):
    """P16"""
    registry = ModelRegistry()
    await registry.connect("openai_compatible", None, LOOPBACK, True)
    await registry.connect("openai_compatible", None, "http://127.0.0.1:5000/v1")
    assert not await is_local(registry)
    with pytest.raises(errors.InvalidRequest, match="onThisMachine"):
        await registry.connect("openai_compatible", None, "https://gpu.example/v1", True)
    # An address of the environment, which the server's next start may change.
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("OPENAI_BASE_URL", LOOPBACK)
    assert not await is_local(registry, "openai:own")
    await registry.declare_local("openai", True)
    assert await is_local(registry, "openai:own")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:5000/v1")
    assert not await is_local(registry, "openai:own")


async def test_a_connection_saved_before_there_was_a_choice_is_remote(tmp_path: Path):
    """P16"""
    folder = tmp_path / "data" / "aiserver"
    folder.mkdir(mode=0o700, parents=True)
    saved = {"providers": {"openai_compatible": {"key": None, "address": LOOPBACK}}}
    (folder / "settings.json").write_text(json.dumps(saved))
    registry = ModelRegistry()
    assert not await is_local(registry)
    await registry.declare_local("openai_compatible", True)
    assert await is_local(registry)


async def test_the_administrator_may_settle_it():
    """P16: for their own model, and for what people connect."""
    options = {"base_url": LOOPBACK}
    mine = ModelRegistry(model="openai:own", model_options=options)
    assert not await is_local(mine, "openai:own")
    mine.local_servers = ["http://127.0.0.1:4000/*"]
    assert await is_local(mine, "openai:own")
    registry = ModelRegistry(local_servers=[])
    await registry.connect("openai_compatible", None, LOOPBACK, True)
    assert not await is_local(registry)
    registry.local_servers = ["*"]
    assert await is_local(registry)
    await registry.connect("openai_compatible", None, "https://gpu.example/v1")
    assert not await is_local(registry)  # no address elsewhere is this machine
