"""Excluded models stay excluded, whatever name or address is requested."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiserver import errors
from aiserver.llm.catalog import catalog
from aiserver.llm.catalog.model_list import ServedModel
from aiserver.llm.policy import Access
from aiserver.llm.registry import ModelRegistry

HOUSE = "https://models.house.example/v1"
KEY = "canary-key-of-a-person"


pytestmark = pytest.mark.usefixtures("bare_machine")


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(tmp_path / "data")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An Ollama with two models of its own, and two of its cloud; the addresses it was asked at."""
    urls: list[str] = []

    async def list_models(provider: str, access: Access, deadline: float) -> list[ServedModel]:
        urls.append(access.address)
        names = {
            "qwen3:8b": False,
            "mine:latest": False,
            "work:latest": True,
            "gpt:120b-cloud": True,
        }
        return [ServedModel(name, cloud) for name, cloud in names.items()]

    monkeypatch.setattr(catalog, "list_models", list_models)
    return urls


def registry(data: str, *allowed: str, **config: Any) -> ModelRegistry:
    return ModelRegistry(data_dir=data, allowed_models=list(allowed), **config)


@pytest.mark.parametrize("name", ["gpt:120b-cloud", "gpt:cloud", "work", "work:latest", "unknown"])
async def test_a_model_of_ollamas_cloud_must_be_named(asked: list[str], data: str, name: str):
    """P4: also under another name, or if its origin is unknown."""
    models = registry(data, "local:*", "ollama:*")
    with pytest.raises(errors.ModelNotAllowed):
        await models.choose(f"ollama:{name}")
    with pytest.raises(errors.ModelNotAllowed):
        await models.get(f"ollama:{name}")
    assert models.connections.choice is None
    for model in ("ollama:qwen3:8b", "ollama:mine"):
        assert (await models.get(model)).info.on_this_machine
    listed = {info.id for info in (await models.overview()).models if info.provider == "ollama"}
    assert listed == {"ollama:qwen3:8b", "ollama:mine:latest"}


@pytest.mark.parametrize("pattern", ["ollama:gpt:120b-cloud", "ollama:*-cloud"])
async def test_a_cloud_model_of_ollama_can_be_allowed_by_name(
    asked: list[str], data: str, pattern: str
):
    models = registry(data, "ollama:qwen3:*", pattern)
    assert not (await models.get("ollama:gpt:120b-cloud")).info.on_this_machine
    assert "ollama:gpt:120b-cloud" in {info.id for info in (await models.overview()).models}
    with pytest.raises(errors.ModelNotAllowed):
        await models.get("ollama:work:latest")


async def test_a_choice_of_before_the_rule_is_not_followed(asked: list[str], data: str):
    """P4"""
    await ModelRegistry(data_dir=data).choose("ollama:work:latest")
    models = registry(data, "ollama:*")
    default = await models.default()
    assert default is not None and default.id == "ollama:qwen3:8b"
    assert (await models.overview()).default == default


async def test_only_the_administrator_can_set_a_remote_ollama(
    asked: list[str], data: str, monkeypatch: pytest.MonkeyPatch
):
    """P4"""
    models = registry(data, "ollama:*")
    with pytest.raises(errors.ModelNotAllowed):
        await models.connect("ollama", None, "https://ollama.example")
    await models.connect("ollama", KEY, "http://127.0.0.1:11434")
    await models.disconnect("ollama")
    monkeypatch.setenv("OLLAMA_HOST", "gpu.house.example")
    house = "http://gpu.house.example:11434"
    asked.clear()
    assert (await models.get("ollama:qwen3:8b")).info.id == "ollama:qwen3:8b"
    with pytest.raises(errors.ModelNotAllowed):
        await models.get("ollama:work:latest")
    assert set(asked) == {house}
    own = registry(data, "ollama:*", model="ollama:qwen3:8b", model_options={"base_url": house})
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    assert own.connections.get("ollama").address == house
    listed = {info.id for info in (await own.overview()).models if info.provider == "ollama"}
    assert listed == {"ollama:qwen3:8b", "ollama:mine:latest"}


