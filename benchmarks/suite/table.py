"""Print the results of runs as tables in Markdown.

    python -m benchmarks.suite.table FILE… [--by-set]

There is one table for each model, with one row for each stage and run, so that several runs are
below each other. Shares have 95 % Wilson intervals. A table has only the items that all runs of its
model have finished.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .failures import CLASSES
from .intervals import wilson
from .results import Line, read

LABELS = {
    "plain": "plain",
    "context": "+ context",
    "checks": "+ checks",  # of earlier results
    "corrected": "+ corrections",
    "repair": "+ repair",
    "run": "+ run and repair",
}
MARKS = ("right, marked", "wrong, marked", "wrong, no mark")
"""The answers that ran, by the marks that the page shows with them; not in earlier results."""
HEADER = ("stage", "run", "items", "right", "ran", "problems found", "tokens", "seconds", *CLASSES)


def tables(lines: Iterable[Line], by_set: bool) -> str:
    """Return the tables of results; those of items held back are separate."""
    groups: dict[tuple[str, bool, str], list[Line]] = {}
    for line in lines:
        name = line["set"] if by_set else ""
        groups.setdefault((line["model"], line["holdout"], name), []).append(line)
    return "\n".join(
        _table(_heading(*key), group) for key, group in sorted(groups.items(), key=lambda g: g[0])
    )


def _heading(model: str, is_holdout: bool, name: str) -> str:
    parts = [model, name, "items held back" if is_holdout else ""]
    return ", ".join(part for part in parts if part)


def _table(heading: str, lines: list[Line]) -> str:
    runs = _comparable(lines)
    has_marks = any(s.get("marks") is not None for line in lines for s in line["stages"].values())
    header = (*HEADER[:5], *MARKS, *HEADER[5:]) if has_marks else HEADER
    rows = [f"### {heading}", "", _row(header), _row(["---"] * len(header))]
    for stage, label in LABELS.items():
        for run, own in runs.items():
            if all(stage in line["stages"] for line in own):
                cells = _cells([line["stages"][stage] for line in own], has_marks)
                rows.append(_row([label, run, *cells]))
    return "\n".join([*rows, ""])


def _comparable(lines: list[Line]) -> dict[str, list[Line]]:
    """Return the lines of each run, with the items that all runs have; a later line wins."""
    runs: dict[str, dict[str, Line]] = {}
    for line in lines:
        runs.setdefault(line["run"], {})[line["item"]] = line
    common = set.intersection(*(set(own) for own in runs.values()))
    return {run: [own[item] for item in sorted(common)] for run, own in runs.items()}


def _cells(stages: list[dict[str, Any]], has_marks: bool) -> Iterator[str]:
    count = len(stages)
    failures = Counter(stage["failure"] for stage in stages)
    yield str(count)
    yield share(sum(stage["right"] for stage in stages), count)
    yield share(sum(stage["ran"] for stage in stages), count)
    if has_marks:
        yield from _marks(stages)
    yield _problems(stages)
    yield _median([stage["tokens"] for stage in stages], 0)
    yield _median([stage["seconds"] for stage in stages], 1)
    yield from (str(failures[name]) for name in CLASSES)


def _marks(stages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield how many answers are right with a mark, and run wrong with and without one."""
    has_all = all(stage.get("marks") is not None for stage in stages)
    for is_right, is_marked in ((True, True), (False, True), (False, False)):
        count = sum(
            stage["ran"] and stage["right"] == is_right and bool(stage.get("marks")) == is_marked
            for stage in stages
        )
        yield share(count, len(stages)) if has_all else ""


def share(part: int, count: int) -> str:
    """Return a share in percent, with its interval."""
    if count == 0:
        return "–"
    low, high = wilson(part, count)
    return f"{part} ({100 * part / count:.0f} %, {100 * low:.0f}–{100 * high:.0f})"


def _problems(stages: list[dict[str, Any]]) -> str:
    """Return how many answers have problems, and how many of these are right all the same."""
    if any(stage["problems"] is None for stage in stages):
        return ""
    reported = [stage for stage in stages if stage["problems"]]
    right = sum(stage["right"] for stage in reported)
    return f"{len(reported)} ({right} of them right)"


def _median(values: list[float], decimals: int) -> str:
    return f"{statistics.median(values):.{decimals}f}" if values else "–"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the tables of the results in some files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--by-set", action="store_true", help="a table for each set")
    options = parser.parse_args()
    print(tables(read(options.files), options.by_set))


if __name__ == "__main__":
    main()
