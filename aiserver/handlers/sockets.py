"""The base handler of WebSockets, with the login, the errors and the services of all handlers."""

from __future__ import annotations

from typing import Any

from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ..errors import InvalidRequest
from ..surrogates import json_bytes
from .base import AIServerHandler, guarded

_MAX_MESSAGE = 100 * 1024 * 1024  # bytes, for a notebook with all its outputs


class SocketHandler(AIServerHandler, WebSocketHandler):
    """Base of handlers that exchange JSON with a page. Subclasses add Tornado's ``on_message``."""

    @property
    def max_message_size(self) -> int:
        return _MAX_MESSAGE

    @guarded("write")
    async def get(self) -> None:
        self.check_owner()
        if "websocket" not in self.request.headers.get("Upgrade", "").lower():
            raise InvalidRequest
        await super().get()

    def send(self, message: dict[str, Any]) -> bool:
        """Send a message; return False if the page has closed."""
        try:
            self.write_message(json_bytes(message))
        except WebSocketClosedError:
            return False
        return True
