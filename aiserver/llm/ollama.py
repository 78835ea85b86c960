"""Which models an Ollama server on this machine offers. Looks; asks no model anything.

What must hold: only a loopback address is ever contacted, directly and shortly; a model that
Ollama itself runs in its cloud counts as not on this machine (P4).
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import Any

from .providers import is_loopback

_PATIENCE = 0.7  # seconds: a local server that runs answers in a few milliseconds


@dataclass(frozen=True)
class OllamaModel:
    """``name`` as Ollama calls it; ``cloud`` if the text would leave the machine."""

    name: str
    cloud: bool


def address() -> str | None:
    """Where Ollama listens on this machine, or None if it is said to be on another one."""
    named = os.environ.get("OLLAMA_HOST", "").strip().rstrip("/") or "127.0.0.1:11434"
    url = named if "//" in named else f"http://{named}"
    scheme, _, rest = url.partition("//")
    host, _, port = rest.partition(":")
    if host == "0.0.0.0":  # noqa: S104 - what a server binds to; it is reached on loopback
        host = "127.0.0.1"
    url = f"{scheme}//{host}:{port or 11434}"
    return url if is_loopback(url) else None


async def models() -> list[OllamaModel]:
    """The chat models of a running Ollama, the best for code first; empty if none runs."""
    url = address()
    # In a thread, for the first client takes half a second to make (it imports), and each one
    # reads the certificates.
    return [] if url is None else await asyncio.to_thread(_ask, url)


def _ask(url: str) -> list[OllamaModel]:
    import httpx

    try:
        with httpx.Client(trust_env=False, timeout=_PATIENCE) as client:
            response = client.get(f"{url}/api/tags")
            response.raise_for_status()
            items = response.json()["models"]
            found = [_model(item) for item in items if not _embeds(item)]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return []
    # Ollama lists the newest first; sorting keeps that order among equals.
    return sorted(found, key=lambda model: (model.cloud, "code" not in model.name.lower()))


def _model(item: dict[str, Any]) -> OllamaModel:
    name = str(item["name"])
    cloud = bool(item.get("remote_host") or item.get("remote_model"))
    return OllamaModel(name, cloud or name.endswith(("-cloud", ":cloud")))


def _embeds(item: dict[str, Any]) -> bool:
    family = str((item.get("details") or {}).get("family", ""))
    return "bert" in family or "embed" in str(item["name"]).lower()
