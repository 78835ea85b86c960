"""Query a provider's or a user's server's model through LangChain.

Invariants:

- A request is retried only before the first token, at most ``RETRIES`` times, and never sooner than
  the provider asks. A delta announces the wait.
- A provider that requires a key is never called without one, unless it is on this machine.
- An error names the provider, so that the page can link to its settings.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import (
    ModelAuthFailed,
    ModelError,
    ModelKeyMissing,
    ModelNoCredit,
    ModelPackageMissing,
    ModelRateLimited,
    ModelUnavailable,
)
from ...tokens import estimate_tokens
from ..base import Additions, ChatModel, Delta, ModelInfo
from ..errors import text_of, translate
from ..policy import Access
from ..providers import PROVIDERS, address_option, is_loopback, provider_of, server_label
from ..streaming import Limits, stream_chat
from .adapt import Adaptation
from .langchain import OLLAMA_CONTEXT, close_model, create_chat_model

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

RETRIES = 2
# Seconds before the first retry if the provider doesn't say; they double each time.
FIRST_WAIT = 1.0
MAX_WAIT = 30.0  # seconds; for a longer wait, the request fails


class RemoteModel(ChatModel):
    """A model of a provider or server, including an Ollama on this machine.

    ``report`` gets the error if a key is missing, or key or account are rejected, and None after a
    complete answer.
    """

    def __init__(
        self,
        info: ModelInfo,
        options: Mapping[str, Any],
        limits: Limits,
        *,
        access: Callable[[], Awaitable[Access]],
        max_tokens: int | None = None,
        tracing: bool = False,
        report: Callable[[ModelAuthFailed | None], None] = lambda refusal: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.info = info
        self._options = dict(options)
        self._limits = limits
        self._access = access
        self._max_tokens = max_tokens
        self._tracing = tracing
        self._report = report
        self._sleep = sleep
        self._model: BaseChatModel | None = None
        # ``_get_model`` sets it for a provider in ``PROVIDERS``
        self._has_key = True
        self._address = address_option(options)
        self._create_lock = asyncio.Lock()
        self._adaptation = Adaptation()
        # The context may be set for LangChain's class for Ollama, or in the model's profile.
        profile = options.get("profile") or {}
        self._configured_context = options.get("num_ctx", profile.get("max_input_tokens"))
        self._listed_context: int | None = None
        self._use_context(self._configured_context)

    def use_listed_context(self, tokens: int) -> None:
        """See ChatModel. A length from an error counts until the list changes."""
        if self._configured_context is None and tokens != self._listed_context:
            self._listed_context = tokens
            self._use_context(tokens)

    def _use_context(self, tokens: int | None) -> None:
        self._adaptation.context = tokens
        is_ollama = self.info.provider == "ollama"
        prompt = (tokens or OLLAMA_CONTEXT) // 2 if is_ollama else (tokens or 1 << 20) * 2 // 3
        self.prompt_tokens = min(type(self).prompt_tokens, prompt)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [estimate_tokens(text) for text in texts]

    async def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        language: str,
        is_retry: bool = False,
        additions: Additions | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """See ChatModel. Providers' answers differ anyway, and aren't restricted."""
        try:
            async with contextlib.aclosing(self._stream(messages)) as deltas:
                async for delta in deltas:
                    yield delta
            self._report(None)
        except ModelError as error:
            provider = self.info.provider
            # The page can link to the settings of ``PROVIDERS`` only.
            linked_provider = provider if provider in PROVIDERS else None
            error.set_server_label(linked_provider, server_label(provider, self._address))
            if isinstance(error, ModelAuthFailed):
                self._report(error)
            raise

    async def _stream(self, messages: Sequence[BaseMessage]) -> AsyncGenerator[Delta, None]:
        model = await self._get_model()
        attempt = 0
        while True:
            answer = stream_chat(model, messages, self._limits, tracing=self._tracing)
            has_started = False
            try:
                async for delta in answer:
                    has_started = True
                    yield delta
                return
            except ModelAuthFailed as error:
                if self._has_key or isinstance(error, ModelNoCredit):
                    raise
                # The server requires a key.
                raise ModelKeyMissing from error
            except ModelError as error:
                if not has_started and self._learn(model, error):
                    continue
                if not isinstance(error, (ModelRateLimited, ModelUnavailable)):
                    raise
                wait = _seconds_before_retry(error, attempt)
                if has_started or attempt == RETRIES or wait > MAX_WAIT:
                    raise
            finally:
                await answer.aclose()
            attempt += 1
            yield Delta(waiting=wait)
            await self._sleep(wait)

    def _learn(self, model: BaseChatModel, error: ModelError) -> bool:
        learn = getattr(model, "learn", None)  # models of OpenAI-compatible servers have it
        if learn is None or isinstance(error, ModelRateLimited) or error.__cause__ is None:
            return False
        is_changed: bool = learn(text_of(error.__cause__))
        self._use_context(self._adaptation.context)
        return is_changed

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        """Load the package, which takes seconds the first time. Sends nothing."""
        await self._get_model()

    async def close(self) -> None:
        model, self._model = self._model, None
        if model is not None:
            await close_model(model)

    async def _get_model(self) -> BaseChatModel:
        async with self._create_lock:
            if self._model is not None:
                return self._model
            provider, _, name = self.info.id.partition(":")
            access = await self._access()
            details = PROVIDERS.get(provider)
            if details is not None:
                self._address = access.address
                self._has_key = access.key is not None
                on_loopback = access.address is not None and is_loopback(access.address)
                if details.needs_key and not self._has_key and not on_loopback:
                    missing_key = ModelKeyMissing.variable_unset
                    raise ModelKeyMissing(missing_key.fill(details.label, details.key_variables[0]))
            try:
                model = await asyncio.to_thread(
                    create_chat_model,
                    provider,
                    name,
                    self._options,
                    access,
                    self._max_tokens,
                    adaptation=self._adaptation,
                )
            except ImportError as error:
                missing = provider_of(provider, _missing_package(error))
                raise ModelPackageMissing(missing.label, missing.install) from error
            except Exception as error:
                if isinstance(error, ValueError) and provider not in PROVIDERS:
                    raise ModelError(ModelError.no_provider.fill(provider)) from error
                raise translate(error) from error
            self._model = model
            return model


def _missing_package(error: ImportError) -> str | None:
    missing = error.__cause__ if isinstance(error.__cause__, ImportError) else error
    return missing.name.partition(".")[0] if missing.name else None


def _seconds_before_retry(error: ModelRateLimited | ModelUnavailable, attempt: int) -> float:
    requested = error.retry_after if isinstance(error, ModelRateLimited) else None
    return FIRST_WAIT * 2**attempt if requested is None else requested
