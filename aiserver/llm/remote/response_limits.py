"""Limit the size of providers' responses, so that no response can exhaust the memory.

Without these limits, providers' libraries would buffer an endless line of a streamed response, or
the endless body of a response with an error status.

Invariants: a response is aborted when its body gets longer than ``MAX_BODY`` bytes, or when more
than ``MAX_LINE`` bytes have arrived without a line break. (Callers may set other limits.)
Compressed responses are rejected, because a small compressed response may be huge after
decompression.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from typing import Any

from ...errors import ModelError, NoModelAnswer

# The limits, in bytes. An ordinary line of a streamed response has only a few hundred bytes.
MAX_LINE = 1 << 20
MAX_BODY = 1 << 26


def limit_responses(client: Any, max_line: int = MAX_LINE, max_body: int = MAX_BODY) -> None:
    """Limit the responses of an asynchronous httpx client.

    ``client`` may also be a provider's client that wraps an httpx client.
    """
    client = getattr(client, "_client", client)
    hooks = getattr(client, "event_hooks", None)
    if not isinstance(hooks, dict) or client.headers.get("Accept-Encoding") == "identity":
        # The client isn't an httpx client, or is already limited because several models share it.
        return
    client.headers["Accept-Encoding"] = "identity"
    hooks["response"].append(functools.partial(_limit_response, max_line, max_body))


async def _limit_response(max_line: int, max_body: int, response: Any) -> None:
    """Replace the stream of a response with a stream that raises ModelError at the limits."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        await response.aclose()
        raise ModelError(NoModelAnswer.default_message)
    unlimited = response.stream
    # httpx requires a subclass of its ``AsyncByteStream``. This base class is found among the base
    # classes of the original stream, so that this module needn't import httpx.
    base = next(kind for kind in type(unlimited).__mro__ if kind.__name__ == "AsyncByteStream")

    async def read() -> AsyncIterator[bytes]:
        body_size = line_size = 0
        async for block in unlimited:
            body_size += len(block)
            last_break = max(block.rfind(b"\n"), block.rfind(b"\r"))
            if last_break < 0:
                line_size += len(block)
            else:
                line_size = len(block) - last_break - 1
            if line_size > max_line or body_size > max_body:
                raise ModelError(NoModelAnswer.default_message)
            yield block

    response.stream = type(
        "LimitedStream",
        (base,),
        {
            "__aiter__": lambda self: read(),
            "aclose": lambda self: unlimited.aclose(),
        },
    )()
