"""The group ``jupyter aiserver replay …``: how a notebook came to be, to see and to hand on.

What must hold: nothing here changes a history.
"""

from __future__ import annotations

from typing import Any

from .commands import add_command

# Named here, so that the help of other commands needs no formats.
_FORMATS = ("html", "md", "ipynb")
_NOTEBOOK = "the notebook's file, or its id"


def add_commands(groups: Any) -> None:
    """Add the group ``replay`` to the command line."""
    group = groups.add_parser("replay", help="how a notebook came to be: show, hand on, report")
    commands = group.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = add_command(commands, "show", "print how each cell came to be", "telling.run_show")
    command.add_argument("notebook", metavar="NOTEBOOK", help=_NOTEBOOK)
    command.add_argument("--cell", metavar="ID", help="only this cell (the beginning will do)")

    command = add_command(
        commands, "export", "write the replay as one file to hand on", "telling.run_export"
    )
    command.add_argument("notebook", metavar="NOTEBOOK", help=_NOTEBOOK)
    command.add_argument(
        "--format",
        choices=_FORMATS,
        default="html",
        help="html: one page that needs nothing else (default); md: Markdown; "
        "ipynb: the notebook with the story of its cells",
    )
    command.add_argument(
        "--output", metavar="FILE", help="where to (default: in this folder); - for standard output"
    )
    command.add_argument("--force", action="store_true", help="overwrite what is there")

    command = add_command(
        commands, "report", "say how much the AI wrote, and which model", "telling.run_report"
    )
    command.add_argument("notebook", metavar="NOTEBOOK", help=_NOTEBOOK)
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
