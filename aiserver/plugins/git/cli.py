"""The commands ``jupyter aiserver git …``: set up and run the merge driver.

Git calls a merge driver when both branches have changed a file. AI Server's merge driver merges
the files of histories.

Invariants: the command ``merge`` needs no server, configuration or store, and reads only the files
that git names. The command imports few modules, because git starts it anew for each file.
"""

from __future__ import annotations

import argparse
from typing import Any

from ...commands import add_command, add_group


def add_commands(groups: Any) -> None:
    """Add the group ``git`` to the command line."""
    commands = add_group(groups, "git", "let git merge histories without conflicts")
    add_command(
        commands,
        "install",
        "set up the merge driver for histories in this repository (.gitattributes and git config)",
        _install,
    )
    add_command(commands, "status", "show whether the merge driver is set up", _status)
    command = add_command(commands, "merge", "merge one file (called by git)", _merge)
    for name, text in (
        ("base", "the common ancestor's version (%%O)"),
        ("ours", "our version (%%A), which the result replaces"),
        ("theirs", "the other version (%%B)"),
        ("path", "the file's path in the repository (%%P)"),
    ):
        command.add_argument(name, metavar=name.upper(), help=text)


def _install(arguments: argparse.Namespace) -> int:
    from .setup import install

    return install()


def _status(arguments: argparse.Namespace) -> int:
    from .setup import status

    return status()


def _merge(arguments: argparse.Namespace) -> int:
    from .driver import merge

    return merge(arguments.base, arguments.ours, arguments.theirs, arguments.path)
