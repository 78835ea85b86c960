"""The open pages, and which notebooks are open in them.

Each page has one WebSocket. The page tells which notebooks it has open, and answers what it is
asked: to apply operations, to run cells, or what is in a notebook now. If a page has closed, its
socket closes, or it doesn't answer.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from typing import Any, get_args

from pydantic import Field

from ...models import Id
from ...requests import Body, Level

TIMEOUT = 5.0  # seconds in which a page must answer
GRACE = 5.0  # seconds for which a notebook counts as open after its page has closed
_MAX_NOTEBOOKS = 1_000  # open in one page
_LEVELS: tuple[Level, ...] = get_args(Level)  # from no values to rows


class NoAnswer(Exception):
    """The page that has the notebook open doesn't answer."""


class Hello(Body):
    """The notebooks that a page has open. ``page`` is an id that the page chose.

    ``level`` is what the person allows agents to get of the data in the kernel.
    """

    type: str
    page: Id
    paths: list[str] = Field(max_length=_MAX_NOTEBOOKS)
    level: Level = "schema"


class Page:
    """An open page."""

    def __init__(self, send: Callable[[dict[str, Any]], bool]) -> None:
        self.send = send
        """Sends a message; returns False if the page has closed."""
        self.id = ""
        self.paths: dict[str, str] = {}
        """The paths of its notebooks as the page has them, by their only paths."""
        self.level: Level = "schema"
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, message: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Send a message and return the page's answer. Raises NoAnswer."""
        id_ = uuid.uuid4().hex
        answer = self._waiting[id_] = asyncio.get_running_loop().create_future()
        try:
            if not self.send(message | {"id": id_}):
                raise NoAnswer
            return await asyncio.wait_for(answer, timeout)
        except asyncio.TimeoutError as error:
            raise NoAnswer from error
        finally:
            del self._waiting[id_]

    def receive(self, message: dict[str, Any]) -> None:
        """Take an answer. One that nobody waits for any more is dropped."""
        waiting = self._waiting.get(str(message.get("id")))
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def close(self) -> None:
        """Tell all that wait that the page has gone."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(NoAnswer())


class Pages:
    """The open pages, that which has spoken last at the end."""

    def __init__(self, name: Callable[[str], str | None]) -> None:
        """Create the list. ``name`` returns the only path of a notebook."""
        self._name = name
        self._pages: list[Page] = []
        self._closed: dict[str, float] = {}

    def hello(self, page: Page, hello: Hello) -> None:
        """Note what a page has open."""
        page.id, page.level = hello.page, hello.level
        page.paths = {self._name(path) or path: path for path in hello.paths}
        self._pages = [other for other in self._pages if other is not page]
        self._pages.append(page)

    def forget(self, page: Page) -> None:
        """Forget a page. For some seconds, nothing is written behind it: it may come back."""
        self._pages = [other for other in self._pages if other is not page]
        now = time.monotonic()
        self._closed = {path: at for path, at in self._closed.items() if at > now - GRACE}
        self._closed |= dict.fromkeys(page.paths, now)

    def is_open(self, page_id: str) -> bool:
        """Return whether there is a page with this id."""
        return any(page.id == page_id for page in self._pages)

    def paths(self) -> list[str]:
        """Return the paths of the open notebooks."""
        return sorted({path for page in self._pages for path in page.paths})

    def data_level(self, path: str) -> Level:
        """Return the lowest level of data of the pages that have a notebook open."""
        levels = [page.level for page in self._pages if path in page.paths]
        return min(levels, key=_LEVELS.index, default="schema")

    async def ask(
        self, path: str, message: dict[str, Any], timeout: float | None = None
    ) -> dict[str, Any] | None:
        """Ask the page that has a notebook open; None if there is none. Raises NoAnswer."""
        if page := self._find(path):
            return await page.ask(message | {"path": page.paths[path]}, timeout or TIMEOUT)
        if time.monotonic() - self._closed.get(path, -GRACE) < GRACE:
            raise NoAnswer
        return None

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to all pages."""
        for page in self._pages:
            page.send(message)

    def _find(self, path: str) -> Page | None:
        return next((page for page in reversed(self._pages) if path in page.paths), None)
