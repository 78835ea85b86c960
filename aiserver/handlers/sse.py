"""Server-sent events: framing and flow control.

Invariants: an event is a name and one JSON object. Each event is flushed before the next one, so
memory stays bounded. A comment is sent after a pause, so that proxies keep the connection and a
disconnected client is noticed.
"""

from __future__ import annotations

import asyncio
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.web import RequestHandler

from ..surrogates import json_bytes

HEARTBEAT = 5.0  # seconds without an event before a comment is sent
FLUSH_TIMEOUT = 60.0  # seconds; a slower client counts as disconnected


class ClientDisconnected(Exception):
    """The client closed the connection or doesn't read from it."""


class EventStream:
    """A ``text/event-stream`` answer. All coroutines raise ClientDisconnected."""

    def __init__(self, handler: RequestHandler) -> None:
        self._handler = handler

    def open(self) -> None:
        """Set the headers, which are sent with the first event."""
        self._handler.set_header("Content-Type", "text/event-stream; charset=utf-8")
        self._handler.set_header("Cache-Control", "no-cache, no-transform")
        self._handler.set_header("X-Accel-Buffering", "no")
        # Nagle's algorithm would delay small events by 40 ms.
        stream = getattr(self._handler.request.connection, "stream", None)
        if stream is not None and not stream.closed():
            stream.set_nodelay(True)

    async def send(self, event: str, data: dict[str, Any]) -> None:
        """Send one event. JSON has no raw line breaks, so it fits in one ``data`` line."""
        await self._write(b"event: %b\ndata: %b\n\n" % (event.encode(), json_bytes(data)))

    async def heartbeat(self) -> None:
        """Send a comment, which clients ignore."""
        await self._write(b": still here\n\n")

    async def close(self) -> None:
        """End the answer."""
        try:
            await self._handler.finish()
        except (StreamClosedError, RuntimeError) as reason:
            raise ClientDisconnected from reason

    async def _write(self, data: bytes) -> None:
        try:
            self._handler.write(data)
            flushed = self._handler.flush()
            if not flushed.done():  # usually it is done: the socket buffer had room
                await asyncio.wait_for(flushed, FLUSH_TIMEOUT)
            flushed.result()
        except (StreamClosedError, TimeoutError, asyncio.TimeoutError, RuntimeError) as reason:
            raise ClientDisconnected from reason
