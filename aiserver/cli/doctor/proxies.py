"""Report the proxies through which models on other machines are asked.

No request is sent, and the user names and passwords of proxies are not printed.
"""

from __future__ import annotations

import importlib.util
import os
from urllib.request import getproxies

from .base import Finding, ok, problem

_FIX = "Set it to scheme://host:port. The scheme is http, https, socks5 or socks5h."
_SOCKS_FIX = "pip install 'httpx[socks]'"


def check_proxies() -> list[Finding]:
    """Check the proxies of the environment or, on Windows and macOS, of the system's settings."""
    proxies = getproxies()  # httpx uses the same function
    findings = [
        _check_proxy(_source(kind), proxies[kind])
        for kind in ("http", "https", "all")
        if proxies.get(kind)
    ]
    if not findings:
        return [ok("No proxy is set.")]
    if exceptions := proxies.get("no"):
        findings.append(ok(f"{_source('no')}, for servers without a proxy: {exceptions}"))
    return [*findings, ok("Servers on this machine (localhost, 127.0.0.1) never use a proxy.")]


def _source(kind: str) -> str:
    """Return the name of the variable that sets a proxy. If both are set, httpx uses the first."""
    names = (f"{kind}_proxy", f"{kind}_proxy".upper())
    return next(filter(os.environ.get, names), f"{names[0]} (in the system's settings)")


def _check_proxy(name: str, proxy: str) -> Finding:
    import httpx

    try:
        url = httpx.Proxy(proxy if "://" in proxy else f"http://{proxy}").url
    except (ValueError, httpx.InvalidURL):
        url = httpx.URL()
    if not url.host:
        return problem(f"{name} has no valid address.", _FIX)
    text = f"{name}: {url.scheme}://{url.netloc.decode()}"
    if url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        return problem(f"{text} needs one more Python package.", _SOCKS_FIX)
    return ok(text)
