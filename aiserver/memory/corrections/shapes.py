"""Find equal expressions in two cells. Pure.

Invariant: two nodes have the same number if and only if ``ast.dump`` returns the same text for
both. All numbers together take time in proportion to the number of nodes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence


class Shapes:
    """Gives a number to each node of syntax trees. Equal nodes have the same number."""

    def __init__(self) -> None:
        self._number_by_shape: dict[object, int] = {}
        self._number_by_node: dict[int, int] = {}

    def add(self, nodes: Sequence[ast.AST]) -> None:
        """Add the nodes of a tree in the order of ``ast.walk``, and use the tree while it lives."""
        for node in reversed(nodes):  # children come first
            shape = (type(node), *map(self._field, (value for _, value in ast.iter_fields(node))))
            number = self._number_by_shape.setdefault(shape, len(self._number_by_shape))
            self._number_by_node[id(node)] = number

    def number(self, node: ast.AST) -> int:
        """Return the number of a node that was added."""
        return self._number_by_node[id(node)]

    def _field(self, value: object) -> object:
        if isinstance(value, ast.AST):
            return self._number_by_node[id(value)]
        if isinstance(value, list):
            return tuple(map(self._field, value))
        return type(value), repr(value)  # 1, 1.0 and True are equal, but not the same literal
