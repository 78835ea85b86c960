"""Measure how long the embedded model takes for an inline completion.

    python -m benchmarks.completion

The smallest model of the catalogue must be installed; it runs in a process of its own, with the
number of threads that a server uses. A notebook with some cells above is typed into: each
completion continues another statement, so that the model has cached the cells above, and reads only
what was typed since. The benchmark prints the time until the model's first token, and until the
completion is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from typing import NamedTuple

from aiserver.errors import AnswerCut
from aiserver.llm.base import ModelInfo
from aiserver.llm.streaming import Limits
from aiserver.plugins.completion.gap import MAX_TOKENS, CompletionBody, find_gap
from aiserver.plugins.local_models import machine, weights
from aiserver.plugins.local_models.catalogue import SMALLEST
from aiserver.plugins.local_models.model import LocalModel
from aiserver.plugins.local_models.process import LocalProcess

CELLS = [
    "import matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd",
    'sales = pd.read_csv("sales.csv", parse_dates=["date"])\nsales.head()',
    'stores = pd.read_json("stores.json")\nsales = sales.merge(stores, on="store_key")',
    'sales["month"] = sales["date"].dt.to_period("M")\n'
    'monthly = sales.groupby(["region", "month"])["amount"].sum().reset_index()\n'
    'monthly.pivot(index="month", columns="region", values="amount").plot(figsize=(10, 4))\n'
    'plt.title("Sales per month")\nplt.show()',
]
STATEMENTS = (
    "top = sales.sort_values(",
    "mean = sales[",
    "regions = sales.groupby(",
    "print(monthly.he",
    'sales["year"] = sales["date"].',
    "large = sales[sales[",
    "plt.hist(sales[",
    "table = sales.pivot_table(",
    'by_store = sales.groupby("store_key")[',
    "def total(frame):",
)
ROUNDS = 3
WARM_UP = 2  # the number of completions at the beginning that aren't measured


class Times(NamedTuple):
    """The seconds until the first token and the end, and the number of inserted characters."""

    first: float
    total: float
    characters: int


async def complete(model: LocalModel, prefix: str) -> Times:
    """Complete the code after ``prefix``, as ``Completer`` does."""
    gap = find_gap(CompletionBody(prefix=prefix, cells=CELLS))
    assert gap is not None
    text, first, started = "", 0.0, time.perf_counter()
    pieces = model.complete(gap.prefix, gap.suffix, stop=gap.stop, max_tokens=MAX_TOKENS)
    async with contextlib.aclosing(pieces):
        with contextlib.suppress(AnswerCut):
            async for piece in pieces:
                first = first or time.perf_counter() - started
                text += piece
                if gap.end_of(text) is not None:
                    break
    total = time.perf_counter() - started
    return Times(first, total, len(gap.fit(text)))


async def measure() -> list[Times]:
    """Return the times of all completions."""
    path = weights.installed(SMALLEST)
    if path is None:
        raise SystemExit("Run: jupyter aiserver model install 0.5b")
    process = LocalProcess(
        path, threads=machine.spare_cores(), context=SMALLEST.context, memory=SMALLEST.memory
    )
    model = LocalModel(
        ModelInfo(SMALLEST.id, SMALLEST.label, True),
        process,
        Limits(60, 10_000),
        fill_tokens=SMALLEST.fill_tokens,
    )
    try:
        prefixes = [f"# {round}\n{code}" for round in range(ROUNDS) for code in STATEMENTS]
        for prefix in prefixes[:WARM_UP]:
            await complete(model, prefix)
        return [await complete(model, prefix) for prefix in prefixes]
    finally:
        await model.close()


def main() -> None:
    """Run the benchmark and print the medians and the fastest tenth."""
    times = asyncio.run(measure())
    for name, quantile in (("median", 0.5), ("fastest tenth", 0.1)):
        # Other load on the machine has less effect on the fastest tenth.
        first, total, _ = (
            sorted(column)[int(quantile * len(times))] for column in zip(*times, strict=True)
        )
        print(f"{name} of {len(times)}: first token {first:.2f} s, end {total:.2f} s")
    print(f"median length: {statistics.median(item.characters for item in times):.0f} characters")


if __name__ == "__main__":
    main()
