"""Print safely, ask for confirmation, and show progress."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, TextIO

from ..errors import SettingError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def make_safe(text: str) -> str:
    """Replace control characters, except tabs and line feeds, and marks of text direction, by �."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def print_json(data: object) -> None:
    """Print JSON; escape the characters that ``make_safe`` replaces."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    print(_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def print_markdown(markdown: str) -> None:
    """Print Markdown, with colours at a terminal."""
    text = make_safe(markdown)
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console().print(
        Syntax(text, "markdown", theme="ansi_dark", word_wrap=True, background_color="default")
    )


def confirm(question: str, *, yes: bool, default: bool = False) -> bool:
    """Ask a yes/no question; Enter means ``default``.

    With ``yes`` (``--yes``), return True without asking. Raises SettingError without a terminal.
    """
    if yes:
        return True
    if not sys.stdin.isatty():
        raise SettingError("Can't ask for confirmation here. Use --yes to confirm.")
    try:
        answer = input(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().lower()
    except EOFError:  # Ctrl+D
        return False
    return default if not answer else answer in ("y", "yes", "是")  # 是 is Chinese for yes


def create_bar(stream: TextIO, *columns: str) -> Any:
    """Create a bar of ``rich`` with one task, 0. It shows only at a terminal.

    ``columns`` are classes of ``rich``, to the right of the bar.
    """
    from rich import console, progress

    bar = progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        *(getattr(progress, name)() for name in columns),
        progress.TimeRemainingColumn(compact=True),
        console=console.Console(file=stream),
        transient=stream is sys.stderr,
        disable=not stream.isatty(),
    )
    bar.add_task("", total=None)
    return bar


class ProgressBar:
    """Shows on standard error, if it is a terminal, how many items are done."""

    def __init__(self, label: str, total: int | None = None) -> None:
        self._bar = create_bar(sys.stderr, "MofNCompleteColumn")
        self.begin(label, total)

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def begin(self, label: str, total: int | None) -> None:
        self._bar.reset(0, description=label, total=total)

    def advance(self) -> None:
        self._bar.advance(0)
