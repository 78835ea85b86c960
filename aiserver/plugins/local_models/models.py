"""Describe, install, create and remove the catalogue's models.

Invariant: models that the administrator excludes are neither listed nor installed.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from ...errors import (
    InstallRunning,
    ModelInUse,
    ModelNotAllowed,
    ModelPackageMissing,
    NoModel,
    NotFound,
    UserText,
)
from ...llm.base import ChatModel, ModelInfo
from ...llm.local_models import LocalModels
from ...llm.policy import ModelPolicy
from ...llm.streaming import Limits
from ...payload import Payload
from ...requests import Count
from . import catalogue, machine, speed, weights
from .catalogue import CatalogueModel, ModelQuality
from .install import Installer
from .model import LocalModel
from .process import LocalProcess
from .warm import WarmModels

INSTALL_LOCAL = "pip install 'aiserver[local]'"
# A slow computer may read a large model's prompt for many minutes, so local models may be silent
# this many times as long as others.
_PATIENCE = 10


@dataclass(frozen=True)
class LocalModelEntry(Payload):
    """A model of the catalogue, and its state on this machine."""

    name: str
    """The model's name in the API and on the command line, such as qwen2.5-coder-1.5b."""
    id: str
    """The model's id in requests, ``local:`` and the name."""
    label: str
    """The model's name for people."""
    parameters: str
    """The number of parameters, such as 1.5B."""
    bytes: Count | None
    """The size of the download; null if it isn't known before the download."""
    memory: Count
    """The estimated number of bytes of memory that the running model needs."""
    licence: str
    """The licence's SPDX identifier."""
    quality: ModelQuality | None
    """The number of requests of a measurement that were answered correctly; null if it wasn't
    measured."""
    speed: Annotated[float, Field(ge=0)] | None
    """Tokens per second, as measured on this machine; null if it wasn't measured."""
    is_installed: bool
    installed_bytes: Count
    """The size of the installed file; 0 if the model isn't installed."""
    partial_bytes: Count = field(metadata={"name": "kept"})
    """The number of bytes that an interrupted installation has already downloaded."""
    is_removable: bool
    """Whether the model is installed in the person's own folder."""
    is_suggested: bool
    """Whether this model is suggested for this machine."""
    fits: bool
    """Whether the machine's memory is larger than ``memory``."""


def suggested_model() -> CatalogueModel:
    """Return the model that is suggested for this machine."""
    return catalogue.suggested_model(machine.memory(), machine.cores(), speed.stored())


def local_entries() -> list[LocalModelEntry]:
    """Return an entry for each model of the catalogue, in the catalogue's order."""
    memory, speeds, suggested = machine.memory(), speed.stored(), suggested_model()
    entries = []
    for model in catalogue.CATALOGUE:
        path = weights.installed(model)
        installed_bytes = path.stat().st_size if path else 0
        entries.append(
            LocalModelEntry(
                name=model.name,
                id=model.id,
                label=model.label,
                parameters=model.parameters,
                bytes=model.size,
                memory=model.memory,
                licence=model.licence,
                quality=model.quality,
                speed=speeds.get(model.name),
                is_installed=installed_bytes > 0,
                installed_bytes=installed_bytes,
                partial_bytes=0 if path else weights.partial_bytes(model),
                is_removable=path is not None and path.parent == weights.folder(),
                is_suggested=model is suggested,
                fits=memory is None or model.memory <= memory,
            )
        )
    return entries


