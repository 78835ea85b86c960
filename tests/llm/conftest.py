"""Fixtures for tests of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from aiserver.llm import providers
from aiserver.llm.registry import ModelRegistry
from aiserver.plugins.local_models.models import CatalogueModels


@pytest.fixture(autouse=True)
def local_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let registries have the models of the plugin, as those of a server do."""
    monkeypatch.setattr(ModelRegistry, "local_class", CatalogueModels)


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No weights, keys, settings, keyring or Ollama; the folder for weights is returned."""
    monkeypatch.setenv("AISERVER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")  # nobody listens there
    for provider in providers.PROVIDERS.values():
        for name in (*provider.key_variables, *provider.address_variables):
            monkeypatch.delenv(name, raising=False)
    return tmp_path / "models"
