"""Judge an answer by the values that the solution of its item leaves, shows or prints.

The expected value is the last one that the solution shows, or else the value of the last variable
that it changes. An answer is right if this value is left in a variable that the answer changes, or
shown as the cell's output, or printed. Of a solution that shows nothing but plots, the values in
one of its plots must be plotted.
"""

from __future__ import annotations

import ast
import itertools
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..answers import MAX_NUMBERS, contains_all
from .same_values import asks_for_order, is_same
from .texts import shows_text, shows_value

_MAX_TEXT = 2000  # characters of a variable's value
_DISPLAY_METHODS = {"head", "tail", "sample", "info", "describe", "copy"}


@dataclass(frozen=True)
class Record:
    """The values of one run of a cell, from ``recorder.py``, and its text."""

    displayed: list[Any] = field(default_factory=list)
    printed: list[list[Any]] = field(default_factory=list)
    """The arguments of each call of ``print``."""
    plotted: list[list[float]] = field(default_factory=list)
    """The sorted values of each plot."""
    variables: list[tuple[str, Any]] = field(default_factory=list)
    """The variables that the cell changes; those that it assigns last come last."""
    text: str = ""

    @classmethod
    def read(cls, path: Path, text: str) -> Record:
        """Read the file that ``Recorder.save`` wrote in a kernel of the benchmark."""
        raw = pickle.loads(path.read_bytes())
        return cls(
            displayed=[value for data in raw["displayed"] for value in _loaded(data)],
            printed=[[v for data in call for v in _loaded(data)] for call in raw["printed"]],
            plotted=[values for data in raw["plotted"] for values in _loaded(data)],
            variables=[(name, v) for name, data in raw["variables"] for v in _loaded(data)],
            text=text,
        )

    @property
    def candidates(self) -> list[Any]:
        """The values that an answer leaves, shows or prints, and the elements of shown tuples."""
        values = [*self.displayed, *itertools.chain(*self.printed)]
        elements = [part for value in values if isinstance(value, tuple | list) for part in value]
        # A loop that prints element by element shows a list.
        single = [call[0] for call in self.printed if len(call) == 1]
        return [*(value for _, value in self.variables), *values, *elements, single]

    @property
    def small_variables(self) -> str:
        """The values of the changed variables as text, without large ones such as the data."""
        texts = [str(value) for _, value in self.variables if _size(value) <= MAX_NUMBERS]
        return "\n".join(text for text in texts if len(text) <= _MAX_TEXT)


@dataclass(frozen=True)
class Expected:
    """The alternatives for the expected value; of one of them, an answer has all values."""

    alternatives: list[list[Any]]
    text: str = ""
    """The expected text, if the solution only writes text."""
    ordered: bool = True
    plots: list[list[float]] = field(default_factory=list)
    """The alternatives for the values in a plot, if the solution only plots."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be compared, as with the solution of a plot."""
        return not (self.alternatives or self.text.strip() or self.plots)


def _loaded(data: bytes | None) -> list[Any]:
    """Return the value in a list; an empty list if it can't be loaded here."""
    if data is None:
        return []
    try:
        return [pickle.loads(data)]
    except Exception:  # a class that only the kernel has
        return []


def has_labels(labels: Sequence[tuple[str, str]], record: Record) -> bool:
    """Return whether the output of an answer, its variables, or both have all expected values."""
    texts = (record.text, record.small_variables, f"{record.text}\n{record.small_variables}")
    return any(contains_all(list(labels), text) for text in texts)


def _size(value: Any) -> int:
    """Return the number of elements of a value; 1 for a number or a text."""
    if isinstance(value, str):
        return 1
    size = getattr(value, "size", None)
    if isinstance(size, int):
        return size
    return len(value) if isinstance(value, tuple | list | dict | set) else 1


def expected_of(solution: str, record: Record, request: str) -> Expected:
    """Return the expected value of an item, from a run of its solution."""
    printed = [call for call in record.printed if call]
    shown = [[value] for value in record.displayed if not _is_plot(value)]
    values = [call for call in printed if not all(isinstance(value, str) for value in call)]
    alternatives = shown or values
    if record.plotted and not (alternatives or printed):
        return Expected([], plots=record.plotted)
    changed = [value for _, value in record.variables]
    if changed and (not (alternatives or printed or record.text.strip()) or _shows_end(solution)):
        alternatives = [*alternatives, changed[-1:]]
    text = "" if alternatives else record.text
    return Expected(alternatives, text, asks_for_order(request))


def is_right(expected: Expected, record: Record) -> bool:
    """Return whether a run of an answer has the expected value."""
    if expected.is_empty:
        return False
    if expected.plots:
        return any(is_same(plot, own, True) for plot in expected.plots for own in record.plotted)
    if not expected.alternatives:
        texts = (record.text, record.small_variables)
        return any(shows_text(expected.text, text) for text in texts)
    candidates = record.candidates
    return any(
        all(
            any(is_same(value, candidate, expected.ordered) for candidate in candidates)
            or shows_value(value, record.text)
            for value in values
        )
        for values in expected.alternatives
    )


def with_full_value(solution: str, request: str) -> str:
    """Return a solution that also shows the full value, if it ends with a plain ``.head()``.

    Such an end only saves space in the notebook, unless the request asks for the first rows.
    """
    try:
        statements = ast.parse(solution).body
    except SyntaxError:  # a cell with magics
        return solution
    match statements[-1:]:
        case [ast.Expr(ast.Call(ast.Attribute(value, "head" | "tail"), args=[], keywords=[]))]:
            if not asks_for_order(request):
                return f"{solution}\n{ast.unparse(value)}"
    return solution


def _shows_end(solution: str) -> bool:
    """Whether the last statement only shows a variable or its beginning, as ``df.head()`` does."""
    try:
        statements = ast.parse(solution).body
    except SyntaxError:  # a cell with magics
        return False
    if len(statements) < 2 or not isinstance(statements[-1], ast.Expr):
        return False
    node: ast.expr = statements[-1].value
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _DISPLAY_METHODS:
                node = inner
            case ast.Call(func=ast.Name("print"), args=[inner]):
                node = inner
            case ast.Subscript(value=inner) | ast.Attribute(value=inner):
                node = inner
            case _:
                return isinstance(node, ast.Name)


def _is_plot(value: Any) -> bool:
    parts = value if isinstance(value, tuple | list) and value else [value]
    return any(
        type(part).__module__.partition(".")[0] in ("matplotlib", "seaborn") for part in parts
    )
