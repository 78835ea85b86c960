"""Add commands whose modules are imported only when they run."""

from __future__ import annotations

import argparse
from typing import Any

from traitlets.utils.importstring import import_item

from ..commands import add_command


def add_lazy_command(
    commands: Any, name: str, help_text: str, function: str, runner: str
) -> argparse.ArgumentParser:
    """Add a command: ``runner`` calls ``function`` with what it opens.

    Both are paths such as ``plugins.git.commands.run_install``.
    """

    def run(arguments: argparse.Namespace) -> int:
        run_command = import_item(f"aiserver.{function}")
        status: int = import_item(f"aiserver.{runner}")(run_command, arguments)
        return status

    return add_command(commands, name, help_text, run)


def add_store_command(
    commands: Any, name: str, help_text: str, function: str, option: str = "--store"
) -> argparse.ArgumentParser:
    """Add a command that works on a store, which ``option`` selects."""
    command = add_lazy_command(commands, name, help_text, function, "cli.stores.run_with_store")
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
