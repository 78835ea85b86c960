"""Find the column labels in a suggestion, and report those that a frame lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from .values import Context, Frame, Text, Texts, Value


class Labels:
    """The labels in an expression, each with its AST node.

    ``is_exact`` tells whether ``items`` contains all labels, and ``is_single`` whether the
    expression is one string.
    """

    def __init__(
        self, items: list[tuple[str, ast.AST]], is_exact: bool, is_single: bool = False
    ) -> None:
        self.items, self.is_exact, self.is_single = items, is_exact, is_single

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.items]


class Arguments:
    """The arguments of a call, by the name of their parameter.

    ``parameters`` contains the names of the positional parameters, separated by spaces.
    ``is_exact`` is false if the call contains ``*args`` or ``**kwargs``.
    """

    def __init__(self, node: ast.Call, parameters: str) -> None:
        names = parameters.split()
        self.is_exact = True
        self.extra: list[ast.expr] = []
        self._nodes: dict[str, ast.expr] = {}
        self.keywords: dict[str, ast.keyword] = {}
        for number, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                self.is_exact = False
            elif number < len(names):
                self._nodes[names[number]] = argument
            else:
                self.extra.append(argument)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.is_exact = False
            else:
                self._nodes[keyword.arg] = keyword.value
                self.keywords[keyword.arg] = keyword

    def get(self, *names: str) -> ast.expr | None:
        """Return the argument for the first parameter in ``names`` that the call sets.

        An argument ``None`` counts as not set. Return None if the call sets none of the parameters.
        """
        for name in names:
            node = self._nodes.get(name)
            if node is not None and not (isinstance(node, ast.Constant) and node.value is None):
                return node
        return None

    def constant(self, name: str, default: Any = None) -> Any:
        """Return the constant value of an argument.

        Return ``default`` if the argument isn't given. Return ``...`` if it isn't a constant, or if
        it has an operator: ``-1``.
        """
        node = self._nodes.get(name)
        if node is None:
            return default
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return ...
        return node.value if isinstance(node, ast.Constant) else ...

    def given(self) -> Iterable[str]:
        return self._nodes.keys()


def labels(context: Context, node: ast.AST | None) -> Labels:
    """Return the labels that a node names: a string, a list of strings, or the keys of a dict."""
    if node is None:
        return Labels([], True)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
        elements = node.keys if isinstance(node, ast.Dict) else node.elts
        items: list[tuple[str, ast.AST]] = []
        is_exact = True
        for element in elements:
            if isinstance(element, ast.Starred):
                part = labels(context, element.value)
            else:
                part = labels(context, element)
                is_exact = is_exact and part.is_single
            if element is None or not part.is_exact:
                is_exact = False
            if part.is_single or isinstance(element, ast.Starred):
                items += part.items
        return Labels(items, is_exact)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = labels(context, node.left), labels(context, node.right)
        if left.is_single or right.is_single:
            return Labels([], False)
        return Labels(left.items + right.items, left.is_exact and right.is_exact)
    value = context.value(node)
    if isinstance(value, Text):
        return Labels([(value.value, node)], True, is_single=True)
    if isinstance(value, Texts) and value.values is not None:
        return Labels([(name, node) for name in value.values], True)
    return Labels([], False)


def report_missing(
    context: Context, frame: Frame, wanted: Labels, with_index: bool = False
) -> None:
    """Report labels that aren't columns of the frame or, if ``with_index``, names of its index."""
    index = frame.index if with_index else set()
    if index is None:
        return
    for name, node in wanted.items:
        if name not in index and not has_column(context, frame, name):
            report_column(context, frame, name, node)


def has_column(context: Context, frame: Frame, name: str) -> bool:
    """Return whether a frame has a column, or may have it."""
    return frame.has_unknown_columns or name in frame.columns or name in context.possible_columns


def report_column(context: Context, frame: Frame, name: str, node: Any) -> None:
    message = f"The DataFrame has no column {name!r}."
    context.report(node, "missing_column", name, message, frame.columns)


def apply_in_place(context: Context, frame: Frame, arguments: Arguments, result: Value) -> Value:
    """Apply the argument ``inplace`` of a method's call, and return the value of the call.

    Without ``inplace``, the value is ``result``. With ``inplace=True``, ``frame`` becomes
    ``result``, and the value of the call is unknown. If the call might be skipped, or if the value
    of ``inplace`` is unknown, ``frame`` keeps its columns and may have further ones.
    """
    in_place = arguments.constant("inplace", False)
    if in_place is False:
        return result
    if in_place is not True:
        frame.become(Value())
    elif context.is_conditional:
        if isinstance(result, Frame) and not result.has_unknown_columns:
            frame.add(result.columns)
            frame.forget_values()
            frame.index = frame.levels = None
        else:
            frame.become(Value())
    else:
        frame.become(result)
    return Value()
