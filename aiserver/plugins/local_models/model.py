"""A local model, which runs as an OpenAI-compatible server in a child process.

Invariants:

- No text leaves the machine: the child listens on a loopback address, proxies are bypassed, and a
  random key keeps other local users out.
- After a cancellation, the model only finishes its batch of tokens, which takes a small one less
  than a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import AnswerCut, BadAnswer, ModelUnavailable, NoCompletionModel
from ...llm.base import Additions, ChatModel, Delta, ModelInfo, PromptStyle
from ...llm.errors import translate
from ...llm.policy import Access
from ...llm.providers import COMPATIBLE
from ...llm.remote.langchain import close_model, create_chat_model
from ...llm.streaming import Limits, stream_chat, stream_chunks
from .catalogue import SMALL_BUDGET, FillTokens
from .grammar import fenced_block, with_additions
from .process import Address, LocalProcess
from .warm import WarmModels

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

# A first answer is the most likely one (temperature 0); another one is sampled at this temperature.
RETRY_TEMPERATURE = 0.7
MAX_CACHED_COUNTS = 1000  # texts whose token counts are cached
MAX_CONNECTIONS = 16  # each takes a thread of the child

# The number of characters between two checks for repetition.
REPETITION_CHECK_EVERY = 100
# An answer is repetitive if its last ``REPETITION_TAIL`` characters repeat one piece of at most
# ``MAX_PERIOD``, at least three times.
REPETITION_TAIL = 600
MAX_PERIOD = 200

_MIN_MEASURED_TOKENS = 16  # shorter answers say nothing about the speed
# Pieces that arrive faster have waited, as for a busy server.
_MIN_MEASURED_SECONDS = 0.5


class LocalModel(ChatModel):
    """The model that runs in ``process``.

    After a complete answer that is long enough, ``on_speed`` gets its tokens per second, in a
    thread.
    """

    def __init__(
        self,
        info: ModelInfo,
        process: LocalProcess,
        limits: Limits,
        *,
        style: PromptStyle = "compact",
        prompt_tokens: int = SMALL_BUDGET,
        max_tokens: int = 1024,
        tracing: bool = False,
        fill_tokens: FillTokens | None = None,
        warm_models: WarmModels | None = None,
        on_speed: Callable[[float], None] | None = None,
    ) -> None:
        self.info = info
        self.process = process
        self.style, self.prompt_tokens = style, prompt_tokens
        self._fill_tokens = fill_tokens
        self._warm_models = warm_models or WarmModels()
        self._on_speed = on_speed
        self._speed_report: asyncio.Future[None] | None = None
        self._answer_count = 0  # answers that are being generated
        self._limits = limits
        self._max_tokens = max_tokens
        self._tracing = tracing
        self._chat: Any = None  # LangChain's model of the child process
        self._address: Address | None = None  # the child's address that ``_chat`` uses
        self._connect_lock = asyncio.Lock()
        # Token counts are cached, because a prompt repeats many texts of the previous one.
        self._count_by_text: dict[str, int] = {}

    @property
    def is_answering(self) -> bool:
        return self._answer_count > 0

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        uncounted = [text for text in dict.fromkeys(texts) if text not in self._count_by_text]
        for text in uncounted:  # in sequence, since each takes only a millisecond
            self._count_by_text[text] = await self._count(text)
        counts = [self._count_by_text[text] for text in texts]
        while len(self._count_by_text) > MAX_CACHED_COUNTS:
            del self._count_by_text[next(iter(self._count_by_text))]
        return counts

    async def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        language: str,
        is_retry: bool = False,
        additions: Additions | None = None,
    ) -> AsyncGenerator[Delta, None]:
        self._answer_count += 1
        # No grammar for a full prompt, whose rules also allow words.
        grammar = ""
        if self.style == "compact" and language:
            grammar = with_additions(additions) if additions else fenced_block(language)
        try:
            async with contextlib.aclosing(self._stream(messages, grammar, is_retry)) as answer:
                async for delta in answer:
                    yield delta
        finally:
            self._answer_count -= 1
            self._warm_models.release(self)

    async def _stream(
        self, messages: Sequence[BaseMessage], grammar: str, is_retry: bool
    ) -> AsyncGenerator[Delta, None]:
        sampling = {"temperature": RETRY_TEMPERATURE} if is_retry else {}
        # If the child was killed, the request is sent once more, to a new one.
        for is_last_attempt in (False, True):
            chat = await self._connect()
            extra: dict[str, Any] = {"max_tokens": self._max_tokens, "cache_prompt": True}
            if grammar:
                extra["grammar"] = grammar
            answer = stream_chat(
                chat,
                escape_control_tokens(messages),
                self._limits,
                tracing=self._tracing,
                options={"extra_body": extra, **sampling},
            )
            has_started, next_check, tokens = False, REPETITION_CHECK_EVERY, 0
            meter = SpeedMeter()
            try:
                async for delta in answer:
                    has_started = True
                    meter.add(delta.text)
                    if delta.usage:
                        tokens = int(delta.usage.get("output_tokens") or 0)
                    yield delta
                    if len(meter.text) >= next_check:
                        next_check = len(meter.text) + REPETITION_CHECK_EVERY
                        if ends_in_repetition(meter.text):
                            raise BadAnswer(BadAnswer.repeats)
                speed = meter.speed(tokens)
                if self._on_speed and speed:
                    # Not awaited: the answer is complete, whatever happens to its speed.
                    loop = asyncio.get_running_loop()
                    self._speed_report = loop.run_in_executor(None, self._on_speed, speed)
                return
            except ModelUnavailable:
                if has_started or is_last_attempt or not await self.process.has_ended():
                    raise
            finally:
                await answer.aclose()

    async def complete(
        self, prefix: str, suffix: str, *, stop: Sequence[str], max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """See ChatModel. The most likely code is written, which is the same each time."""
        tokens = self._fill_tokens
        if tokens is None:
            raise NoCompletionModel
        before, after = _escape(prefix), _escape(suffix)
        body = {
            # The prefix comes first, so that it is cached.
            "prompt": f"{tokens.prefix}{before}{tokens.suffix}{after}{tokens.middle}",
            "stop": list(stop),
            "n_predict": max_tokens,
            "temperature": 0,
            "cache_prompt": True,
            "stream": True,
        }
        chat = await self._connect()
        last: dict[str, Any] = {}
        try:
            async with chat.http_async_client.stream(
                "POST", self._url("completion"), json=body, headers=self._headers()
            ) as response:
                response.raise_for_status()
                async for line in response.aiter_lines():
                    if line.startswith("data: "):
                        last = json.loads(line.removeprefix("data: "))
                        yield last["content"]
        except Exception as error:
            raise translate(error) from error
        if last.get("stop_type") == "limit":
            raise AnswerCut

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        chat = await self._connect()
        # The server reads a prompt only to answer it, so one token is requested.
        options = {"extra_body": {"max_tokens": 1, "cache_prompt": True}}
        try:
            async with contextlib.aclosing(
                stream_chunks(chat, escape_control_tokens(messages), options)
            ) as answer:
                async for _ in answer:
                    pass
        except Exception as error:
            raise translate(error) from error

    async def close(self) -> None:
        await self._disconnect()
        await self.process.close()

    async def _count(self, text: str) -> int:
        chat = await self._connect()
        try:
            response = await chat.http_async_client.post(
                self._url("tokenize"), json={"content": text}, headers=self._headers(), timeout=10
            )
            response.raise_for_status()
            return len(response.json()["tokens"])
        except Exception as error:
            raise translate(error) from error

    async def _connect(self) -> Any:
        async with self._connect_lock:
            await self._warm_models.admit(self)
            address = await self.process.address()
            if self._address != address:
                await self._disconnect()
                self._chat = await asyncio.to_thread(
                    create_chat_model,
                    COMPATIBLE,
                    "local",
                    {"temperature": 0},
                    Access(f"{address.url}/v1", address.key),
                    max_connections=MAX_CONNECTIONS,
                )
                self._address = address
            return self._chat

    def _url(self, path: str) -> str:
        assert self._address is not None  # set by ``_connect``
        return f"{self._address.url}/{path}"

    def _headers(self) -> dict[str, str]:
        assert self._address is not None
        return {"Authorization": f"Bearer {self._address.key}"}

    async def _disconnect(self) -> None:
        chat, self._chat, self._address = self._chat, None, None
        if chat is not None:
            await close_model(chat)


class SpeedMeter:
    """Measures an answer's speed without its first piece, before which the prompt was read."""

    def __init__(self) -> None:
        self.text = ""
        self._first_time = self._last_time = 0.0
        self._first_length = 0

    def add(self, text: str) -> None:
        if text:
            self.text += text
            self._last_time = time.monotonic()
            if not self._first_length:
                self._first_time, self._first_length = self._last_time, len(text)

    def speed(self, tokens: int) -> float | None:
        duration = self._last_time - self._first_time
        if duration < _MIN_MEASURED_SECONDS:
            return None
        measured_tokens = tokens * (1 - self._first_length / len(self.text))
        return measured_tokens / duration if measured_tokens >= _MIN_MEASURED_TOKENS else None


def ends_in_repetition(text: str) -> bool:
    """Return whether a text ends like an endless answer, repeating one piece."""
    tail = text[-REPETITION_TAIL:]
    # The tail repeats if it equals itself shifted by ``period``.
    return len(tail) == REPETITION_TAIL and any(
        tail.endswith(tail[: REPETITION_TAIL - period]) for period in range(1, MAX_PERIOD + 1)
    )


def escape_control_tokens(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Insert a space into each control token of a chat template.

    llama.cpp interprets them even in messages, where they could impersonate another role.
    """
    return [
        message.model_copy(update={"content": _escape(str(message.text))}) for message in messages
    ]


def _escape(text: str) -> str:
    return _CONTROL_TOKEN.sub(r"\1 \2", text)


# Control tokens of ChatML, Llama 3 and DeepSeek (between bars), Gemma, Llama 2 and Mistral.
_CONTROL_TOKEN = re.compile(r"(<)([|｜][\w▁]{1,40}[|｜]>|(?:start|end)_of_turn>|/s>|eos>)")
