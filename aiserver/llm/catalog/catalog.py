"""What can be asked, as it is shown to people: models, providers, the local one.

What must hold: looking costs nothing and sends no text; of servers it asks Ollama on this machine
and those whose address a person saved, each once, for their lists; no key is read but for these.
What the administrator excludes (``allowed``) is not shown.
"""

from __future__ import annotations

import asyncio
import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ...errors import ModelError, ModelKeyMissing
from ..base import ModelInfo
from ..credentials.connections import Connection, Connections, KeySource
from ..local import weights
from ..policy import Access, ModelPolicy
from ..providers import COMPATIBLE, PROVIDERS, Provider, address_option, provider_of
from . import ollama
from .lookup import MAX_NAMES, Lookups, deadline_for
from .model_list import model_names

EMBEDDED = f"local:{weights.NAME}"
INSTALL_LOCAL = "pip install 'aiserver[local]'"
NO_PROVIDER = (
    "The configured model must have the form “provider:name”, such as “openai:gpt-4.1-mini”."
)

# Of a model, as a person may type it, in any script: own servers give names such as 通义-模型.
_NAME = re.compile(r"(?!.*\.\.)[\w./:@+-]{1,200}")


@dataclass(frozen=True)
class ProviderInfo:
    """A provider, and whether it is connected.

    ``key_source`` says where its key is; ``on_this_machine`` whether its server counts as on this
    machine, and ``settled`` that this isn't for the person to say; ``refusal`` is the code of the
    error by which it refused its key or account the last time.
    """

    provider: Provider
    installed: bool
    key_source: KeySource | None
    address: str | None
    on_this_machine: bool
    settled: bool
    refusal: str | None = None


@dataclass(frozen=True)
class LocalInfo:
    """The embedded model: whether its weights and its package are there, and how to get them."""

    info: ModelInfo
    installed: bool
    package: bool


# The models that a server lists, and whether each is handed on to another server.
Listed = Sequence[tuple[str, bool]]


