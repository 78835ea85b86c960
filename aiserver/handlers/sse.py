"""Server-sent events: framing and flow, in one place.

What must hold: an event is a name and one JSON object; every event is flushed before the next
is made, so that memory stays bounded; a comment goes out when nothing was sent for a while, so
that proxies keep the connection and a client that is gone is noticed.
"""

from __future__ import annotations

import asyncio
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.web import RequestHandler

from ..surrogates import json_bytes

HEARTBEAT = 5.0  # seconds without an event before a comment is sent
FLUSH_TIMEOUT = 60.0  # seconds; a reader that takes longer for one event is gone


class ClientGone(Exception):
    """Nobody reads the stream any more."""


class EventStream:
    """A ``text/event-stream`` answer. Each method raises ClientGone if nobody reads."""

    def __init__(self, handler: RequestHandler) -> None:
        self._handler = handler

    def open(self) -> None:
        """Set the headers; they go out with the first event."""
        self._handler.set_header("Content-Type", "text/event-stream; charset=utf-8")
        self._handler.set_header("Cache-Control", "no-cache, no-transform")
        self._handler.set_header("X-Accel-Buffering", "no")
        # Else the system holds each small event back until the one before was acknowledged: 40 ms.
        stream = getattr(self._handler.request.connection, "stream", None)
        if stream is not None and not stream.closed():
            stream.set_nodelay(True)

    async def send(self, event: str, data: dict[str, Any]) -> None:
        """Send one event. JSON has no raw line break, so one ``data`` line holds it."""
        await self._write(b"event: %b\ndata: %b\n\n" % (event.encode(), json_bytes(data)))

    async def heartbeat(self) -> None:
        """Send a comment, which clients pass over."""
        await self._write(b": still here\n\n")

    async def close(self) -> None:
        """End the answer."""
        try:
            await self._handler.finish()
        except (StreamClosedError, RuntimeError) as reason:
            raise ClientGone from reason

    async def _write(self, data: bytes) -> None:
        try:
            self._handler.write(data)
            flushed = self._handler.flush()
            if not flushed.done():  # mostly it is: the system took all of it
                await asyncio.wait_for(flushed, FLUSH_TIMEOUT)
            flushed.result()
        except (StreamClosedError, TimeoutError, asyncio.TimeoutError, RuntimeError) as reason:
            raise ClientGone from reason
