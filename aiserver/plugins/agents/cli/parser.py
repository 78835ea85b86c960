"""The commands ``jupyter aiserver mcp`` and ``jupyter aiserver agents …``, and their options."""

from __future__ import annotations

import argparse
from typing import Any

from ....commands import add_command, add_group
from . import LABELS


def add_commands(groups: Any) -> None:
    """Add the command ``mcp`` and the group ``agents`` to the command line."""
    text = "give an agent the tools for notebooks (the agent starts this)"
    command = add_command(groups, "mcp", text, _mcp)
    command.epilog = (
        "Reads messages of the Model Context Protocol from standard input, one a line, passes them "
        "to the running Jupyter server that serves this folder, and writes its answers to standard "
        "output. If AISERVER_URL is set, that server is used, with the token in AISERVER_TOKEN."
    )
    server = "the address of the Jupyter server (default: the one that serves this folder)"
    command.add_argument("--server", metavar="URL", help=server)
    few = "list fewer tools, for models with a small context: one of them gives access to the rest"
    command.add_argument("--few-tools", action="store_true", help=few)

    commands = add_group(groups, "agents", "connect agents, such as Claude Code, to notebooks")
    for name, text in (
        ("connect", "let an agent find the tools for notebooks, in this project"),
        ("disconnect", "undo “connect”"),
    ):
        command = add_command(commands, name, text, _agents)
        command.add_argument("client", choices=LABELS, help="the agent")
        scope = "in all of your projects (Codex and Goose have no other way)"
        command.add_argument("--user", action="store_true", help=scope)
        command.set_defaults(action=name)
    command = add_command(commands, "status", "show which agents are connected", _agents)
    command.set_defaults(action="status")
    text = "record what an agent writes into notebooks (its hook starts this)"
    command = add_command(commands, "hook", text, _hook)
    command.add_argument("client", choices=LABELS, help="the agent")


def _mcp(arguments: argparse.Namespace) -> int:
    from .bridge import run

    more = "?tools=few" if arguments.few_tools else ""
    return run(arguments.server, f"aiserver/mcp{more}")


def _agents(arguments: argparse.Namespace) -> int:
    from .connect import connect, disconnect, status

    if arguments.action == "status":
        return status()
    run = connect if arguments.action == "connect" else disconnect
    return run(arguments.client, arguments.user)


def _hook(arguments: argparse.Namespace) -> int:
    from .hook import run

    return run(arguments.client)
