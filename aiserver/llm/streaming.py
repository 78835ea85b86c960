"""Stream an answer from any LangChain chat model.

Invariants:

- Closing the iterator stops the model: the call runs in a task of its own that always awaits
  inside the model's library, so cancelling it triggers the library's own clean-up at once.
  (Closing LangChain's generators from outside leaves the innermost one to the garbage collector.)
- A model that is silent too long raises ModelTimeout; an answer that grows too long or was cut by
  the provider raises AnswerCut; one stopped by a filter raises TextRefused; one that ended for an
  unknown reason raises AnswerBrokenOff. A partial answer never counts as complete (P17, P32).
- The output is valid text: surrogate pairs that a server split are joined, lone ones are U+FFFD.
- Streams never block the event loop, however many there are (see ``fair_scheduling.py``).
- Nothing is traced unless tracing is on, whatever the environment says (P4). LangChain's public
  ``astream`` looks up tracers in the environment (LangSmith, legacy tracers, hooks of other
  libraries); ``_astream``, which each provider's package implements, doesn't. So ``_astream`` is
  called unless tracing is on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import AnswerBrokenOff, AnswerCut, ModelTimeout, NoModelAnswer, TextRefused
from ..surrogates import ends_in_high_surrogate, fix_surrogates
from .base import Delta
from .errors import translate
from .fair_scheduling import FairShare

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage

    Item = AIMessageChunk | Exception | None

# The fields in which providers give the finish reason, and its values (in lower case) for a
# complete answer, for one that grew too long, and for one that a filter stopped. With any other
# reason, such as DeepSeek's "insufficient_system_resource", the answer may be incomplete.
_REASONS = ("finish_reason", "stop_reason", "done_reason")
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
_MAX_TOKENS = 2**31  # a larger count is a mistake of the server


@dataclass(frozen=True)
class Limits:
    """The limits of one answer.

    ``timeout`` is in seconds of silence; ``characters`` is the maximum length;
    ``requires_finish_reason`` says whether an answer without one counts as interrupted.
    """

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
    """Query ``model`` with ``options`` for its ``astream``. Raises ModelError or a subclass."""
    # Unbounded, so that the task never waits for the reader; ``limits`` bounds its size.
    queue: asyncio.Queue[Item] = asyncio.Queue()
    task = asyncio.create_task(_pump(model, list(messages), options or {}, queue, limits, tracing))
    usage: dict[str, int] = {}
    reasons: list[str] = []
    has_chunks = False
    half = ""  # a high surrogate whose low surrogate hasn't arrived yet
    error: Exception | None = None
    ended = False
    try:
        while not ended:
            text, half = half, ""
            # Everything received so far is yielded at once, to save work per chunk.
            for item in await _next_batch(queue, limits.timeout):
                if item is None or isinstance(item, Exception):
                    ended, error = True, item
                    break
                _add(usage, item.usage_metadata)
                reasons += list(filter(None, map(item.response_metadata.get, _REASONS)))[:1]
                text += str(item.text)
                has_chunks = True
            half = text[-1] if not ended and ends_in_high_surrogate(text) else ""
            if text := fix_surrogates(text.removesuffix(half)):
                yield Delta(text)
            if error is not None:
                raise translate(error) from error
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=1)
    if usage:
        yield Delta(usage=dict(usage))
    if reasons:
        _check_reasons([str(reason).rpartition(".")[2].lower() for reason in reasons])
    elif limits.requires_finish_reason:
        raise AnswerBrokenOff if has_chunks else NoModelAnswer


async def _next_batch(queue: asyncio.Queue[Item], timeout: float) -> list[Item]:
    """Return all queued items, waiting for at least one. Raises ModelTimeout."""
    try:
        batch = [await asyncio.wait_for(queue.get(), timeout)]
    except asyncio.TimeoutError as error:
        raise ModelTimeout from error
    while not queue.empty():
        batch.append(queue.get_nowait())
    return batch


async def _pump(
    model: BaseChatModel,
    messages: list[BaseMessage],
    options: dict[str, Any],
    queue: asyncio.Queue[Item],
    limits: Limits,
    tracing: bool,
) -> None:
    size, share = 0, FairShare()
    try:
        async with contextlib.aclosing(stream_chunks(model, messages, options, tracing)) as answer:
            async for chunk in answer:
                queue.put_nowait(chunk)
                size += max(1, len(chunk.text))  # empty chunks must not go on forever, either
                if size > limits.characters:
                    queue.put_nowait(AnswerCut())
                    return
                await share.pause(has_text=bool(chunk.text))
        queue.put_nowait(None)
    except Exception as error:
        queue.put_nowait(error)


async def stream_chunks(
    model: BaseChatModel,
    messages: list[BaseMessage],
    options: dict[str, Any],
    tracing: bool = False,
) -> AsyncGenerator[AIMessageChunk, None]:
    """Yield LangChain's chunks of the answer, traced only with ``tracing``."""
    from langsmith import tracing_context

    # The context is for what a provider's package calls itself.
    with contextlib.nullcontext() if tracing else tracing_context(enabled=False):
        # A generator, though LangChain's types don't say so.
        stream: Any = (model.astream if tracing else model._astream)(messages, **options)
        async with contextlib.aclosing(stream):
            async for item in stream:
                if not tracing:
                    item.message.response_metadata |= item.generation_info or {}
                yield item if tracing else item.message


def _check_reasons(reasons: list[str]) -> None:
    """Raise unless ``reasons`` mean a complete answer. Some servers send several."""
    if not _TOO_LONG.isdisjoint(reasons):
        raise AnswerCut
    if not _FILTERED.isdisjoint(reasons):
        raise TextRefused
    if reasons[-1] not in _COMPLETE:
        raise AnswerBrokenOff


def _add(total: dict[str, int], part: Any) -> None:
    """Add the plausible counts of ``part`` to ``total``. LangChain reports missing ones as 0."""
    for name in ("input_tokens", "output_tokens", "total_tokens"):
        count = part.get(name) if part else None
        if isinstance(count, int) and 0 < count < _MAX_TOKENS:
            total[name] = total.get(name, 0) + count