class Catalog:
    """Looks at the machine, each time anew; what servers list is cached in ``lookups``."""

    def __init__(
        self, policy: ModelPolicy, connections: Connections, lookups: Lookups[Listed]
    ) -> None:
        self.policy, self._connections, self._lookups = policy, connections, lookups

    def configured(self) -> ModelInfo | None:
        """The model that the administrator set, usable or not."""
        if not self.policy.model:
            return None
        provider, _, name = self.policy.model.partition(":")
        own = self.policy.own_file()
        if own is not None:
            problem = (
                None
                if own.is_file()
                else "The configured model file does not exist. Check the path."
            )
            return ModelInfo(f"local:{own.stem}", own.stem, True, problem is None, problem)
        if provider == "local":
            return self.embedded()
        if not name:
            label = f"{name} ({provider})"
            return ModelInfo(self.policy.model, label, False, False, NO_PROVIDER)
        if provider in PROVIDERS:
            return self._remote(self._connections.of(provider), name)
        address = address_option(self.policy.options)
        here = self.policy.is_local(provider, address)
        return ModelInfo(self.policy.model, f"{name} ({provider_of(provider).label})", here)

    def embedded(self) -> ModelInfo:
        """The model of our own, installed or not."""
        problem, install = None, None
        if not local_package():
            problem, install = "The local model needs one more Python package.", INSTALL_LOCAL
        elif weights.installed() is None:
            problem = f"The local model is not installed yet ({weights.SIZE // 1_000_000} MB)."
            install = weights.INSTALL
        return ModelInfo(EMBEDDED, weights.LABEL, True, problem is None, problem, install)

    def local(self) -> LocalInfo | None:
        """The embedded model and what it takes; None if it is excluded."""
        if not self.policy.allows(self.embedded()):
            return None
        return LocalInfo(self.embedded(), weights.installed() is not None, local_package())

    def named(self, model_id: str) -> ModelInfo | None:
        """The model of that id, if it can be asked for; None if there can be no such model.

        Asks nobody: any name of a connected provider passes, for only the provider knows them all.
        """
        for info in (self.configured(), self.embedded()):
            if info is not None and info.id == model_id:
                return info
        provider, _, name = model_id.partition(":")
        if provider not in PROVIDERS or not _NAME.fullmatch(name):
            return None
        return self._remote(self._connections.of(provider), name)

    async def served(self, patience: float | None = None) -> list[ModelInfo]:
        """The models that servers list: Ollama, and a compatible server that a person set up.

        With ``patience``, a server that is slower than that counts with its last list, if any.
        """
        asked = [
            self._ask(connection, patience)
            for connection in map(self._connections.of, ("ollama", COMPATIBLE))
            if self._may_ask(connection)
        ]
        found = await asyncio.gather(*asked)
        return [info for part in found for info in part if self.policy.allows(info)]

    async def certain(
        self, info: ModelInfo, served: Sequence[ModelInfo] | None = None
    ) -> ModelInfo:
        """The same model; one of Ollama counts as its own, and as on this machine if Ollama is,
        only if Ollama lists it so, for a model of its cloud can have any name (P4). ``served``
        spares asking anew."""
        matters = info.on_this_machine or self.policy.restricts
        connection = self._connections.of("ollama")
        if info.provider != "ollama" or not matters or connection.address is None:
            return info
        if served is None or not self._may_ask(connection):
            served = await self._ask(connection)
        return listed_as(info, served)

    def suggested(self) -> list[ModelInfo]:
        """Some models of each provider for which a key is at hand: the person may choose one."""
        return [
            info
            for connection in map(self._connections.of, PROVIDERS)
            if connection.provider.keys and connection.source and connection.provider.installed
            for name in connection.provider.suggested
            if self.policy.allows(info := self._remote(connection, name))
        ]

    def usable(self, provider: str, names: Sequence[str]) -> list[str]:
        """Those of a provider's models that can be asked for code, and may be."""
        connection = self._connections.of(provider)
        chat = (name for name in names if _is_chat(name))
        allowed = (name for name in chat if self.policy.allows(self._remote(connection, name)))
        return list(islice(allowed, MAX_NAMES))

    def providers(self, refusals: Mapping[str, str]) -> list[ProviderInfo]:
        """All providers that may be used, connected or not; ``refusals`` are codes by name."""
        connections = map(self._connections.of, filter(self.policy.allows_provider, PROVIDERS))
        return [
            ProviderInfo(
                connection.provider,
                connection.provider.installed,
                connection.source,
                connection.address,
                connection.on_this_machine,
                self.policy.settles_local(connection.provider.name),
                refusals.get(connection.provider.name),
            )
            for connection in connections
        ]

    def _remote(self, connection: Connection, name: str) -> ModelInfo:
        provider = connection.provider
        problem, install = None, None
        if not provider.installed:
            problem = f"{provider.label} models need one more Python package."
            install = provider.install
        elif connection.address is None:
            problem = f"{provider.label} has no base URL yet. Connect it first."
        elif not connection.usable:
            problem = f"No API key for {provider.label}. Connect it, or set {provider.keys[0]}."
        id, label = f"{provider.name}:{name}", f"{name} ({provider.label})"
        info = ModelInfo(id, label, connection.on_this_machine, problem is None, problem, install)
        cloud = provider.name == "ollama" and ollama.is_cloud_name(name)
        return _handed_on(info) if cloud else info

    def _may_ask(self, connection: Connection) -> bool:
        """P4: on this machine, or where the person or the administrator said."""
        name = connection.provider.name
        if connection.address is None or not self.policy.allows_provider(name):
            return False
        said = connection.saved or self.policy.access(name).address is not None
        return said or connection.on_loopback

    async def _ask(self, connection: Connection, patience: float | None = None) -> list[ModelInfo]:
        name = connection.provider.name
        try:
            access = await self._connections.access(name)
        except ModelKeyMissing:
            return []
        server = (name, access.address, access.key)
        listed = await self._lookups.get(server, lambda: _list(name, access), patience)
        return [
            info if not cloud else _handed_on(info)
            for model, cloud in listed
            if (info := self._remote(connection, model))
        ]


async def _list(provider: str, access: Access) -> Listed:
    assert access.address is not None  # ``_may_ask``
    if provider == "ollama":
        found = await ollama.models(access.address, access.key)
        return [(model.name, model.cloud) for model in found]
    try:
        names = await model_names(provider, access, deadline_for(access.address))
    except ModelError:
        return []
    return [(name, False) for name in islice(filter(_is_chat, names), MAX_NAMES)]


def _is_chat(name: str) -> bool:
    return "embed" not in name.lower() and _NAME.fullmatch(name) is not None


def listed_as(info: ModelInfo, served: Sequence[ModelInfo]) -> ModelInfo:
    """The same model; as handed on if it is Ollama's and isn't listed as one of its own."""
    own = {known.id for known in served if not known.handed_on}
    if info.provider != "ollama" or {info.id, f"{info.id}:latest"} & own:
        return info
    return _handed_on(info)


def _handed_on(info: ModelInfo) -> ModelInfo:
    return replace(info, on_this_machine=False, handed_on=True)


def local_package() -> bool:
    """Whether what runs the embedded model is there."""
    return all(importlib.util.find_spec(name) for name in ("xllamacpp", "langchain_openai"))
