"""The group ``jupyter aiserver sessions …``: its commands and their options.

What must hold: what a command does is told by one line of help; a command that removes something
asks first.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Named here, so that the help of other commands needs neither the stores nor the formats.
_FORMATS = ("agentscope", "aiserver", "backup", "chat", "nanobot", "pcai", "verdant")
_EXPORTS = ("json", "jsonl", "markdown")
_STORE = "a store: its address, its name, or a folder (default: the one that the server uses)"


def add_commands(groups: Any) -> None:
    """Add the group ``sessions`` to the command line."""
    group = groups.add_parser("sessions", help="histories: list, move in and out, mend, clear away")
    commands = group.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = add_command(commands, "list", "say which cells have a history", "showing.run_list")
    command.add_argument("--notebook", metavar="NOTEBOOK", help="only of this file or id")
    command.add_argument("--json", action="store_true", help="print JSON, for programs")

    command = add_command(commands, "show", "print what was asked and answered", "showing.run_show")
    command.add_argument(
        "name",
        nargs="?",
        metavar="CELL|NOTEBOOK",
        help="a notebook's file or id, a cell's id, or NOTEBOOK/CELL (default: the newest)",
    )
    command.add_argument("--latest", action="store_true", help="the newest turn only")

    command = add_command(commands, "delete", "remove histories for good", "deleting.run_delete")
    command.add_argument(
        "name", nargs="+", metavar="CELL|NOTEBOOK", help="a notebook's file or id, a cell's id …"
    )
    command.add_argument("--yes", action="store_true", help="don't ask")

    command = add_command(commands, "export", "write histories for others", "exporting.run_export")
    command.add_argument("--to", metavar="FOLDER", help="a file each (default: standard output)")
    command.add_argument("--format", choices=_EXPORTS, default="json", help="default: json")
    command.add_argument("--notebook", metavar="NOTEBOOK", help="only of this file or id")
    command.add_argument("--cell", metavar="ID", help="only of this cell")

    _add_import(commands)
    _add_copy(commands)
    add_command(commands, "verify", "look for damage; changes nothing", "verifying.run_verify")
    add_command(commands, "repair", "mend damage; keeps each byte", "verifying.run_repair")
    _add_prune(commands)


def _add_import(commands: Any) -> None:
    command = add_command(
        commands, "import", "take in what other programs kept", "importing.run_import"
    )
    command.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="files and folders of nanobot, AgentScope, PCAI, jupyter-ai (.chat), Verdant "
        "(.ipyhistory) and AI Server; or the address of AgentScope's database (mysql://…, redis://…)",
    )
    command.add_argument("--format", choices=_FORMATS, help="default: by what the file holds")
    command.add_argument(
        "--notebook", metavar="FILE", help="put it with this notebook (default: by itself)"
    )
    command.add_argument("--cell", metavar="ID", help="put it with this cell of the notebook")
    command.add_argument("--table", default="agentscope_sessions", help="in a database")
    command.add_argument("--prefix", default="agentscope:session:", help="of the keys in Redis")
    command.add_argument(
        "--unpack-limit",
        type=_gigabytes,
        metavar="GB",
        help="what a backup may unpack to (default: 2, and 200 times its size)",
    )
    command.add_argument("--dry-run", action="store_true", help="only say what would be done")


def _gigabytes(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


def _add_copy(commands: Any) -> None:
    command = commands.add_parser(
        "copy",
        help="copy a whole project to another store",
        description="Copy a whole project to another store. The source is left as it is; stopped "
        "and run again, it goes on where it was.",
    )
    command.add_argument("--from", dest="from_", metavar="STORE", help=_STORE)
    command.add_argument("--to", metavar="STORE", required=True, help="the store to copy to")
    command.add_argument("--owner", metavar="NAME", help="whose sessions (default: yours)")
    command.add_argument("--to-owner", metavar="NAME", help="whose they are to be there")
    command.add_argument("--all-owners", action="store_true", help="everybody's, by their names")
    command.set_defaults(run=later("copying.run_copy"))


def _add_prune(commands: Any) -> None:
    command = add_command(
        commands, "prune", "clear away old histories, after a backup", "pruning.run_prune"
    )
    command.add_argument(
        "--older-than", metavar="AGE", help="not written for so long: 365d, 52w, 12m, 1y"
    )
    command.add_argument("--gone", action="store_true", help="of notebooks that are nowhere now")
    command.add_argument(
        "--unused-blobs", action="store_true", help="large pieces that no history names"
    )
    command.add_argument("--backup", metavar="FOLDER", help="where to (default: this folder)")
    command.add_argument("--dry-run", action="store_true", help="only say what would go")
    command.add_argument("--yes", action="store_true", help="don't ask")


def add_command(commands: Any, name: str, told: str, work: str) -> argparse.ArgumentParser:
    """A command about one store."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=told, description=f"{told[0].upper()}{told[1:]}."
    )
    command.add_argument("--store", metavar="STORE", help=_STORE)
    command.add_argument("--owner", metavar="NAME", help="whose sessions (default: yours)")
    command.add_argument("--all-owners", action="store_true", help="everybody's")
    command.set_defaults(run=later(work, with_place=True))
    return command


def later(work: str, *, with_place: bool = False) -> Callable[[argparse.Namespace], int]:
    """The work of a command, imported when it is run."""
    module, _, name = work.partition(".")

    def run(arguments: argparse.Namespace) -> int:
        found: Callable[..., Any] = getattr(import_module(f".{module}", __package__), name)
        if with_place:
            from .places import run_with_place

            return run_with_place(found, arguments)
        status: int = found(arguments)
        return status

    return run
