"""The providers that AI Server knows by name: their package, their key, a model to begin with.

LangChain knows more of them than this table; those work too, by configuration. What must hold:
nothing here imports a provider's package or sends anything.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Provider:
    """``extra`` is the one of ours that installs it; ``suggested`` is a model to begin with."""

    name: str
    label: str
    package: str
    extra: str | None = None
    keys: tuple[str, ...] = ()
    suggested: str | None = None

    @property
    def installed(self) -> bool:
        """Whether its package is there. Does not import it."""
        return importlib.util.find_spec(self.package) is not None

    @property
    def install(self) -> str:
        """The line that installs its package."""
        what = f"'aiserver[{self.extra}]'" if self.extra else self.package.replace("_", "-")
        return f"pip install {what}"

    @property
    def has_key(self) -> bool:
        """Whether the environment holds a key for it."""
        return any(os.environ.get(name) for name in self.keys)


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider(
            "openai", "OpenAI", "langchain_openai", "openai", ("OPENAI_API_KEY",), "gpt-4.1-mini"
        ),
        Provider(
            "anthropic",
            "Anthropic",
            "langchain_anthropic",
            "anthropic",
            ("ANTHROPIC_API_KEY",),
            "claude-sonnet-4-5",
        ),
        Provider(
            "deepseek",
            "DeepSeek",
            "langchain_deepseek",
            "deepseek",
            ("DEEPSEEK_API_KEY",),
            "deepseek-chat",
        ),
        Provider(
            "google_genai",
            "Google",
            "langchain_google_genai",
            "google",
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            "gemini-2.5-flash",
        ),
        Provider(
            "mistralai",
            "Mistral",
            "langchain_mistralai",
            "mistral",
            ("MISTRAL_API_KEY",),
            "codestral-latest",
        ),
        Provider("ollama", "Ollama", "langchain_ollama", "ollama"),
    )
}


def provider_of(name: str, package: str | None = None) -> Provider:
    """The provider of that name; of one that isn't known, ``package`` is its module if it is."""
    return PROVIDERS.get(name) or Provider(name, name, package or f"langchain_{name}")


def is_loopback(url: str) -> bool:
    """Whether an address can only be this machine."""
    try:
        host = (urlsplit(url if "//" in url else f"//{url}").hostname or "").rstrip(".").lower()
        if host == "localhost":
            return True
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def base_url(provider: str, options: Mapping[str, Any]) -> str | None:
    """The address that the options or the environment set for a provider, or None."""
    for name in ("base_url", "openai_api_base", "api_base"):
        if options.get(name):
            return str(options[name])
    if provider == "openai":
        return os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    return None
