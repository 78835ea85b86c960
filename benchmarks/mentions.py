"""Measure whether mentions by ``@`` help a model.

    python -m benchmarks.mentions [local:qwen2.5-coder-0.5b] [--show]

The model must be installed. The right answer to each of ``CASES`` depends on something that the
request mentions: the value of a variable, a cell, a file, or a column. Each is asked with the
mention, and in the words that a person would use without it. The answers run in a kernel, and are
judged by the value of the case's solution.

**The answers run on your machine as you, without a sandbox.**
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .notebook_kernel import EXAMPLES, Kernel
from .suite.flow import Course, Model
from .suite.items import Item
from .suite.judges import Judges
from .suite.notebook import Notebook
from .suite.server import Answer, Server

SALES = """\
city,year,price,n
Oslo,2023,1050,3
Bergen,2023,860,1
Oslo,2024,1200,2
Bergen,2024,930,6
Tromsø,2024,780,4
Oslo,2024,1990,2
"""
FILES = {
    "sales.csv": SALES,
    "orders.csv": SALES.replace("price", "Unit price (€)").replace("n\n", "Qty.\n", 1),
    "rates.py": "def to_dollars(euros):\n    return euros * 1.25\n",
    "notes.md": "# Discount\n\nFrom 2024 on, all prices are reduced by 15 percent.\n",
}
READ = "import pandas as pd\n\nsales = pd.read_csv('sales.csv')"
ORDERS = "import pandas as pd\n\norders = pd.read_csv('orders.csv')"
READ_ORDERS = "pd.read_csv('orders.csv').groupby('city')['Unit price (€)']"
FILLERS = ("sales.head()", "sales.dtypes", "sales['year'].value_counts()")
VALUES: dict[str, Any] = {
    "response": {"status": "ok", "data": {"items": [{"id": 7, "price": 3}, {"id": 9, "price": 5}]}},
    "config": {"filter": {"column": "price", "minimum": 1000}, "group": "city"},
    "rows": [
        {"city": "Oslo", "price": 3},
        {"city": "Bergen", "price": 5},
        {"city": "Oslo", "price": 6},
    ],
    "pairs": [("Oslo", 3), ("Bergen", 9), ("Tromsø", 4)],
    "text": "Oslo;2023;1050|Bergen;2023;860|Tromsø;2024;780",
    "配置": {"列": "price", "最小值": 1000},
    "yearly": {"2023": {"Oslo": 3, "Bergen": 1}, "2024": {"Oslo": 4, "Bergen": 6}},
    "codes": {"Oslo": "NO-03", "Bergen": "NO-46", "Tromsø": "NO-55"},
}


@dataclass(frozen=True)
class Case:
    """A request that mentions ``name``, the same in ``plain`` words, and the right code.

    ``cells`` are the cells above; those of a variable only load it. ``{}`` in the request stands
    for the mention.
    """

    kind: str
    name: str
    request: str
    plain: str
    solution: str
    cells: tuple[str, ...] = (READ,)


def _variable(name: str, request: str, solution: str) -> Case:
    load = f"import pickle\n\n{name} = pickle.load(open('{name}.pkl', 'rb'))"
    return Case("variable", f"@{name}", request, request.format(name), solution, (READ, load))


def _cell(source: str, name: str, request: str, solution: str) -> Case:
    plain = request.format(name.removeprefix("@").replace("cell", "cell "))
    return Case("cell", name, request, plain, solution, (READ, source, *FILLERS))


def _file(name: str, request: str, solution: str) -> Case:
    return Case("file", f"@{name}", request, request.format(name), solution)


CASES = (
    _variable(
        "response",
        "the sum of the prices in {}",
        "print(sum(item['price'] for item in response['data']['items']))",
    ),
    _variable(
        "config",
        "the rows of sales that pass the filter in {}",
        "sales[sales['price'] >= 1000]",
    ),
    _variable("rows", "the mean price per city in {}", "pd.DataFrame(rows).groupby('city').mean()"),
    _variable("pairs", "the city with the largest number in {}", "'Bergen'"),
    _variable("text", "the sum of the last numbers of the records in {}", "1050 + 860 + 780"),
    _variable("配置", "sales 中 {} 的列不小于最小值的行数", "int((sales['price'] >= 1000).sum())"),
    _variable("yearly", "the sum for Oslo over all years in {}", "yearly['2023']['Oslo'] + 4"),
    _variable(
        "codes",
        "add a column code to sales with the code of each city from {}",
        "sales['code'] = sales['city'].map(codes)",
    ),
    _cell(
        "def f(price, rate=0.25):\n    return price / (1 + rate)",
        "@cell2",
        "the sum of the prices of sales after the function in {}",
        "(sales['price'] / 1.25).sum()",
    ),
    _cell(
        "sales.groupby('city')['price'].agg(['mean', 'max'])",
        "@cell2",
        "the same as {}, but per year",
        "sales.groupby('year')['price'].agg(['mean', 'max'])",
    ),
    _cell(
        "sales[sales['n'] > 2].sort_values('price').head(2)",
        "@单元格2",
        "仿照{}，但 n 小于 3",
        "sales[sales['n'] < 3].sort_values('price').head(2)",
    ),
    _file(
        "rates.py",
        "the sum of the prices of sales, converted with the function in {}",
        "sales['price'].sum() * 1.25",
    ),
    _file(
        "notes.md",
        "the sum of the prices in 2024 with the discount in {}",
        "sales[sales['year'] == 2024]['price'].sum() * 0.85",
    ),
    _file("orders.csv", "read {} and show the mean price per city", READ_ORDERS + ".mean()"),
    Case(
        "column",
        '@orders."Unit price (€)"',
        "the largest {} per city",
        "the largest unit price per city",
        READ_ORDERS + ".max()",
        (ORDERS,),
    ),
    Case(
        "column",
        '@orders."Qty."',
        "the sum of {} per year",
        "the total quantity per year",
        "orders.groupby('year')['Qty.'].sum()",
        (ORDERS,),
    ),
)


class WithMention:
    """Sends each request to a model with what it mentions, as the page does."""

    def __init__(self, model: Model, mention: dict[str, Any]) -> None:
        self._model, self._mention = model, mention

    @property
    def is_small(self) -> bool:
        """Whether the model gets short prompts."""
        return self._model.is_small

    def ask(self, body: dict[str, Any]) -> Answer:
        """Send a request with the mention."""
        cells = [
            cell | {"cellId": f"cell-{number}"}
            for number, cell in enumerate(body["context"]["cells"], 1)
        ]
        context = body["context"] | {"cells": cells, "mentions": [self._mention]}
        return self._model.ask(body | {"context": context})


def mention_of(case: Case, described: dict[str, Any]) -> dict[str, Any] | None:
    """Return the mention of a case in the HTTP API's form; None for a column, which needs none.

    Mirrors ``mentionsIn`` of ``src/ask/model/context/mentions.ts``.
    """
    mention: dict[str, Any] = {"kind": case.kind, "name": case.name}
    if case.kind == "cell":
        return {**mention, "cellId": "cell-2", "source": case.cells[1]}
    if case.kind == "file":
        return {**mention, "file": case.name[1:]}
    values = {item["name"]: item.get("value") for item in described["variables"]}
    return {**mention, "output": values[case.name[1:]]} if case.kind == "variable" else None


def run_case(
    server: Server, notebook: Notebook, case: Case, *, has_mention: bool, shows: bool
) -> bool:
    """Return whether the first answer to a case is right."""
    request = case.request.format(case.name) if has_mention else case.plain
    item = Item("mention/" + case.name, request, case.cells, solution=case.solution)
    judges = Judges()
    if judges.prepare(item, notebook) is None:
        raise SystemExit(f"The solution of {case.request!r} fails.")
    notebook.restore(item)
    mention = mention_of(case, notebook.kernel.describe())
    model: Model = WithMention(server, mention) if has_mention and mention else server
    answer = Course(model, item, notebook, EXAMPLES).first(with_context=True)
    right = answer.error is None and judges.judge(item, notebook, answer.code)[1]
    if shows:
        print(f"# {request}: {'right' if right else 'wrong'}\n{answer.code}\n", flush=True)
    return right


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", nargs="?", default="", help="a model, as provider:name")
    parser.add_argument("--show", action="store_true", help="print the answers, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, text in FILES.items():
            (folder / name).write_text(text, "utf-8")
        for name, value in VALUES.items():
            (folder / f"{name}.pkl").write_bytes(pickle.dumps(value))
        with Server(folder, 1, options.model) as server, Kernel(folder) as kernel:
            notebook = Notebook(kernel, folder)
            for has_mention in (False, True):
                rights: dict[str, list[bool]] = {}
                for case in CASES:
                    right = run_case(
                        server, notebook, case, has_mention=has_mention, shows=options.show
                    )
                    rights.setdefault(case.kind, []).append(right)
                kinds = ", ".join(
                    f"{sum(rights[kind])} of {len(rights[kind])} {kind}s" for kind in rights
                )
                total = sum(map(sum, rights.values()))
                name = "with the mentions" if has_mention else "without them"
                print(f"{name}: {total} of {len(CASES)} right ({kinds})", flush=True)


if __name__ == "__main__":
    main()
