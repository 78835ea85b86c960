"""The address of Ollama, and the names of models that it runs in its cloud."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit


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
