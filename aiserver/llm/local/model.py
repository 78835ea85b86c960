"""The embedded model, which runs as an OpenAI-compatible server in a child process.

Invariants: no text leaves the machine (loopback, no proxy, a random key); a cancelled request frees
the model within a second; warming up never delays a request, and a new warm-up replaces the
previous one.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import BadAnswer, ModelUnavailable
from ...gc_pause import pause_gc
from ..base import ChatModel, Delta, ModelInfo
from ..errors import translate
from ..streaming import Limits, stream_chat, stream_chunks
from .grammar import fenced_block
from .process import Address, LocalProcess

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_openai import ChatOpenAI

CONTEXT = 4096  # tokens, prompt and answer together
PROMPT_TOKENS = 600  # a small machine would read a longer prompt too slowly
MAX_CACHED_COUNTS = 1000
REPETITION_CHECK_EVERY = 100  # characters
REPETITION_TAIL = 600  # characters at the end that must be periodic …
MAX_PERIOD = 200  # … so each piece occurs at least three times


class LocalModel(ChatModel):
    """The model in ``process``. ``max_tokens`` bounds one answer."""

    style = "compact"
    prompt_tokens = PROMPT_TOKENS

    def __init__(
        self,
        info: ModelInfo,
        process: LocalProcess,
        limits: Limits,
        *,
        max_tokens: int = 1024,
        tracing: bool = False,
    ) -> None:
        self.info = info
        self.process = process
        self._limits = limits
        self._max_tokens = max_tokens
        self._tracing = tracing
        self._client: _Client | None = None
        self._connecting = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None
        self._running = 0
        self._counts: dict[str, int] = {}  # rules, examples and cells are counted repeatedly

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count with the model's own tokenizer."""
        uncounted = [text for text in dict.fromkeys(texts) if text not in self._counts]
        if uncounted:
            client = await self._connect()
            for text in uncounted:  # sequentially: a millisecond each, on one connection
                self._counts[text] = await client.count(text)
        counts = [self._counts[text] for text in texts]
        while len(self._counts) > MAX_CACHED_COUNTS:
            del self._counts[next(iter(self._counts))]
        return counts

    async def stream(
        self, messages: Sequence[BaseMessage], *, language: str
    ) -> AsyncGenerator[Delta, None]:
        """See ChatModel."""
        self._running += 1
        try:
            self._cancel_warm_up()
            # A killed child is only noticed by a failing request, which is then retried once.
            for is_last in (False, True):
                client = await self._connect()
                # In ``extra_body``, since langchain-openai sends max_tokens under a newer name.
                extra = {"grammar": fenced_block(language), "max_tokens": self._max_tokens}
                options = {"extra_body": extra | {"cache_prompt": True}}
                answer = stream_chat(
                    client.chat,
                    escape_control_tokens(messages),
                    self._limits,
                    tracing=self._tracing,
                    options=options,
                )
                started, text, next_check = False, "", REPETITION_CHECK_EVERY
                try:
                    async for delta in answer:
                        started = True
                        yield delta
                        text += delta.text
                        if len(text) >= next_check:
                            next_check = len(text) + REPETITION_CHECK_EVERY
                            if ends_in_repetition(text):
                                raise BadAnswer(BadAnswer.repeats)
                    return
                except ModelUnavailable:
                    if started or is_last or not await self.process.has_ended():
                        raise
                finally:
                    await answer.aclose()
        finally:
            self._running -= 1

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        """Load the model and let it read ``messages``, unless a request is running."""
        self._cancel_warm_up()
        if self._running:
            return
        task = self._warming = asyncio.create_task(self._warm(list(messages)))
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error

    async def close(self) -> None:
        """End the child process and all its requests."""
        self._cancel_warm_up()
        client, self._client = self._client, None
        if client is not None:
            await client.close()
        await self.process.close()

    def _cancel_warm_up(self) -> None:
        if self._warming is not None:
            self._warming.cancel()
            self._warming = None

    async def _warm(self, messages: list[BaseMessage]) -> None:
        client = await self._connect()
        # One token, since only a request that generates something reads the prompt.
        options = {"extra_body": {"max_tokens": 1, "cache_prompt": True}}
        try:
            async with contextlib.aclosing(
                stream_chunks(client.chat, escape_control_tokens(messages), options)
            ) as answer:
                async for _ in answer:
                    pass
        except Exception as error:
            raise translate(error) from error

    async def _connect(self) -> _Client:
        async with self._connecting:
            address = await self.process.address()
            if self._client is None or self._client.address != address:
                if self._client is not None:
                    await self._client.close()
                self._client = await asyncio.to_thread(_Client, address)
            return self._client


def ends_in_repetition(text: str) -> bool:
    """Whether the end of ``text`` is one piece, repeated exactly, as small models may go on."""
    tail = text[-REPETITION_TAIL:]
    return len(tail) == REPETITION_TAIL and any(
        tail.endswith(tail[: REPETITION_TAIL - period]) for period in range(1, MAX_PERIOD + 1)
    )


def escape_control_tokens(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages with a space inserted into each control token of a chat template.

    llama.cpp interprets such tokens even in the text of a message: a cell that contains
    ``<|im_end|>`` could end its message and impersonate another role (P14).
    """
    return [
        message.model_copy(update={"content": _CONTROL.sub(r"\1 \2", str(message.text))})
        for message in messages
    ]


# The tokens of ChatML and Llama 3, DeepSeek, Gemma, and of Llama 2 and Mistral.
_CONTROL = re.compile(r"(<)([|｜][\w▁]{1,40}[|｜]>|(?:start|end)_of_turn>|/s>|eos>)")


class _Client:
    """The connections to one running child. The first one is slow: it imports packages."""

    @pause_gc()
    def __init__(self, address: Address) -> None:
        import httpx
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        self.address = address
        self.http = httpx.AsyncClient(
            trust_env=False,
            timeout=httpx.Timeout(None, connect=10),
            # A new connection per request costs almost nothing here. The child might close a
            # keep-alive connection just when it is reused, and each one occupies a thread.
            limits=httpx.Limits(max_connections=16, max_keepalive_connections=0),
        )
        self._sync = httpx.Client(trust_env=False)
        options: dict[str, Any] = {"openai_proxy": None, "stream_chunk_timeout": None}
        self.chat: ChatOpenAI = ChatOpenAI(
            model="local",
            base_url=f"{address.url}/v1",
            api_key=SecretStr(address.key),
            temperature=0,
            max_retries=0,
            stream_usage=True,
            http_async_client=self.http,
            http_client=self._sync,
            use_responses_api=False,
            **options,
        )

    async def count(self, text: str) -> int:
        """Return the number of tokens in ``text``."""
        import httpx

        headers = {"Authorization": f"Bearer {self.address.key}"}
        try:
            response = await self.http.post(
                f"{self.address.url}/tokenize", json={"content": text}, headers=headers, timeout=10
            )
            response.raise_for_status()
            return len(response.json()["tokens"])
        except (httpx.HTTPError, ValueError, KeyError) as error:
            raise translate(error) from error

    async def close(self) -> None:
        """Close the connections."""
        self._sync.close()
        with contextlib.suppress(RuntimeError):  # their event loop is closed
            await self.http.aclose()
