"""Run the code of an answer and judge it by the rule of its item."""

from __future__ import annotations

from ..notebook_kernel import Output
from .ds1000_test import passes
from .items import Item
from .judge import Expected, expected_of, has_labels, is_right, with_full_value
from .notebook import Notebook


class Judges:
    """Judges answers. The expected values of solutions are computed once for each item."""

    def __init__(self) -> None:
        self._expected: dict[str, Expected] = {}

    def prepare(self, item: Item, notebook: Notebook) -> Expected | None:
        """Run the item's solution, if it has one, and keep its value. Leaves the kernel changed.

        Return None if the solution fails.
        """
        if item.solution is None or item.test is not None:
            return Expected([])
        if item.id not in self._expected:
            notebook.restore(item)
            solution = with_full_value(item.solution, item.request)
            output, record = notebook.run(solution, shows_all=True)
            if output.error:
                return None
            self._expected[item.id] = expected_of(item.solution, record, item.request)
        return self._expected[item.id]

    def judge(self, item: Item, notebook: Notebook, code: str) -> tuple[Output, bool]:
        """Run an answer in the notebook; return its output and whether it is right."""
        output, record = notebook.run(code)
        if output.error is not None:
            return output, False
        if item.test is not None:
            return output, passes(item.test, code)
        if item.labels is not None:
            return output, has_labels(item.labels, record)
        return output, is_right(self._expected[item.id], record)
