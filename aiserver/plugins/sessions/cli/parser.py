"""The commands ``jupyter aiserver sessions …`` and their options."""

from __future__ import annotations

import os
from typing import Any

from ....cli.commands import add_store_command
from ....commands import add_group

# These names are repeated from the importers and from ``export.py``, because importing those
# modules would make every command slower to start.
_FORMATS = ("agentscope", "aiserver", "backup", "chat", "nanobot", "pcai", "verdant")
_EXPORTS = ("json", "jsonl", "markdown")
_NOTEBOOK_HELP = "only this notebook (file or ID)"
_NAME_HELP = "a notebook (file or ID), a cell ID, or NOTEBOOK/CELL"

_HERE = "plugins.sessions.cli"


def add_commands(groups: Any) -> None:
    """Add the group ``sessions`` to the command line."""
    commands = add_group(groups, "sessions", "list, export, import, repair and delete histories")

    command = add_store_command(
        commands,
        "list",
        "list the cells that have a history",
        f"{_HERE}.list_show.run_list",
    )
    command.add_argument("--notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    command.add_argument("--json", action="store_true", help="print JSON")

    command = add_store_command(
        commands, "show", "print requests and answers", f"{_HERE}.list_show.run_show"
    )
    command.add_argument(
        "name",
        nargs="?",
        metavar="CELL|NOTEBOOK",
        help=f"{_NAME_HELP} (default: the most recent)",
    )
    command.add_argument("--latest", action="store_true", help="only the most recent request")

    command = add_store_command(
        commands, "delete", "delete histories permanently", f"{_HERE}.delete.run_delete"
    )
    command.add_argument("name", nargs="+", metavar="CELL|NOTEBOOK", help=_NAME_HELP)
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")

    command = add_store_command(
        commands, "export", "export histories to files", f"{_HERE}.export.run_export"
    )
    command.add_argument(
        "--to",
        metavar="FOLDER",
        help="write one file per cell to this folder (default: standard output)",
    )
    command.add_argument(
        "--format", choices=_EXPORTS, default="json", help="output format (default: json)"
    )
    command.add_argument("--notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    command.add_argument("--cell", metavar="ID", help="only this cell (ID)")

    _add_import(commands)
    _add_copy(commands)
    for name, help_text in (
        ("verify", "check for damage without changing anything"),
        ("repair", "repair damaged histories; the damaged files are kept"),
    ):
        command = add_store_command(commands, name, help_text, f"{_HERE}.verify.run_verify")
        command.set_defaults(repair=name == "repair")
    _add_prune(commands)


def _add_import(commands: Any) -> None:
    command = add_store_command(
        commands,
        "import",
        "import histories from other programs",
        f"{_HERE}.import_sessions.run_import",
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
        help="maximum unpacked size of a backup "
        "(default: 2 GB, and at most 200 times its packed size)",
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
    command = add_store_command(
        commands,
        "copy",
        "copy a whole project to another store",
        f"{_HERE}.copy.run_copy",
        "--from",
    )
    command.description = (
        f"{command.description} The source is not changed. If the command is interrupted, run it "
        "again to resume."
    )
    command.add_argument("--to", metavar="STORE", required=True, help="the store to copy to")
    command.add_argument("--to-owner", metavar="NAME", help="the owner in the target store")


def _add_prune(commands: Any) -> None:
    command = add_store_command(
        commands,
        "prune",
        "delete old histories after backing them up",
        f"{_HERE}.prune.run_prune",
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
        "--backup",
        type=os.path.realpath,
        default=".",
        metavar="FOLDER",
        help="folder for the backup (default: the current folder)",
    )
    command.add_argument(
        "--dry-run", action="store_true", help="show what would be deleted, without deleting it"
    )
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")
