"""Write the measurements as tables and a plot into ``docs/``."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from .chart import svg
from .field import FILE, FLOOR
from .losing import Lost
from .timing import HISTORY, Figures

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figures_of_turns(figures: Figures, sizes: Sequence[int]) -> str:
    """Return a table for each operation, with a row per contender and a column per session size."""
    parts = []
    titles = {
        "save": "A save (one turn)",
        "load": "A load (the whole session, from where it is kept)",
        "history": f"The history for a model (the newest {HISTORY} turns)",
    }
    head = [f"{size:,} turns" for size in sizes]
    for work, title in titles.items():
        rows = _rows(figures, sizes, work, "wall")
        parts.append(f"**{title}**, milliseconds\n\n" + table(["", *head], rows))
    parts.append(
        "**CPU time of a save**, milliseconds of the process that saves\n\n"
        + table(["", *head], _rows(figures, sizes, "save", "cpu"))
    )
    return "\n\n".join(parts)


def targets(
    figures: Figures, sizes: Sequence[int], many: Figures, sessions: int, served: dict[str, float]
) -> str:
    """Return a table with AI Server's targets and the measured values.

    ``many`` has the measurements among ``sessions`` sessions, and ``served`` the milliseconds of
    HTTP requests (see ``serving.py``).
    """
    rows = []
    for size in sizes:
        ours, floor = figures.of(FILE, size, "save"), figures.of(FLOOR, size, "save")
        if ours and floor:
            ratio = f"{ours.wall / floor.wall:.2f} ×"
            limit = "≤ 1.5 ×" if size <= 200 else "linear"
            rows.append([f"file: a save at {size:,} turns, over the bare write", limit, ratio])
    for name in figures.names():
        first, last = figures.of(name, sizes[0], "save"), figures.of(name, sizes[-1], "save")
        if first and last and name.startswith("ours: ") and name not in (FILE, "ours: memory"):
            text = f"a save at {sizes[-1]:,} turns, over one at {sizes[0]}"
            rows.append(
                [
                    f"{name.removeprefix('ours: ')}: {text}",
                    "≤ 1.2 ×",
                    f"{last.wall / first.wall:.2f} ×",
                ]
            )
    part = sessions // 10
    separate, combined = many.of(FILE, part, "list"), many.of(FILE, sessions, "list")
    if separate and combined:
        rows.append([f"file: {part:,} cells listed, warm", "< 50 ms", f"{separate.wall:.1f} ms"])
        more = f"{combined.wall / separate.wall - 1:+.0%}"
        rows.append([f"file: the same among {sessions:,} sessions", "< +20 %", more])
    limits = iter(("≤ 1.25 ×", "≤ 1.6 ×"))
    for name, elapsed in served.items():
        if name != "empty":
            ratio = f"{elapsed / served['empty']:.2f} ×"
            rows.append([f"`GET` of {name}, over an empty handler", next(limits, ""), ratio])
    return table(["what", "target", "measured"], rows)


def figures_of_many(many: Figures, sessions: int) -> str:
    """Return a table of the times of operations in a store with many sessions."""
    part = sessions // 10
    columns = [(part, "list, the first"), (part, "list"), (sessions, "list")]
    columns += [(sessions, work) for work in ("save", "load", "history")]
    head = [
        "",
        f"list {part:,}, cold",
        "warm",
        f"warm, among {sessions:,}",
        "save",
        "load",
        "history",
    ]
    rows = [
        [name, *(_cell(many, name, size, work, "wall") for size, work in columns)]
        for name in many.names()
    ]
    return table(head, rows)


def losses_table(
    few: dict[str, Lost], crowd: dict[str, Lost], killed: dict[str, Lost], heads: Sequence[str]
) -> str:
    """Return a table of the losses: with a few writers, with a crowd of writers, and by kills."""
    rows = [
        [name, *(str(part.get(name, "–")) for part in (few, crowd, killed))]
        for name in dict.fromkeys([*few, *crowd, *killed])
    ]
    return table(["", *heads], rows)


def plot(figures: Figures, sizes: Sequence[int]) -> str:
    """Return three charts: the times of a save, of a load and of a history, by session size."""
    panels = []
    for work in ("save", "load", "history"):
        lines = []
        for name in figures.names():
            values = {
                size: figure.wall for size in sizes if (figure := figures.of(name, size, work))
            }
            if values:
                lines.append((name, values))
        panels.append((f"{work}: ms, by turns", lines))
    return svg(panels, thick="ours")


def put(text: str, document: Path) -> None:
    """Replace what is between the markers ``BEGIN`` and ``END`` in a document by ``text``."""
    before = document.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    after, count = pattern.subn(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", before)
    if count != 1:
        raise ValueError(f"{document} does not contain the markers for the tables exactly once")
    document.write_text(after, encoding="utf-8")


def machine() -> str:
    """Return the date of the run, and what machine it ran on."""
    return (
        f"{date.today():%Y-%m-%d}, {os.cpu_count()} cores, {platform.system()} "
        f"{platform.release().split('-')[0]}, Python {platform.python_version()}"
    )


def _rows(figures: Figures, sizes: Sequence[int], work: str, column: str) -> list[list[str]]:
    """Return a row for each contender: its name, and a figure for each size."""
    rows = [
        [name, *(_cell(figures, name, size, work, column) for size in sizes)]
        for name in figures.names()
    ]
    return [row for row in rows if any(text != "–" for text in row[1:])]


def _cell(figures: Figures, name: str, size: int, work: str, column: str) -> str:
    """Return a figure as text; ``column`` is ``wall`` or ``cpu``."""
    figure = figures.of(name, size, work)
    if figure is None:
        return "–"
    value = getattr(figure, column)
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
