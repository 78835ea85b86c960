"""The embedded model, which runs as an OpenAI-compatible server in a child process.

Invariants: no text leaves the machine (loopback, no proxy, a random key); a cancelled request frees
the model, be it an answer or a warm-up, within a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import BadAnswer, ModelUnavailable
from ..base import ChatModel, Delta, ModelInfo
from ..errors import translate
from ..policy import Access
from ..providers import COMPATIBLE
from ..remote.langchain import close_model, create_chat_model
from ..streaming import Limits, stream_chat, stream_chunks
from .grammar import fenced_block
from .process import Address, LocalProcess

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

CONTEXT = 4096  # tokens, prompt and answer together
PROMPT_TOKENS = 600  # a small machine would read a longer prompt too slowly
MAX_CACHED_COUNTS = 1000
MAX_CONNECTIONS = 16  # each occupies a thread of the child
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
        self._address: Address | None = None  # of the child that ``_chat`` is connected to
        self._chat: Any = None
        self._connecting = asyncio.Lock()
        self._counts: dict[str, int] = {}  # rules, examples and cells are counted repeatedly

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count with the model's own tokenizer."""
        uncounted = [text for text in dict.fromkeys(texts) if text not in self._counts]
        for text in uncounted:  # sequentially: a millisecond each
            self._counts[text] = await self._count(text)
        counts = [self._counts[text] for text in texts]
        while len(self._counts) > MAX_CACHED_COUNTS:
            del self._counts[next(iter(self._counts))]
        return counts

    async def stream(
        self, messages: Sequence[BaseMessage], *, language: str
    ) -> AsyncGenerator[Delta, None]:
        """See ChatModel."""
        # A killed child is only noticed by a failing request, which is then retried once.
        for is_last in (False, True):
            chat = await self._connect()
            # In ``extra_body``, since langchain-openai sends max_tokens under a newer name.
            extra = {"grammar": fenced_block(language), "max_tokens": self._max_tokens}
            answer = stream_chat(
                chat,
                escape_control_tokens(messages),
                self._limits,
                tracing=self._tracing,
                options={"extra_body": extra | {"cache_prompt": True}},
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

    async def warm_up(self, messages: Sequence[BaseMessage]) -> None:
        """Load the model and let it read ``messages``."""
        chat = await self._connect()
        # One token, since only a request that generates something reads the prompt.
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
        """End the child process and all its requests."""
        await self._disconnect()
        await self.process.close()

    async def _count(self, text: str) -> int:
        chat = await self._connect()
        assert self._address is not None
        headers = {"Authorization": f"Bearer {self._address.key}"}
        try:
            response = await chat.http_async_client.post(
                f"{self._address.url}/tokenize", json={"content": text}, headers=headers, timeout=10
            )
            response.raise_for_status()
            return len(response.json()["tokens"])
        except Exception as error:
            raise translate(error) from error

    async def _connect(self) -> Any:
        """Return LangChain's model for the child, which is started or restarted if needed."""
        async with self._connecting:
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

    async def _disconnect(self) -> None:
        chat, self._chat, self._address = self._chat, None, None
        if chat is not None:
            await close_model(chat)


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
