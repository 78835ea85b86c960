"""Report the proxies through which models on other machines are asked.

No request is sent, and the user names and passwords of proxies are not printed.
"""

from __future__ import annotations

import importlib.util
import os
from urllib.parse import urlsplit
from urllib.request import getproxies

from .base import Finding, ok, problem

_SCHEMES = ("http", "https", "socks5", "socks5h")  # the schemes of proxies that httpx supports
_SOCKS_FIX = "pip install 'httpx[socks]'"


def check_proxies() -> list[Finding]:
    """Check the proxies of the environment or, on Windows and macOS, of the system's settings."""
    proxies = getproxies()  # httpx uses the same function
    kinds = [kind for kind in ("http", "https", "all") if proxies.get(kind)]
    if not kinds:
        return [ok("No proxy is set.")]
    findings = [_check_proxy(_source(kind), proxies[kind]) for kind in kinds]
    if exceptions := proxies.get("no"):
        findings.append(ok(f"{_source('no')}, for servers without a proxy: {exceptions}"))
    return [*findings, ok("Servers on this machine (localhost, 127.0.0.1) never use a proxy.")]


def _source(kind: str) -> str:
    """Return the name of the variable that sets a proxy. If both are set, httpx uses the first."""
    names = (f"{kind}_proxy", f"{kind}_proxy".upper())
    return next(filter(os.environ.get, names), f"{names[0]} (in the system's settings)")


def _check_proxy(name: str, proxy: str) -> Finding:
    scheme, has_scheme, rest = proxy.partition("://")
    scheme, rest = (scheme.lower(), rest) if has_scheme else ("http", proxy)
    try:
        split = urlsplit(f"//{rest}")
        host, port = split.hostname, split.port
    except ValueError:
        host = port = None
    if not host:
        return problem(f"{name} has no valid address.", "Set it to scheme://host:port.")
    host = f"[{host}]" if ":" in host else host
    text = f"{name}: {scheme}://{host}{f':{port}' if port else ''}"
    if scheme not in _SCHEMES:
        return problem(
            f"{text} has a scheme that is not supported.",
            f"Use one of {', '.join(_SCHEMES)}; for a SOCKS proxy, usually socks5.",
        )
    if scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        return problem(f"{text} needs one more Python package.", _SOCKS_FIX)
    return ok(text)
