"""Check that each item accepts its own solution, and write ``excluded.json``.

    python -m benchmarks.suite.verify [--set NAME]

Each solution runs two times with different seeds. An item is excluded if the cells above it or its
solution fail, or if its solution has no value that can be compared, depends on the seed, or isn't
right by the rules. Of DS-1000, the solution must pass the problem's test. No model is needed.
Exclusions whose reason begins with ``by hand`` stay.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from ..notebook_kernel import Kernel
from .collection import BY_HAND, EXCLUDED, FAILS, all_items, excluded
from .ds1000_test import passes
from .items import Item
from .judge import expected_of, is_right, with_full_value
from .notebook import CellsFailed, Notebook


def reason_to_exclude(item: Item, notebook: Notebook) -> str | None:
    """Return the reason to exclude an item; None if its answers can be judged."""
    try:
        notebook.restore(item)
    except CellsFailed as error:
        return f"cells above fail: {error}"
    if item.test is not None:
        return None if passes(item.test, item.solution or "") else f"{FAILS}: its own test"
    if item.solution is None:
        return None
    solution = with_full_value(item.solution, item.request)
    output, record = notebook.run(solution, shows_all=True)
    if output.error:
        return f"{FAILS}: {output.error}"
    expected = expected_of(item.solution, record, item.request)
    if expected.is_empty:
        return "no value to compare"
    notebook.restore(item)
    notebook.seed(1)
    _, other = notebook.run(item.solution)
    return None if is_right(expected, other) else "not the same value twice"


def main() -> None:
    """Verify the items, print the reasons, and write them to the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", help="verify only this set")
    options = parser.parse_args()
    reasons = {
        item: reason
        for item, reason in excluded().items()
        if reason.startswith(BY_HAND) or (options.set and item.partition("/")[0] != options.set)
    }
    failing: set[str] = set()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch, Kernel(Path(scratch)) as kernel:
        notebook = Notebook(kernel, Path(scratch))
        for item in all_items({}):
            if item.id != item.problem:  # another wording
                continue
            if options.set and item.set != options.set:
                continue
            item = replace(item, cells=tuple(cell for cell in item.cells if cell not in failing))
            reason = reason_to_exclude(item, notebook)
            if reason and item.id not in reasons:
                reasons[item.id] = reason
                print(f"{item.id}: {reason}", flush=True)
            counts[item.set] += item.id not in reasons
            if item.solution and reason and reason.startswith(FAILS):
                failing.add(item.solution)
    EXCLUDED.write_text(json.dumps(reasons, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(dict(counts))


if __name__ == "__main__":
    main()
