"""Add commands and groups of commands to the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any


def add_group(groups: Any, name: str, text: str) -> Any:
    """Add a group; return what its commands are added to."""
    group = groups.add_parser(name, help=text)
    return group.add_subparsers(title="commands", required=True, metavar="COMMAND")


def add_command(
    commands: Any, name: str, text: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Add a command; ``text`` describes it."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}."
    )
    command.set_defaults(run=run)
    return command


def add_store_command(
    commands: Any, name: str, text: str, target: str, option: str = "--store"
) -> argparse.ArgumentParser:
    """Add a command that works on a store, which ``option`` selects.

    ``target`` is the name of its function, whose module is imported when it runs.
    """
    module, _, function = target.rpartition(".")

    def run(arguments: argparse.Namespace) -> int:
        from .sessions.stores import run_with_store

        work = getattr(import_module(f".{module}", __package__), function)
        return run_with_store(work, arguments)

    command = add_command(commands, name, text, run)
    command.add_argument(
        option,
        dest="store",
        metavar="STORE",
        help="the store, as a URL, name or folder (default: the server's)",
    )
    command.add_argument(
        "--owner", metavar="NAME", help="the owner of the histories (default: you)"
    )
    command.add_argument("--all-owners", action="store_true", help="histories of all owners")
    return command
