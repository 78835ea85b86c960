"""The table of supported providers: package, key, address and suggested models.

LangChain supports more providers than this table; those work by configuration.
Invariant: nothing here imports a provider's package or sends a request.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ..errors import UserText

COMPATIBLE = "openai_compatible"


@dataclass(frozen=True)
class Provider:
    """A provider of models.

    ``extra`` is the extra of AI Server that installs its package; ``library`` is LangChain's name
    for the provider if it differs from ``name``; ``keys`` and ``addresses`` are environment
    variables; ``suggested`` lists models to start with, best first.
    """

    name: str
    label: str
    extra: str | None = None
    keys: tuple[str, ...] = ()
    address: str | None = None
    addresses: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    library: str | None = None
    package: str | None = None

    @property
    def module(self) -> str:
        """The module of LangChain's package for the provider, unless ``package`` names another."""
        return self.package or f"langchain_{self.library or self.name}"

    @property
    def installed(self) -> bool:
        """Whether the package is installed. Doesn't import it."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def install(self) -> str:
        """The shell command that installs the package."""
        target = f"'aiserver[{self.extra}]'" if self.extra else self.module.replace("_", "-")
        return f"pip install {target}"

    @property
    def needs_key(self) -> bool:
        """Whether it requires a key (unless it runs on this machine)."""
        return bool(self.keys)

    @property
    def needs_address(self) -> bool:
        """Whether the user has to enter its address."""
        return self.name == COMPATIBLE

    def key_in_environment(self) -> str | None:
        """Return its key from the environment, if any."""
        return next(filter(None, map(os.environ.get, self.keys)), None)

    def default_address(self) -> str | None:
        """Return its address from the environment, else the built-in one."""
        if self.name == "ollama":
            return ollama_address()
        return next(filter(None, map(os.environ.get, self.addresses)), self.address)


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider(
            "openai",
            "OpenAI",
            "openai",
            keys=("OPENAI_API_KEY",),
            address="https://api.openai.com/v1",
            addresses=("OPENAI_API_BASE", "OPENAI_BASE_URL"),
            suggested=("gpt-4.1-mini", "gpt-4.1", "gpt-5-mini"),
        ),
        Provider(
            "anthropic",
            "Anthropic",
            "anthropic",
            keys=("ANTHROPIC_API_KEY",),
            address="https://api.anthropic.com",
            addresses=("ANTHROPIC_API_URL", "ANTHROPIC_BASE_URL"),
            suggested=("claude-sonnet-4-5", "claude-haiku-4-5"),
        ),
        Provider(
            "deepseek",
            "DeepSeek",
            "deepseek",
            keys=("DEEPSEEK_API_KEY",),
            address="https://api.deepseek.com/v1",
            addresses=("DEEPSEEK_API_BASE",),
            suggested=("deepseek-chat", "deepseek-reasoner"),
        ),
        Provider(
            "google_genai",
            "Google",
            "google",
            keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            address="https://generativelanguage.googleapis.com",
            addresses=("GOOGLE_GEMINI_BASE_URL",),
            suggested=("gemini-2.5-flash", "gemini-2.5-pro"),
        ),
        Provider(
            "mistralai",
            "Mistral",
            "mistral",
            keys=("MISTRAL_API_KEY",),
            address="https://api.mistral.ai/v1",
            addresses=("MISTRAL_BASE_URL",),
            suggested=("codestral-latest", "mistral-medium-latest"),
        ),
        Provider("ollama", "Ollama", "ollama", suggested=("qwen2.5-coder:7b",)),
        # vLLM, LM Studio, llama.cpp, DashScope and the many others with OpenAI's protocol.
        Provider(COMPATIBLE, UserText("OpenAI-compatible server"), "openai", library="openai"),
    )
}


def provider_of(name: str, package: str | None = None) -> Provider:
    """Return the provider called ``name``.

    For a name that isn't in ``PROVIDERS``, ``package`` is its module, if that is known.
    """
    return PROVIDERS.get(name) or Provider(name, name, package=package)


def is_loopback(url: str) -> bool:
    """Whether ``url`` can only refer to this machine."""
    try:
        host = (urlsplit(url if "//" in url else f"//{url}").hostname or "").rstrip(".").lower()
        if host == "localhost":
            return True
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ollama_address() -> str | None:
    """Return Ollama's address from OLLAMA_HOST, parsed as Ollama does; None if it is invalid."""
    configured = os.environ.get("OLLAMA_HOST", "").strip()
    scheme, separator, rest = configured.rpartition("://")
    default_port = {"http": 80, "https": 443}.get(scheme, 11434) if separator else 11434
    rest, _, path = rest.partition("/")
    try:
        host, port = str(ipaddress.ip_address(rest.strip("[]"))), None  # also a bare ``::1``
    except ValueError:
        try:
            parts = urlsplit(f"//{rest}")
            host, port = parts.hostname or "127.0.0.1", parts.port
        except ValueError:
            return None
    if host in ("0.0.0.0", "::"):  # noqa: S104 - servers bind to it; clients use loopback
        host = "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    return f"{scheme or 'http'}://{host}:{port or default_port}/{path}".rstrip("/")


def is_cloud_name(name: str) -> bool:
    """Whether the name marks a cloud model. Cloud models may have other names, too."""
    return name.endswith(("-cloud", ":cloud"))


def server_label(provider: str, address: str | None) -> str:
    """Return a label for a server: the provider, and the host if it isn't the default one.

    Never contains the full address: a path or a query may contain a secret.
    """
    details = PROVIDERS.get(provider)
    host = _host(address)
    if details is None or details.name == COMPATIBLE:
        return host or provider_of(provider).label
    is_default = host is None or (details.address is None and is_loopback(address or ""))
    if is_default or host == _host(details.address):
        return details.label
    return f"{details.label} ({host})"


def _host(address: str | None) -> str | None:
    try:
        parts = urlsplit(address or "")
        name = parts.hostname or ""
        host = f"[{name}]" if ":" in name else name
        return f"{host}:{parts.port}" if host and parts.port else host or None
    except ValueError:
        return None


ADDRESS_OPTIONS = ("base_url", "openai_api_base", "api_base", "anthropic_api_url", "endpoint")


def address_option(options: Mapping[str, Any]) -> str | None:
    """Return the address from the options, whatever the provider's package calls it."""
    return next((str(options[name]) for name in ADDRESS_OPTIONS if options.get(name)), None)


def key_option(options: Mapping[str, Any]) -> str | None:
    """Return the key from the options, whatever the provider's package calls it."""
    for name, value in options.items():
        if name.endswith("api_key") and value:
            secret = getattr(value, "get_secret_value", None)
            return str(secret() if secret else value)
    return None
