"""Limit the size of providers' responses.

Invariants: a response is aborted when its body or a line gets too long, after decompression, which
some gateways require unasked.
"""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

from ...errors import ModelError, NoModelAnswer

# Limits in bytes: an ordinary line has a few hundred.
MAX_LINE = 1 << 20
MAX_BODY = 1 << 26
_BLOCK = 1 << 16  # bytes


def limit_responses(client: Any, max_line: int = MAX_LINE, max_body: int = MAX_BODY) -> None:
    """Limit the responses of an asynchronous httpx client, perhaps a wrapped one."""
    client = getattr(client, "_client", client)
    hooks = getattr(client, "event_hooks", None)
    if not isinstance(hooks, dict) or client.headers.get("Accept-Encoding") == "identity":
        # It isn't an httpx client, or is limited already, because models share it.
        return
    client.headers["Accept-Encoding"] = "identity"
    hooks["response"].append(functools.partial(_limit_response, max_line, max_body))


async def _limit_response(max_line: int, max_body: int, response: Any) -> None:
    """Replace a stream by one that raises ModelError at the limits, also for a whole answer."""
    encoding = response.headers.pop("content-encoding", "identity").lower()
    if encoding not in ("identity", "gzip", "deflate"):
        await response.aclose()
        raise ModelError(NoModelAnswer.default_message)
    received = response.stream
    decompressed = received if encoding == "identity" else _decompress(received)
    is_whole = (
        response.headers.get("content-type", "").startswith("application/json")
        and response.status_code == 200
        and response.request.url.path.endswith("/chat/completions")
    )

    async def read() -> AsyncIterator[bytes]:
        body_size = line_size = 0
        received_blocks: list[bytes] = []
        async for block in decompressed:
            body_size += len(block)
            last_break = max(block.rfind(b"\n"), block.rfind(b"\r"))
            if last_break < 0:
                line_size += len(block)
            else:
                line_size = len(block) - last_break - 1
            if line_size > max_line or body_size > max_body:
                raise ModelError(NoModelAnswer.default_message)
            if is_whole:
                received_blocks.append(block)
            else:
                yield block
        if is_whole:
            yield _as_event(b"".join(received_blocks))

    # httpx requires its ``AsyncByteStream``, which is found here without importing httpx.
    base = next(kind for kind in type(received).__mro__ if kind.__name__ == "AsyncByteStream")
    methods = {"__aiter__": lambda self: read(), "aclose": lambda self: received.aclose()}
    response.stream = type("LimitedStream", (base,), methods)()


async def _decompress(received: Any) -> AsyncIterator[bytes]:
    decompressor = zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for block in received:
        while block:
            try:
                yield decompressor.decompress(block, _BLOCK)
            except zlib.error as error:
                raise ModelError(NoModelAnswer.default_message) from error
            block = decompressor.unconsumed_tail


def _as_event(body: bytes) -> bytes:
    try:
        answer = json.loads(body)
        for choice in [] if answer.get("error") else answer["choices"]:
            choice["delta"] = choice.pop("message")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NoModelAnswer from error
    return b"data: " + json.dumps(answer).encode() + b"\n\ndata: [DONE]\n\n"
