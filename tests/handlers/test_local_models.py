"""The catalogue of local models over HTTP: list, install, use and remove them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aiserver.plugins.local_models import machine, speed, weights
from aiserver.plugins.local_models.catalogue import CATALOGUE, SMALLEST, STANDARD, CatalogueModel
from aiserver.plugins.local_models.model import LocalModel

from ..conftest import SSE, Call, request
from .test_install import CONTENT, Hub, hub, state  # noqa: F401 - the hub is a fixture
from .test_models import bare_machine, jp_server_config  # noqa: F401 - fixtures

LARGE = CATALOGUE[-1]
GB = 10**9


@pytest.fixture(autouse=True)
def computer(monkeypatch: pytest.MonkeyPatch, bare_machine: None) -> None:  # noqa: F811
    """Run on a machine with 16 GB and 8 cores."""
    monkeypatch.setattr(machine, "memory", lambda: 16 * GB)
    monkeypatch.setattr(machine, "cores", lambda: 8)


def put_weights(model: CatalogueModel, folder: Path | None = None) -> Path:
    """Write a small file that counts as the model's weights."""
    path = (folder or weights.folder()) / model.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"GGUF")
    weights.write_info(path, weights.WeightsInfo("00", 4, "hub"))
    return path


async def entries(call: Call) -> dict[str, Any]:
    """Return the entries of the catalogue by name."""
    return {entry["name"]: entry for entry in (await call("GET", "models")).data["localModels"]}


async def test_the_catalogue_is_listed_with_what_it_means_for_this_machine(call: Call):
    put_weights(SMALLEST)
    speed.store(SMALLEST, 21)
    part = weights.staging_folder(weights.folder(), "hub", STANDARD) / "00.part"
    part.parent.mkdir()
    part.write_bytes(b"x" * 7)
    seen = await entries(call)
    assert list(seen) == [model.name for model in CATALOGUE]
    assert seen[SMALLEST.name] == {
        "name": "qwen2.5-coder-0.5b",
        "id": "local:qwen2.5-coder-0.5b",
        "label": "Qwen2.5-Coder 0.5B",
        "parameters": "0.5B",
        "bytes": 491_400_064,
        "memory": SMALLEST.memory,
        "licence": "Apache-2.0",
        "quality": {"right": 24, "of": 52},
        "speed": 21.0,
        "installed": True,
        "installedBytes": 4,
        "kept": 0,
        "removable": True,
        "suggested": False,
        "fits": True,
    }
    assert [name for name, entry in seen.items() if entry["suggested"]] == [STANDARD.name]
    assert [name for name, entry in seen.items() if not entry["fits"]] == [LARGE.name]
    assert (seen[STANDARD.name]["kept"], seen[STANDARD.name]["installed"]) == (7, False)
    assert (seen[LARGE.name]["quality"], seen[LARGE.name]["speed"]) == (None, None)
    assert not seen[LARGE.name]["removable"]


async def test_all_installed_models_can_be_chosen(call: Call):
    put_weights(SMALLEST)
    put_weights(LARGE)
    seen = (await call("GET", "models")).data
    listed = {model["id"]: model for model in seen["models"]}
    assert set(listed) == {SMALLEST.id, LARGE.id}
    assert listed[LARGE.id]["ready"] and listed[LARGE.id]["onThisMachine"]
    assert seen["default"] == SMALLEST.id
    assert (await call("PUT", "models/choice", {"model": LARGE.id})).data == {"default": LARGE.id}
    # A model that isn't installed can be named, and the error says what to do.
    reply = await call("POST", "generate", request(model=STANDARD.id))
    assert (reply.status, reply.data["code"]) == (503, "no_model")


async def test_a_model_is_installed_by_its_name(call: Call, hub: Hub, tmp_path: Path):  # noqa: F811
    hub.go.set()
    body = {"name": STANDARD.name}
    answer = await call("POST", "models/local/install", body, headers=SSE)
    names = [name for name, _ in answer.events]
    assert names[-1] == "done"
    seen = [data for name, data in answer.events if name == "progress"]
    assert {data["name"] for data in seen} == {STANDARD.name}
    assert (tmp_path / "models" / STANDARD.file).read_bytes() == CONTENT
    after = (await call("GET", "models")).data
    assert not after["local"]["installed"]  # the smallest model
    assert after["default"] == STANDARD.id
    assert (await entries(call))[STANDARD.name]["installedBytes"] == len(CONTENT)


