"""Measure whether a model follows rules files, and whether an irrelevant one harms its answers.

    python -m benchmarks.rules_files [local:qwen2.5-coder-0.5b] [--items N] [--show]

The model must be installed. Each of ``CASES`` is a rule that changes the right answer to a
request. It is asked with an ``AGENTS.md`` that contains the rule among others, and without a file.
An answer follows the rule if it runs and its code matches a pattern. Then ``N`` items of the suite
that aren't held back are asked, with an ``AGENTS.md`` that has nothing to do with them, and without
a file: the share of right first answers should be the same.

**The answers run on your machine as you, without a sandbox.**
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .notebook_kernel import EXAMPLES, Kernel
from .suite.collection import select
from .suite.flow import Course, Model
from .suite.items import Item
from .suite.judges import Judges
from .suite.notebook import CellsFailed, Notebook
from .suite.server import Answer, Server

FILE = "AGENTS.md"
SALES = """\
city,year,price,n
Oslo,2023,1050,3
Bergen,2023,860,1
Oslo,2024,1200,2
Bergen,2024,930,6
Tromsø,2024,780,4
Oslo,2024,1990,2
Bergen,2023,1120,5
Tromsø,2023,640,7
Bergen,2024,975,1
"""
READ = "import pandas as pd\n\nsales = pd.read_csv('sales.csv')"
DATES = f"{READ}\nsales['day'] = pd.to_datetime(sales['year'].astype(str) + '-03-01')"
IRRELEVANT = """\
# Contributing

- Commit messages are in the imperative.
- Branches are named after their ticket, such as `DATA-12`.
- Run `make lint` before you push.
"""
OTHERS = ("Commit messages are in the imperative.", "Run `make lint` before you push.")
CJK = r"[^)\n]*[\u4e00-\u9fff]"


@dataclass(frozen=True)
class Case:
    """A rule, and a request below ``cells``. An answer follows the rule if it matches ``pattern``.

    The pattern is searched in the code; it must not match the code of a right answer without the
    rule.
    """

    rule: str
    request: str
    pattern: str
    cells: tuple[str, ...] = (READ,)


CASES = (
    Case("Use polars, not pandas.", "read sales.csv and show the mean price", "polars", ()),
    Case("用 polars，不要用 pandas。", "读取 sales.csv，按 city 求 price 的总和", "polars", ()),
    Case("Draw plots with seaborn.", "a bar plot of price by city", r"sns\.|seaborn"),
    Case("Draw plots with seaborn.", "histogram of price", r"sns\.|seaborn"),
    Case("Prices are in cents; show them in euros.", "the mean price", r"/ ?100\b|0\.01"),
    Case("价格的单位是分，显示时换算成元。", "每个 city 的平均 price", r"/ ?100\b|0\.01"),
    Case(
        "Titles of plots are in Chinese.", "bar plot of price by city, with a title", f"title{CJK}"
    ),
    Case("图的标题用中文。", "plot the price as a line, with a title", f"title{CJK}"),
    Case("Sort results in descending order.", "the mean price per city", "ascending=False|largest"),
    Case("结果默认按降序排列。", "每个 year 的 n 之和", "ascending=False|largest"),
    Case("Round results to two decimals.", "the mean price per city", r"round\(.*2\)|\.2f"),
    Case("Names of DataFrames begin with `df_`.", "read sales.csv", r"(?m)^df_\w+ =", ()),
    Case("Plots are 10 by 4 inches.", "bar plot of price by city", r"figsize ?= ?\(10, ?4\)"),
    Case("Show dates as DD.MM.YYYY.", "show the days of sales", r"%d\.%m\.%Y", (DATES,)),
    Case("Functions have type hints.", "a function that converts cents to euros", "->", ()),
    Case("The random seed is always 2024.", "a random sample of 3 rows of sales", "2024"),
)


class WithFile:
    """Sends each request to a model, with the rules file in the notebook's folder."""

    def __init__(self, model: Model, text: str, folder: Path) -> None:
        self._model = model
        data = text.encode()
        (folder / FILE).write_bytes(data)
        self._file = {"path": FILE, "sha256": hashlib.sha256(data).hexdigest()}

    @property
    def is_small(self) -> bool:
        """Whether the model gets short prompts."""
        return self._model.is_small

    def ask(self, body: dict[str, Any]) -> Answer:
        """Send a request with the file."""
        context = {**body.get("context", {}), "rulesFiles": [self._file]}
        return self._model.ask({**body, "context": context})


