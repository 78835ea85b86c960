"""The contract of models that run in processes of this server, which a plugin brings.

Their ids begin with ``local:``. They are in a catalogue, or a file that the administrator
configured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import NoModel
from .base import ChatModel, ModelInfo
from .policy import ModelPolicy
from .streaming import Limits


class LocalModels:
    """Without the plugin, there are none. ``chat_models`` are those in use, by id."""

    def __init__(
        self, policy: Callable[[], ModelPolicy], chat_models: dict[str, ChatModel]
    ) -> None:
        self._policy, self._chat_models = policy, chat_models

    def configured(self) -> ModelInfo | None:
        """Return the model that the administrator configured, even if it isn't ready."""
        return None

    def find(self, model_id: str) -> ModelInfo | None:
        """Return the model of the catalogue with this id, even if it isn't installed."""
        return None

    def smallest(self) -> ModelInfo | None:
        """Return the smallest model of the catalogue, even if it isn't installed."""
        return None

    def installed(self) -> list[ModelInfo]:
        """Return the installed models of the catalogue, the suggested one first."""
        return []

    def can_complete(self, model_id: str) -> bool:
        """Return whether a model completes code while a person types."""
        return False

    def create(self, info: ModelInfo, limits: Limits) -> ChatModel:
        """Create a model. Raises ModelPackageMissing, NoModel."""
        raise NoModel

    def fields(self) -> dict[str, Any]:
        """Return fields for the API's list of models."""
        return {"local": None, "localModels": []}

    async def close(self) -> None:
        """Stop installations. The models are closed already."""
