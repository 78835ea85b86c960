"""What the administrator set, and what that excludes.

What must hold: where ``allowed_models`` excludes anything, a name that is allowed leads where the
administrator knows of. So a person's address counts only for an Ollama on this machine, a server
that ``local_servers`` names (and one whose address nobody else can know), not at all for a provider
that has an address by configuration; and a model that Ollama hands on to its cloud must itself be
named.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .base import ModelInfo
from .catalog.ollama import is_cloud_name
from .providers import COMPATIBLE, address_option, is_loopback, key_option


@dataclass(frozen=True)
class Access:
    """Where a provider's class is to go, and with which key."""

    address: str | None = None
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class ModelPolicy:
    """What the administrator set."""

    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    allowed: Sequence[str] = ("*",)
    local_servers: Sequence[str] | None = None

    def own_file(self) -> Path | None:
        """The user's own model file, if one is configured."""
        provider, _, name = self.model.partition(":")
        is_path = "/" in name or "\\" in name or name.lower().endswith(".gguf")
        return Path(name).expanduser() if provider == "local" and is_path else None

    def access(self, provider: str) -> Access:
        """Key and address of the options; they hold for all models of the configured provider."""
        if self.model.partition(":")[0] != provider:
            return Access()
        return Access(address_option(self.options), key_option(self.options))

    def settles_local(self, provider: str) -> bool:
        """Whether it isn't for the person to say which address is on this machine."""
        return provider == "ollama" or self.local_servers is not None

    def is_local(self, provider: str, address: str | None, declared: str | None = None) -> bool:
        """Whether what is sent to ``address`` stays on this machine (P4).

        A loopback address alone doesn't say so: a proxy or a tunnel listens there, too. Ollama
        says of each model whether it runs it; of other servers the administrator or, with
        ``declared``, the person does.
        """
        if address is None or not is_loopback(address):
            return False
        if provider == "ollama":
            return True
        if self.local_servers is None:
            return declared == address
        return any(fnmatch.fnmatchcase(address, pattern) for pattern in self.local_servers)

    @property
    def restricts(self) -> bool:
        """Whether anything is excluded."""
        return "*" not in self.allowed

    def allows(self, info: ModelInfo) -> bool:
        """Whether this model may be used."""
        patterns = [pattern for pattern in self.allowed if fnmatch.fnmatchcase(info.id, pattern)]
        if self.restricts and info.handed_on and info.id != self.model:
            return any(not set(name) & set("*?[") or is_cloud_name(name) for name in patterns)
        return bool(patterns)

    def allows_provider(self, name: str) -> bool:
        """Whether some model of this provider may be used."""
        return any(
            ":" not in pattern or fnmatch.fnmatchcase(name, pattern.partition(":")[0])
            for pattern in self.allowed
        )

    def admits(self, provider: str, address: str | None) -> bool:
        """Whether a person may set this provider up themselves, with this address if any."""
        if not self.restricts:
            return True
        if self.access(provider).address is not None:
            return False
        # At a loopback address a proxy or a tunnel may hand requests on to anywhere.
        return address is None or provider == COMPATIBLE or self.is_local(provider, address)
