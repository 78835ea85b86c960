"""Measure how long a local model takes to answer, as a person at this machine waits for it.

    python -m benchmarks.local_speed [local:qwen2.5-coder-1.5b …] [--threads N] [--rounds N]

The requests create, edit, fix and ask about cells of one notebook with two DataFrames. They are
about sales and staff, and part of no other benchmark, because only their seconds count:

- cold: the first request of a Jupyter server that has just started, so the model is loaded;
- warm: the model has read the notebook while the person was typing, as the page asks for when the
  prompt row opens.

The table has medians: seconds until the first word and until the end of the answer, and the seconds
of the processor. The seconds are only right if nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from .notebook_kernel import Kernel
from .suite import page_rules
from .suite.server import Answer, Server

CELLS = (
    "import pandas as pd",
    """\
sales = pd.DataFrame({
    "date": pd.date_range("2025-01-01", periods=60, freq="D"),
    "region": ["north", "south", "east"] * 20,
    "product": ["tea", "coffee"] * 30,
    "units": [3, 5, 2, 8, 1, 4] * 10,
    "price": [4.5, 6.0, 4.5, 6.2, 4.4, 6.1] * 10,
})
sales["amount"] = sales["units"] * sales["price"]""",
    """\
staff = pd.DataFrame({
    "name": ["Ana", "Bo", "Cem", "Dee", "Eli", "Fay"],
    "region": ["north", "south", "east", "north", "south", "east"],
    "salary": [4100, 3900, 4600, 5200, None, 3700],
})
staff""",
)
EDITED = """\
monthly = sales.groupby(sales["date"].dt.month)["amount"].sum()
monthly = monthly.rename("total").reset_index()
monthly["share"] = monthly["total"] / monthly["total"].sum()
monthly["change"] = monthly["total"].diff()
print(monthly.sort_values("total", ascending=False))"""
FAILED = """\
joined = sales.merge(staff, on="region", how="left")
totals = joined.groupby("name")["amounts"].sum().sort_values(ascending=False)
best = totals.head(3)
print(best)"""
ERROR = """\
Fix this error:
--> 2 totals = joined.groupby("name")["amounts"].sum().sort_values(ascending=False)
KeyError: 'Column not found: amounts'"""

# By kind, each a request and the cell's code.
REQUESTS = {
    "create": (
        ("average salary per region", ""),
        ("which product sells best in each region", ""),
        ("plot the amount per week as a line", ""),
        ("每个地区的总销售额,从高到低", ""),
    ),
    "edit": (
        ("round the shares to two decimals", EDITED),
        ("only the product tea", EDITED),
        ("also show the mean amount", EDITED),
        ("按周而不是按月", EDITED),
    ),
    "fix": ((ERROR, FAILED), ("/fix", FAILED)),
    "question": (
        ("what does this code do?", EDITED),
        ("why is the first change missing?", EDITED),
    ),
}
DEFAULT = ("local:qwen2.5-coder-0.5b", "local:qwen2.5-coder-1.5b")


class Timing(NamedTuple):
    """The seconds of one answer: until its first word, until its end, and of the processor."""

    first: float
    end: float
    processor: float
    tokens: int


def request(kernel: Kernel, cell_id: str, intent: str, source: str) -> dict[str, Any]:
    """Return the body of a request, as the page sends it."""
    described = page_rules.attach(kernel.describe(), [intent, source, CELLS[-1]])
    return {
        "notebookId": "speed",
        "notebookPath": "speed.ipynb",
        "cellId": cell_id,
        "intent": intent,
        "source": source,
        "language": "python",
        "context": {"cells": [{"cellType": "code", "source": cell} for cell in CELLS], **described},
    }


def timed(server: Server, body: dict[str, Any]) -> Timing:
    """Send a request, and return its seconds."""
    before = server.processor_seconds()
    answer: Answer = server.ask(body)
    if answer.error:
        print(f"{body['intent']!r}: {answer.error}", flush=True)
    used = server.processor_seconds() - before
    return Timing(answer.first_seconds, answer.seconds, used, answer.tokens)


def cold(model: str, kind: str, threads: int, kernel: Kernel) -> Timing:
    """Return the seconds of the first request of a server."""
    intent, source = REQUESTS[kind][0]
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), threads, model) as server,
    ):
        return timed(server, request(kernel, f"cold-{kind}", intent, source))


def warm(model: str, threads: int, rounds: int, kernel: Kernel) -> dict[str, list[Timing]]:
    """Return the seconds of all requests, each of a cell that was read before."""
    timings: dict[str, list[Timing]] = {kind: [] for kind in REQUESTS}
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), threads, model) as server,
    ):
        for number in range(rounds):
            for kind, requests in REQUESTS.items():
                for index, (intent, source) in enumerate(requests):
                    body = request(kernel, f"{kind}-{number}-{index}", intent, source)
                    server.warm_up(body)
                    timings[kind].append(timed(server, body))
    return timings


def row(title: str, timings: list[Timing]) -> str:
    """Return a row of the table in Markdown."""
    columns = [statistics.median(column) for column in zip(*timings, strict=True)]
    first, end, processor, tokens = columns
    return f"| {title} | {first:.1f} | {end:.1f} | {processor:.1f} | {tokens:.0f} |"


def main() -> None:
    """Measure the models, and print a table for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*", default=DEFAULT, help="models, as local:name")
    parser.add_argument("--threads", type=int, default=0, help="threads (0: AI Server's default)")
    parser.add_argument("--rounds", type=int, default=1, help="how often each request is sent (1)")
    parser.add_argument("--no-cold", action="store_true", help="only warm requests")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Kernel(Path(folder)) as kernel:
        for cell in CELLS:
            kernel.run(cell)
        for model in options.models:
            print(f"\n{model}\n\n| request | first word | whole answer | processor | tokens |")
            print("|---|---|---|---|---|")
            if not options.no_cold:
                for kind in REQUESTS:
                    timing = cold(model, kind, options.threads, kernel)
                    print(row(f"{kind}, cold", [timing]), flush=True)
            timings = warm(model, options.threads, options.rounds, kernel)
            for kind, times in timings.items():
                print(row(f"{kind}, warm", times))
            print(row("all, warm", [time for times in timings.values() for time in times]))


if __name__ == "__main__":
    main()
