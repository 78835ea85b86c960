"""Ask a model for the answers to all items, and append the results to a file.

    python -m benchmarks.suite.run --output FILE [--model PROVIDER:NAME] [--run NAME] [--set NAME]
        [--limit N] [--threads N] [--held-back] [--first-answer]

A run can be stopped at any time: the same command resumes it. ``benchmarks.suite.table`` prints the
results. The items held back run only with ``--held-back``; look at their results only to report
them, never to improve something.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..notebook_kernel import EXAMPLES, Kernel
from .collection import SETS, select
from .flow import Model, run_item
from .items import Item
from .judges import Judges
from .notebook import CellsFailed, Notebook
from .results import ResultFile, line_of
from .server import Server


def run_items(
    model: Model,
    items: Iterable[Item],
    notebook: Notebook,
    file: ResultFile,
    *,
    run: str,
    model_id: str,
    examples: int,
    first_answer: bool = False,
) -> None:
    """Run the items that the run hasn't finished, and append their results."""
    judges = Judges()
    file.repair()
    finished = file.finished(run, model_id)
    for item in items:
        if item.id in finished:
            continue
        try:
            if judges.prepare(item, notebook) is None:
                print(f"{item.id}: the solution fails here", flush=True)
                continue
            stages = run_item(model, item, notebook, judges.judge, examples, first_answer)
        except CellsFailed as error:
            print(f"{item.id}: the cells above fail: {error}", flush=True)
            continue
        file.append(line_of(item, stages, run, model_id))
        marks = [f"{name} {stage['failure'] or 'right'}" for name, stage in stages.items()]
        seconds = max(stage["seconds"] for stage in stages.values())
        print(f"{item.id}: {', '.join(marks)}; {seconds:.1f} s", flush=True)


def main() -> None:
    """Run the items with the server's default model, or another one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, required=True, help="the file of results")
    parser.add_argument("--model", default="", help="a model, as provider:name")
    parser.add_argument("--run", default="1", help="the name of the run, for the tables (1)")
    parser.add_argument("--set", action="append", default=[], choices=SETS, help="only this set")
    parser.add_argument("--limit", type=int, help="run only this many items")
    parser.add_argument("--threads", type=int, default=1, help="threads of a local model (1)")
    parser.add_argument(
        "--held-back", dest="holdout", action="store_true", help="run the items held back instead"
    )
    parser.add_argument(
        "--first-answer", action="store_true", help="ask once: only + context and + corrections"
    )
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server ends, too
    items = select(options.holdout, tuple(options.set))[: options.limit]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Server(folder, options.threads, options.model) as server, Kernel(folder) as kernel:
            model = server.model
            run_items(
                server,
                items,
                Notebook(kernel, folder),
                ResultFile(options.output),
                run=options.run,
                model_id=model["id"],
                # As on the page, only models on this machine get values of the data.
                examples=EXAMPLES if model.get("onThisMachine") else 0,
                first_answer=options.first_answer,
            )


if __name__ == "__main__":
    main()
