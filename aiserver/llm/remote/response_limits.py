"""Limit the size of providers' responses, so that none can exhaust the memory.

The libraries read a streamed response line by line and buffer incomplete lines; an error's body
they read completely. Invariants (P17): endless lines and endless bodies are aborted at these
limits; responses are uncompressed, since that is all we accept.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from typing import Any

from ...errors import ModelError, NoModelAnswer

MAX_LINE = 1 << 20  # bytes; an event of a stream has some hundred
MAX_BODY = 1 << 26  # bytes


def limit_responses(client: Any, max_line: int = MAX_LINE, max_body: int = MAX_BODY) -> None:
    """Limit the responses of an asynchronous httpx client, or of one that wraps it."""
    client = getattr(client, "_client", client)
    hooks = getattr(client, "event_hooks", None)
    if not isinstance(hooks, dict) or client.headers.get("Accept-Encoding") == "identity":
        return  # not httpx, or a client that is shared and already limited
    client.headers["Accept-Encoding"] = "identity"
    hooks["response"].append(functools.partial(_limit, max_line, max_body))


async def _limit(max_line: int, max_body: int, response: Any) -> None:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise ModelError(NoModelAnswer.default_message)
    unlimited = response.stream
    stream = next(kind for kind in type(unlimited).__mro__ if kind.__name__ == "AsyncByteStream")

    async def read() -> AsyncIterator[bytes]:
        size = line = 0
        async for block in unlimited:
            size += len(block)
            last_break = max(block.rfind(b"\n"), block.rfind(b"\r"))
            line = line + len(block) if last_break < 0 else len(block) - last_break - 1
            if line > max_line or size > max_body:
                raise ModelError(NoModelAnswer.default_message)
            yield block

    response.stream = type(
        "LimitedStream",
        (stream,),
        {
            "__aiter__": lambda self: read(),
            "aclose": lambda self: unlimited.aclose(),
        },
    )()
