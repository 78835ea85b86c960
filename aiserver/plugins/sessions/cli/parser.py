"""The commands ``jupyter aiserver sessions …`` and their options."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ....cli.commands import add_store_command
from ....commands import add_group

# Repeated here, because importing their modules would make every command slower.
_FORMATS = ("agentscope", "aiserver", "backup", "chat", "nanobot", "pcai", "verdant")
_EXPORTS = ("json", "jsonl", "markdown")
_NOTEBOOK_HELP = "only this notebook (file or ID)"
_NAME_HELP = "a notebook (file or ID), a cell ID, or NOTEBOOK/CELL"


def add_commands(groups: Any) -> None:
    """Add the group ``sessions``."""
    commands = add_group(groups, "sessions", "list, export, import, repair and delete histories")
    command = _add(commands, "list", "list the cells that have a history", "list_show.run_list")
    command.add_argument("--notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    _add_flags(command, json="print JSON")

    command = _add(commands, "show", "print requests and answers", "list_show.run_show")
    help_text = f"{_NAME_HELP} (default: the most recent)"
    command.add_argument("name", nargs="?", metavar="CELL|NOTEBOOK", help=help_text)
    _add_flags(command, latest="only the most recent request")

    command = _add(commands, "delete", "delete histories permanently", "delete.run_delete")
    command.add_argument("name", nargs="+", metavar="CELL|NOTEBOOK", help=_NAME_HELP)
    _add_flags(command, yes="don't ask for confirmation")

    command = _add(commands, "export", "export histories to files", "export.run_export")
    help_text = "write one file per cell to this folder (default: standard output)"
    command.add_argument("--to", metavar="FOLDER", help=help_text)
    help_text = "output format (default: json)"
    command.add_argument("--format", choices=_EXPORTS, default="json", help=help_text)
    command.add_argument("--notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    command.add_argument("--cell", metavar="ID", help="only this cell (ID)")

    _add_import(commands)
    help_text = "copy a whole project to another store"
    command = _add(commands, "copy", help_text, "copy.run_copy", "--from")
    command.description = (
        f"{command.description} The source is not changed. If the command is interrupted, run it "
        "again to resume."
    )
    command.add_argument("--to", metavar="STORE", required=True, help="the store to copy to")
    command.add_argument("--to-owner", metavar="NAME", help="the owner in the target store")
    for name, help_text in (
        ("verify", "check for damage without changing anything"),
        ("repair", "repair damaged histories; the damaged files are kept"),
    ):
        command = _add(commands, name, help_text, "list_show.run_verify")
        command.set_defaults(repair=name == "repair")
    _add_prune(commands)


def _add(
    commands: Any, name: str, help_text: str, function: str, option: str = "--store"
) -> argparse.ArgumentParser:
    path = f"plugins.sessions.cli.{function}"
    return add_store_command(commands, name, help_text, path, option)


def _add_flags(command: argparse.ArgumentParser, **help_texts: str) -> None:
    for name, help_text in help_texts.items():
        command.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=help_text)


def _add_import(commands: Any) -> None:
    help_text = "import histories from other programs"
    command = _add(commands, "import", help_text, "import_sessions.run_import")
    command.add_argument(
        "source",
        nargs="+",
        metavar="SOURCE",
        help="files or folders from nanobot, AgentScope, PCAI, jupyter-ai (.chat), Verdant "
        "(.ipyhistory) or AI Server, or the URL of an AgentScope database (mysql://…, redis://…)",
    )
    help_text = "input format (default: detected from the content)"
    command.add_argument("--format", choices=_FORMATS, help=help_text)
    command.add_argument("--notebook", metavar="FILE", help="attach the history to this notebook")
    help_text = "attach the history to this cell of the notebook"
    command.add_argument("--cell", metavar="ID", help=help_text)
    help_text = "AgentScope's table in the database (default: %(default)s)"
    command.add_argument("--table", default="agentscope_sessions", help=help_text)
    help_text = "prefix of AgentScope's keys in Redis (default: %(default)s)"
    command.add_argument("--prefix", default="agentscope:session:", help=help_text)
    command.add_argument(
        "--unpack-limit",
        type=_gigabytes,
        metavar="GB",
        help="maximum unpacked size of a backup "
        "(default: 2 GB, and at most 200 times its packed size)",
    )
    _add_flags(command, dry_run="show what would be done, without doing it")


def _gigabytes(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


def _add_prune(commands: Any) -> None:
    command = _add(
        commands, "prune", "delete old histories after backing them up", "prune.run_prune"
    )
    help_text = "histories not changed for this long, such as 365d, 52w, 12m or 1y"
    command.add_argument("--older-than", metavar="AGE", help=help_text)
    _add_flags(
        command,
        missing="histories of notebooks that no longer exist",
        unused_blobs="stored images and outputs that no history uses",
    )
    command.add_argument(
        "--backup",
        type=os.path.realpath,
        default=".",
        metavar="FOLDER",
        help="folder for the backup (default: the current folder)",
    )
    _add_flags(
        command,
        dry_run="show what would be deleted, without deleting it",
        yes="don't ask for confirmation",
    )
