"""Stream an answer from any LangChain chat model.

Invariants:

- Closing the generator of ``stream_chat`` stops the model at once. The model's own task is
  cancelled inside its library, which then cleans up.
- A partial answer doesn't count as complete, unless the server reports neither an error nor a
  reason for the end (``Limits.requires_finish_reason``).
- The answer can be encoded in UTF-8: surrogate pairs are joined, and lone surrogates replaced with
  U+FFFD.
- Streams never block the event loop (``fair_scheduling.py``).
- Without ``tracing``, nothing is traced, whatever the environment says: LangChain's public
  ``astream`` looks up tracers in the environment; ``_astream`` doesn't.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import (
    AIServerError,
    AnswerBrokenOff,
    AnswerCut,
    ModelTimeout,
    ModelUnavailable,
    NoModelAnswer,
    TextRefused,
)
from ..surrogates import ends_in_high_surrogate, fix_surrogates
from .base import Delta
from .errors import translate
from .fair_scheduling import FairShare

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage

    # The model's task puts chunks into the queue and, at the end, None or the exception.
    Queued = AIMessageChunk | Exception | None

# The fields in which providers report the finish reason.
_REASON_FIELDS = ("finish_reason", "stop_reason", "done_reason")
# Finish reasons, in lower case. With another, such as DeepSeek's "insufficient_system_resource",
# the answer may be incomplete.
_COMPLETE = {
    *("stop", "end_turn", "stop_sequence", "eos", "eos_token", "end", "complete", "completed"),
    *("finished", "done", "pause_turn", "tool_calls", "tool_use", "tool_call", "function_call"),
}
_TOO_LONG = {
    *("length", "max_tokens", "max_output_tokens", "model_length", "max_length", "token_limit"),
    "model_context_window_exceeded",
}
_FILTERED = {
    *("content_filter", "content_filtered", "guardrail_intervened", "refusal", "sensitive"),
    *("safety", "recitation", "blocklist", "prohibited_content", "spii", "error_toxic"),
}
# Types of a message's parts that are thoughts. The text is in a key of the same name, or in one of
# the others; it may be an object or a list with such keys again.
_THOUGHTS = ("thinking", "reasoning", "reasoning_content", "thought")
_THOUGHT_KEYS = (*_THOUGHTS, "summary", "content", "text")
_MAX_TOKENS = 2**31  # a server that reports more is mistaken


@dataclass(frozen=True)
class Limits:
    """The limits of an answer; ``timeout`` is in seconds between two chunks."""

    timeout: float
    characters: int
    requires_finish_reason: bool = False


async def stream_chat(
    model: BaseChatModel,
    messages: Sequence[BaseMessage],
    limits: Limits,
    *,
    tracing: bool = False,
    options: dict[str, Any] | None = None,
) -> AsyncGenerator[Delta, None]:
    """Query ``model`` and yield its answer. Raises ModelError."""
    # Without a maximum size, the task never waits; ``limits`` restricts the answer.
    queue: asyncio.Queue[Queued] = asyncio.Queue()
    task = asyncio.create_task(
        _fill_queue(model, list(messages), options or {}, queue, limits, tracing)
    )
    usage: dict[str, int] = {}
    reasons: list[str] = []
    has_chunks = has_text = False
    pending = ""  # a high surrogate whose low one hasn't arrived yet
    error: Exception | None = None
    has_ended = False
    try:
        while not has_ended:
            text, pending, thoughts = pending, "", ""
            # All chunks so far are one delta, to save work.
            for queued in await _take_all(queue, limits.timeout):
                if queued is None or isinstance(queued, Exception):
                    has_ended, error = True, queued
                    break
                _add_usage(usage, queued.usage_metadata)
                reasons += list(filter(None, map(queued.response_metadata.get, _REASON_FIELDS)))[:1]
                text += str(queued.text)
                thoughts += _thoughts_in(queued)
                has_chunks = True
            pending = text[-1] if not has_ended and ends_in_high_surrogate(text) else ""
            text = fix_surrogates(text.removesuffix(pending))
            if text or thoughts:
                yield Delta(text, thoughts=thoughts)
                has_text = True
            if error is not None:
                raise _interruption(error) if has_text else translate(error) from error
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=1)
    if usage:
        yield Delta(usage=dict(usage))
    if reasons:
        # A reason may be a member of an enum, such as ``FinishReason.STOP``.
        _check_reasons([str(reason).rpartition(".")[2].lower() for reason in reasons])
    elif limits.requires_finish_reason:
        raise AnswerBrokenOff if has_chunks else NoModelAnswer


def _interruption(error: Exception) -> AIServerError:
    translated = translate(error)
    return AnswerBrokenOff() if type(translated) is ModelUnavailable else translated


async def _take_all(queue: asyncio.Queue[Queued], timeout: float) -> list[Queued]:
    try:
        all_queued = [await asyncio.wait_for(queue.get(), timeout)]
    except asyncio.TimeoutError as error:
        raise ModelTimeout from error
    while not queue.empty():
        all_queued.append(queue.get_nowait())
    return all_queued


async def _fill_queue(
    model: BaseChatModel,
    messages: list[BaseMessage],
    options: dict[str, Any],
    queue: asyncio.Queue[Queued],
    limits: Limits,
    tracing: bool,
) -> None:
    character_count, fair_share = 0, FairShare()
    try:
        async with contextlib.aclosing(stream_chunks(model, messages, options, tracing)) as answer:
            async for chunk in answer:
                queue.put_nowait(chunk)
                # An endless series of empty chunks ends, too.
                character_count += max(1, len(chunk.text))
                if character_count > limits.characters:
                    queue.put_nowait(AnswerCut())
                    return
                await fair_share.pause(has_text=bool(chunk.text))
        queue.put_nowait(None)
    except Exception as error:
        queue.put_nowait(error)


async def stream_chunks(
    model: BaseChatModel,
    messages: list[BaseMessage],
    options: dict[str, Any],
    tracing: bool = False,
) -> AsyncGenerator[AIMessageChunk, None]:
    """Yield the chunks of an answer, unchecked and unlimited."""
    from langsmith import tracing_context

    # This also prevents tracing by other code that a provider's package calls.
    with contextlib.nullcontext() if tracing else tracing_context(enabled=False):
        # LangChain's types don't say that this is an asynchronous generator.
        stream: Any = (model.astream if tracing else model._astream)(messages, **options)
        async with contextlib.aclosing(stream):
            async for chunk in stream:
                if tracing:
                    yield chunk  # ``astream`` yields messages
                else:  # ``_astream`` yields a message and separate metadata
                    chunk.message.response_metadata |= chunk.generation_info or {}
                    yield chunk.message


def _check_reasons(reasons: list[str]) -> None:
    if not _TOO_LONG.isdisjoint(reasons):
        raise AnswerCut
    if not _FILTERED.isdisjoint(reasons):
        raise TextRefused
    if reasons[-1] not in _COMPLETE:
        raise AnswerBrokenOff


def _thoughts_in(chunk: AIMessageChunk) -> str:
    parts = chunk.content if isinstance(chunk.content, list) else []
    thoughts = [part for part in parts if isinstance(part, dict) and part.get("type") in _THOUGHTS]
    return _text_of([chunk.additional_kwargs.get("reasoning_content"), *thoughts])


def _text_of(thoughts: Any) -> str:
    if isinstance(thoughts, list):
        return "".join(map(_text_of, thoughts))
    if isinstance(thoughts, dict):
        return _text_of(next(filter(None, map(thoughts.get, _THOUGHT_KEYS)), ""))
    return thoughts if isinstance(thoughts, str) else ""


def _add_usage(total: dict[str, int], usage: Any) -> None:
    """Add the counts of a chunk; ignore implausible ones and 0, which means unknown."""
    usage = usage or {}
    details = usage.get("input_token_details") or {}
    counts = {name: usage.get(name) for name in ("input_tokens", "output_tokens", "total_tokens")}
    counts |= {
        "cached_tokens": details.get("cache_read"),
        "cache_write_tokens": details.get("cache_creation"),
    }
    for name, count in counts.items():
        if isinstance(count, int) and 0 < count < _MAX_TOKENS:
            total[name] = total.get(name, 0) + count
