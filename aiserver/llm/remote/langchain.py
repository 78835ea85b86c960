"""Create LangChain's chat models, with our limits.

Invariants:

- The key and the address of a provider in ``PROVIDERS`` are always passed, because some packages
  would use a gateway of the environment.
- Proxies from the environment are bypassed for a server on this machine.
- No library retries on its own, or requests an unlimited answer.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jupyter_core.utils import ensure_async

from ...errors import ModelError
from ...gc_pause import pause_gc
from ..policy import Access
from ..providers import ADDRESS_OPTIONS, COMPATIBLE, PROVIDERS, is_loopback
from .adapt import Adaptation
from .response_limits import limit_responses

if TYPE_CHECKING:
    import ssl

    from langchain_core.language_models import BaseChatModel

# The maximum tokens of prompt and answer. Ollama's default may be lower, and it silently drops the
# start of a prompt that is too long.
OLLAMA_CONTEXT = 8192
# This environment variable makes LangChain use LangSmith's gateway.
GATEWAY = "LANGSMITH_GATEWAY"


@pause_gc()
def create_chat_model(
    provider: str,
    name: str,
    options: Mapping[str, Any],
    access: Access,
    max_tokens: int | None = None,
    max_connections: int | None = None,
    adaptation: Adaptation | None = None,
) -> BaseChatModel:
    """Create a model, for ``close_model``. Imports packages, so it is slow.

    ``max_connections`` is for a server with a thread for each one; idle ones are closed at once.
    """
    from langchain.chat_models import init_chat_model

    details = PROVIDERS.get(provider)
    library = details.library or provider if details else provider
    explicit = _explicit_options(provider, options, access)
    on_loopback = access.address is not None and is_loopback(access.address)
    create: Any = functools.partial(init_chat_model, model_provider=library)
    if provider == COMPATIBLE:
        from .compatible import CompatibleModel

        create = functools.partial(CompatibleModel, adaptation=adaptation or Adaptation())
    clients: dict[str, Any] = {}
    if on_loopback and provider == "ollama":
        clients = {"client_kwargs": {"trust_env": False}}
    elif on_loopback and library in ("openai", "deepseek"):
        clients = _direct_clients(max_connections)
    # Only to find out which options the class accepts. Creating its own clients would take 50 ms.
    probe: BaseChatModel = create(model=name, **(clients | explicit))
    if details is None:
        _reject_gateway(probe)
    fields = type(probe).model_fields
    accepted = set(fields) | {str(field.alias) for field in fields.values() if field.alias}

    defaults: dict[str, Any] = {
        "stream_usage": True,
        "max_retries": 0,
        "stream_chunk_timeout": None,  # ``stream_chat`` limits the time between chunks
        # Ollama's class calls the maximum ``num_predict``
        "max_tokens" if "max_tokens" in accepted else "num_predict": max_tokens,
    }
    if provider == "ollama":
        headers = {"Authorization": f"Bearer {access.key}"} if access.key else {}
        defaults["num_ctx"] = OLLAMA_CONTEXT
        defaults["client_kwargs"] = {"trust_env": not on_loopback, "headers": headers}
    elif provider == "google_genai":
        # Otherwise, the environment could select Vertex AI, another service.
        defaults["vertexai"] = False
        if on_loopback:
            import httpx

            # With a transport, httpx uses no proxy.
            transport = httpx.AsyncHTTPTransport(verify=certificates())
            defaults["client_args"] = {"transport": transport}
    else:
        defaults |= clients
    accepted_defaults = {
        key: value for key, value in defaults.items() if key in accepted and key not in explicit
    }
    model: BaseChatModel = create(model=name, **explicit, **accepted_defaults)
    for client in _async_clients(model):
        if on_loopback:
            _remove_proxies(client)
        limit_responses(client)
    return model


def _async_clients(model: BaseChatModel) -> list[Any]:
    google_client = getattr(getattr(model, "client", None), "aio", None)
    google_api = getattr(google_client, "_api_client", None)
    google_http_client = getattr(google_api, "_async_httpx_client", None)
    attributes = ("root_async_client", "_async_client", "async_client")
    others = (getattr(model, name, None) for name in attributes)
    clients = (google_client, google_http_client, *others)
    return [client for client in clients if client is not None]


def _explicit_options(provider: str, options: Mapping[str, Any], access: Access) -> dict[str, Any]:
    if provider not in PROVIDERS:
        return dict(options)
    from pydantic import SecretStr

    explicit = {
        key: value
        for key, value in options.items()
        if key not in ADDRESS_OPTIONS and not key.endswith("api_key")
    }
    explicit["base_url"] = access.address
    if provider != "ollama":
        # Without a key, the library would use one from the environment.
        explicit["api_key"] = SecretStr(access.key or "none")
    return explicit


def _reject_gateway(model: BaseChatModel) -> None:
    configured = os.environ.get(GATEWAY, "").lower()
    host = urlsplit(configured).hostname or "gateway.smith.langchain.com"
    if configured and any(host in str(value) for value in vars(model).values()):
        raise ModelError(ModelError.gateway_variable_set.fill(GATEWAY))


async def close_model(model: BaseChatModel) -> None:
    """Close the model\'s HTTP clients and their connections."""
    for client in (*_async_clients(model), getattr(model, "http_client", None)):
        with contextlib.suppress(Exception):  # the client isn't used again
            await _close_client(client)


async def _close_client(client: Any) -> None:
    """Close a client's connections.

    Packages cache clients for the next model, so the client itself stays open. httpx has no public
    method for that.
    """
    http_client = getattr(client, "_client", client)
    if type(http_client).__module__.startswith("langchain"):
        for transport in (http_client._transport, *http_client._mounts.values()):
            if transport is not None:
                await transport.aclose()
        return
    close = getattr(client, "aclose", None) or getattr(client, "close", None)
    if close is not None:
        await ensure_async(close())


def _remove_proxies(client: Any) -> None:
    mounts = getattr(getattr(client, "_client", client), "_mounts", None)
    if isinstance(mounts, dict):  # httpx's transports, one for each proxy
        mounts.clear()


@functools.cache
def certificates() -> ssl.SSLContext:
    """Return the trusted certificates, with those of SSL_CERT_FILE. Loading them takes 25 ms."""
    import httpx

    return httpx.create_ssl_context(trust_env=True)


def _direct_clients(max_connections: int | None) -> dict[str, Any]:
    import httpx

    trusted = certificates()
    return {
        "openai_proxy": None,
        "http_client": httpx.Client(trust_env=False, verify=trusted),
        "http_async_client": httpx.AsyncClient(
            trust_env=False,
            verify=trusted,
            # ``stream_chat`` limits the time between chunks
            timeout=httpx.Timeout(None, connect=10),
            limits=httpx.Limits(
                max_connections=max_connections,
                max_keepalive_connections=0 if max_connections else 20,
            ),
        ),
    }
