"""Split the code of a cell into expressions, and an expression into its chain of calls. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...kernel.source import Source
from .names import Names

MAX_CODE = 10_000  # characters of a cell; a longer one is ignored
_MAX_NODES = 6000  # of its syntax tree
_MAX_PARTS = 200


@dataclass(frozen=True)
class Call:
    """A call in a chain. ``name`` is None if the function may be the person's own."""

    name: str | None
    node: ast.Call
    receiver: ast.expr | None

    @property
    def arguments(self) -> list[ast.expr]:
        """The values of all arguments."""
        return [*self.node.args, *(keyword.value for keyword in self.node.keywords)]


class Code:
    """The code of a cell.

    ``parts`` are the expressions of its statements, in order, without targets of assignments.
    ``nodes`` are those of its syntax tree, in the order of ``ast.walk``.
    """

    def __init__(self, tree: ast.Module, nodes: Sequence[ast.AST]) -> None:
        self.nodes, self.names = nodes, Names(nodes)
        self.parts = [
            part for part in _expressions(tree.body) if not isinstance(part, ast.Constant)
        ]

    @classmethod
    def parse(cls, text: str) -> Code | None:
        """Return the code; None if it isn't Python or too large."""
        tree = Source(text).tree if len(text) <= MAX_CODE else None
        nodes = list(ast.walk(tree)) if tree is not None else []
        if tree is None or len(nodes) > _MAX_NODES:
            return None
        code = cls(tree, nodes)
        return code if len(code.parts) <= _MAX_PARTS else None

    @cached_property
    def modules(self) -> set[str]:
        """The top-level modules of all functions that the cell calls."""
        calls = (node for part in self.parts for node in ast.walk(part))
        names = (self.names.function_name(node)[0] for node in calls if isinstance(node, ast.Call))
        return {name.partition(".")[0] for name in names if name and "." in name.lstrip(".")}

    def chain(self, node: ast.AST) -> tuple[list[Call], ast.AST | None]:
        """Return the calls of a chain such as ``df.groupby(…).sum()``, and what it begins with."""
        calls: list[Call] = []
        while True:
            if isinstance(node, ast.Call):
                name, receiver = self.names.function_name(node)
                calls.append(Call(name, node, receiver))
                if receiver is None:
                    return calls[::-1], None
                node = receiver
            elif isinstance(node, ast.Attribute | ast.Subscript | ast.Await | ast.Starred):
                node = node.value
            else:
                return calls[::-1], node

    def operands(self, *nodes: ast.AST) -> set[object]:
        """Return the variables and the literals in expressions, which are what a call is about."""
        inner_nodes = [inner for node in nodes for inner in ast.walk(node)]
        functions = {id(node.func) for node in inner_nodes if isinstance(node, ast.Call)}
        operands: set[object] = set()
        for node in inner_nodes:
            if isinstance(node, ast.Name):
                if id(node) not in functions and self.names.path_of(node.id) is None:
                    operands.add(node.id)
            elif isinstance(node, ast.Constant) and not isinstance(node.value, bool | None):
                operands.add((type(node.value), node.value))
        return operands


def _expressions(statements: list[ast.stmt]) -> Iterator[ast.expr]:
    for statement in statements:
        for name, value in ast.iter_fields(statement):
            values = value if isinstance(value, list) else [value]
            is_target = name in ("target", "targets", "annotation", "returns", "names")
            for child in values:
                if isinstance(child, ast.expr) and not is_target:
                    yield child
                elif isinstance(child, ast.stmt):
                    yield from _expressions([child])
                elif isinstance(child, ast.withitem):
                    yield child.context_expr
                elif isinstance(child, ast.ExceptHandler):
                    yield from _expressions(child.body)
