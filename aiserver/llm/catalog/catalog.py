"""Describe models and providers as users see them.

Invariants:

- Listing models costs nothing and sends no text of the user.
- To show all models, only an Ollama on this machine is queried, and servers whose address was saved
  or configured. An Ollama on another machine (OLLAMA_HOST) is queried only if one of its models is
  requested, chosen or configured.
- A stored key is read only to query a server.
- Models that the administrator excludes are not shown.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from ...errors import ModelError, ModelKeyMissing, UserText
from ...payload import Payload
from ..base import ModelInfo
from ..credentials.connections import Connection, Connections, KeySource
from ..local_models import LocalModels
from ..policy import Access, ModelPolicy
from ..providers import (
    COMPATIBLE,
    PROVIDERS,
    address_option,
    is_cloud_name,
    model_label,
    sees_images,
)
from .lookup import MAX_NAMES, Lookups, deadline_for
from .model_list import ServedModel, list_models

NO_PROVIDER = UserText(
    "The configured model must have the form “provider:name”, such as “openai:gpt-4.1-mini”."
)

# Letters of any script are valid: servers have models such as 通义-模型.
_NAME = re.compile(r"(?!.*\.\.| )[\w./:@+ -]{1,200}(?<! )")


@dataclass(frozen=True)
class ProviderInfo(Payload):
    """A provider and its connection, as they are shown to users."""

    name: str
    label: str
    installed: bool
    """Whether the Python package for the provider is installed."""
    install: str
    """The command that installs the Python package."""
    key_source: KeySource | None
    """The place where the provider's key is stored; null if there is no key."""
    key_name: str | None
    """The environment variable for the provider's key."""
    needs_key: bool
    needs_address: bool
    address: str | None
    """The address to which requests are sent."""
    on_this_machine: bool
    """Whether the server at ``address`` counts as running its models on the Jupyter server's
    machine."""
    place_settled: bool
    """Whether the administrator or Ollama determines ``on_this_machine``, so that the user can't
    declare it."""
    refusal: str | None
    """The error code of the provider's last response if it rejected the key or the account;
    otherwise null."""
    suggested: tuple[str, ...]
    """The names of models to suggest to the user."""


@dataclass(frozen=True)
class Overview:
    """Models and providers for a user; ``local`` is the smallest local model."""

    default: ModelInfo | None
    models: list[ModelInfo]
    providers: list[ProviderInfo]


