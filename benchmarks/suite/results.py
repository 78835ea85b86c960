"""Results in files of JSON lines, one line for each item, so that a run can be stopped and resumed.

Invariants:

- A line is written only when all stages of its item are done.
- A line that was cut off, because the run was killed, is removed when the run is resumed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from .items import Item

Line = dict[str, Any]
"""The keys ``run``, ``model``, ``date``, ``item``, ``set``, ``holdout`` and ``stages``."""


def line_of(item: Item, stages: dict[str, Any], run: str, model: str) -> Line:
    """Return the line with the results of an item."""
    return {
        "run": run,
        "model": model,
        "date": date.today().isoformat(),
        "item": item.id,
        "set": item.set,
        "holdout": item.is_holdout,
        "stages": stages,
    }


class ResultFile:
    """The file of a run. Other runs and models may have lines in the same file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def finished(self, run: str, model: str) -> set[str]:
        """Return the ids of the items that a run of a model has finished."""
        return {
            line["item"]
            for line in read([self._path])
            if (line["run"], line["model"]) == (run, model)
        }

    def repair(self) -> None:
        """Remove a last line that was cut off."""
        if self._path.exists():
            data = self._path.read_bytes()
            complete = data[: data.rfind(b"\n") + 1]
            if len(complete) < len(data):
                self._path.write_bytes(complete)

    def append(self, line: Line) -> None:
        """Write a line at the end of the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def read(paths: Iterable[Path]) -> list[Line]:
    """Return the complete lines of some files; a file that doesn't exist has none."""
    lines: list[Line] = []
    for path in paths:
        if path.exists():
            text = path.read_text("utf-8")
            complete = text[: text.rfind("\n") + 1]
            lines += [json.loads(line) for line in complete.split("\n") if line]
    return lines
