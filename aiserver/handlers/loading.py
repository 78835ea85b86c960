"""Load the handlers at the first request, and what they import after the server has started."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from tornado.httputil import HTTPServerRequest
from tornado.routing import Router

from ..gc_pause import pause_gc

# These modules import all other modules that the first requests need.
_SLOW_MODULES = (
    ".requests",
    ".generation.assistant",
    ".llm.registry",
    ".sessions.factory",
    ".sessions.file",
    ".handlers.routes",
)
_MAX_SECONDS = 10  # for which opening a notebook may be delayed


def delay_reading(manager: Any, is_loaded: asyncio.Event) -> None:
    """Let a contents manager return notebooks, with restored ids, after AI Server was loaded."""
    read = manager.get

    @functools.wraps(read)
    async def get(*args: Any, **kwargs: Any) -> Any:
        model = await read(*args, **kwargs)
        if is_loaded.is_set() or model.get("type") != "notebook" or not model.get("content"):
            return model
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(is_loaded.wait(), _MAX_SECONDS)
        is_loaded.set()  # nobody waits longer
        return await manager.get(*args, **kwargs)

    if inspect.iscoroutinefunction(read):
        manager.get = get


async def import_slow_modules() -> None:
    """Import the modules that the first requests need, in a thread."""
    for module in _SLOW_MODULES:
        await asyncio.to_thread(_import_module, module)


def _import_module(module: str) -> None:
    with pause_gc():
        importlib.import_module(module, "aiserver")


class LoadingRouter(Router):
    """Adds the routes of the API at the first request to it; Tornado then looks there."""

    # jupyter_server checks that each HTTP method in this list requires a login. This router answers
    # no requests, so the list is empty.
    SUPPORTED_METHODS = ()

    def __init__(self, add_routes: Callable[[], None]) -> None:
        self._add_routes = add_routes

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> None:
        self._add_routes()
