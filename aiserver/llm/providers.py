"""The table of supported providers.

Only the administrator can configure models of LangChain's other providers.

Invariant: this module never imports a provider's package and never sends a request.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import ipaddress
import os
import runpy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import UserText

COMPATIBLE = "openai_compatible"
_PROFILES = Path("data", "_profiles.py")  # in LangChain's packages: what each model can do

# What ``str.strip`` removes, and invisible characters that copied keys end in.
SPACES = " \t\r\n\v\f\u00a0\u200b\u2060\ufeff"


@dataclass(frozen=True)
class Provider:
    """A provider of models.

    ``extra`` of AI Server installs its package. ``library`` is LangChain's name, and ``package``
    the module of its integration, if these aren't the usual ones.
    """

    name: str
    label: str
    extra: str | None = None
    key_variables: tuple[str, ...] = ()
    address: str | None = None
    address_variables: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    library: str | None = None
    package: str | None = None

    @property
    def module(self) -> str:
        return self.package or f"langchain_{self.library or self.name}"

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    @property
    def install(self) -> str:
        target = f"'aiserver[{self.extra}]'" if self.extra else self.module.replace("_", "-")
        return f"pip install {target}"

    @property
    def needs_key(self) -> bool:
        """Whether a key is required, unless the server is on this machine."""
        return bool(self.key_variables)

    @property
    def needs_address(self) -> bool:
        return self.name == COMPATIBLE

    def key_in_environment(self) -> str | None:
        return next(filter(None, map(_key_in, self.key_variables)), None)

    def default_address(self) -> str | None:
        if self.name == "ollama":
            return ollama_address()
        return next(filter(None, map(os.environ.get, self.address_variables)), self.address)


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider(
            "openai",
            "OpenAI",
            "openai",
            key_variables=("OPENAI_API_KEY",),
            address="https://api.openai.com/v1",
            address_variables=("OPENAI_API_BASE", "OPENAI_BASE_URL"),
            suggested=("gpt-4.1-mini", "gpt-4.1", "gpt-5-mini"),
        ),
        Provider(
            "anthropic",
            "Anthropic",
            "anthropic",
            key_variables=("ANTHROPIC_API_KEY",),
            address="https://api.anthropic.com",
            address_variables=("ANTHROPIC_API_URL", "ANTHROPIC_BASE_URL"),
            suggested=("claude-sonnet-4-5", "claude-haiku-4-5"),
        ),
        Provider(
            "deepseek",
            "DeepSeek",
            "deepseek",
            key_variables=("DEEPSEEK_API_KEY",),
            address="https://api.deepseek.com/v1",
            address_variables=("DEEPSEEK_API_BASE",),
            suggested=("deepseek-chat", "deepseek-reasoner"),
        ),
        Provider(
            "google_genai",
            "Google",
            "google",
            key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            address="https://generativelanguage.googleapis.com",
            address_variables=("GOOGLE_GEMINI_BASE_URL",),
            suggested=("gemini-2.5-flash", "gemini-2.5-pro"),
        ),
        Provider(
            "mistralai",
            "Mistral",
            "mistral",
            key_variables=("MISTRAL_API_KEY",),
            address="https://api.mistral.ai/v1",
            address_variables=("MISTRAL_BASE_URL",),
            suggested=("codestral-latest", "mistral-medium-latest"),
        ),
        Provider("ollama", "Ollama", "ollama", suggested=("qwen2.5-coder:7b",)),
        # vLLM, LM Studio, llama.cpp, DashScope and many other servers implement OpenAI's protocol.
        Provider(COMPATIBLE, UserText("OpenAI-compatible server"), "openai", library="openai"),
    )
}


def blank_key_variable() -> str | None:
    """Return an environment variable that should contain a key, but is blank."""
    variables = (name for provider in PROVIDERS.values() for name in provider.key_variables)
    blank = (name for name in variables if os.environ.get(name) and not _key_in(name))
    return next(blank, None)


def _key_in(variable: str) -> str:
    return os.environ.get(variable, "").strip(SPACES)


def provider_of(name: str, package: str | None = None) -> Provider:
    """Return the provider ``name``, also one that isn't in ``PROVIDERS``."""
    return PROVIDERS.get(name) or Provider(name, name, package=package)


