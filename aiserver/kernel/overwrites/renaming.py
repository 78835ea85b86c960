"""Let a suggestion assign to another name than that of a DataFrame in the kernel."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection

from ..scopes.bindings import bound_names, target_names

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.NamedExpr)
_GROUPED_BY = re.compile(r"""\.group_?by\(\[?["'](\w+)["'](?:[])]|, *\w+ *=)""")  # by one column


def free_name(name: str, code: str, taken: Collection[str]) -> str:
    """Return a name for a new DataFrame: ``sales_by_region`` for groups, or else ``sales_2``."""
    key = _GROUPED_BY.search(code)
    by_key = f"{name}_by_{key.group(1)}" if key is not None else ""
    if by_key.isidentifier() and by_key not in taken:
        return by_key
    base, number = re.sub(r"_\d+$", "", name), 2
    while f"{base}_{number}" in taken:
        number += 1
    return f"{base}_{number}"


def uses_after(tree: ast.Module, statement: ast.stmt, name: str) -> list[ast.Name] | None:
    """Return the target of an assignment and the later uses of its name, which can be renamed.

    Return None if it isn't certain that all uses can be renamed: for example, if the statement
    isn't one of the cell itself, or if a function binds the name.
    """
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement not in tree.body:
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    index = tree.body.index(statement)
    for node in ast.walk(ast.Module(tree.body[:index], [])):
        if isinstance(node, _SCOPES) and name in target_names(node):
            return None  # a function above may run later
        value = node.value if isinstance(node, _ASSIGNMENTS) else None
        if isinstance(value, ast.Name) and value.id == name:
            return None  # through another name, later statements may change the DataFrame
    nodes = [node for part in [*targets, *tree.body[index + 1 :]] for node in ast.walk(part)]
    is_simple = all(isinstance(target, ast.Name) for target in targets)
    if not is_simple or any(_is_other_use(node, name) for node in nodes):
        return None
    return [node for node in nodes if isinstance(node, ast.Name) and node.id == name]


def _is_other_use(node: ast.AST, name: str) -> bool:
    """Return whether a node uses a name in another way than as a variable of the cell."""
    if isinstance(node, _SCOPES):
        return name in bound_names(node) or getattr(node, "name", "") == name
    if isinstance(node, ast.comprehension):
        return name in target_names(node.target)
    if isinstance(node, ast.Constant):  # such as ``query("price > @limit")``
        return type(node.value) is str and bool(re.search(rf"@{re.escape(name)}\b", node.value))
    if isinstance(node, ast.JoinedStr):  # before CPython 3.12, positions in f-strings are wrong
        return sys.version_info < (3, 12) and name in target_names(node)
    if isinstance(node, (ast.Name, ast.Attribute, ast.keyword)):
        return False
    fields = [value for _, value in ast.iter_fields(node)]
    return any(value == name or (isinstance(value, list) and name in value) for value in fields)