async def test_one_model_is_installed_at_a_time(call: Call, hub: Hub):  # noqa: F811
    reply = await call("POST", "models/local/install", {"name": STANDARD.name})
    assert (reply.status, reply.data["name"], reply.data["total"]) == (
        202,
        STANDARD.name,
        STANDARD.size,
    )
    assert (await state(call))["name"] == STANDARD.name
    others: list[dict[str, Any]] = [{}, {"name": LARGE.name}, {"name": LARGE.name, "join": True}]
    for body in others:
        reply = await call("POST", "models/local/install", body)
        assert (reply.status, reply.data["code"]) == (409, "install_running")
        assert STANDARD.label in reply.data["message"]
    # A reloaded page may follow the installation without its name.
    same: list[dict[str, Any]] = [{"join": True}, {"name": STANDARD.name}]
    for body in (*same, {"name": STANDARD.name, "join": True}):
        assert (await call("POST", "models/local/install", body)).status == 202
    reply = await call("DELETE", f"models/local/{STANDARD.name}")
    assert (reply.status, reply.data["code"]) == (409, "install_running")
    assert (await call("DELETE", "models/local/install")).status == 204
    assert await state(call) is None


@pytest.mark.parametrize("name", ["qwen2.5-coder-3b", "1.5b", "", "../models"])
async def test_an_unknown_model_is_not_installed(call: Call, name: str):
    reply = await call("POST", "models/local/install", {"name": name})
    assert (reply.status, reply.data["code"]) == (404, "not_found")


async def test_a_model_and_its_partial_downloads_are_removed(call: Call, tmp_path: Path):
    path = put_weights(STANDARD)
    part = weights.staging_folder(weights.folder(), "hub", STANDARD) / "00.part"
    part.parent.mkdir()
    part.write_bytes(b"x")
    other = put_weights(SMALLEST)
    assert (await call("DELETE", f"models/local/{STANDARD.name}")).status == 204
    assert sorted(item.name for item in path.parent.iterdir()) == [
        other.name,
        other.with_suffix(".json").name,
    ]
    reply = await call("DELETE", f"models/local/{STANDARD.name}")
    assert (reply.status, reply.data["code"]) == (404, "not_found")


@pytest.mark.parametrize("name", ["nothing", "0.5b", "..%2F..%2Fetc", "qwen2.5-coder-0.5b.json"])
async def test_only_models_of_the_catalogue_are_removed(call: Call, name: str, tmp_path: Path):
    """P5"""
    path = put_weights(SMALLEST)
    reply = await call("DELETE", f"models/local/{name}")
    assert (reply.status, reply.data["code"]) == (404, "not_found")
    assert path.exists()


async def test_a_model_that_answers_is_not_removed(call: Call, extension: Any):
    path = put_weights(SMALLEST)
    model = await extension.models.get(SMALLEST.id)
    assert isinstance(model, LocalModel)
    model._answer_count = 1
    reply = await call("DELETE", f"models/local/{SMALLEST.name}")
    assert (reply.status, reply.data["code"]) == (409, "model_in_use")
    assert path.exists()
    model._answer_count = 0
    assert (await call("DELETE", f"models/local/{SMALLEST.name}")).status == 204
    assert not path.exists()
    # The next request doesn't use the model that was removed.
    reply = await call("POST", "generate", request(model=SMALLEST.id))
    assert (reply.status, reply.data["code"]) == (503, "no_model")


async def test_a_model_for_all_users_is_not_removed(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("AISERVER_MODEL_DIR")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "own"))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "all"))
    path = put_weights(SMALLEST, tmp_path / "all" / "aiserver" / "models")
    entry = (await entries(call))[SMALLEST.name]
    assert (entry["installed"], entry["removable"]) == (True, False)
    reply = await call("DELETE", f"models/local/{SMALLEST.name}")
    assert (reply.status, reply.data["code"]) == (403, "model_shared")
    assert path.exists()


@pytest.mark.parametrize(
    "server_config", [{"AIServer": {"allowed_models": ["local:qwen2.5-coder-*"]}}]
)
async def test_excluded_models_are_neither_listed_nor_installed(call: Call, server_config: Any):
    """P4"""
    allowed = [model.name for model in CATALOGUE if model.name.startswith("qwen2.5")]
    assert list(await entries(call)) == allowed
    reply = await call("POST", "models/local/install", {"name": LARGE.name})
    assert (reply.status, reply.data["code"]) == (403, "model_not_allowed")