def model_label(model_id: str) -> str:
    """Return a label such as ``gpt-5 (OpenAI)``, or the id if it has no name."""
    provider, _, name = model_id.partition(":")
    return f"{name} ({provider_of(provider).label})" if name else model_id


def is_loopback(url: str) -> bool:
    """Return whether the host is ``localhost`` or a loopback address."""
    try:
        host = (urlsplit(url if "//" in url else f"//{url}").hostname or "").rstrip(".").lower()
        if host == "localhost":
            return True
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ollama_address() -> str | None:
    """Return the address in OLLAMA_HOST, parsed as Ollama does; None if it is invalid."""
    configured = os.environ.get("OLLAMA_HOST", "").strip()
    scheme, separator, remainder = configured.rpartition("://")
    default_port = {"http": 80, "https": 443}.get(scheme, 11434) if separator else 11434
    host_and_port, _, path = remainder.partition("/")
    try:
        # An IP address without a port; Ollama accepts ``::1`` without brackets.
        host, port = str(ipaddress.ip_address(host_and_port.strip("[]"))), None
    except ValueError:
        try:
            split = urlsplit(f"//{host_and_port}")
            host, port = split.hostname or "127.0.0.1", split.port
        except ValueError:
            return None
    if host in ("0.0.0.0", "::"):  # noqa: S104 - servers may bind to these; clients can't connect to them
        host = "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    return f"{scheme or 'http'}://{host}:{port or default_port}/{path}".rstrip("/")


def is_cloud_name(name: str) -> bool:
    """Return whether a name is that of an Ollama cloud model, which can also have other names."""
    return name.endswith(("-cloud", ":cloud"))


def server_label(provider: str, address: str | None) -> str:
    """Return the provider's label, and the host unless it is the default one.

    Unknown and OpenAI-compatible providers are named by the host. The full address may contain a
    secret.
    """
    details = PROVIDERS.get(provider)
    host = _host_and_port(address)
    if details is None or details.name == COMPATIBLE:
        return host or provider_of(provider).label
    is_default = host is None or (details.address is None and is_loopback(address or ""))
    if is_default or host == _host_and_port(details.address):
        return details.label
    return f"{details.label} ({host})"


def _host_and_port(address: str | None) -> str | None:
    try:
        split = urlsplit(address or "")
        name = split.hostname or ""
        host = f"[{name}]" if ":" in name else name
        return f"{host}:{split.port}" if host and split.port else host or None
    except ValueError:
        return None


# The names of the same option in providers' packages.
ADDRESS_OPTIONS = ("base_url", "openai_api_base", "api_base", "anthropic_api_url", "endpoint")


def address_option(options: Mapping[str, Any]) -> str | None:
    """Return the address in a model's options, or None."""
    return next((str(options[name]) for name in ADDRESS_OPTIONS if options.get(name)), None)


def key_option(options: Mapping[str, Any]) -> str | None:
    """Return the key in a model's options, or None."""
    for name, value in options.items():
        if name.endswith("api_key") and value:
            secret = getattr(value, "get_secret_value", None)
            return str(secret() if secret else value)
    return None


def sees_images(model_id: str, patterns: Sequence[str]) -> bool:
    """Return whether a model accepts images. ``patterns`` are those of ``image_models``."""
    provider, _, name = model_id.partition(":")
    if provider == "local":
        return False
    if any(fnmatch.fnmatchcase(model_id, pattern) for pattern in patterns):
        return True
    profile = _profiles(provider_of(provider).module).get(name)
    return isinstance(profile, Mapping) and profile.get("image_inputs") is True


@cache
def _profiles(module: str) -> Mapping[str, Any]:
    try:
        spec = importlib.util.find_spec(module)
        folders = (spec and spec.submodule_search_locations) or []
        files = [path for folder in folders if (path := Path(folder) / _PROFILES).is_file()]
        return runpy.run_path(str(files[0]))["_PROFILES"] if files else {}
    except Exception:  # another version may have another format
        return {}
