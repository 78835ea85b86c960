"""The state of a suggestion's analysis, and the reports of missing names."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from ..problems import MAX_NAME_LENGTH, Problems, has_one_line, printable
from .values import (
    UNKNOWN,
    Arguments,
    Frame,
    Function,
    Labels,
    Method,
    Text,
    Texts,
    Value,
)

# Names that pandas has removed, and those in their place.
_REMOVED_NAMES = {
    **{"applymap": "map", "iteritems": "items", "as_matrix": "to_numpy", "sort": "sort_values"},
}
_MAX_SIGNAL_LABELS = 5


class Context:
    """The interface of ``Flow`` for the modules of this package.

    ``possible_columns`` are columns that any frame may have. ``plain_names`` are names that are
    read, but neither called nor passed on. ``is_conditional`` tells whether the current statement
    might be skipped, ``finds_signals`` whether signals are looked for, ``may_change_frames``
    whether the suggestion has called a function that may have changed frames.
    """

    finds_signals = True

    def __init__(
        self, problems: Problems, variables: dict[str, Any], folder: str, source: Any
    ) -> None:
        self.problems, self.variables, self.folder = problems, variables, folder
        self.ignored_kinds: set[str] = set()
        self.plain_names: set[str] = set()
        self.possible_columns: set[str] = set()
        self.signals: list[dict[str, Any]] = []
        self.is_conditional = self.may_change_frames = False
        self.may_create_files: bool = source.may_create_files
        self.may_install_modules: bool = source.may_install_modules

    def value(self, node: ast.AST) -> Value:
        """Return an expression's value, and report its problems once."""
        raise NotImplementedError

    def call_lambda(self, node: ast.AST, parameters: list[Value]) -> Value:
        raise NotImplementedError

    def frames(self) -> dict[str, Frame]:
        """Return the DataFrames in the kernel by name."""
        raise NotImplementedError

    def is_mask(self, key: ast.AST) -> bool:
        raise NotImplementedError

    def name_of_module(self, path: str) -> str:
        """Return the name of a variable that is the module ``path``; "" if there is none."""
        raise NotImplementedError

    def value_of(self, node: ast.AST | None) -> Value:
        return UNKNOWN if node is None else self.value(node)

    def labels(self, node: ast.AST | None) -> Labels:
        """Return the labels that a node names: a string, a list of them, or the keys of a dict."""
        if node is None:
            return Labels([], True)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            return self._labels_of(node.keys if isinstance(node, ast.Dict) else node.elts)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.labels(node.left), self.labels(node.right)
            if left.is_single or right.is_single:
                return Labels([], False)
            return Labels(left.items + right.items, left.is_exact and right.is_exact)
        value = self.value(node)
        if isinstance(value, Text):
            return Labels([(value.value, node)], True, is_single=True)
        if isinstance(value, Texts) and value.values is not None:
            return Labels([(name, node) for name in value.values], True)
        return Labels([], False)

    def _labels_of(self, elements: Iterable[ast.AST | None]) -> Labels:
        items: list[tuple[str, ast.AST]] = []
        is_exact = True
        for element in elements:
            is_starred = isinstance(element, ast.Starred)
            part = self.labels(element.value if isinstance(element, ast.Starred) else element)
            if part.is_single or is_starred:
                items += part.items
            is_exact = is_exact and part.is_exact and (part.is_single or is_starred)
        return Labels(items, is_exact)

    @contextlib.contextmanager
    def ignoring(self, kinds: Iterable[str]) -> Iterator[None]:
        previous, self.ignored_kinds = self.ignored_kinds, self.ignored_kinds.union(kinds)
        try:
            yield
        finally:
            self.ignored_kinds = previous

    def report(
        self, node: Any, kind: str, name: str, message: str, names: Iterable[str] | None = None
    ) -> None:
        if kind not in self.ignored_kinds:
            near = self.problems.near(name, names) if names is not None else []
            self.problems.add(node, kind, name, message, near)

    def report_code(
        self, node: Any, kind: str, message: str, candidates: Iterable[str] = ()
    ) -> None:
        """Add a problem whose name is the code of ``node``.

        ``candidates`` are replacements for the code; none if it has several lines or a text is too
        long.
        """
        text = self.problems.text_of(node)
        candidates = list(candidates)
        is_short = all(len(item) <= MAX_NAME_LENGTH for item in [text, *candidates])
        if kind not in self.ignored_kinds:
            shown = candidates if is_short and has_one_line(node) else []
            self.problems.add(node, kind, text, message, shown)

    def report_attribute(self, node: ast.Attribute, owner: str, names: Iterable[str]) -> None:
        position = self.problems.position_of_name(node, node.attr)
        message = f"{owner} has no {node.attr!r}."
        names = list(names)
        current = _REMOVED_NAMES.get(node.attr)
        if current in names and "missing_attribute" not in self.ignored_kinds:
            self.problems.add(
                position, "missing_attribute", node.attr, message, [current], correction=current
            )
        else:
            self.report(position, "missing_attribute", node.attr, message, names)

    def report_column(self, frame: Frame, name: str, node: Any) -> None:
        message = f"The DataFrame has no column {name!r}."
        self.report(node, "missing_column", name, message, frame.columns)

    def report_missing(self, frame: Frame, wanted: Labels, with_index: bool = False) -> None:
        """Report labels that aren't columns or, if ``with_index``, names of the index."""
        if with_index and frame.index is None:
            return
        allowed = frame.index_names if with_index else ()
        for name, node in wanted.items:
            if name not in allowed and not self.has_column(frame, name):
                self.report_column(frame, name, node)

    def has_column(self, frame: Frame, name: str) -> bool:
        """Return whether a frame has a column, or may have it."""
        return frame.has_unknown_columns or name in frame.columns or name in self.possible_columns

    def add_signal(
        self, node: Any, kind: str, name: str, labels: list[str], before: int = 0, after: int = 0
    ) -> None:
        """Add a signal, with the keys of ``signals.py``, for a call that certainly runs."""
        signal = {
            "line": self.problems.position(node)["line"],
            "kind": kind,
            "name": printable(name),
            "labels": [printable(label) for label in labels[:_MAX_SIGNAL_LABELS]],
            "before": before,
            "after": after,
        }
        if self.finds_signals and not self.is_conditional and signal not in self.signals:
            self.signals.append(signal)

    def check_keywords(self, accepted: frozenset[str] | None, name: str, node: ast.Call) -> None:
        """Report keywords that aren't in ``accepted``; report none if that is None."""
        function = name.rpartition(".")[2]
        for word, keyword in ((item.arg, item) for item in node.keywords):
            if accepted is not None and word is not None and word not in accepted:
                message = f"{function}() has no argument {word!r}."
                position = self.problems.position_of_name(keyword, word)
                self.report(position, "unknown_argument", word, message, sorted(accepted))


def may_change_data(called: Value) -> bool:
    """Return whether a call of a function or method might change a DataFrame of another name."""
    if isinstance(called, Function):
        return called.may_change_data()
    return not isinstance(called, Method)


def argument_nodes(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def apply_in_place(context: Context, frame: Frame, arguments: Arguments, result: Value) -> Value:
    """Apply the argument ``inplace`` of a call, and return the call's value.

    With ``inplace=True``, ``frame`` becomes ``result``. If the call might be skipped, or
    ``inplace`` is unknown, ``frame`` keeps its columns and may have further ones.
    """
    in_place = arguments.constant("inplace", False)
    if in_place is False:
        return result
    is_certain = in_place is True and not context.is_conditional
    frame.become(result if is_certain else UNKNOWN)
    return UNKNOWN
