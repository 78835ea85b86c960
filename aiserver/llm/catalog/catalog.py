"""Describe models and providers as they are shown to users.

Invariants: listing costs nothing and sends no text of the user. Only Ollama on this machine and
servers whose address somebody saved are queried, each once and only for their lists; keys are read
only for these. Models that the administrator excludes are not shown.
"""

from __future__ import annotations

import asyncio
import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ...errors import ModelError, ModelKeyMissing, UserText
from ..base import ModelInfo
from ..credentials.connections import Connection, Connections
from ..local import weights
from ..policy import Access, ModelPolicy
from ..providers import COMPATIBLE, PROVIDERS, address_option, is_cloud_name, provider_of
from .lookup import MAX_NAMES, Lookups, deadline_for
from .model_list import ServedModel, list_models

EMBEDDED = f"local:{weights.NAME}"
INSTALL_LOCAL = "pip install 'aiserver[local]'"
NO_PROVIDER = UserText(
    "The configured model must have the form “provider:name”, such as “openai:gpt-4.1-mini”."
)

# A model's name as a user may type it, in any script: some servers have names such as 通义-模型.
_NAME = re.compile(r"(?!.*\.\.)[\w./:@+-]{1,200}")


@dataclass(frozen=True)
class ProviderInfo:
    """A provider, and whether it is connected.

    ``is_location_fixed`` says whether users can't change if its server counts as local;
    ``refusal`` is the error code with which it last rejected the key or account.
    """

    connection: Connection
    is_location_fixed: bool
    refusal: str | None = None