def rules_of(case: Case) -> str:
    """Return the text of a file with the rule of a case between other rules."""
    return f"# Conventions\n\n- {OTHERS[0]}\n- {case.rule}\n- {OTHERS[1]}\n"


class Measurement:
    """Asks the model behind a server, and runs its answers in a notebook's kernel."""

    def __init__(self, server: Server, kernel: Kernel, folder: Path, shows: bool) -> None:
        self._server, self._folder, self._shows = server, folder, shows
        self._notebook = Notebook(kernel, folder)
        self._examples = EXAMPLES if server.model.get("onThisMachine") else 0

    def _code_of(self, item: Item, rules: str) -> str:
        """Return the code of the first answer; empty if there is none."""
        model = WithFile(self._server, rules, self._folder) if rules else self._server
        self._notebook.restore(item)
        answer = Course(model, item, self._notebook, self._examples).first(with_context=True)
        return "" if answer.error else answer.code

    def cases(self) -> None:
        """Print which of the cases follow their rules."""
        for has_file in (False, True):
            marks = [self._follows(case, has_file) for case in CASES]
            name = "with the file" if has_file else "without it"
            ran = sum(mark != "failed" for mark in marks)
            print(
                f"rules, {name}: {marks.count('followed')} of {len(CASES)}, {ran} ran", flush=True
            )

    def _follows(self, case: Case, has_file: bool) -> str:
        code = self._code_of(Item("", case.request, case.cells), rules_of(case) if has_file else "")
        output, _ = self._notebook.run(code)
        is_followed = re.search(case.pattern, code) is not None
        mark = "followed" if is_followed else "not followed"
        mark = "failed" if not code or output.error else mark
        self._show(f"{case.rule} {case.request}: {mark}", code)
        return mark

    def items(self, count: int) -> None:
        """Print how many items of the suite are right with an irrelevant file, and without it."""
        judges, results = Judges(), {"": 0, IRRELEVANT: 0}
        usable = (item for item in select(False) if self._is_usable(item, judges))
        items = list(itertools.islice(usable, count))
        for item in items:
            for rules in results:
                code = self._code_of(item, rules)
                right = bool(code) and judges.judge(item, self._notebook, code)[1]
                results[rules] += right
                self._show(f"{item.id}{' with the file' if rules else ''}: {right}", code)
        print(f"suite, without a file: {results['']} of {len(items)} right")
        print(f"suite, with an irrelevant file: {results[IRRELEVANT]} of {len(items)} right")

    def _is_usable(self, item: Item, judges: Judges) -> bool:
        try:
            return judges.prepare(item, self._notebook) is not None
        except CellsFailed:
            return False

    def _show(self, title: str, code: str) -> None:
        if self._shows:
            print(f"# {title}\n{code}\n", flush=True)


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", nargs="?", default="", help="a model, as provider:name")
    parser.add_argument("--items", type=int, default=24, help="items of the suite (24)")
    parser.add_argument("--show", action="store_true", help="print the answers, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "sales.csv").write_text(SALES)
        with Server(folder, 1, options.model) as server, Kernel(folder) as kernel:
            measurement = Measurement(server, kernel, folder, options.show)
            measurement.cases()
            if options.items:
                measurement.items(options.items)


if __name__ == "__main__":
    main()
