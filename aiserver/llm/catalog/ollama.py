"""List the models of an Ollama server. Sends no prompt.

Invariants: a model that Ollama runs in its cloud doesn't count as on this machine (P4). The caller
ensures that a remote address is one that the user or administrator entered.
"""

from __future__ import annotations

import ipaddress
import os
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ...errors import ModelError
from .lookup import MAX_NAMES, deadline_for, fetch, raise_for_status

if TYPE_CHECKING:
    import httpx


class OllamaModel(NamedTuple):
    """A model in Ollama's list. ``is_cloud``: it runs in Ollama's cloud, not on the server."""

    name: str
    is_cloud: bool


def address() -> str | None:
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


async def list_models(url: str, key: str | None = None) -> list[OllamaModel]:
    """Return the chat models of the Ollama at ``url``, best for code first; [] if none runs."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        return await fetch(f"{url}/api/tags", headers, deadline_for(url), _models)
    except ModelError:
        return []


def _models(response: httpx.Response) -> list[OllamaModel]:
    raise_for_status(response)
    items = response.json()["models"][:MAX_NAMES]
    models = [_model(item) for item in items if not _is_embedding(item)]
    # Ollama lists the newest first; the sort is stable.
    return sorted(models, key=lambda model: (model.is_cloud, "code" not in model.name.lower()))


def _model(item: dict[str, Any]) -> OllamaModel:
    name = str(item["name"])
    is_remote = bool(item.get("remote_host") or item.get("remote_model"))
    return OllamaModel(name, is_remote or is_cloud_name(name))


def _is_embedding(item: dict[str, Any]) -> bool:
    family = str((item.get("details") or {}).get("family", ""))
    return "bert" in family or "embed" in str(item["name"]).lower()