class Catalog:
    """Inspects the machine on each call; the lists of servers are cached in ``lookups``."""

    def __init__(
        self, policy: ModelPolicy, connections: Connections, lookups: Lookups[Sequence[ServedModel]]
    ) -> None:
        self.policy, self._connections, self._lookups = policy, connections, lookups

    def configured(self) -> ModelInfo | None:
        """Return the model that the administrator configured, usable or not."""
        if not self.policy.model:
            return None
        provider, _, name = self.policy.model.partition(":")
        path = self.policy.model_file()
        if path is not None:
            problem = (
                None
                if path.is_file()
                else UserText("The configured model file does not exist. Check the path.")
            )
            return ModelInfo(f"local:{path.stem}", path.stem, True, problem is None, problem)
        if provider == "local":
            return self.embedded()
        if not name:
            label = f"{name} ({provider})"
            return ModelInfo(self.policy.model, label, False, False, NO_PROVIDER)
        if provider in PROVIDERS:
            return self._remote(self._connections.get(provider), name)
        address = address_option(self.policy.options)
        is_local = self.policy.is_local(provider, address)
        return ModelInfo(self.policy.model, f"{name} ({provider_of(provider).label})", is_local)

    def embedded(self) -> ModelInfo:
        """Return the embedded model, installed or not."""
        problem, install = None, None
        if not local_package():
            problem = UserText("The local model needs one more Python package.")
            install = INSTALL_LOCAL
        elif weights.installed() is None:
            size = str(weights.SIZE // 1_000_000)
            problem = UserText("The local model is not installed yet (%1 MB).", size)
            install = weights.INSTALL
        return ModelInfo(EMBEDDED, weights.LABEL, True, problem is None, problem, install)

    def local(self) -> ModelInfo | None:
        """Return the embedded model, installed or not, if it is allowed."""
        info = self.embedded()
        return info if self.policy.allows(info) else None

    def find(self, model_id: str) -> ModelInfo | None:
        """Return the model with this id, or None if there can be no such model.

        Sends no request, so any name of a supported provider is accepted.
        """
        for info in (self.configured(), self.embedded()):
            if info is not None and info.id == model_id:
                return info
        provider, _, name = model_id.partition(":")
        if provider not in PROVIDERS or not _NAME.fullmatch(name):
            return None
        return self._remote(self._connections.get(provider), name)

    async def served(self, patience: float | None = None) -> list[ModelInfo]:
        """Return the models that servers list: Ollama and a connected compatible server.

        After ``patience`` seconds, a server's previous list is used, if there is one.
        """
        queries = [
            self._query(connection, patience)
            for connection in map(self._connections.get, ("ollama", COMPATIBLE))
            if self._may_query(connection)
        ]
        lists = await asyncio.gather(*queries)
        return [info for infos in lists for info in infos if self.policy.allows(info)]

    async def resolve_location(
        self, info: ModelInfo, served: Sequence[ModelInfo] | None = None
    ) -> ModelInfo:
        """Return ``info``, corrected if Ollama forwards this model to its cloud (P4).

        Cloud models can have any name, so an Ollama model only counts as local if Ollama lists it
        as such. ``served``, if given, is used instead of a new query.
        """
        matters = info.on_this_machine or self.policy.is_restricted
        connection = self._connections.get("ollama")
        if info.provider != "ollama" or not matters or connection.address is None:
            return info
        if served is None or not self._may_query(connection):
            served = await self._query(connection)
        return listed_as(info, served)

    def suggested(self) -> list[ModelInfo]:
        """Return some models of each provider that has a key and its package."""
        return [
            info
            for connection in map(self._connections.get, PROVIDERS)
            if connection.provider.keys and connection.source and connection.provider.installed
            for name in connection.provider.suggested
            if self.policy.allows(info := self._remote(connection, name))
        ]

    def usable(self, provider: str, names: Sequence[str]) -> list[str]:
        """Return those of a provider's models that can write code and are allowed."""
        connection = self._connections.get(provider)
        chat = (name for name in names if _is_chat_model(name))
        allowed = (name for name in chat if self.policy.allows(self._remote(connection, name)))
        return list(islice(allowed, MAX_NAMES))

    def providers(self, refusals: Mapping[str, str]) -> list[ProviderInfo]:
        """Return all allowed providers, connected or not. ``refusals`` maps names to codes."""
        return [
            ProviderInfo(
                self._connections.get(name), self.policy.fixes_location(name), refusals.get(name)
            )
            for name in filter(self.policy.allows_provider, PROVIDERS)
        ]

    def _remote(self, connection: Connection, name: str) -> ModelInfo:
        provider = connection.provider
        problem, install = None, None
        if not provider.installed:
            problem = UserText("%1 models need one more Python package.", provider.label)
            install = provider.install
        elif connection.address is None:
            problem = UserText("%1 has no base URL yet. Connect it first.", provider.label)
        elif not connection.usable:
            problem = ModelKeyMissing.variable_unset.fill(provider.label, provider.keys[0])
        id, label = f"{provider.name}:{name}", f"{name} ({provider.label})"
        info = ModelInfo(id, label, connection.on_this_machine, problem is None, problem, install)
        is_cloud = provider.name == "ollama" and is_cloud_name(name)
        return _as_forwarded(info) if is_cloud else info

    def _may_query(self, connection: Connection) -> bool:
        """Whether the address is on this machine, or saved by the user or administrator (P4)."""
        name = connection.provider.name
        if connection.address is None or not self.policy.allows_provider(name):
            return False
        is_explicit = connection.is_saved or self.policy.access(name).address is not None
        return is_explicit or connection.on_loopback

    async def _query(
        self, connection: Connection, patience: float | None = None
    ) -> list[ModelInfo]:
        name = connection.provider.name
        try:
            access = await self._connections.access(name)
        except ModelKeyMissing:
            return []
        server = (name, access.address, access.key)
        models = await self._lookups.get(server, lambda: _list(name, access), patience)
        return [
            _as_forwarded(info) if is_cloud else info
            for model, is_cloud in models
            if (info := self._remote(connection, model))
        ]


async def _list(provider: str, access: Access) -> list[ServedModel]:
    assert access.address is not None  # ``_may_query`` ensures it
    try:
        models = await list_models(provider, access, deadline_for(access.address))
    except ModelError:
        return []
    return list(islice((model for model in models if _is_chat_model(model.name)), MAX_NAMES))


def _is_chat_model(name: str) -> bool:
    return "embed" not in name.lower() and _NAME.fullmatch(name) is not None


def listed_as(info: ModelInfo, served: Sequence[ModelInfo]) -> ModelInfo:
    """Return ``info``, marked as forwarded if it isn't in Ollama's list of its own models."""
    own_ids = {model.id for model in served if not model.is_forwarded}
    if info.provider != "ollama" or {info.id, f"{info.id}:latest"} & own_ids:
        return info
    return _as_forwarded(info)


def _as_forwarded(info: ModelInfo) -> ModelInfo:
    return replace(info, on_this_machine=False, is_forwarded=True)


def local_package() -> bool:
    """Whether the packages that run the embedded model are installed."""
    return all(importlib.util.find_spec(name) for name in ("xllamacpp", "langchain_openai"))
