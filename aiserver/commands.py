"""Add commands and groups of commands to the command line ``jupyter aiserver``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


def add_group(groups: Any, name: str, help_text: str) -> Any:
    """Add a group; return the ``commands`` for ``add_command``."""
    group = groups.add_parser(name, help=help_text)
    return group.add_subparsers(title="commands", required=True, metavar="COMMAND")


def add_command(
    commands: Any, name: str, help_text: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Add a command. ``run`` returns the exit status."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}."
    )
    command.set_defaults(run=run)
    return command
