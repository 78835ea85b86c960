"""Server-sent events: framing and flow control.

Invariants: an event consists of a name and one JSON object. Each event is sent completely before
the next event is written, so memory stays bounded. After ``HEARTBEAT`` seconds without an event,
the generator of the events must yield None. The server then sends a comment. The comment keeps
proxies from closing the connection, and lets the server notice that the client has disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from tornado.iostream import StreamClosedError

from ..errors import AIServerError
from ..safe_traceback import outline_of
from ..surrogates import json_bytes
from .base import AIServerHandler, error_fields

HEARTBEAT = 5.0  # seconds without an event before a comment is sent
FLUSH_TIMEOUT = 60.0  # seconds to send one event; a slower client counts as disconnected

Event = tuple[str, dict[str, Any]]


class _Disconnected(Exception):
    """The client closed the connection or doesn't read from it."""


async def send_events(handler: AIServerHandler, events: AsyncGenerator[Event | None, None]) -> None:
    """Send events, and a comment for each None, until the client disconnects."""
    handler.set_header("Content-Type", "text/event-stream; charset=utf-8")
    handler.set_header("Cache-Control", "no-cache, no-transform")
    handler.set_header("X-Accel-Buffering", "no")  # nginx would collect events before it sends them
    # Nagle's algorithm would delay small events by 40 ms.
    stream = getattr(handler.request.connection, "stream", None)
    if stream is not None and not stream.closed():
        stream.set_nodelay(True)
    try:
        async with contextlib.aclosing(events):
            async for event in events:
                await _write(handler, b": still here\n\n" if event is None else frame_event(*event))
    except _Disconnected:
        return
    except Exception as error:  # the status was already sent, so report the error in the stream
        handler.log.error("A stream failed (request %s): %s", handler.request_id, outline_of(error))
        with contextlib.suppress(_Disconnected):
            await _write(handler, frame_event("error", error_fields(AIServerError())))
    with contextlib.suppress(StreamClosedError, RuntimeError):
        await handler.finish()


def frame_event(event: str, data: dict[str, Any]) -> bytes:
    """Encode one event. ``json_bytes`` writes no line breaks, so one ``data`` line is enough."""
    return b"event: %b\ndata: %b\n\n" % (event.encode(), json_bytes(data))


async def _write(handler: AIServerHandler, data: bytes) -> None:
    try:
        handler.write(data)
        flushed = handler.flush()
        # Usually the data is sent at once, because it fits into the socket's buffer.
        if not flushed.done():
            await asyncio.wait_for(flushed, FLUSH_TIMEOUT)
        flushed.result()
    except (StreamClosedError, TimeoutError, asyncio.TimeoutError, RuntimeError) as reason:
        raise _Disconnected from reason
