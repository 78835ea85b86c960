"""The commands ``jupyter aiserver memory …`` and their options.

Invariants: nothing becomes a memory unless the person adds or confirms it. ``forget`` asks, unless
the person adds ``--yes``.
"""

from __future__ import annotations

import argparse
from typing import Any

from ....cli.commands import add_lazy_command
from ....commands import add_group

# ``memory.entries.SCOPES``; importing that module would make every command slower.
_SCOPES = ("project", "person")
_ID_HELP = "its ID, or the start of it"


def add_commands(groups: Any) -> None:
    """Add the group ``memory``."""
    commands = add_group(groups, "memory", "list, add, import, export and forget memories")

    command = _add(commands, "list", "list the entries of the memories", "commands.run_list")
    _add_scope(command, "only this memory (default: both)")
    command.add_argument("--json", action="store_true", help="print JSON")

    command = _add(commands, "add", "remember a text", "commands.run_add")
    command.add_argument("text", metavar="TEXT", help="the text, in quotes")
    _add_scope(command, "the memory (default: person)", "person")

    help_text = "find entries by words, or else related ones"
    command = _add(commands, "search", help_text, "commands.run_search")
    command.add_argument("words", nargs="+", metavar="WORD", help="words to search for")
    command.add_argument("--json", action="store_true", help="print JSON")

    help_text = "remove entries, and the stored prompts that contain them"
    command = _add(commands, "forget", help_text, "commands.run_forget")
    command.add_argument("id", nargs="*", metavar="ID", help=f"an entry: {_ID_HELP}")
    help_text = "delete the stored prompts with this text, although it is not an entry (any more)"
    command.add_argument("--text", action="append", default=[], metavar="TEXT", help=help_text)
    help_text = "also delete the prompts in this store of histories (URL, name or folder)"
    command.add_argument("--store", action="append", default=[], metavar="STORE", help=help_text)
    command.add_argument("--yes", action="store_true", help="don't ask for confirmation")

    command = _add(commands, "pending", "list what waits for you", "commands.run_pending")
    command.add_argument("--json", action="store_true", help="print JSON")
    actions = command.add_subparsers(title="commands", metavar="COMMAND")
    for name, verb in (("confirm", "remember"), ("reject", "discard")):
        action = _add(actions, name, f"{verb} what waits for you", f"commands.run_{name}")
        action.add_argument("id", nargs="*", metavar="ID", help=_ID_HELP)
        action.add_argument("--all", action="store_true", help="all of them")

    help_text = "propose the memories of other programs, or remember them"
    command = _add(commands, "import", help_text, "import_export.run_import")
    command.add_argument(
        "file",
        nargs="+",
        metavar="FILE",
        help="nanobot's MEMORY.md; PCAI's MEMORY.md, knowledge.md, memory_store.json or pending "
        "items; a file that “memory export” wrote",
    )
    _add_scope(command, "the memory (default: person)", "person")
    help_text = "remember the entries at once, without proposals"
    command.add_argument("--confirm", action="store_true", help=help_text)

    command = _add(commands, "export", "export memories as Markdown", "import_export.run_export")
    help_text = "the file to write (default: standard output)"
    command.add_argument("file", nargs="?", metavar="FILE", help=help_text)
    _add_scope(command, "only this memory (default: both)")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")


def _add(commands: Any, name: str, help_text: str, function: str) -> argparse.ArgumentParser:
    runner = "plugins.memory.cli.commands.run_with_memories"
    return add_lazy_command(commands, name, help_text, f"plugins.memory.cli.{function}", runner)


def _add_scope(command: argparse.ArgumentParser, help_text: str, default: str = "") -> None:
    command.add_argument(
        "--scope",
        choices=_SCOPES,
        default=default or None,
        help=f"{help_text}: that of the project, in .aiserver_memory, or your own",
    )
