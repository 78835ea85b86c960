"""Print the history of cells: in colours at a terminal, plain in a pipe.

Invariants: contents of sessions are never interpreted, neither by the terminal nor as markup of
``rich``. In a pipe no line is wrapped or cut.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...notebooks.history import History
from ...replay import Step, report
from ...sharing.labels import cell_name, outcome, percent, title
from ...sharing.labels import shares as shares_of
from ...sharing.narrative import change
from ..safe_text import safe

if TYPE_CHECKING:
    from rich.console import Console

_ICONS = {"turn": "✦", "run": "▷", "delete": "✕", "restore": "↶", "edit": "✎"}
_OUTCOME_COLOURS = {"accepted": "green", "error": "red", "open": "yellow"}
_STEP_COLOURS = {"model": "magenta", "person": "cyan"}
_COLOURS = {"by AI": "magenta", "by hand": "cyan"}
_SIGNS = {"+": "green", "-": "red", "@": "cyan"}


def print_history(history: History, cell_ids: Collection[str]) -> None:
    """Print each step of the cells with its changes."""
    console = _console()
    shares = {row["cellId"]: row for row in report(history.timeline, history.sessions)["cells"]}
    first = True
    for number, row in enumerate(history.timeline.cells(), 1):
        steps = history.timeline.steps(row["cellId"])
        if row["cellId"] not in cell_ids or not (steps or len(cell_ids) == 1):
            continue
        if not first:
            console.print()
        first = False
        share = shares.get(row["cellId"])
        name = cell_name(number if share else None, row)
        _line(console, (name, "bold"), (f"  {row['cellId']}", "dim"), (_share(share), "dim"))
        if not steps:
            _line(console, ("  No history.", "dim"))
        for step in steps:
            _print_step(console, step)


def print_report(shares: Mapping[str, Any], name: str) -> None:
    """Print the shares of a notebook: in total, by model, by cell."""
    console = _console()
    total = shares["total"]
    lines = total["lines"]
    _line(console, (name, "bold"), (f"  {lines:,} non-blank lines", "dim"))
    rows = shares_of(total)
    width = max(8, *(len(label) + 1 for label, _ in rows))
    for label, count in rows:
        bar = "█" * round(30 * count / lines) if lines else ""
        text = f"  {label:<{width}}{count:>6,}  {percent(count, lines):>6}  "
        _line(console, (text, ""), (bar, _COLOURS.get(label, "dim")))
    for names in (total["models"], total["names"]):
        for name, count in sorted(names.items(), key=lambda row: (-row[1], row[0])):
            _line(console, (f"  {count:>{width + 6},}  {percent(count, lines):>6}  {name}", "dim"))
    _line(console, (f"  {total['turns']:,} requests", "dim"))
    for number, row in enumerate(shares["cells"], 1):
        if row["lines"] or row["turns"]:
            name = cell_name(number, row)
            text = f"  {name:<9} {row['lines']:>5,} lines  AI {row['byModel']:>5,}"
            text += f"  by hand {row['byPerson']:>5,}"
            others = row["lines"] - row["byModel"] - row["byPerson"]
            text += f"  other {others:>5,}  requests {row['turns']:>3,}  "
            _line(console, (text, ""), (", ".join(row["models"]), "dim"))


def _print_step(console: Console, step: Step) -> None:
    is_model = step.author == "model"
    icon = _ICONS.get(step.kind, "·")
    intent = " ".join(step.title.split()) if step.kind == "turn" else ""
    _line(
        console,
        (f"{step.index + 1:>4} {icon} ", _STEP_COLOURS.get(step.author, "dim")),
        (intent or title(step), "bold" if is_model else ""),
        *_tail(step),
    )
    if step.kind != "run":
        for line in change(step):
            if not line.startswith("@@") or step.before:
                _line(console, (f"       {line}", _SIGNS.get(line[:1], "dim")))
    if step.error:
        for line in step.error.splitlines():
            _line(console, (f"       {line}", "red"))


def _tail(step: Step) -> list[tuple[str, str]]:
    facts = [step.model or "", step.timestamp[:16].replace("T", " ")]
    parts = [("  " + "  ".join(fact for fact in facts if fact), "dim")]
    if text := outcome(step):
        parts.append((f"  {text}", _OUTCOME_COLOURS.get(step.outcome, "dim")))
    return parts


def _share(share: Mapping[str, Any] | None) -> str:
    if not share or not share["lines"]:
        return ""
    parts = [
        f"{percent(count, share['lines'])} {label}" for label, count in shares_of(share) if count
    ]
    return f"  {', '.join(parts)}"


def _console() -> Console:
    from rich.console import Console

    # No markup, no highlighting of numbers, no emoji codes.
    return Console(file=sys.stdout, markup=False, highlight=False, emoji=False, soft_wrap=True)


def _line(console: Console, *parts: tuple[str, str]) -> None:
    from rich.text import Text

    console.print(Text.assemble(*((safe(text).replace("\n", " "), style) for text, style in parts)))
