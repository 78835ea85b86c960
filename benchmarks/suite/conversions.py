"""The items and rules of ``/convert``: NumPy to plain Python, pandas to polars, SQL to pandas.

    python -m benchmarks.suite.conversions

checks that the conversions by hand in ``sets/conversions`` are right by the rules. No model is
needed.

- From NumPy: the solutions of the NumPy exercises.
- From pandas: solutions of the pandas exercises in one cell with the code that they need, so that
  no DataFrame of pandas is left in the kernel. The items are those with a conversion by hand.
- From SQL: queries that were written for this suite, run by sqlite3 through pandas, over tables of
  the pandas exercises. The cells above have the tables as DataFrames, too.
"""

from __future__ import annotations

import ast
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiserver.prompts.notebook.dataflow import cell_names, needed_cells

from ..notebook_kernel import Kernel
from .collection import select
from .items import Item
from .judges import Judges
from .notebook import Notebook

_CONVERSIONS = Path(__file__).parent / "sets" / "conversions"

REQUESTS = {
    "convert": "/convert to plain Python lists, without NumPy",
    "convert-polars": "/convert to polars",
    "convert-sql": "/convert to pandas",
}
"""The request of each kind of conversion, which is a mode of the benchmark."""


def numpy_items() -> Iterator[Item]:
    """Yield the NumPy exercises."""
    yield from select(False, ("numpy_exercises",))


def polars_items() -> Iterator[Item]:
    """Yield the pandas exercises that have a conversion by hand, each as one cell."""
    conversions = _read("polars")
    for item in select(False, ("pandas_exercises",)):
        if item.id in conversions:
            yield replace(item, solution=in_one_cell(item), cells=())


def sql_items() -> Iterator[Item]:
    """Yield the queries whose tables were fetched, each below a cell that creates the tables."""
    listed, sql = _read("sql"), queries()
    files = {
        path.name: path for item in select(False, ("pandas_exercises",)) for path in item.files
    }
    for name, query in listed["queries"].items():
        tables = {table: listed["tables"][table] for table in query["tables"]}
        paths = [path for file, path in files.items() if any(file in t for t in tables.values())]
        if len(paths) == len(tables):
            yield Item(
                f"sql/{name}",
                request="",
                cells=(
                    "import sqlite3\n\nimport pandas as pd",
                    "\n".join(f"{table} = {code}" for table, code in tables.items()),
                    "\n".join(
                        [
                            "connection = sqlite3.connect(':memory:')",
                            *(f"{t}.to_sql('{t}', connection, index=False)" for t in tables),
                        ]
                    ),
                ),
                files=tuple(paths),
                solution=f'pd.read_sql("""\n{sql[name]}\n""", connection)',
            )


ITEMS: dict[str, Callable[[], Iterator[Item]]] = {
    "convert": numpy_items,
    "convert-polars": polars_items,
    "convert-sql": sql_items,
}


def uses_target(mode: str, code: str) -> bool:
    """Return whether converted code uses the library that was asked for, and not the other one."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # code with magics
        return False
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    if mode == "convert":
        return not names & {"np", "numpy"}
    if mode == "convert-polars":
        return bool(names & {"pl", "polars"}) and not names & {"pd", "pandas"}
    reads = {name for name in attributes if name.startswith("read_sql")}
    return not reads and not names & {"connection", "sqlite3"}


def in_one_cell(item: Item) -> str:
    """Return the statements above an item that it needs, and its solution, as one cell."""
    solution = (item.solution or "").strip()
    statements = [text for cell in item.cells for text in _statements(cell)]
    names = cell_names(solution)
    needed = needed_cells(
        [cell_names(statement) for statement in statements], names.used | names.changed
    )
    return "\n\n".join(["\n".join(statements[index] for index in sorted(needed)), solution])


def _statements(cell: str) -> list[str]:
    """Return the text of each statement of a cell."""
    lines = cell.split("\n")
    return ["\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in ast.parse(cell).body]


def by_hand(mode: str) -> dict[str, str]:
    """Return the conversions by hand, by the ids of their items."""
    if mode == "convert-polars":
        return {name: "\n".join(lines) for name, lines in _read("polars").items()}
    listed = _read("sql")["queries"]
    return {f"sql/{name}": "\n".join(query["pandas"]) for name, query in listed.items()}


def queries() -> dict[str, str]:
    """Return the SQL of the queries by their names."""
    return {name: "\n".join(query["sql"]) for name, query in _read("sql")["queries"].items()}


def _read(name: str) -> Any:
    return json.loads((_CONVERSIONS / f"{name}.json").read_text("utf-8"))


def main() -> None:
    """Run the conversions by hand, and print those that aren't right."""
    judges, wrong, count = Judges(), 0, 0
    with tempfile.TemporaryDirectory() as scratch, Kernel(Path(scratch)) as kernel:
        notebook = Notebook(kernel, Path(scratch))
        for mode in ("convert-polars", "convert-sql"):
            codes = by_hand(mode)
            for item in ITEMS[mode]():
                judges.prepare(item, notebook)
                notebook.restore(item)
                code = codes[item.id]
                output, right = judges.judge(item, notebook, code)
                count += 1
                if not right or not uses_target(mode, code):
                    wrong += 1
                    print(f"{item.id}: {output.message or 'not the same value'}", flush=True)
    print(f"{count - wrong} of {count} are right")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
