"""The name of a model for people: in the page, on the command line and in exports."""

from __future__ import annotations

from .providers import provider_of


def model_label(model_id: str) -> str:
    """Return the label of a model, such as ``gpt-5 (OpenAI)``; the id itself if it has no name."""
    provider, _, name = model_id.partition(":")
    return f"{name} ({provider_of(provider).label})" if name else model_id
