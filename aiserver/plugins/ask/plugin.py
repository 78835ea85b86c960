"""The plugin with the command ``jupyter aiserver ask``."""

from __future__ import annotations

from typing import Any

from ...plugin import Plugin


class AskPlugin(Plugin):
    """Asks for the code of a cell on the command line."""

    name = "ask"

    def add_commands(self, groups: Any) -> None:
        from ...cli.commands import add_store_command

        text = "ask for the code of a cell in a notebook"
        command = add_store_command(groups, "ask", text, "plugins.ask.commands.run_ask")
        command.epilog = (
            "The code is printed to standard output, and the explanation to standard error; an "
            "answer in words is printed to standard output. The exit status is 0 after an answer, "
            "1 after a failure, 2 after wrong usage and 130 after Ctrl+C."
        )
        command.add_argument("notebook", metavar="NOTEBOOK", help="the notebook's file")
        command.add_argument(
            "cell", metavar="CELL", help="the cell: its number, counted from 1, or its ID"
        )
        command.add_argument(
            "request", metavar="REQUEST", help="the request; - reads it from standard input"
        )
        command.add_argument(
            "--model", metavar="ID", help="the model, as PROVIDER:NAME (default: the server's)"
        )
        command.add_argument(
            "--apply",
            action="store_true",
            help="write the code into the cell of the notebook's file",
        )
