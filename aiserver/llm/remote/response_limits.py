"""Limit the size of providers' responses, and read them as they really are.

Without limits, providers' libraries would buffer an endless line of a streamed response, or the
endless body of a response with an error status.

Invariants: a response is aborted when its body gets longer than ``MAX_BODY`` bytes, or when more
than ``MAX_LINE`` bytes have arrived without a line break. (Callers may set other limits.) The
limits hold after decompression, which some gateways require although nobody asked for it.
"""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

from ...errors import ModelError, NoModelAnswer

# The limits, in bytes. An ordinary line of a streamed response has only a few hundred bytes.
MAX_LINE = 1 << 20
MAX_BODY = 1 << 26
_BLOCK = 1 << 16  # bytes


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
    """Replace the stream of a response with a stream that raises ModelError at the limits.

    An answer in one piece becomes a stream with this piece.
    """
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding not in ("identity", "gzip", "deflate"):
        await response.aclose()
        raise ModelError(NoModelAnswer.default_message)
    received = response.stream
    if encoding != "identity":
        del response.headers["content-encoding"]
    decompressed = _decompress(received) if encoding != "identity" else received

    async def read() -> AsyncIterator[bytes]:
        body_size = line_size = 0
        async for block in decompressed:
            body_size += len(block)
            last_break = max(block.rfind(b"\n"), block.rfind(b"\r"))
            if last_break < 0:
                line_size += len(block)
            else:
                line_size = len(block) - last_break - 1
            if line_size > max_line or body_size > max_body:
                raise ModelError(NoModelAnswer.default_message)
            yield block

    response.stream = _stream(read(), received)
    if _is_json(response) and response.status_code == 200 and _asks_for_stream(response.request):
        await _split_whole_answer(response, received)


def _stream(blocks: AsyncIterator[bytes], received: Any) -> Any:
    """Return a stream with the given blocks; closing it closes the stream that was received."""
    # httpx requires a subclass of its ``AsyncByteStream``. This base class is found among the base
    # classes of the original stream, so that this module needn't import httpx.
    base = next(kind for kind in type(received).__mro__ if kind.__name__ == "AsyncByteStream")
    methods = {"__aiter__": lambda self: blocks, "aclose": lambda self: received.aclose()}
    return type("LimitedStream", (base,), methods)()


async def _decompress(received: Any) -> AsyncIterator[bytes]:
    """Yield the content of a compressed stream, in blocks of at most ``_BLOCK`` bytes."""
    decompressor = zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for block in received:
        while block:
            try:
                yield decompressor.decompress(block, _BLOCK)
            except zlib.error as error:
                raise ModelError(NoModelAnswer.default_message) from error
            block = decompressor.unconsumed_tail


def _is_json(response: Any) -> bool:
    return str(response.headers.get("content-type", "")).startswith("application/json")


def _asks_for_stream(request: Any) -> bool:
    """Return whether a request asks for a stream of an OpenAI-compatible server."""
    try:
        body = json.loads(request.content)
    except (ValueError, RuntimeError):  # httpx raises RuntimeError for a body that it streams
        return False
    return isinstance(body, dict) and body.get("stream") is True and "messages" in body


async def _split_whole_answer(response: Any, received: Any) -> None:
    """Make a stream of a response that contains the whole answer, or an error.

    Some servers ignore that a stream is asked for, and some report errors with the status 200.
    """
    body = b"".join([block async for block in response.stream])

    async def once(content: bytes) -> AsyncIterator[bytes]:
        yield content

    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if isinstance(answer, dict) and answer.get("error") and not answer.get("choices"):
        response.status_code = 400
    elif isinstance(answer, dict) and isinstance(answer.get("choices"), list):
        for choice in filter(lambda choice: isinstance(choice, dict), answer["choices"]):
            choice["delta"] = choice.pop("message", None) or {}
        body = b"data: " + json.dumps(answer).encode() + b"\n\ndata: [DONE]\n\n"
        response.headers["content-type"] = "text/event-stream"
    response.headers.pop("content-length", None)
    response.stream = _stream(once(body), received)