class CatalogueModels(LocalModels):
    """The models of the catalogue, and the configured file."""

    def __init__(
        self, policy: Callable[[], ModelPolicy], chat_models: dict[str, ChatModel]
    ) -> None:
        super().__init__(policy, chat_models)
        self.installer = Installer()
        self.warm_models = WarmModels()

    def configured(self) -> ModelInfo | None:
        policy = self._policy()
        path = policy.model_file()
        if path is None:
            return self.find(policy.model) or self.smallest()
        problem = (
            None
            if path.is_file()
            else UserText("The configured model file does not exist. Check the path.")
        )
        id = f"local:{path.stem}"
        return ModelInfo(id, path.stem, True, problem is None, problem, is_small=True)

    def find(self, model_id: str) -> ModelInfo | None:
        model = catalogue.by_id(model_id)
        return describe(model) if model else None

    def smallest(self) -> ModelInfo:
        return describe(catalogue.SMALLEST)

    def installed(self) -> list[ModelInfo]:
        """Return the suggested model first, then from small to large."""
        models = weights.installed_models()
        if len(models) > 1:
            suggested = suggested_model()
            models.sort(key=lambda model: model != suggested)
        return [describe(model) for model in models]

    def can_complete(self, model_id: str) -> bool:
        model = catalogue.by_id_or_file(model_id, self._policy().model_file())
        return model is not None and model.fill_tokens is not None

    def create(self, info: ModelInfo, limits: Limits) -> LocalModel:
        if not is_package_installed():
            raise ModelPackageMissing(None, INSTALL_LOCAL)
        policy = self._policy()
        path = policy.model_file()
        model = catalogue.by_id_or_file(info.id, path)
        if path is None or info.id != f"local:{path.stem}":
            path = weights.installed(model) if model else None
        if path is None:
            raise NoModel
        # The short prompts of the smallest model suit any file.
        similar_model = model or catalogue.SMALLEST
        size = path.stat().st_size if path.is_file() else 0
        process = LocalProcess(
            path,
            threads=policy.threads or machine.spare_cores(),
            context=similar_model.context,
            memory=model.memory if model else catalogue.memory_for_file(size),
            gpu_layers=policy.gpu_layers,
        )
        return LocalModel(
            info,
            process,
            replace(limits, timeout=_PATIENCE * limits.timeout),
            style=similar_model.style,
            prompt_tokens=similar_model.prompt_tokens,
            # The context needs room for prompt and answer.
            max_tokens=min(policy.max_tokens, similar_model.context // 4),
            tracing=policy.tracing,
            fill_tokens=model.fill_tokens if model else None,
            warm_models=self.warm_models,
            on_speed=partial(speed.store_faster, model) if model else None,
        )

    def fields(self) -> dict[str, Any]:
        is_allowed = self._is_allowed(catalogue.SMALLEST)
        return {
            "local": self._smallest_fields() if is_allowed else None,
            "localModels": [
                entry.to_wire() for entry in local_entries() if self._is_allowed(entry)
            ],
        }

    def _smallest_fields(self) -> dict[str, object]:
        model, has_package = catalogue.SMALLEST, is_package_installed()
        is_installed = weights.installed(model) is not None
        installation = self.installer.current
        return {
            "id": model.id,
            "label": model.label,
            "installed": is_installed,
            "bytes": model.size,
            "kept": 0 if is_installed else weights.partial_bytes(model),
            "package": has_package,
            "install": weights.INSTALL if has_package else INSTALL_LOCAL,
            "installing": installation.state.to_wire() if installation else None,
        }

    async def close(self) -> None:
        await self.installer.stop()

    def to_install(self, name: str | None) -> CatalogueModel:
        """Return the named or smallest model. Raises NotFound, ModelNotAllowed."""
        model = catalogue.SMALLEST if name is None else _find(name)
        if not self._is_allowed(model):
            raise ModelNotAllowed
        return model

    async def remove(self, name: str) -> None:
        """Delete a model's file and its partial downloads; end the model's process.

        Raises NotFound, ModelShared, ModelInUse, InstallRunning, StorageError.
        """
        model = _find(name)
        installation = self.installer.current
        if installation is not None and installation.model is model:
            raise InstallRunning(InstallRunning.message_with_model.fill(model.label))
        await asyncio.to_thread(weights.removable_bytes, model)
        chat_model = self._chat_models.get(model.id)
        if isinstance(chat_model, LocalModel):
            if chat_model.is_answering:
                raise ModelInUse
            del self._chat_models[model.id]
            await chat_model.close()
        await asyncio.to_thread(weights.remove, model)

    def _is_allowed(self, model: CatalogueModel | LocalModelEntry) -> bool:
        return self._policy().allows(ModelInfo(model.id, model.label, True))


def describe(model: CatalogueModel) -> ModelInfo:
    """Describe a model, even if it isn't installed."""
    problem, install = None, None
    if not is_package_installed():
        problem = UserText("The local model needs one more Python package.")
        install = INSTALL_LOCAL
    elif weights.installed(model) is None:
        problem = UserText("%1 is not installed.", model.label)
        is_smallest = model is catalogue.SMALLEST
        install = weights.INSTALL if is_smallest else f"{weights.INSTALL} {model.name}"
    is_ready, is_small = problem is None, model.style == "compact"
    return ModelInfo(model.id, model.label, True, is_ready, problem, install, is_small=is_small)


def is_package_installed() -> bool:
    """Return whether the packages that run the models are installed."""
    return all(importlib.util.find_spec(name) for name in ("xllamacpp", "langchain_openai"))


def _find(name: str) -> CatalogueModel:
    model = catalogue.by_id(f"local:{name}")
    if model is None:
        raise NotFound(UserText("There is no local model with this name."))
    return model
