"""Listed models and the default one, which a key in the environment never selects."""

from __future__ import annotations

import importlib.util
import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from aiserver import errors
from aiserver.llm import providers
from aiserver.llm.catalog import catalog
from aiserver.llm.catalog.model_list import ServedModel, list_models
from aiserver.llm.policy import Access
from aiserver.llm.providers import ollama_address
from aiserver.llm.registry import ModelRegistry
from aiserver.llm.remote.model import RemoteModel
from aiserver.plugins.local_models import catalogue, weights
from aiserver.plugins.local_models.model import LocalModel

KEY = "canary-key-91aa"


pytestmark = pytest.mark.usefixtures("bare_machine")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Weights that look whole."""
    path = tmp_path / "models" / catalogue.SMALLEST.file
    path.parent.mkdir()
    path.write_bytes(b"GGUF")
    weights.write_info(path, weights.WeightsInfo("00", 4, "pypi"))
    return path


@pytest.fixture
def running_ollama(monkeypatch: pytest.MonkeyPatch):
    """An Ollama with these models."""

    def _run(*names: str, cloud: tuple[str, ...] = ()) -> None:
        async def list_models(provider: str, access: Access, deadline: float) -> list[ServedModel]:
            return [ServedModel(name, name in cloud) for name in names]

        monkeypatch.setattr(catalog, "list_models", list_models)
        _installed(monkeypatch, "langchain_ollama")

    return _run


def _installed(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, package=None: real("json") if name in packages else real(name, package),
    )


async def test_a_bare_machine_has_no_default_and_suggests_how_to_get_one():
    models = ModelRegistry()
    (embedded,) = (await models.overview()).models
    assert (embedded.id, embedded.ready) == (catalogue.SMALLEST.id, False)
    assert embedded.install == "jupyter aiserver model install"
    assert await models.default() is None
    with pytest.raises(errors.NoModel):
        await models.get()
    with pytest.raises(errors.NoModel):
        await models.get(catalogue.SMALLEST.id)


async def test_the_embedded_model_is_the_default_if_installed(installed):
    models = ModelRegistry()
    default = await models.default()
    assert default is not None
    assert (default.id, default.on_this_machine, default.ready) == (
        catalogue.SMALLEST.id,
        True,
        True,
    )
    assert isinstance(await models.get(), LocalModel)
    assert await models.get(catalogue.SMALLEST.id) is await models.get()


async def test_a_client_can_only_use_models_of_connected_providers(monkeypatch):
    """P4"""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    models = ModelRegistry()
    assert (await models.get("openai:gpt-99")).info.label == "gpt-99 (OpenAI)"
    assert (await models.get("openai:通义-模型")).info.label == "通义-模型 (OpenAI)"
    assert (await models.get("openai:a b.gguf")).info.label == "a b.gguf (OpenAI)"
    others = ("anthropic:c", "openai_compatible:x", "local:/etc/passwd", "openai", "", "x:y:z")
    odd = (
        "openai:",
        "openai:../../x",
        "openai: a",
        "openai:a\n",
        "openai:通\u202e义",
        "openai:" + "x" * 201,
    )
    for name in others + odd:
        with pytest.raises(errors.NotFound):
            await models.get(name)


async def test_the_configured_model_precedes_the_embedded_one(installed):
    models = ModelRegistry(model="openai:own", model_options={"api_key": KEY})
    first = ((await models.overview()).models)[0]
    assert (first.id, first.ready, first.on_this_machine) == ("openai:own", True, False)
    assert (await models.default()) == first
    model = await models.get()
    assert isinstance(model, RemoteModel)
    assert model.style == "full"


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:80", True),
        ("https://localhost", True),
        ("127.0.0.1:11434", True),
        ("http://127.0.0.1.evil.example", False),
        ("http://localhost.evil.example", False),
        ("http://10.0.0.1", False),
        ("https://api.example", False),
        ("http://127.0.0.1@evil.example", False),
    ],
)
def test_loopback(url, here):
    """P4"""
    assert providers.is_loopback(url) is here


async def test_a_configured_model_without_key_or_package_reports_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_mistralai", None)  # as if it weren't installed
    info = await ModelRegistry(model="openai:own").default()
    assert info is not None
    assert (info.ready, info.problem) == (
        False,
        "No API key for OpenAI. Connect it, or set OPENAI_API_KEY.",
    )
    info = await ModelRegistry(model="mistralai:x").default()
    assert info is not None
    assert info.install == "pip install 'aiserver[mistral]'"
    with pytest.raises(errors.ModelPackageMissing):
        await ModelRegistry(model="mistralai:x").get()


async def test_a_name_without_provider_is_reported():
    models = ModelRegistry(model="gpt-4o")
    info = await models.default()
    assert info is not None
    assert not info.ready
    with pytest.raises(errors.ModelError, match="provider:name"):
        await models.get()


async def test_a_model_file_is_identified_by_its_name_not_its_path(tmp_path):
    """P8"""
    path = tmp_path / "mine.gguf"
    models = ModelRegistry(model=f"local:{path}")
    info = await models.default()
    assert info is not None
    assert (info.id, info.ready) == ("local:mine", False)
    path.write_bytes(b"GGUF")
    info = await models.default()
    assert info is not None
    assert info.ready
    assert str(tmp_path) not in repr(info)
    assert isinstance(await models.get("local:mine"), LocalModel)


async def test_a_running_ollama_is_the_default_without_any_other_model(running_ollama):
    running_ollama("llama3:8b", "qwen2.5-coder:7b")
    models = ModelRegistry()
    default = await models.default()
    assert default is not None
    assert (default.id, default.on_this_machine) == ("ollama:llama3:8b", True)
    assert {info.id for info in (await models.overview()).models} > {"ollama:qwen2.5-coder:7b"}
    assert isinstance(await models.get("ollama:qwen2.5-coder:7b"), RemoteModel)


async def test_a_model_in_ollamas_cloud_is_never_the_default(running_ollama):
    """P4"""
    running_ollama("big:cloud", cloud=("big:cloud",))
    models = ModelRegistry()
    assert await models.default() is None
    (info,) = [info for info in (await models.overview()).models if info.id == "ollama:big:cloud"]
    assert not info.on_this_machine


async def test_a_cloud_model_under_another_name_counts_as_remote(running_ollama):
    """P4: requested by name or chosen; redaction depends on it."""
    running_ollama("work:latest", "qwen3:8b", "mine:latest", cloud=("work:latest",))
    models = ModelRegistry()
    for name in ("work:latest", "work", "never-heard-of"):
        assert not (await models.get(f"ollama:{name}")).info.on_this_machine
    for name in ("qwen3:8b", "mine"):
        assert (await models.get(f"ollama:{name}")).info.on_this_machine
    chosen = await models.choose("ollama:work:latest")
    assert chosen is not None and not chosen.on_this_machine
    seen = await models.overview()
    assert seen.default == chosen and seen.models[0] == chosen
    # The name may come to mean another model while the server runs.
    running_ollama("qwen3:8b", cloud=("qwen3:8b",))
    assert not (await models.get("ollama:qwen3:8b")).info.on_this_machine


async def test_ollamas_answer_is_read(monkeypatch):
    import http.server
    import json
    import threading

    tags = {
        "models": [
            {"name": "nomic-embed-text:latest", "details": {"family": "nomic-bert"}},
            {"name": "llama3:8b", "details": {"family": "llama"}},
            {"name": "gpt-oss:120b-cloud"},
            {"name": "work:latest", "remote_host": "https://ollama.example"},
            {"name": "qwen2.5-coder:7b"},
        ]
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            raw = json.dumps(tags).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("OLLAMA_HOST", f"0.0.0.0:{server.server_port}")
        listed = await list_models("ollama", Access(ollama_address()), 9)
        server.shutdown()
    assert [(model.name, model.is_cloud) for model in listed] == [
        ("qwen2.5-coder:7b", False),
        ("llama3:8b", False),
        ("gpt-oss:120b-cloud", True),
        ("work:latest", True),
    ]


@pytest.mark.parametrize(
    ("named", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("localhost:99", "http://localhost:99"),
        ("http://127.0.0.1:1/", "http://127.0.0.1:1"),
        ("[::1]:99", "http://[::1]:99"),
        ("::1", "http://[::1]:11434"),
        (":99", "http://127.0.0.1:99"),
        ("::", "http://127.0.0.1:11434"),
        ("https://gpu.example", "https://gpu.example:443"),
        ("http://gpu.example/ollama/", "http://gpu.example:80/ollama"),
        ("gpu.example:x", None),
        ("[fe80::z", None),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_reads_it(monkeypatch, named, address):
    monkeypatch.setenv("OLLAMA_HOST", named)
    assert ollama_address() == address


async def test_a_remote_ollama_is_only_queried_at_an_address_the_user_saved(monkeypatch):
    """P4"""
    asked = []

    async def list_models(provider: str, access: Access, deadline: float) -> list[ServedModel]:
        asked.append(access.address)
        return [ServedModel("llama3:8b", False)]

    monkeypatch.setattr(catalog, "list_models", list_models)
    _installed(monkeypatch, "langchain_ollama")
    monkeypatch.setenv("OLLAMA_HOST", "gpu.example")
    registry = ModelRegistry()
    assert await registry.default() is None
    assert not asked
    await registry.connect("ollama", None, "http://gpu.example:11434")
    listed = (await registry.overview()).models
    assert asked == ["http://gpu.example:11434"]
    (info,) = [info for info in listed if info.provider == "ollama"]
    assert not info.on_this_machine
    assert await registry.default() is None  # known, but not chosen


async def test_options_are_nowhere_to_be_read(caplog):
    """P8"""
    caplog.set_level(logging.DEBUG)
    models = ModelRegistry(model="openai:own", model_options={"api_key": KEY})
    shown = (
        repr((await models.overview()).models)
        + repr(models)
        + repr(await models.get())
        + caplog.text
    )
    assert KEY not in shown


def test_every_trait_is_described():
    for name, trait in ModelRegistry.class_own_traits(config=True).items():
        assert trait.help, name


async def test_close_ends_every_model(installed, monkeypatch):
    closed = []

    async def close(self: object) -> None:
        closed.append(type(self).__name__)

    monkeypatch.setattr(LocalModel, "close", close)
    monkeypatch.setattr(RemoteModel, "close", close)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    models = ModelRegistry()
    await models.get()
    await models.get("openai:gpt-4.1-mini")
    await models.close()
    assert sorted(closed) == ["LocalModel", "RemoteModel"]


async def test_a_slow_local_model_has_more_time_than_a_remote_one(installed: Path):
    local = await ModelRegistry(timeout=7).get()
    remote = await ModelRegistry(timeout=7, model="ollama:x").get()
    assert isinstance(local, LocalModel) and local._limits.timeout == 70
    assert isinstance(remote, RemoteModel) and remote._limits.timeout == 7
