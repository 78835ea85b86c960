"""The name of a model, which may be one of the catalogue."""

from __future__ import annotations

from ...llm import providers
from . import catalogue


def model_label(model_id: str) -> str:
    """Return a label such as ``Qwen2.5-Coder 7B`` or ``gpt-5 (OpenAI)``."""
    model = catalogue.by_id(model_id)
    return model.label if model else providers.model_label(model_id)
