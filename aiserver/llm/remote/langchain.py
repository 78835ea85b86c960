"""Makes LangChain's chat model of a provider, so that it does what was chosen and no more.

What must hold:

- Key and address are given, never left for the provider's package to find: some would send the
  prompt, and the key, through a gateway that an environment variable names (P4).
- A server on this machine is spoken to directly, past any proxy that the environment names (P4).
- No library repeats a request behind our back (P31), nor writes without end (P17).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...errors import ModelError
from ...gc_pause import pause_gc
from ..policy import Access
from ..providers import ADDRESS_OPTIONS, COMPATIBLE, PROVIDERS, is_loopback
from .response_limits import bound

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

OLLAMA_CONTEXT = 8192  # tokens: Ollama's own default silently drops the start of the prompt
GATEWAY = "LANGSMITH_GATEWAY"
_BY_GATEWAY = (
    f"The environment variable {GATEWAY} would redirect the request. Unset it, or set a base_url."
)


@pause_gc()
def make_model(
    provider: str,
    name: str,
    options: Mapping[str, Any],
    access: Access,
    max_tokens: int | None = None,
) -> tuple[BaseChatModel, dict[str, Any]]:
    """The model, with the options of ours that its class knows, and the HTTP clients that were
    made for it. Slow: it imports."""
    from langchain.chat_models import init_chat_model

    known = PROVIDERS.get(provider)
    library = known.library or provider if known else provider
    given = _given(provider, options, access)
    first: BaseChatModel = init_chat_model(name, model_provider=library, **given)
    if known is None:
        _refuse_gateway(first)
    fields = type(first).model_fields
    accepted = set(fields) | {str(field.alias) for field in fields.values() if field.alias}

    clients: dict[str, Any] = {}
    ours: dict[str, Any] = {"stream_usage": True, "max_retries": 0, "stream_chunk_timeout": None}
    ours |= {"max_tokens": max_tokens} if "max_tokens" in accepted else {"num_predict": max_tokens}
    here = access.address is not None and is_loopback(access.address)
    if provider == "ollama":
        headers = {"Authorization": f"Bearer {access.key}"} if access.key else {}
        ours["num_ctx"] = OLLAMA_CONTEXT
        ours["client_kwargs"] = {"trust_env": not here, "headers": headers}
    elif provider == "google_genai":
        ours["vertexai"] = False  # another service, which the environment could choose
    elif here and "http_async_client" in accepted:
        clients = direct_clients()
        ours |= clients | {"openai_proxy": None}
    if provider == COMPATIBLE:
        # In ``extra_body``, for langchain-openai sends max_tokens under a newer name.
        ours["use_responses_api"] = False
        ours["extra_body"] = {"max_tokens": ours.pop("max_tokens")}
    more = {key: value for key, value in ours.items() if key in accepted and key not in given}
    model: BaseChatModel = init_chat_model(name, model_provider=library, **given, **more)
    for client in _clients(model):
        bound(client)
    return model, clients


def _clients(model: BaseChatModel) -> list[Any]:
    """Its asynchronous connections, wherever its package keeps them."""
    google = getattr(getattr(model, "client", None), "aio", None)
    names = ("root_async_client", "_async_client", "async_client")
    holders = (google, *(getattr(model, name, None) for name in names))
    return [holder for holder in holders if holder is not None]


def _given(provider: str, options: Mapping[str, Any], access: Access) -> dict[str, Any]:
    if provider not in PROVIDERS:
        return dict(options)
    from pydantic import SecretStr

    given = {
        key: value
        for key, value in options.items()
        if key not in ADDRESS_OPTIONS and not key.endswith("api_key")
    }
    given["base_url"] = access.address
    if provider != "ollama":
        # A server that needs none gets this; else the library would take one that it finds.
        given["api_key"] = SecretStr(access.key or "none")
    return given


def _refuse_gateway(model: BaseChatModel) -> None:
    """Of a provider that we don't know its package decides where it goes: look where that is."""
    named = os.environ.get(GATEWAY, "").lower()
    host = urlsplit(named).hostname or "gateway.smith.langchain.com"
    if named and any(host in str(value) for value in vars(model).values()):
        raise ModelError(_BY_GATEWAY)


async def close_model(model: BaseChatModel) -> None:
    """Close its connections, wherever its package keeps them."""
    for holder in _clients(model):
        close = getattr(holder, "aclose", None) or getattr(holder, "close", None)
        if close is not None:
            with contextlib.suppress(Exception):  # it is given up anyhow
                await close()


def direct_clients() -> dict[str, Any]:
    """HTTP clients for a server on this machine: they ignore the environment's proxies."""
    import httpx

    quiet = httpx.Timeout(None, connect=10)  # silence is bounded by ``stream_chat``
    return {
        "http_client": httpx.Client(trust_env=False),
        "http_async_client": httpx.AsyncClient(
            trust_env=False,
            timeout=quiet,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        ),
    }
