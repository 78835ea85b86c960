"""The group ``jupyter aiserver git …``: set up and run the merge driver.

Invariants: ``merge`` reads only the files that git names, without a server, configuration or store.
It imports few modules, because git starts it once per file.
"""

from __future__ import annotations

import argparse
from typing import Any


def add_commands(groups: Any) -> None:
    """Add the group ``git`` to the command line."""
    group = groups.add_parser("git", help="let git merge histories without conflicts")
    commands = group.add_subparsers(title="commands", required=True, metavar="COMMAND")
    command = _add(
        commands,
        "install",
        "set up the merge driver for histories in this repository (.gitattributes and git config)",
    )
    command.set_defaults(run=_install)
    command = _add(commands, "status", "show whether the merge driver is set up")
    command.set_defaults(run=_status)
    command = _add(commands, "merge", "merge one file (called by git)")
    for name, text in (
        ("base", "the common ancestor's version (%%O)"),
        ("ours", "our version (%%A), which the result replaces"),
        ("theirs", "the other version (%%B)"),
        ("path", "the file's path in the repository (%%P)"),
    ):
        command.add_argument(name, metavar=name.upper(), help=text)
    command.set_defaults(run=_merge)


def _add(commands: Any, name: str, text: str) -> Any:
    return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")


def _install(arguments: argparse.Namespace) -> int:
    from ..git.setup import install

    return install()


def _status(arguments: argparse.Namespace) -> int:
    from ..git.setup import status

    return status()


def _merge(arguments: argparse.Namespace) -> int:
    from ..git.driver import merge

    return merge(arguments.base, arguments.ours, arguments.theirs, arguments.path)
