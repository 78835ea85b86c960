"""Find the names that code binds, and the problems that ``try`` and ``with`` handle."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

# Kinds of problems with a column's values.
VALUE_KINDS = frozenset({"not_numbers", "not_dates", "not_text", "not_aligned"})
# Kinds of problems with code that a library refuses, or that has no effect.
CODE_KINDS = frozenset({"not_valid", "not_called", "no_effect"})
# The kinds of problems that an `except` of each class catches.
_CATCHES = {
    "NameError": {"undefined_name"},
    "UnboundLocalError": set(),
    "ImportError": {"missing_module", "missing_attribute"},
    "ModuleNotFoundError": {"missing_module"},
    "AttributeError": {"missing_attribute", "missing_column"},
    "KeyError": {"missing_column"},
    "LookupError": {"missing_column"},
    "ValueError": {"missing_column"},
    "TypeError": {"unknown_argument"},
    "OSError": {"missing_file"},
    "IOError": {"missing_file"},
    "EnvironmentError": {"missing_file"},
    "FileNotFoundError": {"missing_file"},
}
# All kinds of problems, except ``syntax``.
CATCHABLE_KINDS = VALUE_KINDS.union(CODE_KINDS, *_CATCHES.values())

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(node: Any) -> set[str]:
    """Return the names that code binds, with a function's parameters, without nested scopes."""
    names: set[str] = set()
    if isinstance(node, _FUNCTIONS):
        names.update(item.arg for item in parameters_of(node.args))
        children: list[Any] = node.body if isinstance(node.body, list) else [node.body]
    else:
        children = list(ast.iter_child_nodes(node))
    for child in children:
        _collect(child, names)
    return names


def parameters_of(arguments: ast.arguments) -> list[ast.arg]:
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return plain + [item for item in (arguments.vararg, arguments.kwarg) if item is not None]


def _collect(node: Any, names: set[str]) -> None:
    stack = [(node, False)]
    while stack:
        node, in_comprehension = stack.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store) and not in_comprehension:
                names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            stack += [(item, in_comprehension) for item in node.decorator_list]
            continue
        elif isinstance(node, ast.Lambda):
            continue
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(item.asname or item.name.split(".", 1)[0] for item in node.names)
        elif isinstance(node, ast.NamedExpr):
            names.add(node.target.id)
        elif isinstance(node, _COMPREHENSIONS):
            in_comprehension = True
        elif type(node).__name__ in ("ExceptHandler", "MatchAs", "MatchStar") and node.name:
            names.add(node.name)
        elif type(node).__name__ == "MatchMapping" and node.rest:
            names.add(node.rest)
        elif type(node).__name__ == "TypeAlias":
            names.add(node.name.id)
        stack += [(child, in_comprehension) for child in ast.iter_child_nodes(node)]


def declared_global(node: Any) -> set[str]:
    names: set[str] = set()
    if isinstance(node, ast.Lambda):
        return names
    stack = list(node.body)
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Global):
            names.update(item.names)
        elif not isinstance(item, (*_FUNCTIONS, ast.ClassDef)):
            stack += list(ast.iter_child_nodes(item))
    return names


def target_names(target: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(target) if isinstance(item, ast.Name)}


def changed_names(tree: ast.AST) -> set[str]:
    """Return the names that code assigns, also to their items, or changes with ``inplace``."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if any(keyword.arg == "inplace" for keyword in node.keywords):
                names |= target_names(node.func)
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            part: Any = node
            while isinstance(part, (ast.Subscript, ast.Attribute)):
                part = part.value
            if isinstance(part, ast.Name):
                names.add(part.id)
    return names


def is_never(test: ast.AST) -> bool:
    """Return whether a condition is ``False``, ``0`` or ``TYPE_CHECKING``."""
    if isinstance(test, ast.Constant):
        return not test.value
    name = getattr(test, "attr", None) or getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def is_always(test: ast.AST) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def caught_kinds(handlers: Iterable[Any]) -> set[str]:
    kinds: set[str] = set()
    for handler in handlers:
        kind = handler.type
        classes = [kind] if not isinstance(kind, ast.Tuple) else kind.elts
        for item in classes:
            name = getattr(item, "attr", None) or getattr(item, "id", None)
            if name in (None, "Exception", "BaseException"):
                return set(CATCHABLE_KINDS)
            kinds |= _CATCHES.get(name, set())
    return kinds


def suppresses(context: ast.AST) -> bool:
    """Return whether a context manager, such as ``suppress``, expects exceptions."""
    function = context.func if isinstance(context, ast.Call) else context
    name = getattr(function, "attr", None) or getattr(function, "id", None) or ""
    return any(part in name.lower() for part in ("suppress", "raises", "ignore"))
