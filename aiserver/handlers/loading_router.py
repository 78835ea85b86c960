"""A router that imports the handlers at the first request to the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tornado.httputil import HTTPServerRequest
from tornado.routing import Router


class LoadingRouter(Router):
    """Adds the routes of the API to the web application at the first request to the API.

    This router itself never returns a handler, so Tornado looks for one in the added routes.
    """

    # jupyter_server checks that each HTTP method in this list requires a login. This router answers
    # no requests, so the list is empty.
    SUPPORTED_METHODS = ()

    def __init__(self, add_routes: Callable[[], None]) -> None:
        self._add_routes = add_routes

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> None:
        """Add the routes."""
        self._add_routes()
