"""The administrator's settings for models, and the restrictions that follow from them.

Invariants, if ``allowed_models`` doesn't allow every model:

- Requests for an allowed model only go to servers that the administrator expects. A user may
  enter an address only for Ollama on this machine, for a server that matches ``local_servers``, or
  for the OpenAI-compatible provider. If the administrator has configured a provider's address,
  users can't change it.
- A model that Ollama forwards to its cloud must be allowed explicitly: by its full name, or by a
  pattern for names of cloud models. For the configured model, any matching pattern is enough.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .base import ModelInfo
from .providers import COMPATIBLE, address_option, is_cloud_name, is_loopback, key_option


@dataclass(frozen=True)
class Access:
    """The address and the key with which a provider is called."""

    address: str | None = None
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ModelPolicy:
    """The administrator's settings.

    The traits of ``ModelRegistry`` explain them under the same or longer names: for example,
    ``allowed`` is the value of ``allowed_models``.
    """

    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    allowed: Sequence[str] = ("*",)
    local_servers: Sequence[str] | None = None
    timeout: float = 120.0
    max_tokens: int = 8192
    threads: int = 0
    tracing: bool = False
    gpu_layers: int = -1

    def model_file(self) -> Path | None:
        """Return the path of the configured model file, if any."""
        provider, _, name = self.model.partition(":")
        is_path = "/" in name or "\\" in name or name.lower().endswith(".gguf")
        return Path(name).expanduser() if provider == "local" and is_path else None

    def access(self, provider: str) -> Access:
        """Return the key and the address that the administrator configured for a provider.

        Both are None unless the configured model is one of this provider's models, because
        ``options`` only apply to the configured model.
        """
        if self.model.partition(":")[0] != provider:
            return Access()
        return Access(address_option(self.options), key_option(self.options))

    def fixes_location(self, provider: str) -> bool:
        """Return whether users can't declare that the provider's server runs on this machine.

        Ollama's own list tells where each of its models runs. If ``local_servers`` is set, it
        decides which other servers are local.
        """
        return provider == "ollama" or self.local_servers is not None

    def is_local(
        self, provider: str, address: str | None, declared_address: str | None = None
    ) -> bool:
        """Return whether the server at ``address`` counts as running on this machine.

        This requires a loopback address. For Ollama, such an address is enough, because the models
        that it forwards to its cloud are recognised separately. Any other server at such an address
        may be a proxy or a tunnel, so the administrator decides with ``local_servers``. If
        ``local_servers`` is None, the user decides: ``declared_address`` is the address that the
        user has declared as local.
        """
        if address is None or not is_loopback(address):
            return False
        if provider == "ollama":
            return True
        if self.local_servers is None:
            return declared_address == address
        return any(fnmatch.fnmatchcase(address, pattern) for pattern in self.local_servers)

    @property
    def is_restricted(self) -> bool:
        """Whether ``allowed_models`` doesn't allow every model."""
        return "*" not in self.allowed

    def allows(self, info: ModelInfo) -> bool:
        """Return whether this model may be used."""
        patterns = [pattern for pattern in self.allowed if fnmatch.fnmatchcase(info.id, pattern)]
        if self.is_restricted and info.is_forwarded and info.id != self.model:
            # A pattern such as "ollama:*" isn't enough, since the administrator may only have meant
            # local models. The pattern must be a full name or end like the name of a cloud model.
            return any(
                not set(pattern) & set("*?[") or is_cloud_name(pattern) for pattern in patterns
            )
        return bool(patterns)

    def allows_provider(self, name: str) -> bool:
        """Return whether a pattern in ``allowed`` may match at least one model of this provider."""
        # A pattern without a colon, such as "*", may match a model of any provider.
        return any(
            ":" not in pattern or fnmatch.fnmatchcase(name, pattern.partition(":")[0])
            for pattern in self.allowed
        )

    def allows_connection(self, provider: str, address: str | None) -> bool:
        """Return whether users may connect this provider.

        ``address`` is the address that a user entered, or None for the default address.
        """
        if not self.is_restricted:
            return True
        if self.access(provider).address is not None:
            return False
        # A loopback address alone isn't accepted: a proxy or tunnel there may forward requests.
        return address is None or provider == COMPATIBLE or self.is_local(provider, address)
