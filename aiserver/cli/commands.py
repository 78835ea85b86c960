"""Add commands that work on a store to the command line."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

from ..commands import add_command


def add_store_command(
    commands: Any, name: str, help_text: str, function_path: str, option: str = "--store"
) -> argparse.ArgumentParser:
    """Add a command that works on a store. The option named ``option`` selects the store.

    ``function_path`` names the function that runs the command. For example,
    ``sessions.copy.run_copy`` is the function ``run_copy`` in ``cli/sessions/copy.py``. The module
    is imported only when the command runs.
    """
    module, _, function = function_path.rpartition(".")

    def run(arguments: argparse.Namespace) -> int:
        from .stores import run_with_store

        run_command = getattr(import_module(f".{module}", __package__), function)
        return run_with_store(run_command, arguments)

    command = add_command(commands, name, help_text, run)
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
