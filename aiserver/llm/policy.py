"""The administrator's settings for models, and the restrictions that follow from them.

Invariants: if ``allowed_models`` excludes anything, an allowed name only leads to servers that the
administrator can expect. A user's own address is then accepted only for an Ollama on this machine,
for a server that matches ``local_servers`` and for the OpenAI-compatible server, and never for a
provider whose address is configured; a model that Ollama forwards to its cloud must be allowed by
its own name.
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
    """The administrator's settings: the traits of ``ModelRegistry``, which describe them."""

    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    allowed: Sequence[str] = ("*",)
    local_servers: Sequence[str] | None = None
    timeout: float = 120.0
    max_tokens: int = 8192
    threads: int = 0
    tracing: bool = False

    def model_file(self) -> Path | None:
        """Return the path of the configured model file, if any."""
        provider, _, name = self.model.partition(":")
        is_path = "/" in name or "\\" in name or name.lower().endswith(".gguf")
        return Path(name).expanduser() if provider == "local" and is_path else None

    def access(self, provider: str) -> Access:
        """Return key and address from the options, which apply to the configured provider."""
        if self.model.partition(":")[0] != provider:
            return Access()
        return Access(address_option(self.options), key_option(self.options))

    def fixes_location(self, provider: str) -> bool:
        """Whether users can't declare which of the provider's addresses are on this machine."""
        return provider == "ollama" or self.local_servers is not None

    def is_local(self, provider: str, address: str | None, declared: str | None = None) -> bool:
        """Whether text sent to ``address`` stays on this machine (P4).

        A loopback address isn't enough: a proxy or a tunnel may listen there. Ollama reports for
        each model whether it runs locally; for other servers the administrator decides or, with
        ``declared``, the user.
        """
        if address is None or not is_loopback(address):
            return False
        if provider == "ollama":
            return True
        if self.local_servers is None:
            return declared == address
        return any(fnmatch.fnmatchcase(address, pattern) for pattern in self.local_servers)

    @property
    def is_restricted(self) -> bool:
        """Whether ``allowed_models`` excludes anything."""
        return "*" not in self.allowed

    def allows(self, info: ModelInfo) -> bool:
        """Whether this model may be used."""
        patterns = [pattern for pattern in self.allowed if fnmatch.fnmatchcase(info.id, pattern)]
        if self.is_restricted and info.is_forwarded and info.id != self.model:
            return any(not set(name) & set("*?[") or is_cloud_name(name) for name in patterns)
        return bool(patterns)

    def allows_provider(self, name: str) -> bool:
        """Whether some model of this provider may be used."""
        return any(
            ":" not in pattern or fnmatch.fnmatchcase(name, pattern.partition(":")[0])
            for pattern in self.allowed
        )

    def allows_connection(self, provider: str, address: str | None) -> bool:
        """Whether users may connect this provider themselves, with this address if given."""
        if not self.is_restricted:
            return True
        if self.access(provider).address is not None:
            return False
        # A proxy or a tunnel at a loopback address may forward requests anywhere.
        return address is None or provider == COMPATIBLE or self.is_local(provider, address)
