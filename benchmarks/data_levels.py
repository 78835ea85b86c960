"""Measure how much statistics and rows of the data help a model, beside the names of columns.

    python -m benchmarks.data_levels --output FILE [--model local:qwen2.5-coder-0.5b]
        [--set dabench] [--limit N] [--held-back]

Each item of the suite is asked four times, with DataFrames at one of ``LEVELS``, and corrected, run
and judged as in ``benchmarks.suite.run``. A run can be stopped at any time: the same command
resumes it, and prints how many answers were right, the first ones and those after the runs.

**The answers run on your machine as you, without a sandbox.**
"""

from __future__ import annotations

import argparse
import base64
import json
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aiserver.kernel.bundle import PROFILE_MODULES, VARIABLES_MODULES, bundle

from .notebook_kernel import EXAMPLES, Kernel
from .suite.collection import SETS, select
from .suite.flow import Model, run_course
from .suite.items import Item
from .suite.judges import Judges
from .suite.notebook import CellsFailed, Notebook
from .suite.results import Line, ResultFile, line_of, read
from .suite.server import Server

LEVELS = ("columns", "examples", "statistics", "sample")
"""Names and dtypes only, as another machine gets them by default; also some values of texts, as a
model on this machine does; also the statistics; also the first rows."""
SAMPLE_ROWS = 5
_SUMMARY = ("min", "max", "mean")


class LevelKernel(Kernel):
    """A kernel whose DataFrames are described at a level."""

    level = LEVELS[0]

    def describe(self, examples: int = EXAMPLES) -> dict[str, Any]:
        """Return the DataFrames and other variables as the page reads them at this level."""
        described = super().describe(0 if self.level == "columns" else examples)
        if self.level in ("statistics", "sample"):
            for frame in described["frames"]:
                self._add_values(frame)
        return described

    def _add_values(self, frame: dict[str, Any]) -> None:
        """Add what ``readDataValues`` of ``src/kernel/dataValues.ts`` reads."""
        name, columns = frame["name"], frame["columns"]
        profile = self._call(PROFILE_MODULES, f"profile_columns(globals(), {name!r}, 0, 200)")
        for column, described in zip(columns, profile["columns"], strict=False):
            column["statistics"] = statistics_of(described)
        if self.level == "sample":
            call = f"first_rows(globals(), {name!r}, {SAMPLE_ROWS})"
            frame["sample"] = {"rows": self._call(VARIABLES_MODULES, call)["rows"]}

    def _call(self, modules: tuple[str, ...], call: str) -> dict[str, Any]:
        function, arguments = call.split("(", 1)
        expression = (
            f"(lambda space: (exec({bundle(modules)!r}, space), "
            f"space[{function!r}]({arguments})[1])({{'__name__': 'aiserver'}})"
        )
        return dict(json.loads(base64.b64decode(self.value(expression))))


def statistics_of(column: dict[str, Any]) -> dict[str, Any]:
    """``toDescribedColumn`` of ``src/kernel/dataValues.ts``."""
    every = column.get("all")
    statistics = dict(every or {key: column[key] for key in ("rows", "missing", "distinct")})
    if numbers := column.get("numbers"):
        statistics |= {key: numbers[key] for key in _SUMMARY}
        quartiles = [value for value in numbers["quartiles"] if value is not None]
        if len(quartiles) == 3 and not every:
            statistics["quartiles"] = quartiles
    elif dates := column.get("dates"):
        statistics |= {"min": dates["min"], "max": dates["max"]}
    return statistics


def run_items(
    model: Model,
    items: Iterable[Item],
    notebook: Notebook,
    kernel: LevelKernel,
    file: ResultFile,
    model_id: str,
) -> None:
    """Ask for each item at each level, unless that was done before, and append the results."""
    judges = Judges()
    file.repair()
    finished = {level: file.finished(level, model_id) for level in LEVELS}
    for item in items:
        for level in LEVELS:
            if item.id in finished[level]:
                continue
            kernel.level = level
            try:
                if judges.prepare(item, notebook) is None:
                    break
                stages = run_course(model, item, notebook, judges.judge, EXAMPLES)
            except CellsFailed:
                break
            results = {name: asdict(stage) for name, stage in stages.items()}
            file.append(line_of(item, results, level, model_id))
            outcome = results["run"]["failure"] or "right"
            print(f"{item.id}, {level}: {outcome}", flush=True)


def table(lines: list[Line]) -> str:
    """Return the rows of a Markdown table: right answers by model and level."""
    rows = ["| model | DataFrames | first answer right | in the end right | ran | tokens |"]
    rows.append("|---|---|---|---|---|---|")
    for model in sorted({line["model"] for line in lines}):
        of_model = [line for line in lines if line["model"] == model]
        by_level = {
            level: {line["item"]: line["stages"] for line in of_model if line["run"] == level}
            for level in LEVELS
        }
        items = set.intersection(*(set(stages) for stages in by_level.values()))
        for level, stages in by_level.items():
            first = sum(stages[item]["context"]["right"] for item in items)
            right = sum(stages[item]["run"]["right"] for item in items)
            ran = sum(stages[item]["run"]["ran"] for item in items)
            tokens = sum(stages[item]["context"]["tokens"] for item in items) / max(1, len(items))
            count = len(items)
            rows.append(
                f"| {model} | {level} | {first} of {count} | {right} | {ran} | {tokens:.0f} |"
            )
    return "\n".join(rows)


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="the file of results")
    parser.add_argument("--model", default="", help="a model, as provider:name")
    parser.add_argument("--set", action="append", default=[], choices=SETS, help="only this set")
    parser.add_argument("--limit", type=int, help="run only this many items")
    parser.add_argument("--held-back", dest="holdout", action="store_true")
    options = parser.parse_args()
    items = select(options.holdout, tuple(options.set) or ("dabench",))[: options.limit]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Server(folder, 1, options.model) as server, LevelKernel(folder) as kernel:
            notebook = Notebook(kernel, folder)
            model_id = server.model["id"]
            run_items(server, items, notebook, kernel, ResultFile(options.output), model_id)
    print(table(read([options.output])))


if __name__ == "__main__":
    main()
