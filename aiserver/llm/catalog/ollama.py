"""Which models an Ollama server offers. Looks; asks no model anything.

Invariants: a model that Ollama itself runs in its cloud counts as not on this machine (P4). The
caller makes sure that an address elsewhere is one that the person named.
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...errors import ModelError
from .lookup import MAX_NAMES, Reply, deadline_for, fetch


@dataclass(frozen=True)
class OllamaModel:
    """``name`` as Ollama calls it; ``cloud`` if the text would leave the machine."""

    name: str
    cloud: bool


def address() -> str | None:
    """Where the environment says that Ollama listens, read as Ollama reads it; None if that is
    no address."""
    named = os.environ.get("OLLAMA_HOST", "").strip()
    scheme, separator, rest = named.rpartition("://")
    usual = {"http": 80, "https": 443}.get(scheme, 11434) if separator else 11434
    rest, _, path = rest.partition("/")
    try:
        host, port = str(ipaddress.ip_address(rest.strip("[]"))), None  # also a bare ``::1``
    except ValueError:
        try:
            parts = urlsplit(f"//{rest}")
            host, port = parts.hostname or "127.0.0.1", parts.port
        except ValueError:
            return None
    if host in ("0.0.0.0", "::"):  # noqa: S104 - what a server binds to; it is reached on loopback
        host = "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    return f"{scheme or 'http'}://{host}:{port or usual}/{path}".rstrip("/")


def is_cloud_name(name: str) -> bool:
    """Whether a name says that Ollama runs the model in its cloud. Others may be there, too."""
    return name.endswith(("-cloud", ":cloud"))


async def models(url: str, key: str | None = None) -> list[OllamaModel]:
    """The chat models of the Ollama at ``url``, the best for code first; empty if none runs."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        return await fetch(f"{url}/api/tags", headers, deadline_for(url), _models)
    except ModelError:
        return []


def _models(reply: Reply) -> list[OllamaModel]:
    reply.raise_for_status()
    found = [_model(item) for item in reply.json()["models"][:MAX_NAMES] if not _embeds(item)]
    # Ollama lists the newest first; sorting keeps that order among equals.
    return sorted(found, key=lambda model: (model.cloud, "code" not in model.name.lower()))


def _model(item: dict[str, Any]) -> OllamaModel:
    name = str(item["name"])
    cloud = bool(item.get("remote_host") or item.get("remote_model"))
    return OllamaModel(name, cloud or is_cloud_name(name))


def _embeds(item: dict[str, Any]) -> bool:
    family = str((item.get("details") or {}).get("family", ""))
    return "bert" in family or "embed" in str(item["name"]).lower()
