"""Print the history of cells: in colours at a terminal, without colours in a pipe.

Invariants: the contents of sessions can't control the terminal, and the library ``rich`` doesn't
interpret them as its markup. In a pipe no line is wrapped or cut.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...llm.local.labels import model_label
from ...notebooks.history import History
from ...replay import Step, report, shown_numbers, shown_steps
from ...sharing.labels import cell_name, label_counts, outcome, percent, title
from ...sharing.labels import shares as shares_of
from ...sharing.narrative import diff_lines
from ..safe_text import make_safe

if TYPE_CHECKING:
    from rich.console import Console

_ICONS = {"turn": "✦", "run": "▷", "delete": "✕", "restore": "↶", "edit": "✎"}
_OUTCOME_COLOURS = {"accepted": "green", "error": "red", "open": "yellow"}
_STEP_COLOURS = {"model": "magenta", "person": "cyan"}
_SHARE_COLOURS = {"by AI": "magenta", "by hand": "cyan"}
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_history(history: History, cell_ids: Collection[str]) -> None:
    """Print each step of the cells with these ids, with the change that the step made."""
    console = _create_console()
    cell_reports = report(history.timeline, history.sessions)["cells"]
    report_by_cell = {cell_report["cellId"]: cell_report for cell_report in cell_reports}
    is_first = True
    for number, cell in enumerate(history.timeline.cells(), 1):
        cell_id = cell["cellId"]
        steps = history.timeline.steps(cell_id)
        # A cell without steps is printed only if it is the only cell in `cell_ids`.
        if cell_id not in cell_ids or not (steps or len(cell_ids) == 1):
            continue
        if not is_first:
            console.print()
        is_first = False
        cell_report = report_by_cell.get(cell_id)
        name = cell_name(number if cell_report else None, cell)
        shares_text = _shares_text(cell_report)
        _print_line(console, (name, "bold"), (f"  {cell_id}", "dim"), (shares_text, "dim"))
        if not steps:
            _print_line(console, ("  No history.", "dim"))
        numbers = shown_numbers(steps)
        for step, parts in shown_steps(steps):
            _print_step(console, step, parts, numbers)


def print_report(notebook_report: Mapping[str, Any], name: str) -> None:
    """Print how many lines each contributor wrote: in total, by model or person, and by cell."""
    console = _create_console()
    total = notebook_report["total"]
    line_count = total["lines"]
    _print_line(console, (name, "bold"), (f"  {line_count:,} non-blank lines", "dim"))
    shares = shares_of(total)
    width = max(8, *(len(label) + 1 for label, _ in shares))
    for label, count in shares:
        bar = "█" * round(30 * count / line_count) if line_count else ""
        text = f"  {label:<{width}}{count:>6,}  {percent(count, line_count):>6}  "
        _print_line(console, (text, ""), (bar, _SHARE_COLOURS.get(label, "dim")))
    for count_by_name in (label_counts(total["models"]), total["names"]):
        pairs = sorted(count_by_name.items(), key=lambda pair: (-pair[1], pair[0]))
        for contributor, count in pairs:
            text = f"  {count:>{width + 6},}  {percent(count, line_count):>6}  {contributor}"
            _print_line(console, (text, "dim"))
    _print_line(console, (f"  {total['turns']:,} requests", "dim"))
    for number, cell in enumerate(notebook_report["cells"], 1):
        if cell["lines"] or cell["turns"]:
            cell_label = cell_name(number, cell)
            text = f"  {cell_label:<9} {cell['lines']:>5,} lines  AI {cell['byModel']:>5,}"
            text += f"  by hand {cell['byPerson']:>5,}"
            other_count = cell["lines"] - cell["byModel"] - cell["byPerson"]
            text += f"  other {other_count:>5,}  requests {cell['turns']:>3,}  "
            _print_line(console, (text, ""), (", ".join(label_counts(cell["models"])), "dim"))


def _print_step(
    console: Console, step: Step, parts: Sequence[Step], numbers: Sequence[int]
) -> None:
    is_by_model = step.author == "model"
    icon = _ICONS.get(step.kind, "·")
    intent = " ".join(step.title.split()) if step.kind == "turn" else ""
    _print_line(
        console,
        (f"{numbers[step.index]:>4} {icon} ", _STEP_COLOURS.get(step.author, "dim")),
        (intent or title(step, numbers), "bold" if is_by_model else ""),
        *_model_time_and_outcome(step, parts),
    )
    edits = [part for part in parts if part.kind == "edit"]
    for edit in edits:
        _print_line(console, (f"       {title(edit)}", "dim"))
    if step.kind != "run":
        for line in diff_lines(step, edits[-1].code if edits else step.code):
            # The position line of a diff ("@@ …") is useless if the cell was empty before the step.
            if not line.startswith("@@") or step.before:
                _print_line(console, (f"       {line}", _DIFF_COLOURS.get(line[:1], "dim")))
    if error := (parts[-1] if parts else step).error:
        for line in error.splitlines():
            _print_line(console, (f"       {line}", "red"))


def _model_time_and_outcome(step: Step, parts: Sequence[Step]) -> list[tuple[str, str]]:
    """Return a step's model, time and outcome as styled texts for the end of the step's line."""
    model = model_label(step.model) if step.model else ""
    model_and_time = [model, step.timestamp[:16].replace("T", " ")]
    if (answer_count := step.answer_count) > 1:
        model_and_time.append(f"{answer_count} answers")
    styled_texts = [("  " + "  ".join(text for text in model_and_time if text), "dim")]
    if text := outcome(step, parts):
        last = parts[-1] if parts else step
        styled_texts.append((f"  {text}", _OUTCOME_COLOURS.get(last.outcome, "dim")))
    return styled_texts


def _shares_text(cell_report: Mapping[str, Any] | None) -> str:
    """Return a text such as ``"  60% by AI, 40% by hand"``; empty if the cell has no lines."""
    if not cell_report or not cell_report["lines"]:
        return ""
    shares = [
        f"{percent(count, cell_report['lines'])} {label}"
        for label, count in shares_of(cell_report)
        if count
    ]
    return f"  {', '.join(shares)}"


def _create_console() -> Console:
    from rich.console import Console

    # `rich` must not interpret markup or emoji codes, nor highlight numbers.
    return Console(file=sys.stdout, markup=False, highlight=False, emoji=False, soft_wrap=True)


def _print_line(console: Console, *styled_texts: tuple[str, str]) -> None:
    """Print texts, each with its style, as one line."""
    from rich.text import Text

    line = ((make_safe(text).replace("\n", " "), style) for text, style in styled_texts)
    console.print(Text.assemble(*line))
