"""The certificates that a server may have."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


@functools.cache
def certificates() -> ssl.SSLContext:
    """Return the trusted certificates. Loading them takes 25 ms."""
    import httpx

    # ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name certificates of the person's own servers.
    return httpx.create_ssl_context(trust_env=True)