class Catalog:
    """Describes installed, connected and configured models, and their providers."""

    def __init__(
        self,
        policy: ModelPolicy,
        connections: Connections,
        lookups: Lookups[Sequence[ServedModel]],
        local: LocalModels,
    ) -> None:
        self.policy, self._connections, self._lookups = policy, connections, lookups
        self._local = local

    def configured(self) -> ModelInfo | None:
        if not self.policy.model:
            return None
        provider, _, name = self.policy.model.partition(":")
        if provider == "local":
            return self._local.configured()
        if not name:
            return ModelInfo(self.policy.model, provider, False, False, NO_PROVIDER)
        if provider in PROVIDERS:
            return self._describe(self._connections.get(provider), name)
        address = address_option(self.policy.options)
        is_local = self.policy.is_local(provider, address)
        return ModelInfo(
            self.policy.model,
            model_label(self.policy.model),
            is_local,
            sees_images=sees_images(self.policy.model, self.policy.image_models),
        )

    def completing(self) -> ModelInfo | None:
        """Return the embedded model that completes code: the chosen, configured or first one."""
        choice = self._connections.choice
        chosen = (self.find(choice) if choice else None, self.configured())
        preferred = next((info for info in chosen if info and self.policy.allows(info)), None)
        is_embedded = preferred is not None and preferred.provider == "local"
        candidates = [preferred] if preferred and is_embedded else self._local.installed()
        completing = (info for info in candidates if self._local.can_complete(info.id))
        ready = (info for info in completing if info.ready)
        return next(filter(self.policy.allows, ready), None)

    def find(self, model_id: str) -> ModelInfo | None:
        """Return the model with this id; no server is queried."""
        configured = self.configured()
        if configured is not None and configured.id == model_id:
            return configured
        if local := self._local.find(model_id):
            return local
        provider, _, name = model_id.partition(":")
        if provider not in PROVIDERS or not _NAME.fullmatch(name):
            return None
        return self._describe(self._connections.get(provider), name)

    async def served(self, patience: float | None = None) -> list[ModelInfo]:
        """Return the allowed models that Ollama and an OpenAI-compatible server list.

        After ``patience`` seconds, a server's previous list is used.
        """
        queries = [
            self._query_server(connection, patience)
            for connection in map(self._connections.get, ("ollama", COMPATIBLE))
            if self._may_query(connection)
        ]
        lists = await asyncio.gather(*queries)
        return [info for infos in lists for info in infos if self.policy.allows(info)]

    async def resolve_location(
        self, info: ModelInfo, served_models: Sequence[ModelInfo] | None = None
    ) -> ModelInfo:
        """Return ``info``, marked as forwarded if Ollama might run this model in its cloud.

        Cloud models can have any name, so only a model that Ollama lists as local is local.
        """
        # For a model on another machine, forwarding only matters if not all are allowed.
        is_location_relevant = info.on_this_machine or self.policy.is_restricted
        connection = self._connections.get("ollama")
        if info.provider != "ollama" or not is_location_relevant or connection.address is None:
            return info
        # Otherwise, ``served`` hasn't queried Ollama.
        if served_models is None or not self._may_query(connection):
            served_models = await self._query_server(connection)
        return mark_if_forwarded(info, served_models)

    def suggested(self) -> list[ModelInfo]:
        """Return the allowed suggestions of providers that have a key and a package."""
        return [
            info
            for connection in map(self._connections.get, PROVIDERS)
            if connection.provider.key_variables
            and connection.key_source
            and connection.provider.installed
            for name in connection.provider.suggested
            if self.policy.allows(info := self._describe(connection, name))
        ]

    def usable_names(self, provider: str, names: Sequence[str]) -> list[str]:
        """Return at most ``MAX_NAMES`` of ``names``: those of allowed models that can chat."""
        connection = self._connections.get(provider)
        chat_names = (name for name in names if _is_chat_model(name))
        allowed = (
            name for name in chat_names if self.policy.allows(self._describe(connection, name))
        )
        return list(islice(allowed, MAX_NAMES))

    def providers(self, refusals: Mapping[str, str]) -> list[ProviderInfo]:
        return [
            self._describe_provider(self._connections.get(name), refusals.get(name))
            for name in filter(self.policy.allows_provider, PROVIDERS)
        ]

    def _describe_provider(self, connection: Connection, refusal: str | None) -> ProviderInfo:
        provider = connection.provider
        return ProviderInfo(
            name=provider.name,
            label=str(provider.label),  # not as a UserText
            installed=provider.installed,
            install=provider.install,
            key_source=connection.key_source,
            key_name=provider.key_variables[0] if provider.key_variables else None,
            needs_key=provider.needs_key,
            needs_address=provider.needs_address,
            address=connection.address,
            on_this_machine=connection.on_this_machine,
            place_settled=self.policy.fixes_location(provider.name),
            refusal=refusal,
            suggested=provider.suggested,
        )

    def _describe(self, connection: Connection, name: str) -> ModelInfo:
        provider = connection.provider
        problem, install = None, None
        if not provider.installed:
            problem = UserText("%1 models need one more Python package.", provider.label)
            install = provider.install
        elif connection.address is None:
            problem = UserText("%1 has no base URL yet. Connect it first.", provider.label)
        elif not connection.usable:
            problem = ModelKeyMissing.variable_unset.fill(provider.label, provider.key_variables[0])
        id = f"{provider.name}:{name}"
        info = ModelInfo(
            id,
            model_label(id),
            connection.on_this_machine,
            problem is None,
            problem,
            install,
            has_list_price=connection.has_default_address,
            sees_images=sees_images(id, self.policy.image_models),
        )
        is_cloud = provider.name == "ollama" and is_cloud_name(name)
        return _as_forwarded(info) if is_cloud else info

    def _may_query(self, connection: Connection) -> bool:
        name = connection.provider.name
        if connection.address is None or not self.policy.allows_provider(name):
            return False
        is_explicit = connection.is_address_saved or self.policy.access(name).address is not None
        return is_explicit or connection.on_loopback

    async def _query_server(
        self, connection: Connection, patience: float | None = None
    ) -> list[ModelInfo]:
        name = connection.provider.name
        try:
            access = await self._connections.access(name)
        except ModelKeyMissing:
            return []
        server = (name, access.address, access.key)
        models = await self._lookups.get(server, lambda: _list_chat_models(name, access), patience)
        return [
            _as_forwarded(info) if model.is_cloud else info
            for model in models
            if (info := self._describe(connection, model.name))
        ]

    def listed_context(self, info: ModelInfo) -> int | None:
        """Return the length of the context, if the server's last list has it."""
        lists = [models for server, models in self._lookups.latest() if server[0] == info.provider]
        contexts = {f"{info.provider}:{model.name}": model.context for model in chain(*lists)}
        return contexts.get(info.id)


async def _list_chat_models(provider: str, access: Access) -> list[ServedModel]:
    assert access.address is not None  # only connections with an address are queried
    try:
        models = await list_models(provider, access, deadline_for(access.address))
    except ModelError:
        return []
    return list(islice((model for model in models if _is_chat_model(model.name)), MAX_NAMES))


def _is_chat_model(name: str) -> bool:
    return "embed" not in name.lower() and _NAME.fullmatch(name) is not None


def mark_if_forwarded(info: ModelInfo, served: Sequence[ModelInfo]) -> ModelInfo:
    """Mark an Ollama model that ``served`` doesn't list as local."""
    local_ids = {model.id for model in served if not model.is_forwarded}
    # Ollama lists tags; users may omit the tag "latest"
    if info.provider != "ollama" or {info.id, f"{info.id}:latest"} & local_ids:
        return info
    return _as_forwarded(info)


def _as_forwarded(info: ModelInfo) -> ModelInfo:
    return replace(info, on_this_machine=False, is_forwarded=True)
