"""Choose the running Jupyter server for an agent.

Imports the standard library and ``running_servers`` only. No sentence contains a token.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ....running_servers import discovery
from ....running_servers.client import Server

_HOW_TO_CHOOSE = (
    "set the environment variables AISERVER_URL and AISERVER_TOKEN to its address and token, or "
    "add “--server” and its address to “jupyter aiserver mcp” in the settings of the agent"
)


class NoServer(Exception):
    """No server can be chosen. The message is a sentence for the agent and the person."""


class ServerChoice:
    """Finds the server of a folder, or the one at ``url``, and stays with it while it runs.

    The runs of an agent are in its memory, so a server that is started later doesn't replace it.
    """

    def __init__(self, url: str | None = None) -> None:
        self._url = url
        self._chosen: Server | None = None

    def find(self) -> Server:
        """Return the server for the working folder. Raises NoServer."""
        configured = discovery.configured_server()
        if self._url and (configured is None or configured.url != self._url):
            # The address of the runtime file is used, so that its token goes nowhere else.
            servers = {_address(server.url): server for server in discovery.running_servers()}
            token = "" if configured else os.environ.get("AISERVER_TOKEN", "").strip()
            other = Server(self._url, token)
            return other if token else servers.get(_address(self._url), other)
        if server := configured or discovery.hub_server():
            return server
        running = discovery.running_servers()
        if self._chosen is None or self._chosen not in running:
            self._chosen = _nearest(running)
        return self._chosen


def _nearest(servers: list[Server]) -> Server:
    try:
        folder = Path.cwd()
    except OSError:
        raise NoServer("The agent’s folder was deleted. Start the agent again.") from None
    nearest = discovery.nearest_servers(servers, folder)
    if len(nearest) == 1:
        return nearest[0]
    names = ", ".join(without_secrets(server.url) for server in nearest or servers)
    if nearest:
        raise NoServer(
            f"Several Jupyter servers serve the folder {nearest[0].root_dir}: {names}. To choose "
            f"one, {_HOW_TO_CHOOSE}."
        )
    others = f" Other servers are running: {names}." if servers else ""
    raise NoServer(
        f"No Jupyter server is running for the folder {folder}.{others} Start JupyterLab in this "
        f"folder or in one above it, then try again. To use another server, {_HOW_TO_CHOOSE}."
    )


def _address(url: str) -> str:
    return without_secrets(url).replace("//localhost", "//127.0.0.1").rstrip("/")


def without_secrets(url: str) -> str:
    """Return an address without a user, a password and a query, which can contain a token."""
    return re.sub(r"(?<=//).*@|[?#].*", "", url)
