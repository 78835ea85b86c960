"""Records the values that a cell shows and the variables that it changes. Runs in the kernel.

The benchmark executes this module's text in the kernel and calls ``start`` before the cell and
``save`` after it. Values are pickled at once, because later code may change them.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import pickle
import sys
from collections.abc import Iterator
from typing import Any

MAX_BYTES = 20_000_000  # of one value
MAX_SHOWN = 200
_HIDDEN = ("In", "Out", "exit", "quit", "open", "get_ipython")


class Recorder:
    """Records one run of a cell in ``space``, the namespace of the notebook."""

    def __init__(self, space: dict[str, Any]) -> None:
        self._space = space
        self.displayed: list[bytes] = []
        self.printed: list[list[bytes | None]] = []  # the arguments of each call of print
        self._before: dict[str, str | None] = {}

    def start(self, shell: Any, shows_all: bool) -> None:
        """Begin to record; ``shows_all`` also records expressions before the last statement."""
        self._before = {name: _digest(value) for name, value in self._variables()}
        if plots := sys.modules.get("matplotlib.pyplot"):
            plots.close("all")
        self._shell, self._print = shell, builtins.print
        self._update = shell.displayhook.update_user_ns
        self._display = getattr(builtins, "display", None)
        shell.ast_node_interactivity = "all" if shows_all else "last_expr"
        shell.displayhook.update_user_ns = self._on_result
        builtins.print = self._on_print
        builtins.display = self._on_display

    def save(self, path: str, code: str) -> None:
        """Stop to record, and write the record to a file."""
        self._shell.displayhook.update_user_ns = self._update
        self._shell.ast_node_interactivity = "last_expr"
        builtins.print, builtins.display = self._print, self._display
        assigned = _assigned_names(code)
        changed = []
        for name, value in self._variables():
            data = _pickled(value)
            is_new = name not in self._before or self._before[name] != _hash(data)
            if data is not None and (name in assigned or is_new):
                changed.append((assigned.index(name) if name in assigned else -1, name, data))
        variables = [(name, data) for _, name, data in sorted(changed)]
        record = {
            "displayed": self.displayed,
            "printed": self.printed,
            "plotted": list(map(pickle.dumps, _plotted())),
            "variables": variables,
        }
        with open(path, "wb") as file:
            pickle.dump(record, file)

    def _variables(self) -> Iterator[tuple[str, Any]]:
        for name, value in list(self._space.items()):
            is_module = type(value) is type(ast)
            if name[:1] != "_" and name not in _HIDDEN and not is_module and not callable(value):
                yield name, value

    def _on_result(self, result: Any) -> None:
        self._add(self.displayed, _pickled(result))
        self._update(result)

    def _on_print(self, *values: Any, **options: Any) -> None:
        if options.get("file") is None:
            self._add(self.printed, [_pickled(value) for value in values])
        self._print(*values, **options)

    def _on_display(self, *values: Any, **options: Any) -> Any:
        for value in values:
            self._add(self.displayed, _pickled(value))
        return self._display(*values, **options)

    def _add(self, records: list[Any], record: Any) -> None:
        if record is not None and len(records) < MAX_SHOWN:
            records.append(record)


def _pickled(value: Any) -> bytes | None:
    """Return the pickled value; None if it can't be pickled or is too large."""
    try:
        data = pickle.dumps(value)
    except Exception:  # an object that can't be pickled has no value to compare
        return None
    return data if len(data) <= MAX_BYTES else None


def _plotted() -> Iterator[list[float]]:
    """Yield the sorted values of each plot: bars, lines, points, or the shares of a pie."""
    plots = sys.modules.get("matplotlib.pyplot")
    for number in plots.get_fignums() if plots else ():
        for axes in plots.figure(number).axes:
            bars = [bar for bars in axes.containers for bar in getattr(bars, "datavalues", ())]
            lines = [value for line in axes.lines for value in line.get_ydata()]
            points = [point[1] for group in axes.collections for point in group.get_offsets()]
            pie = [part for part in axes.patches if hasattr(part, "theta1")]
            shares = [(part.theta2 - part.theta1) / 360 for part in pie]
            if values := bars or shares or [*lines, *points]:
                yield sorted(map(float, values))


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _digest(value: Any) -> str | None:
    return _hash(_pickled(value))


def _assigned_names(code: str) -> list[str]:
    """Return the names of the variables that top-level statements assign or change, in order."""
    try:
        statements = ast.parse(code).body
    except SyntaxError:  # a cell with magics, for example
        return []
    names: list[str] = []
    for statement in statements:
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        for target in targets:
            for base in _bases(target):
                names = [name for name in names if name != base] + [base]
    return names


def _bases(target: Any) -> Iterator[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _bases(element)
        return
    while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        target = target.value
    if isinstance(target, ast.Name):
        yield target.id
