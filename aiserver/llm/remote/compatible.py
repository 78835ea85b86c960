"""Chat models of servers with an OpenAI-compatible API.

Importing this module takes half a second, because it imports langchain-openai.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr

from .adapt import Adaptation, Payload

Chunks = AsyncGenerator[ChatGenerationChunk, None]

# The fields in which vLLM, Ollama, LM Studio, OpenRouter and others send thoughts.
_THOUGHT_FIELDS = ("reasoning_content", "reasoning")
_MAX_CHANGES = 4  # how often a request is changed and sent again


class CompatibleModel(ChatOpenAI):
    """Adapts its requests to the server, and keeps the server's thoughts.

    langchain-openai drops thoughts; they are kept in ``additional_kwargs``.
    """

    _adaptation: Adaptation = PrivateAttr(default_factory=Adaptation)
    _last_payload: Payload = PrivateAttr(default_factory=dict)
    _listed_context: int | None = PrivateAttr(default=None)

    @property
    def context_tokens(self) -> int | None:
        """The server's limit for prompt and answer together, if it has named it."""
        return self._adaptation.context

    def use_context(self, tokens: int) -> None:
        """Limit answers to a context of this length, until an error names another one."""
        if tokens != self._listed_context:
            self._listed_context = self._adaptation.context = tokens

    async def _astream(self, *args: Any, **kwargs: Any) -> Chunks:
        for attempt in range(_MAX_CHANGES + 1):
            has_started = False
            try:
                async with aclosing(self._stream_once(*args, **kwargs)) as chunks:
                    async for chunk in chunks:
                        has_started = True
                        yield chunk
                return
            except Exception as error:
                if has_started or attempt == _MAX_CHANGES or not self._learn_from(error):
                    raise

    async def _stream_once(self, *args: Any, **kwargs: Any) -> Chunks:
        if self._adaptation.streams:
            # It is an asynchronous generator, although LangChain's types don't say so.
            generator: Any = super()._astream(*args, **kwargs)
            async with aclosing(generator) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        result = await super()._agenerate(*args, **kwargs)
        generation = result.generations[0]
        message = generation.message
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content=message.content,
                usage_metadata=getattr(message, "usage_metadata", None),
                response_metadata=message.response_metadata,
            ),
            generation_info=generation.generation_info,
        )

    def _learn_from(self, error: Exception) -> bool:
        """Learn from an error. Return whether the request should be sent again."""
        text = text_of(error)
        before = len(self._adaptation.changes)
        if not text or not self._adaptation.learn(text, self._last_payload):
            return False
        if self._adaptation.changes[before:] == ["v1"]:
            return self._complete_address()
        return True

    def _complete_address(self) -> bool:
        """Add ``/v1`` to the address, if it has no path. Return whether it was added."""
        client = self.root_async_client
        address = str(client.base_url).rstrip("/")
        if urlsplit(address).path.rstrip("/"):
            return False
        client.base_url = f"{address}/v1"
        return True

    def _get_request_payload(self, *args: Any, **kwargs: Any) -> Payload:
        payload: Payload = super()._get_request_payload(*args, **kwargs)
        if "max_completion_tokens" in payload:  # many servers only know the older name
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        if not self._adaptation.streams:
            payload.pop("stream", None)
        self._last_payload = payload
        return self._adaptation.apply(payload)

    def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *args: Any) -> Any:
        converted = super()._convert_chunk_to_generation_chunk(chunk, *args)
        if converted is not None and (choices := chunk.get("choices")):
            delta = choices[0].get("delta") or {}
            if thoughts := next(filter(None, map(delta.get, _THOUGHT_FIELDS)), None):
                converted.message.additional_kwargs["reasoning_content"] = thoughts
        return converted


def text_of(error: BaseException) -> str:
    """Return what a server says about a request that it refuses; empty for any other error."""
    seen = 0
    current: BaseException | None = error
    while current is not None and seen < 5:
        status = getattr(current, "status_code", None)
        if isinstance(status, int) and (400 <= status < 500 or status == 500):
            if status not in (401, 402, 403, 408, 429):
                return f"{status} {current} {getattr(current, 'body', '')}"
            return ""
        current, seen = current.__cause__, seen + 1
    return ""
