"""The commands ``jupyter aiserver replay …`` and their options."""

from __future__ import annotations

from typing import Any

from ....cli.commands import add_store_command
from ....commands import add_group

# The names of ``export.FORMATS`` are repeated, because importing that module would make every
# command slower to start.
_FORMATS = ("html", "md", "ipynb", "prov", "agent-trace")
_NOTEBOOK_HELP = "the notebook (file or ID)"

_HERE = "plugins.export.cli"


def add_commands(groups: Any) -> None:
    """Add the group ``replay`` to the command line."""
    commands = add_group(groups, "replay", "show how a notebook was made, and restore it")

    command = add_store_command(
        commands, "show", "print how each cell was made", f"{_HERE}.commands.run_show"
    )
    command.add_argument("notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    command.add_argument("--cell", metavar="ID", help="only this cell (ID, or the start of it)")

    command = add_store_command(
        commands,
        "export",
        "export the replay as one file",
        f"{_HERE}.commands.run_export",
    )
    command.add_argument("notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    command.add_argument(
        "--format",
        choices=_FORMATS,
        default="html",
        help="html: a self-contained web page (default); md: Markdown; "
        "ipynb: the notebook with the history of its cells; prov: W3C PROV as JSON, without code; "
        "agent-trace: the authors of the lines in the notebook's file, as Agent Trace 0.1.0",
    )
    command.add_argument(
        "--output",
        metavar="FILE",
        help="output file (default: a file in the current folder); - for standard output",
    )
    command.add_argument("--force", action="store_true", help="overwrite an existing file")

    command = add_store_command(
        commands,
        "note",
        "name the authors of the lines that a commit adds to notebooks, in a git note",
        f"{_HERE}.note.run_note",
    )
    command.add_argument(
        "revision", metavar="REVISION", nargs="?", default="HEAD", help="the commit (default: HEAD)"
    )

    command = add_store_command(
        commands,
        "report",
        "show how much was written by AI, and by which models",
        f"{_HERE}.commands.run_report",
    )
    command.add_argument("notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    command.add_argument("--json", action="store_true", help="print JSON")

    command = add_store_command(
        commands,
        "restore",
        "bring a notebook back as it was recorded, also if its file is damaged or deleted",
        f"{_HERE}.restore.run_restore",
    )
    command.add_argument("notebook", metavar="NOTEBOOK", help=_NOTEBOOK_HELP)
    command.add_argument(
        "--at",
        metavar="TIME",
        help="a time such as “2026-03-01 14:30”, or as “replay show” prints it "
        "(default: the last one, or the last one before most cells vanished)",
    )
    command.add_argument(
        "--in-place",
        action="store_true",
        help="replace the notebook’s file instead of writing “NOTEBOOK (restored TIME).ipynb” "
        "beside it; the old content is written to “NOTEBOOK (before restore).ipynb” first",
    )