async def test_users_cannot_change_an_address_that_the_administrator_set(data: str):
    """P4: the user's own key isn't used, either, nor one that was stored before the rule."""
    await ModelRegistry(data_dir=data).connect("openai", KEY, "https://elsewhere.example/v1")
    config = {"model": "openai:house", "model_options": {"base_url": HOUSE, "api_key": "theirs"}}
    models = registry(data, "openai:house", **config)
    for key, address in (
        (KEY, None),
        (KEY, "https://elsewhere.example/v1"),
        (None, "http://127.0.0.1:9"),
    ):
        with pytest.raises(errors.ModelNotAllowed):
            await models.connect("openai", key, address)
    access = await models.connections.access("openai")
    assert (access.address, access.key) == (HOUSE, "theirs")
    await models.disconnect("openai")  # earlier settings can still be removed
    settings = json.loads((Path(data) / "settings.json").read_text())
    assert settings["providers"] == {}
    # Without a rule a person's own address counts, as ever.
    free = ModelRegistry(data_dir=data, **config)
    await free.connect("openai", KEY, "https://elsewhere.example/v1")
    assert (await free.connections.access("openai")).address == "https://elsewhere.example/v1"


async def test_a_proxy_on_loopback_is_the_administrators_to_name(data: str):
    """P4: LiteLLM or an SSH tunnel there would hand requests on to anywhere."""
    proxy = "http://127.0.0.1:4000/v1"
    await ModelRegistry(data_dir=data).connect("openai", KEY, proxy)
    models = registry(data, "openai:gpt-4.1*")
    assert models.connections.get("openai").address != proxy  # of before the rule
    for on_this_machine in (False, True):
        with pytest.raises(errors.ModelNotAllowed):
            await models.connect("openai", KEY, proxy, on_this_machine)
    named = registry(data, "openai:gpt-4.1*", local_servers=["http://127.0.0.1:4000/*"])
    await named.connect("openai", KEY, proxy)
    assert named.connections.get("openai").address == proxy


async def test_an_allowed_name_always_leads_to_the_same_address(data: str):
    """P4: a person's key is taken, their address is not."""
    models = registry(data, "openai:gpt-4.1*", "openai_compatible:*")
    with pytest.raises(errors.ModelNotAllowed):
        await models.connect("openai", KEY, "https://elsewhere.example/v1")
    await models.connect("openai", KEY, None)
    assert (await models.connections.access("openai")).key == KEY
    # Of a server of one's own only the person knows where it is: it is allowed as a whole.
    await models.connect("openai_compatible", None, "http://vllm.house.example/v1")


async def test_without_remote_models_only_those_of_this_machine_are_allowed(
    asked: list[str], data: str, monkeypatch: pytest.MonkeyPatch
):
    """P4: neither Ollama's cloud, nor an Ollama elsewhere, nor what was connected before."""
    proxy = "http://127.0.0.1:4000/v1"
    before = ModelRegistry(data_dir=data)
    await before.connect("openai", KEY, proxy, on_this_machine=True)
    await before.choose("openai:gpt-4.1")
    models = ModelRegistry(data_dir=data, allows_remote=False)
    assert (await models.get("ollama:qwen3:8b")).info.on_this_machine
    for name in ("ollama:work:latest", "ollama:gpt:120b-cloud", "openai:gpt-4.1"):
        with pytest.raises(errors.ModelNotAllowed):
            await models.get(name)
    overview = await models.overview()
    assert overview.default and overview.default.id == "ollama:qwen3:8b"
    assert all(info.on_this_machine for info in overview.models)
    assert [info.name for info in overview.providers] == ["ollama"]
    for key, address in ((KEY, None), (KEY, proxy), (KEY, "https://elsewhere.example/v1")):
        with pytest.raises(errors.ModelNotAllowed) as caught:
            await models.connect("openai", key, address, on_this_machine=address == proxy)
    assert (
        caught.value.message
        == "The administrator of this server does not allow this provider. Choose another one."
    )
    monkeypatch.setenv("OLLAMA_HOST", "gpu.house.example")
    with pytest.raises(errors.ModelNotAllowed) as caught:
        await models.get("ollama:qwen3:8b")
    assert caught.value.message == errors.ModelNotAllowed.only_local
    await models.connect("ollama", None, "http://127.0.0.1:11434")
    with pytest.raises(errors.ModelNotAllowed):
        await models.connect("ollama", None, "http://gpu.house.example:11434")


async def test_without_remote_models_the_administrator_names_the_local_servers(data: str):
    server = "http://127.0.0.1:8000/v1"
    models = ModelRegistry(
        data_dir=data,
        allows_remote=False,
        local_servers=["http://127.0.0.1:8000/*"],
        model="openai:house",
        model_options={"base_url": server},
    )
    default = await models.default()
    assert default and default.id == "openai:house" and default.on_this_machine
    await models.connect("openai_compatible", None, server)
    with pytest.raises(errors.ModelNotAllowed):
        await models.connect("openai_compatible", None, "http://127.0.0.1:4000/v1")
