"""Tests of ``model_label``: one name of a model in all places."""

from __future__ import annotations

import pytest

from aiserver.plugins.local_models.catalogue import CATALOGUE
from aiserver.plugins.local_models.labels import model_label


@pytest.mark.parametrize(
    ("model_id", "label"),
    [
        (CATALOGUE[0].id, CATALOGUE[0].label),
        ("openai:gpt-5", "gpt-5 (OpenAI)"),
        ("ollama:qwen3:4b", "qwen3:4b (Ollama)"),
        ("acme:m", "m (acme)"),
        ("without-provider", "without-provider"),
    ],
)
def test_a_model_has_one_label(model_id: str, label: str) -> None:
    assert model_label(model_id) == label
