"""Create LangChain's chat models with our own key, address and limits.

Invariants:

- Key and address are always passed explicitly: some packages would otherwise send the prompt and
  the key through a gateway that an environment variable names (P4).
- Proxies from the environment are bypassed for a server on this machine (P4).
- No library retries a request on its own (P31), or generates without a limit (P17).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jupyter_core.utils import ensure_async

from ...errors import ModelError
from ...gc_pause import pause_gc
from ..policy import Access
from ..providers import ADDRESS_OPTIONS, COMPATIBLE, PROVIDERS, is_loopback
from .response_limits import limit_responses

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

OLLAMA_CONTEXT = 8192  # tokens: Ollama's own default silently drops the start of the prompt
GATEWAY = "LANGSMITH_GATEWAY"


@pause_gc()
def create_chat_model(
    provider: str,
    name: str,
    options: Mapping[str, Any],
    access: Access,
    max_tokens: int | None = None,
    max_connections: int | None = None,
) -> BaseChatModel:
    """Return the model, for ``close_model`` to close. Slow: imports packages.

    Of our own options, it gets those that its class accepts. ``max_connections`` is for a server in
    which each connection occupies a thread: it also keeps none alive.
    """
    from langchain.chat_models import init_chat_model

    details = PROVIDERS.get(provider)
    library = details.library or provider if details else provider
    explicit = _explicit_options(provider, options, access)
    probe: BaseChatModel = init_chat_model(name, model_provider=library, **explicit)
    if details is None:
        _reject_gateway(probe)
    fields = type(probe).model_fields
    accepted = set(fields) | {str(field.alias) for field in fields.values() if field.alias}

    defaults: dict[str, Any] = {
        "stream_usage": True,
        "max_retries": 0,
        "stream_chunk_timeout": None,
        "max_tokens" if "max_tokens" in accepted else "num_predict": max_tokens,
    }
    on_loopback = access.address is not None and is_loopback(access.address)
    if provider == "ollama":
        headers = {"Authorization": f"Bearer {access.key}"} if access.key else {}
        defaults["num_ctx"] = OLLAMA_CONTEXT
        defaults["client_kwargs"] = {"trust_env": not on_loopback, "headers": headers}
    elif provider == "google_genai":
        defaults["vertexai"] = False  # another service, which the environment could select
    elif on_loopback and "http_async_client" in accepted:
        defaults |= _direct_clients(max_connections) | {"openai_proxy": None}
    if provider == COMPATIBLE:
        # In ``extra_body``, since langchain-openai sends max_tokens under a newer name.
        defaults["use_responses_api"] = False
        defaults["extra_body"] = {"max_tokens": defaults.pop("max_tokens")}
    more = {
        key: value for key, value in defaults.items() if key in accepted and key not in explicit
    }
    model: BaseChatModel = init_chat_model(name, model_provider=library, **explicit, **more)
    for client in _clients(model):
        limit_responses(client)
    return model


def _clients(model: BaseChatModel) -> list[Any]:
    """Return the model's asynchronous clients, whose attribute depends on the package."""
    google = getattr(getattr(model, "client", None), "aio", None)
    names = ("root_async_client", "_async_client", "async_client")
    holders = (google, *(getattr(model, name, None) for name in names))
    return [holder for holder in holders if holder is not None]


def _explicit_options(provider: str, options: Mapping[str, Any], access: Access) -> dict[str, Any]:
    """Return the configured options, with key and address from ``access``."""
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
        # A dummy for servers without a key; otherwise the library would use one that it finds.
        explicit["api_key"] = SecretStr(access.key or "none")
    return explicit


def _reject_gateway(model: BaseChatModel) -> None:
    """Raise ModelError if the package of an unlisted provider uses LangSmith's gateway."""
    configured = os.environ.get(GATEWAY, "").lower()
    host = urlsplit(configured).hostname or "gateway.smith.langchain.com"
    if configured and any(host in str(value) for value in vars(model).values()):
        raise ModelError(ModelError.gateway_set.fill(GATEWAY))


async def close_model(model: BaseChatModel) -> None:
    """Close the model's HTTP clients."""
    for holder in (*_clients(model), getattr(model, "http_client", None)):
        close = getattr(holder, "aclose", None) or getattr(holder, "close", None)
        if close is not None:
            with contextlib.suppress(Exception):  # it is discarded anyway
                await ensure_async(close())


def _direct_clients(max_connections: int | None) -> dict[str, Any]:
    """Return HTTP clients for a server on this machine, which ignore the environment's proxies."""
    import httpx

    return {
        "http_client": httpx.Client(trust_env=False),
        "http_async_client": httpx.AsyncClient(
            trust_env=False,
            timeout=httpx.Timeout(None, connect=10),  # ``stream_chat`` limits the silence
            limits=httpx.Limits(
                max_connections=max_connections,
                max_keepalive_connections=0 if max_connections else 20,
            ),
        ),
    }
