"""Find what the cell's own code does already, which a suggestion therefore doesn't overwrite."""

from __future__ import annotations

import ast
from typing import Any

from ..scopes.bindings import bound_names
from ..source import Source
from .constants import Constants
from .files import written_file


class OwnCode:
    """The code of the cell that a suggestion would replace."""

    def __init__(self, code: str, variables: dict[str, Any]) -> None:
        self.tree = Source(code).tree or ast.Module([], [])
        self._variables = variables
        self._statements: set[str] | None = None

    def files(self) -> set[str]:
        """Return the files that the code writes."""
        return _files_of(self.tree, self._variables)

    def has(self, statement: ast.stmt) -> bool:
        if self._statements is None:
            statements = [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]
            self._statements = {ast.dump(node) for node in statements}
        return ast.dump(statement) in self._statements

    def defines(self, name: str) -> bool:
        """Return whether the first statement with this name binds it, and doesn't read it."""
        for statement in self.tree.body:
            is_bound = name in bound_names(ast.Module([statement], []))
            if is_bound or reads_name(statement, name):
                return is_bound and not reads_name(statement, name)
        return False


def reads_name(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load)
        for child in ast.walk(node)
    )


def _files_of(tree: ast.Module, variables: dict[str, Any]) -> set[str]:
    constants = Constants(variables)
    for node in tree.body:
        if isinstance(node, ast.Import):
            for item in node.names:
                constants.use_import(item.asname or item.name, item.name)
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                constants.use_import(item.asname or item.name, f"{node.module}.{item.name}")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants.assign(node.targets[0].id, node.value)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {path for path in (written_file(constants, call) for call in calls) if path}
