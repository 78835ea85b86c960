"""One way to take a streamed answer from any LangChain chat model.

What must hold:

- Closing the iterator stops the model: the call runs in a task of its own that always waits
  inside the model's library, so that cancelling it unwinds that library's own clean-up at once.
  (Closing LangChain's generators from outside leaves the innermost one to the garbage collector.)
- A model that is silent too long raises ModelTimeout; an answer that grows too long, or that the
  model itself cut, raises AnswerCut; one that a filter stopped, TextRefused; one that ended for a
  reason unknown here, AnswerBrokenOff: a part is never passed off as the whole (P17, P32).
- What comes is text: a character that a server cut in two is joined, half of one is U+FFFD.
- No stream, nor many of them, holds the server's event loop (see ``fair_scheduling.py``).
- Nobody listens in, whatever the environment says, unless asked for (P4). LangChain's public
  ``astream`` first asks the environment who wants to be told of prompts and answers (LangSmith,
  tracers of old, hooks that other libraries left); ``_astream``, which each provider's package
  implements, asks nobody. So that is what is called, and ``astream`` only where tracing is on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..errors import AnswerBrokenOff, AnswerCut, ModelTimeout, NoModelAnswer, TextRefused
from ..surrogates import ends_in_high_surrogate, fix_surrogates
from .base import Delta
from .errors import translate
from .fair_scheduling import Turns

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage

    Item = AIMessageChunk | Exception | None

# The fields in which providers give the reason why an answer ended, and the values (in lower case)
# of a whole answer, of one that grew too long, and of one that a filter stopped. With any other
# reason, such as DeepSeek's "insufficient_system_resource", the answer isn't known to be whole.
_REASONS = ("finish_reason", "stop_reason", "done_reason")
_WHOLE = {
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
_MOST_TOKENS = 2**31  # a larger count is a server's mistake


@dataclass(frozen=True)
class Limits:
    """``timeout``: seconds of silence; ``characters``: of one answer; ``must_end``: whether an
    answer without a reason why it ended counts as broken off."""

    timeout: float
    characters: int
    must_end: bool = False


async def stream_chat(
    model: BaseChatModel,
    messages: Sequence[BaseMessage],
    limits: Limits,
    *,
    tracing: bool = False,
    options: dict[str, Any] | None = None,
) -> AsyncGenerator[Delta, None]:
    """Ask ``model``; ``options`` go to its ``astream``. Raises ModelError or a child of it."""
    # Unbounded, so that the task never waits for the reader; the answer's own cap bounds it.
    queue: asyncio.Queue[Item] = asyncio.Queue()
    task = asyncio.create_task(_pump(model, list(messages), options or {}, queue, limits, tracing))
    usage: dict[str, int] = {}
    reasons: list[str] = []
    size = 0
    half = ""  # a character whose second half has not come
    error: Exception | None = None
    ended = False
    try:
        while not ended:
            text, half = half, ""
            # All that has come is one piece: where much comes at once, little is done for each.
            for item in await _batch(queue, limits.timeout):
                if item is None or isinstance(item, Exception):
                    ended, error = True, item
                    break
                _add(usage, item.usage_metadata)
                reasons += list(filter(None, map(item.response_metadata.get, _REASONS)))[:1]
                said = str(item.text)
                text += said
                size += max(1, len(said))  # also one that thinks, or says nothing, without end
            half = text[-1] if not ended and ends_in_high_surrogate(text) else ""
            if text := fix_surrogates(text.removesuffix(half)):
                yield Delta(text)
            if error is not None:
                raise translate(error) from error
            if size > limits.characters:
                raise AnswerCut
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=1)
    if usage:
        yield Delta(usage=dict(usage))
    if reasons:
        _check_reasons([str(reason).rpartition(".")[2].lower() for reason in reasons])
    elif limits.must_end:
        raise AnswerBrokenOff if size else NoModelAnswer


async def _batch(queue: asyncio.Queue[Item], timeout: float) -> list[Item]:
    """All that has come, and at least one thing. Raises ModelTimeout."""
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
    size, turns = 0, Turns()
    try:
        async with contextlib.aclosing(chunks(model, messages, options, tracing)) as answer:
            async for chunk in answer:
                queue.put_nowait(chunk)
                size += max(1, len(chunk.text))
                if size > limits.characters:
                    break  # also when nobody reads
                await turns.pause(speaks=bool(chunk.text))
        queue.put_nowait(None)
    except Exception as error:
        queue.put_nowait(error)


async def chunks(
    model: BaseChatModel,
    messages: list[BaseMessage],
    options: dict[str, Any],
    tracing: bool = False,
) -> AsyncGenerator[AIMessageChunk, None]:
    """What the model says, as LangChain has it, unheard by others unless ``tracing``."""
    if tracing:
        async with contextlib.aclosing(_closable(model.astream(messages, **options))) as stream:
            async for message in stream:
                yield message
        return
    from langsmith import tracing_context

    with tracing_context(enabled=False):  # for whatever a provider's package calls in turn
        async with contextlib.aclosing(_closable(model._astream(messages, **options))) as stream:
            async for chunk in stream:
                message = chunk.message
                message.response_metadata |= chunk.generation_info or {}
                yield message


def _closable(stream: Any) -> AsyncGenerator[Any, None]:
    """The same stream: a generator, though LangChain's types don't say so."""
    return cast("AsyncGenerator[Any, None]", stream)


def _check_reasons(reasons: list[str]) -> None:
    """Raise unless an answer that ended for ``reasons`` is whole: some servers send several."""
    if not _TOO_LONG.isdisjoint(reasons):
        raise AnswerCut
    if not _FILTERED.isdisjoint(reasons):
        raise TextRefused
    if reasons[-1] not in _WHOLE:
        raise AnswerBrokenOff


def _add(total: dict[str, int], part: Any) -> None:
    """Add the plausible counts of ``part``. LangChain makes 0 of a missing one."""
    for name in ("input_tokens", "output_tokens", "total_tokens"):
        count = part.get(name) if part else None
        if isinstance(count, int) and 0 < count < _MOST_TOKENS:
            total[name] = total.get(name, 0) + count
