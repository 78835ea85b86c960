"""Measure the profiles of the Data view, beside those of pandas, skrub and ydata-profiling.

    pip install skrub ydata-profiling     # optional; missing ones are left out
    python -m benchmarks.profiling [ROWS …]

Each measurement is a new process with a DataFrame of eight columns: numbers, integers, texts with
few and with many values, dates, booleans, categories and numbers with missing values. The table
has the seconds, the longest time for which the kernel was blocked at a stretch, and by how much the
process's memory grew at most. Profiles of the Data view come in several short calls, between
which the kernel can do other things; a report of another tool is one call.

The last row is the Data view with 10,000,000 rows of 200 columns, 1.6 GB of bytes, all of which
are asked for.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from aiserver.kernel.bundle import PROFILE_MODULES, bundle

SIZES = (10_000, 1_000_000, 10_000_000)
WIDE_ROWS, WIDE_COLUMNS = 10_000_000, 200
REPEATS = 3


def frame_of(rows: int) -> Any:
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(0)
    price = random.gamma(2.0, 50.0, rows)
    cities = np.array(["北京", "上海", "Paris", "São Paulo", "Köln"], dtype=object)
    return pd.DataFrame(
        {
            "price": price,
            "count": random.integers(0, 1000, rows),
            "city": cities[random.integers(0, 5, rows)],
            "order": np.char.add("A-", random.integers(0, rows, rows).astype(str)).astype(object),
            "day": np.datetime64("2020-01-01") + random.integers(0, 2000, rows),
            "paid": random.random(rows) < 0.9,
            "class": pd.Categorical.from_codes(random.integers(0, 3, rows), ["a", "b", "c"]),
            "discount": np.where(random.random(rows) < 0.3, np.nan, price),
        }
    )


def wide_frame() -> Any:
    import numpy as np
    import pandas as pd

    values = np.random.default_rng(0).integers(0, 100, (WIDE_COLUMNS, WIDE_ROWS), dtype="int8")
    return pd.DataFrame(values.T, copy=False)


def data_view(frame: Any) -> Iterator[None]:
    """Profile all columns as the page does, a call at a time."""
    space: dict[str, Any] = {"__name__": "aiserver"}
    exec(compile(bundle(PROFILE_MODULES), "<profile>", "exec"), space)
    space["list_data"]({"df": frame})
    start: int | None = 0
    while start is not None:
        text = space["profile_columns"]({"df": frame}, "df", start, 5000)
        start = json.loads(base64.b64decode(text))["next"]
        yield


def describe(frame: Any) -> Iterator[None]:
    frame.describe(include="all")
    yield


def info(frame: Any) -> Iterator[None]:
    import io

    frame.info(buf=io.StringIO(), memory_usage="deep", show_counts=True)
    yield


def skrub_report(frame: Any) -> Iterator[None]:
    from skrub import TableReport

    TableReport(frame, verbose=0).html()
    yield


def ydata_report(frame: Any) -> Iterator[None]:
    from ydata_profiling import ProfileReport

    ProfileReport(frame, minimal=True, progress_bar=False).to_html()
    yield


TOOLS: dict[str, tuple[str, Callable[[Any], Iterator[None]]]] = {
    "Data view": ("pandas", data_view),
    'df.describe(include="all")': ("pandas", describe),
    "df.info(deep)": ("pandas", info),
    "skrub TableReport": ("skrub", skrub_report),
    "ydata-profiling, minimal": ("ydata_profiling", ydata_report),
}


def measure(tool: str, rows: int) -> dict[str, float]:
    """Measure a tool in this process. ``rows`` is 0 for the wide frame."""
    frame = frame_of(rows) if rows else wide_frame()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = last = time.perf_counter()
    longest = 0.0
    for _ in TOOLS[tool][1](frame):
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return {"seconds": last - started, "longest": longest, "megabytes": grown}


def best_of(tool: str, rows: int) -> dict[str, float] | None:
    """Return the fastest of ``REPEATS`` measurements, each in a process; None if it failed."""
    results = []
    for _ in range(REPEATS if rows <= 1_000_000 else 1):
        command = [sys.executable, "-W", "ignore", "-m", __spec__.name, "--one", tool, str(rows)]
        child = subprocess.run(command, capture_output=True, text=True)
        if child.returncode:
            return None
        results.append(json.loads(child.stdout.splitlines()[-1]))
    return min(results, key=lambda result: result["seconds"])


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(sys.argv[2], int(sys.argv[3]))))
        return
    sizes = [int(argument) for argument in sys.argv[1:]] or [*SIZES, 0]
    print("| rows | tool | seconds | blocked | memory |\n|---|---|---|---|---|")
    for rows in sizes:
        for tool, (package, _) in TOOLS.items():
            if importlib.util.find_spec(package) is None or (not rows and tool != "Data view"):
                continue
            result = best_of(tool, rows)
            size = f"{rows:,}" if rows else f"{WIDE_ROWS:,} × {WIDE_COLUMNS}"
            cells = "failed | | |"
            if result:
                cells = f"{result['seconds']:.2f} | {result['longest']:.2f} s | "
                cells += f"+{result['megabytes']:.0f} MB |"
            print(f"| {size} | {tool} | {cells}", flush=True)


if __name__ == "__main__":
    main()
