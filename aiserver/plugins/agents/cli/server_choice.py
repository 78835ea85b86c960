"""Choose the running Jupyter server for an agent.

Imports the standard library and ``running_servers`` only. No sentence contains a token, or the part
of an address that may contain one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from ....running_servers.client import Server
from ....running_servers.discovery import (
    configured_server,
    hub_server,
    nearest_servers,
    running_servers,
)


class NoServer(Exception):
    """No server can be chosen. The message is a sentence for the agent and the person."""


class ServerChoice:
    """Finds the server of a folder, or the one at ``url``, and stays with it while it runs.

    The runs of an agent are in the memory of the server, so a second server that is started
    meanwhile doesn't replace it.
    """

    def __init__(self, url: str | None = None) -> None:
        self._url = url
        self._chosen: Server | None = None

    def find(self) -> Server:
        """Return the server for the working folder. Raises NoServer."""
        if self._url:
            return _server_at(self._url)
        if server := configured_server() or hub_server():
            return server
        servers = running_servers()
        if self._chosen not in servers:
            self._chosen = _nearest(servers)
        assert self._chosen is not None
        return self._chosen


def _server_at(url: str) -> Server:
    """Return the server at an address, with the token that this user has for it."""
    token = os.environ.get("AISERVER_TOKEN", "").strip()
    if token and os.environ.get("AISERVER_URL", "").strip() in ("", url):
        return Server(url, token)
    matches = [server for server in running_servers() if _origin(server.url) == _origin(url)]
    # The address of the runtime file is used, so that its token goes nowhere else.
    return matches[0] if matches else Server(url)


def _origin(url: str) -> tuple[str, str, int | None, str]:
    """Return what makes two addresses the same."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").replace("localhost", "127.0.0.1")
        return parts.scheme, host, parts.port, parts.path.rstrip("/")
    except ValueError:
        return "", url, None, ""


def _nearest(servers: Sequence[Server]) -> Server:
    try:
        folder = Path.cwd()
    except OSError:
        raise NoServer(
            "The folder in which the agent works no longer exists. Start the agent again."
        ) from None
    nearest = nearest_servers(servers, folder)
    if len(nearest) == 1:
        return nearest[0]
    if nearest:
        raise NoServer(
            f"Several Jupyter servers serve the folder {nearest[0].root_dir}: {_list(nearest)}. "
            f"Stop all but one, or choose one: {_HOW_TO_CHOOSE}."
        )
    others = f" Other servers are running: {_list(servers)}." if servers else ""
    raise NoServer(
        f"No Jupyter server is running for the folder {folder}.{others} Start JupyterLab in this "
        f"folder or in one above it, then try again. To use another server, {_HOW_TO_CHOOSE}."
    )


_HOW_TO_CHOOSE = (
    "set the environment variables AISERVER_URL and AISERVER_TOKEN to its address and token, or "
    "add “--server” and its address to “jupyter aiserver mcp” in the settings of the agent"
)


def _list(servers: Sequence[Server]) -> str:
    return ", ".join(
        f"{without_secrets(server.url)} ({server.root_dir or 'unknown folder'})"
        for server in servers
    )


def without_secrets(url: str) -> str:
    """Return an address without a user, a password and a query, which can contain a token."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an address that can’t be read"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
