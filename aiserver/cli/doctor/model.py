"""Check the proxies, that a model is available and, with ``--ask``, that it answers.

Only with ``--ask``, one short request is sent to the default model, which may be remote. User names
and passwords of proxies are not printed.
"""

from __future__ import annotations

import importlib.util
import os
import time
from urllib.request import getproxies

from ...errors import AIServerError
from ...llm.base import ModelInfo
from ...llm.registry import ModelRegistry
from .base import Finding, note, ok, problem

_NO_MODEL = (
    "Install the local model (jupyter aiserver model install), or connect a provider in JupyterLab."
)
_SOCKS_FIX = "pip install 'httpx[socks]'"
_PROXY_FIX = "Set it to scheme://host:port. The scheme is http, https, socks5 or socks5h."
_SOCKS_PROXY_FIX = "pip install 'httpx[socks]'"


def check_proxies() -> list[Finding]:
    """Check the proxies of the environment or, on Windows and macOS, of the system."""
    proxies = getproxies()  # as httpx does
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
    """Return the variable that sets a proxy. If both are set, httpx uses the first."""
    names = (f"{kind}_proxy", f"{kind}_proxy".upper())
    return next(filter(os.environ.get, names), f"{names[0]} (in the system's settings)")


def _check_proxy(name: str, proxy: str) -> Finding:
    import httpx

    try:
        url = httpx.Proxy(proxy if "://" in proxy else f"http://{proxy}").url
    except (ValueError, httpx.InvalidURL):
        url = httpx.URL()
    if not url.host:
        return problem(f"{name} has no valid address.", _PROXY_FIX)
    text = f"{name}: {url.scheme}://{url.netloc.decode()}"
    if url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        return problem(f"{text} needs one more Python package.", _SOCKS_FIX)
    return ok(text)


async def check_model(models: ModelRegistry, *, ask: bool) -> list[Finding]:
    """Check the default model and the others; close ``models``.

    With ``ask``, send a test request to the default model, if it is ready.
    """
    try:
        overview = await models.overview()
        default = overview.default
        other_models = [
            info for info in overview.models if default is None or info.id != default.id
        ]
        findings = [_check_default(default), *(_check_other(info) for info in other_models)]
        if ask and default is not None and default.ready:
            findings.append(await _check_answer(models))
        return findings
    finally:
        await models.close()


def _check_default(info: ModelInfo | None) -> Finding:
    if info is None:
        return problem("No model is set up.", _NO_MODEL)
    if not info.ready:
        return problem(f"{info.label}: {info.problem}", info.install or _NO_MODEL)
    return ok(f"{info.label} is the active model ({_location(info)}).")


def _check_other(info: ModelInfo) -> Finding:
    if info.ready:
        return ok(f"{info.label} is available ({_location(info)}).")
    return note(f"{info.label}: {info.problem}", info.install or "")


def _location(info: ModelInfo) -> str:
    return "on this computer" if info.on_this_machine else "remote"


async def _check_answer(models: ModelRegistry) -> Finding:
    from ...prompts.context import build_messages
    from ...prompts.parsed_request import parse_request
    from ...prompts.prompt_input import PromptInput

    started = time.monotonic()
    try:
        model = await models.get()
        messages, _ = await build_messages(
            PromptInput(parse_request("print the number 1", "", "python")),
            style=model.style,
            budget=model.prompt_tokens,
            count=model.count_tokens,
        )
        async for delta in model.stream(messages, language="python"):
            if delta.text:
                return ok(f"The first response came after {time.monotonic() - started:.1f} s.")
    except AIServerError as error:
        return problem(
            f"The test request failed: {error.message}", "Fix this, then run the command again."
        )
    return problem("The model returned an empty answer.", "Choose another model.")
