"""Let a suggestion assign to another name than that of a DataFrame in the kernel."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Collection, Iterator
from typing import Any

from ..scopes.bindings import bound_names, declared_global, target_names

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MAX_USES = 500


class _CannotRenameError(Exception):
    """A use of the name can't be renamed."""


def free_name(name: str, value: ast.AST | None, taken: Collection[str]) -> str:
    """Return a name for a new DataFrame: ``sales_by_region`` for groups, or else ``sales_2``."""
    key = _grouping_key(value)
    by_key = f"{name}_by_{key}"
    if key and by_key.isidentifier() and not keyword.iskeyword(by_key) and by_key not in taken:
        return by_key
    base = re.sub(r"_\d+$", "", name)
    number = 2
    while f"{base}_{number}" in taken or f"{base}_{number}" in builtins.__dict__:
        number += 1
    return f"{base}_{number}"


def _grouping_key(value: ast.AST | None) -> str:
    """Return the only column by which a value is grouped; "" if there is none."""
    for node in ast.walk(value) if value is not None else ():
        method = getattr(getattr(node, "func", None), "attr", "")
        if method not in ("groupby", "group_by") or not isinstance(node, ast.Call):
            continue
        given: Any = node.args[0] if node.args else None
        if isinstance(given, ast.List) and len(given.elts) == 1:
            given = given.elts[0]
        if isinstance(given, ast.Constant) and type(given.value) is str:
            return given.value
    return ""


def uses_after(tree: ast.Module, statement: ast.stmt, name: str) -> list[ast.Name] | None:
    """Return the target of an assignment and the later uses of its name, which can be renamed.

    Return None if the statement isn't an assignment of the cell itself, or if a use can't be
    renamed safely, for example in a function that declares the name as global.
    """
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement not in tree.body:
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    uses = [
        node
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    index = tree.body.index(statement)
    if any(_is_read_later(earlier, name) for earlier in tree.body[:index]):
        return None
    try:
        for later in tree.body[index + 1 :]:
            uses += _uses(later, name)
    except _CannotRenameError:
        return None
    return uses if len(uses) <= _MAX_USES else None


def _is_read_later(statement: ast.stmt, name: str) -> bool:
    """Return whether a function, which runs later, reads a name."""
    functions = [node for node in ast.walk(statement) if isinstance(node, _SCOPES)]
    return any(name in target_names(function) for function in functions)


def _uses(node: ast.AST, name: str) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name):
        if node.id == name:
            yield node
        return
    if isinstance(node, _SCOPES):
        if name in declared_global(node) or getattr(node, "name", "") == name:
            raise _CannotRenameError
        if name in bound_names(node):
            for part in [*getattr(node, "decorator_list", ()), node.args]:
                yield from _children(part, name)
            return
    _refuse(node, name)
    yield from _children(node, name)


def _children(node: ast.AST, name: str) -> Iterator[ast.Name]:
    for child in ast.iter_child_nodes(node):
        yield from _uses(child, name)


def _refuse(node: ast.AST, name: str) -> None:
    """Raise an error if a node uses the name in another way than as a variable of the cell."""
    if _is_other_use(node, name):
        raise _CannotRenameError


def _is_other_use(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Constant):  # such as ``query("price > @limit")``
        return type(node.value) is str and bool(re.search(rf"@{re.escape(name)}\b", node.value))
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return name in node.names
    if isinstance(node, ast.ClassDef):
        return name in bound_names(node)
    if isinstance(node, ast.comprehension):
        return name in target_names(node.target)
    if isinstance(node, ast.JoinedStr):  # before CPython 3.12, positions in f-strings are wrong
        return sys.version_info < (3, 12) and name in target_names(node)
    if isinstance(node, (ast.Name, ast.Attribute, ast.keyword)):
        return False
    return any(getattr(node, field, None) == name for field in ("name", "asname", "rest"))
