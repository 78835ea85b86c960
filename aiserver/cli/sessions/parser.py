"""The group ``jupyter aiserver sessions …``: its commands and their options.

Invariants: each command has one line of help; a command that deletes something asks for
confirmation.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Repeated here, so that parsing arguments imports neither the stores nor the formats.
_FORMATS = ("agentscope", "aiserver", "backup", "chat", "nanobot", "pcai", "verdant")
_EXPORTS = ("json", "jsonl", "markdown")
_STORE = "the store, as a URL, name or folder (default: the server's)"
_OWNER = "the owner of the histories (default: you)"
_NOTEBOOK = "only this notebook (file or ID)"
_NAME = "a notebook (file or ID), a cell ID, or NOTEBOOK/CELL"


def add_commands(groups: Any) -> None:
    """Add the group ``sessions`` to the command line."""
    group = groups.add_parser("sessions", help="list, export, import, repair and delete histories")
    commands = group.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = add_command(
        commands, "list", "list the cells that have a history", "sessions.list_show.run_list"
    )
    command.add_argument("--notebook", metavar="NOTEBOOK", help=_NOTEBOOK)
    command.add_argument("--json", action="store_true", help="print JSON")

    command = add_command(
        commands, "show", "print requests and answers", "sessions.list_show.run_show"
    )
    command.add_argument(
        "name",
        nargs="?",
        metavar="CELL|NOTEBOOK",
        help=f"{_NAME} (default: the most recent)",
    )
    command.add_argument("--latest", action="store_true", help="only the most recent request")

    command = add_command(
        commands, "delete", "delete histories permanently", "sessions.delete.run_delete"
    )
    command.add_argument("name", nargs="+", metavar="CELL|NOTEBOOK", help=_NAME)
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")

    command = add_command(
        commands, "export", "export histories to files", "sessions.export.run_export"
    )
    command.add_argument(
        "--to",
        metavar="FOLDER",
        help="write one file per cell to this folder (default: standard output)",
    )
    command.add_argument(
        "--format", choices=_EXPORTS, default="json", help="output format (default: json)"
    )
    command.add_argument("--notebook", metavar="NOTEBOOK", help=_NOTEBOOK)
    command.add_argument("--cell", metavar="ID", help="only this cell (ID)")

    _add_import(commands)
    _add_copy(commands)
    add_command(
        commands,
        "verify",
        "check for damage without changing anything",
        "sessions.verify.run_verify",
    )
    add_command(
        commands,
        "repair",
        "repair damaged histories; the damaged files are kept",
        "sessions.verify.run_repair",
    )
    _add_prune(commands)


def _add_import(commands: Any) -> None:
    command = add_command(
        commands,
        "import",
        "import histories from other programs",
        "sessions.import_sessions.run_import",
    )
    command.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="files or folders from nanobot, AgentScope, PCAI, jupyter-ai (.chat), Verdant "
        "(.ipyhistory) or AI Server, or the URL of an AgentScope database (mysql://…, redis://…)",
    )
    command.add_argument(
        "--format", choices=_FORMATS, help="input format (default: detected from the content)"
    )
    command.add_argument("--notebook", metavar="FILE", help="attach the history to this notebook")
    command.add_argument(
        "--cell", metavar="ID", help="attach the history to this cell of the notebook"
    )
    command.add_argument(
        "--table",
        default="agentscope_sessions",
        help="AgentScope's table in the database (default: %(default)s)",
    )
    command.add_argument(
        "--prefix",
        default="agentscope:session:",
        help="prefix of AgentScope's keys in Redis (default: %(default)s)",
    )
    command.add_argument(
        "--unpack-limit",
        type=_gigabytes,
        metavar="GB",
        help="maximum unpacked size of a backup (default: 2 GB, and at most 200 times its size)",
    )
    command.add_argument(
        "--dry-run", action="store_true", help="show what would be done, without doing it"
    )


def _gigabytes(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


def _add_copy(commands: Any) -> None:
    command = commands.add_parser(
        "copy",
        help="copy a whole project to another store",
        description="Copy a whole project to another store. The source is not changed. If "
        "interrupted, run it again to resume.",
    )
    command.add_argument("--from", dest="from_", metavar="STORE", help=_STORE)
    command.add_argument("--to", metavar="STORE", required=True, help="the store to copy to")
    command.add_argument("--owner", metavar="NAME", help=_OWNER)
    command.add_argument("--to-owner", metavar="NAME", help="the owner in the target store")
    command.add_argument(
        "--all-owners", action="store_true", help="histories of all owners; each keeps its owner"
    )
    command.set_defaults(run=import_later("sessions.copy.run_copy"))


def _add_prune(commands: Any) -> None:
    command = add_command(
        commands, "prune", "delete old histories after backing them up", "sessions.prune.run_prune"
    )
    command.add_argument(
        "--older-than",
        metavar="AGE",
        help="histories not changed for this long, such as 365d, 52w, 12m or 1y",
    )
    command.add_argument(
        "--gone", action="store_true", help="histories of notebooks that no longer exist"
    )
    command.add_argument(
        "--unused-blobs",
        action="store_true",
        help="stored images and outputs that no history uses",
    )
    command.add_argument(
        "--backup", metavar="FOLDER", help="folder for the backup (default: the current folder)"
    )
    command.add_argument(
        "--dry-run", action="store_true", help="show what would be deleted, without deleting it"
    )
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")


def add_command(commands: Any, name: str, text: str, target: str) -> argparse.ArgumentParser:
    """Add a command that works on one store."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}."
    )
    command.add_argument("--store", metavar="STORE", help=_STORE)
    command.add_argument("--owner", metavar="NAME", help=_OWNER)
    command.add_argument("--all-owners", action="store_true", help="histories of all owners")
    command.set_defaults(run=import_later(target, with_store=True))
    return command


def import_later(target: str, *, with_store: bool = False) -> Callable[[argparse.Namespace], int]:
    """Return a function that imports and runs a command."""
    module, _, name = target.rpartition(".")

    def run(arguments: argparse.Namespace) -> int:
        command: Callable[..., Any] = getattr(import_module(f"..{module}", __package__), name)
        if with_store:
            from .stores import run_with_store

            return run_with_store(command, arguments)
        status: int = command(arguments)
        return status

    return run
