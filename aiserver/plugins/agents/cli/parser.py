"""The commands ``jupyter aiserver mcp`` and ``jupyter aiserver agents …``, and their options."""

from __future__ import annotations

import argparse
from typing import Any

from ....commands import add_command, add_group

# These names are repeated from ``clients.CLIENTS``, because importing that module would make every
# command slower to start.
_CLIENTS = ("claude", "codex", "gemini", "opencode", "goose")


def add_commands(groups: Any) -> None:
    """Add the command ``mcp`` and the group ``agents`` to the command line."""
    command = add_command(
        groups, "mcp", "give an agent the tools for notebooks (the agent starts this)", _mcp
    )
    command.epilog = (
        "Reads messages of the Model Context Protocol from standard input, one a line, passes them "
        "to the running Jupyter server that serves this folder, and writes its answers to standard "
        "output. If AISERVER_URL is set, that server is used, with the token in AISERVER_TOKEN."
    )
    command.add_argument(
        "--server",
        metavar="URL",
        help="the address of the Jupyter server (default: the one that serves this folder)",
    )

    commands = add_group(groups, "agents", "connect agents, such as Claude Code, to notebooks")
    for name, text, run in (
        ("connect", "let an agent find the tools for notebooks, in this project", _connect),
        ("disconnect", "remove what “connect” wrote", _disconnect),
    ):
        command = add_command(commands, name, text, run)
        command.add_argument("client", choices=_CLIENTS, help="the agent")
        command.add_argument(
            "--user",
            action="store_true",
            help="in all of your projects (Codex and Goose have no other way)",
        )
    add_command(commands, "status", "show which agents are connected", _status)
    command = add_command(
        commands, "hook", "record what an agent writes into notebooks (its hook starts this)", _hook
    )
    command.add_argument("client", choices=_CLIENTS, help="the agent")


def _mcp(arguments: argparse.Namespace) -> int:
    from .bridge import run

    return run(arguments.server)


def _connect(arguments: argparse.Namespace) -> int:
    from .commands import connect

    return connect(arguments.client, arguments.user)


def _disconnect(arguments: argparse.Namespace) -> int:
    from .commands import disconnect

    return disconnect(arguments.client, arguments.user)


def _hook(arguments: argparse.Namespace) -> int:
    from .hook import run

    return run(arguments.client)


def _status(arguments: argparse.Namespace) -> int:
    from .commands import status

    return status()
