"""The administrator's settings for models, and the restrictions that follow from them.

Invariants, if ``allowed_models`` doesn't allow every model:

- Requests for an allowed model only go to servers that the administrator expects. A user may enter
  an address only for Ollama on this machine, for a server that matches ``local_servers``, or for
  the OpenAI-compatible provider, and never if the administrator has configured one.
- A model that Ollama forwards to its cloud must be allowed by its full name, or by a pattern for
  cloud models, unless it is the configured one.

Invariants, if ``allows_remote`` is false: no model on another machine is used, and users can't
enter an address that isn't local. Only the administrator decides which servers count as local.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ModelNotAllowed
from .base import ModelInfo
from .providers import (
    COMPATIBLE,
    PROVIDERS,
    address_option,
    is_cloud_name,
    is_loopback,
    key_option,
)


@dataclass(frozen=True)
class Access:
    """The address and the key with which a provider is called."""

    address: str | None = None
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ModelPolicy:
    """The administrator's settings, which the traits of ``ModelRegistry`` explain."""

    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    allowed: Sequence[str] = ("*",)
    local_servers: Sequence[str] | None = None
    timeout: float = 120.0
    max_tokens: int = 8192
    threads: int = 0
    tracing: bool = False
    gpu_layers: int = -1
    allows_remote: bool = True
    image_models: Sequence[str] = ()

    def model_file(self) -> Path | None:
        provider, _, name = self.model.partition(":")
        is_path = "/" in name or "\\" in name or name.lower().endswith(".gguf")
        return Path(name).expanduser() if provider == "local" and is_path else None

    def access(self, provider: str) -> Access:
        if self.model.partition(":")[0] != provider:
            return Access()
        return Access(address_option(self.options), key_option(self.options))

    def fixes_location(self, provider: str) -> bool:
        return provider == "ollama" or self._decides_location

    def is_local(
        self, provider: str, address: str | None, declared_address: str | None = None
    ) -> bool:
        """Return whether the server at ``address`` counts as running on this machine.

        A loopback address is enough for Ollama, whose forwarded models are recognised separately.
        Any other server there may be a proxy or a tunnel, so the administrator decides with
        ``local_servers`` or, if that is None, the user with ``declared_address``.
        """
        if address is None or not is_loopback(address):
            return False
        if provider == "ollama":
            return True
        if not self._decides_location:
            return declared_address == address
        patterns = self.local_servers or ()
        return any(fnmatch.fnmatchcase(address, pattern) for pattern in patterns)

    @property
    def _decides_location(self) -> bool:
        return self.local_servers is not None or not self.allows_remote

    @property
    def is_restricted(self) -> bool:
        return "*" not in self.allowed

    def allows(self, info: ModelInfo) -> bool:
        if not self.allows_remote and not info.on_this_machine:
            return False
        patterns = [pattern for pattern in self.allowed if fnmatch.fnmatchcase(info.id, pattern)]
        if self.is_restricted and info.is_forwarded and info.id != self.model:
            # "ollama:*" may only mean local models, so a pattern must be a full name or end like a
            # cloud model's.
            return any(
                not set(pattern) & set("*?[") or is_cloud_name(pattern) for pattern in patterns
            )
        return bool(patterns)

    def check(self, info: ModelInfo) -> None:
        """Raise ModelNotAllowed, with the reason, unless it may be used."""
        if self.allows(info):
            return
        if info.is_forwarded:
            raise ModelNotAllowed(ModelNotAllowed.only_local_in_ollama)
        is_remote = not self.allows_remote and not info.on_this_machine
        raise ModelNotAllowed(ModelNotAllowed.only_local if is_remote else None)

    def allows_provider(self, name: str) -> bool:
        if not self.allows_remote and not self._has_local_server(name):
            return False
        # A pattern without a colon, such as "*", may match any provider.
        return any(
            ":" not in pattern or fnmatch.fnmatchcase(name, pattern.partition(":")[0])
            for pattern in self.allowed
        )

    def _has_local_server(self, provider: str) -> bool:
        address = self.access(provider).address
        is_configured = self.is_local(provider, address)
        return provider == "ollama" or is_configured or bool(self.local_servers)

    def allows_connection(self, provider: str, address: str | None) -> bool:
        """Return whether users may connect this provider, at ``address`` or the default."""
        if not self.allows_remote:
            default = self.access(provider).address or PROVIDERS[provider].default_address()
            if not self.is_local(provider, address or default):
                return False
        if not self.is_restricted:
            return True
        if self.access(provider).address is not None:
            return False
        # A proxy or tunnel at a loopback address may forward requests.
        return address is None or provider == COMPATIBLE or self.is_local(provider, address)
