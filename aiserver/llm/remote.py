"""A model of a provider, or of a server of the user's own, through LangChain's init_chat_model.

What must hold: a request is repeated only before its first token, at most ``RETRIES`` times, and
never sooner than the provider asks (P31); no library repeats anything behind our back; a server
on this machine is spoken to directly, past any proxy that the environment names (P4).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, ModelPackageMissing, ModelRateLimited, ModelUnavailable
from .base import ChatModel, Delta, ModelInfo
from .errors import translate
from .providers import PROVIDERS, base_url, is_loopback, provider_of
from .streaming import Limits, stream_chat

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

RETRIES = 2
LONGEST_WAIT = 30.0  # seconds: who must wait longer is told so instead
OLLAMA_CONTEXT = 8192  # tokens: Ollama's own default silently drops the start of the prompt


class RemoteModel(ChatModel):
    """Asks ``info.id`` with the given options. Nothing is imported before the first request."""

    def __init__(
        self,
        info: ModelInfo,
        options: Mapping[str, Any],
        limits: Limits,
        *,
        tracing: bool = False,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.info = info
        self._options = dict(options)
        self._limits = limits
        self._tracing = tracing
        self._sleep = sleep
        self._model: BaseChatModel | None = None
        self._clients: dict[str, Any] = {}
        self._making = asyncio.Lock()
        if info.id.startswith("ollama:"):
            self.prompt_tokens = OLLAMA_CONTEXT // 2

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate, without asking anybody."""
        return [estimate_tokens(text) for text in texts]

    async def stream(
        self, messages: Sequence[BaseMessage], *, language: str
    ) -> AsyncGenerator[Delta, None]:
        """See ChatModel."""
        model = await self._get()
        for attempt in range(RETRIES + 1):
            answer = stream_chat(model, messages, self._limits, tracing=self._tracing)
            started = False
            try:
                async for delta in answer:
                    started = True
                    yield delta
                return
            except (ModelRateLimited, ModelUnavailable) as error:
                wait = _wait(error, attempt)
                if started or attempt == RETRIES or wait > LONGEST_WAIT:
                    raise
            finally:
                await answer.aclose()
            await self._sleep(wait)

    async def close(self) -> None:
        """Close the connections: our own, and the library's where it lets us."""
        model, self._model = self._model, None
        clients, self._clients = self._clients, {}
        library = getattr(model, "root_async_client", None)
        if library is not None:
            await library.close()
        if clients:
            clients["http_client"].close()
            await clients["http_async_client"].aclose()

    async def _get(self) -> BaseChatModel:
        async with self._making:
            if self._model is not None:
                return self._model
            provider, _, name = self.info.id.partition(":")
            try:
                model, self._clients = await asyncio.to_thread(
                    make_model, provider, name, self._options
                )
            except ImportError as error:
                known = provider_of(provider, _missing_module(error))
                raise ModelPackageMissing(known.label, known.install) from error
            except Exception as error:
                if isinstance(error, ValueError) and provider not in PROVIDERS:
                    raise ModelError(f"There is no provider called “{provider}”.") from error
                raise translate(error) from error
            self._model = model
            return model


def _missing_module(error: ImportError) -> str | None:
    """The package that LangChain looked for: a provider's name doesn't always tell it."""
    missing = error.__cause__ if isinstance(error.__cause__, ImportError) else error
    return missing.name.partition(".")[0] if missing.name else None


def _wait(error: ModelRateLimited | ModelUnavailable, attempt: int) -> float:
    asked = error.retry_after if isinstance(error, ModelRateLimited) else None
    return float(2**attempt) if asked is None else asked


def make_model(
    provider: str, name: str, options: Mapping[str, Any]
) -> tuple[BaseChatModel, dict[str, Any]]:
    """The LangChain model, with the options of ours that its class knows, and the HTTP clients
    that were made for it. Slow: it imports."""
    from langchain.chat_models import init_chat_model

    given = dict(options)
    address = base_url(provider, given)
    loopback = address is not None and is_loopback(address)
    if provider == "openai" and loopback and not provider_of(provider).has_key:
        given.setdefault("api_key", "none")  # a local server needs none, the library does
    first: BaseChatModel = init_chat_model(name, model_provider=provider, **given)
    fields = type(first).model_fields
    known = set(fields) | {str(field.alias) for field in fields.values() if field.alias}

    clients: dict[str, Any] = {}
    ours: dict[str, Any] = {"stream_usage": True, "max_retries": 0, "stream_chunk_timeout": None}
    if provider == "ollama":
        ours["num_ctx"] = OLLAMA_CONTEXT
        if loopback or address is None:
            ours["client_kwargs"] = {"trust_env": False}
    elif loopback and "http_async_client" in known:
        clients = direct_clients()
        ours |= clients | {"openai_proxy": None}
    more = {key: value for key, value in ours.items() if key in known and key not in given}
    if more:
        first = init_chat_model(name, model_provider=provider, **given, **more)
    return first, clients


def direct_clients() -> dict[str, Any]:
    """HTTP clients for a server on this machine: they ignore the environment's proxies."""
    import httpx

    quiet = httpx.Timeout(None, connect=10)  # silence is bounded by ``stream_chat``
    return {
        "http_client": httpx.Client(trust_env=False),
        "http_async_client": httpx.AsyncClient(trust_env=False, timeout=quiet),
    }


def estimate_tokens(text: str) -> int:
    """Tokens of a text where the model's own tokenizer isn't at hand; rather too many than too few.

    Three ASCII characters, or one other (Chinese above all), to a token.
    """
    ascii_count = sum(map(str.isascii, text))
    return math.ceil(ascii_count / 3 + (len(text) - ascii_count) * 1.2)
