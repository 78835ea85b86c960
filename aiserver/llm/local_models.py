"""Install, list and remove the local models of the catalogue.

Invariant: ``LocalModels`` neither lists nor installs models that the administrator excludes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import InstallRunning, ModelInUse, ModelNotAllowed, NotFound, UserText
from .base import ChatModel, ModelInfo
from .catalog.catalog import Catalog
from .local import catalogue, machine, speed, weights
from .local.catalogue import CatalogueModel
from .local.install import Installer
from .local.model import LocalModel
from .local.warm import WarmModels


@dataclass(frozen=True)
class LocalEntry:
    """A model of the catalogue, and its state on this machine.

    ``partial_bytes`` is the size of an interrupted download. ``is_removable``: it is installed in
    the user's own folder. ``fits`` is false if it needs more memory than this machine has.
    ``speed`` is in tokens per second, or None if it wasn't measured.
    """

    model: CatalogueModel
    installed_bytes: int
    partial_bytes: int
    is_removable: bool
    is_suggested: bool
    fits: bool
    speed: float | None

    @property
    def is_installed(self) -> bool:
        return self.installed_bytes > 0


def local_entries() -> list[LocalEntry]:
    """Return an entry for each model of the catalogue, in the catalogue's order."""
    memory, speeds = machine.memory(), speed.stored()
    suggested = catalogue.suggested_model(memory, machine.cores())
    entries = []
    for model in catalogue.CATALOGUE:
        path = weights.installed(model)
        entries.append(
            LocalEntry(
                model,
                path.stat().st_size if path else 0,
                0 if path else weights.partial_bytes(model),
                path is not None and path.parent == weights.folder(),
                model is suggested,
                memory is None or model.memory <= memory,
                speeds.get(model.name),
            )
        )
    return entries


class LocalModels:
    """Installs, lists and removes local models. ``chat_models`` are those in use, by id."""

    def __init__(self, chat_models: dict[str, ChatModel], catalog: Callable[[], Catalog]) -> None:
        self._chat_models, self._catalog = chat_models, catalog
        self.installer = Installer()
        self.warm_models = WarmModels()

    def entries(self) -> list[LocalEntry]:
        return [entry for entry in local_entries() if self._is_allowed(entry.model)]

    def completing(self) -> ModelInfo | None:
        return self._catalog().completing()

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

    def _is_allowed(self, model: CatalogueModel) -> bool:
        return self._catalog().policy.allows(ModelInfo(model.id, model.label, True))


def _find(name: str) -> CatalogueModel:
    model = catalogue.by_id(f"local:{name}")
    if model is None:
        raise NotFound(UserText("There is no local model with this name."))
    return model
