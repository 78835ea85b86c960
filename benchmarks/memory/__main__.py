"""Measure whether a model follows the entries of a memory, and whether they harm other answers.

    python -m benchmarks.memory [local:qwen2.5-coder-0.5b] [--items N] [--show]

The model must be installed. Each of ``CASES`` is a request whose right answer depends on an entry.
It is asked with a memory that contains all entries, and without it. An answer follows the entry if
it runs and its code matches a pattern. Then ``N`` items of the suite that aren't held back are
asked, with the same memory and without it: the share of right first answers should be the same.

**The answers run on your machine as you, without a sandbox.**
"""

from __future__ import annotations

import argparse
import itertools
import re
import tempfile
from pathlib import Path
from typing import Any

from ..notebook_kernel import EXAMPLES, Kernel
from ..suite.collection import select
from ..suite.flow import Course, Model
from ..suite.items import Item
from ..suite.judges import Judges
from ..suite.notebook import CellsFailed, Notebook
from ..suite.server import Answer, Server
from .cases import CASES, FILES, Case, entries


class WithoutMemory:
    """Sends each request to a model without the entries of the memories."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def is_small(self) -> bool:
        """Whether the model gets short prompts."""
        return self._model.is_small

    def ask(self, body: dict[str, Any]) -> Answer:
        """Send a request."""
        return self._model.ask(
            {**body, "context": {**body.get("context", {}), "usesMemory": False}}
        )


class Measurement:
    """Asks the model behind a server, and runs its answers in a notebook's kernel."""

    def __init__(self, server: Server, kernel: Kernel, folder: Path, shows: bool) -> None:
        self._server, self._shows = server, shows
        self._notebook = Notebook(kernel, folder)
        self._examples = EXAMPLES if server.model.get("onThisMachine") else 0

    def _code_of(self, item: Item, has_memory: bool) -> str:
        """Return the code of the first answer; empty if there is none."""
        model = self._server if has_memory else WithoutMemory(self._server)
        self._notebook.restore(item)
        answer = Course(model, item, self._notebook, self._examples).first(with_context=True)
        return "" if answer.error else answer.code

    def cases(self) -> None:
        """Print how many of the cases follow their entries."""
        for has_memory in (False, True):
            marks = [self._mark(case, has_memory) for case in CASES]
            name = "with the memory" if has_memory else "without it"
            ran = sum(mark != "failed" for mark in marks)
            count = marks.count("followed")
            print(f"entries, {name}: {count} of {len(CASES)}, {ran} ran", flush=True)

    def _mark(self, case: Case, has_memory: bool) -> str:
        code = self._code_of(Item("", case.request, (case.cell,)), has_memory)
        output, _ = self._notebook.run(code)
        mark = "followed" if re.search(case.pattern, code) else "not followed"
        mark = "failed" if not code or output.error else mark
        self._show(f"{case.entry} {case.request}: {mark}", code)
        return mark

    def items(self, count: int) -> None:
        """Print how many items of the suite are right with the memory, and without it."""
        judges, results = Judges(), {False: 0, True: 0}
        usable = (item for item in select(False) if self._is_usable(item, judges))
        items = list(itertools.islice(usable, count))
        for item in items:
            for has_memory in results:
                code = self._code_of(item, has_memory)
                right = bool(code) and judges.judge(item, self._notebook, code)[1]
                results[has_memory] += right
                self._show(f"{item.id}{' with the memory' if has_memory else ''}: {right}", code)
        print(f"suite, without the memory: {results[False]} of {len(items)} right")
        print(f"suite, with it: {results[True]} of {len(items)} right")

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
        for name, text in FILES.items():
            (folder / name).write_text(text)
        with Server(folder, 1, options.model) as server, Kernel(folder) as kernel:
            for text in entries():
                server.remember(text)
            measurement = Measurement(server, kernel, folder, options.show)
            measurement.cases()
            if options.items:
                measurement.items(options.items)


if __name__ == "__main__":
    main()
