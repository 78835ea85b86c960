"""The model that completes code: always an embedded one, and never a second one for no reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from aiserver import errors
from aiserver.llm.registry import ModelRegistry
from aiserver.plugins.local_models import machine, weights
from aiserver.plugins.local_models.catalogue import CATALOGUE, SMALLEST, STANDARD, CatalogueModel

OTHER = next(model for model in CATALOGUE if model.fill_tokens is None)


@pytest.fixture(autouse=True)
def small_computer(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run on a machine for which the smallest model is suggested."""
    monkeypatch.setattr(machine, "cores", lambda: 1)


def install(*models: CatalogueModel) -> None:
    """Write small files that count as the models' weights."""
    for model in models:
        path = weights.folder() / model.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"GGUF")
        weights.write_info(path, weights.WeightsInfo("00", 4, "hub"))


def completing(models: ModelRegistry) -> str | None:
    info = models.completing()
    return info.id if info else None


def test_only_models_that_were_trained_for_it_complete_code() -> None:
    names = {model.name for model in CATALOGUE if model.fill_tokens}
    assert names == {f"qwen2.5-coder-{size}" for size in ("0.5b", "1.5b", "7b")}


@pytest.mark.parametrize("model", ["", "openai:gpt-x", "ollama:qwen2.5-coder:7b"])
async def test_a_model_outside_the_server_never_completes_code(model: str, tmp_path: Path):
    """P4: it isn't even created, and no server is asked for its models."""
    models = ModelRegistry(model=model, data_dir=str(tmp_path))
    assert completing(models) is None
    install(STANDARD)
    assert completing(models) == STANDARD.id
    install(SMALLEST)
    assert completing(models) == SMALLEST.id
    assert not models._models


async def test_the_chosen_embedded_model_completes_code(tmp_path: Path):
    models = ModelRegistry(data_dir=str(tmp_path))
    install(SMALLEST, STANDARD, OTHER)
    await models.choose(STANDARD.id)
    assert completing(models) == STANDARD.id
    await models.choose(OTHER.id)
    assert completing(models) is None  # a second model could take the memory of this one
    await models.choose(None)
    assert completing(models) == SMALLEST.id


async def test_a_model_that_is_not_allowed_completes_nothing(tmp_path: Path):
    install(SMALLEST)
    models = ModelRegistry(allowed_models=["openai:*"], data_dir=str(tmp_path))
    assert completing(models) is None


async def test_a_configured_file_completes_code_if_it_is_in_the_catalogue(tmp_path: Path):
    for name, expected in ((SMALLEST.file, True), ("other.gguf", False), (OTHER.file, False)):
        file = tmp_path / name
        file.write_bytes(b"GGUF")
        models = ModelRegistry(model=f"local:{file}", data_dir=str(tmp_path))
        assert completing(models) == (f"local:{file.stem}" if expected else None)


async def test_other_models_report_that_they_cannot_complete_code():
    install(OTHER)
    models = ModelRegistry(model="openai:gpt-x", model_options={"api_key": "x"})
    for model in (await models.get(OTHER.id), await models.get("openai:gpt-x")):
        with pytest.raises(errors.NoCompletionModel):
            async for _ in model.complete("x", "", stop=[], max_tokens=1):
                pass
    await models.close()
