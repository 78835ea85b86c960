"""Resolve the names of the functions that a cell calls. Pure.

Invariant: a name that is returned is that of a built-in function, a method in ``FUNCTIONS``, a path
that the cell imports from one of the ``LIBRARIES``, or such a usual name as ``sns`` with a function
in ``FUNCTIONS``. Any other name may be the person's own, and is never returned.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable

from ...kernel.inspection.imports import ALIASES
from .public_names import FUNCTIONS, LIBRARIES

_BUILTINS = {name for name, value in vars(builtins).items() if callable(value)} | {"display"}
_PLAIN = re.compile(r"\.?[A-Za-z_][A-Za-z0-9_]{0,39}(?:\.[A-Za-z_][A-Za-z0-9_]{0,39}){0,5}")


class Names:
    """The modules and functions that the names in a cell stand for."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._imported: dict[str, str] = {}
        self._bound: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    path = alias.name if alias.asname else alias.name.partition(".")[0]
                    self._imported[alias.asname or path] = path
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    name = alias.asname or alias.name
                    if node.module and not node.level:
                        self._imported[name] = f"{node.module}.{alias.name}"
                    else:
                        self._bound.add(name)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._bound.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._bound.add(node.name)
            elif isinstance(node, ast.arg):
                self._bound.add(node.arg)

    def path_of(self, name: str) -> str | None:
        """Return the dotted path of a module or an imported function; None for any other name.

        In notebooks, modules are often imported in another cell. So usual names, such as ``sns``,
        stand for their modules, too.
        """
        if name in self._bound:
            return None
        return self._imported.get(name) or ALIASES.get(name)

    def function_name(self, call: ast.Call) -> tuple[str | None, ast.expr | None]:
        """Return the name of the called function, and the receiver if it is a method.

        A function of a module has its full path, such as ``seaborn.lineplot``, and a method begins
        with a dot. The name is None for a function that may be the person's own, and for any other
        expression.
        """
        function = call.func
        if isinstance(function, ast.Name):
            path = self._public_path(function.id)
            is_builtin = function.id in _BUILTINS and self.path_of(function.id) is None
            if path is None and is_builtin and function.id not in self._bound:
                path = function.id
            return _plain(path), None
        if not isinstance(function, ast.Attribute):
            return None, None
        base, attributes = _split_path(function)
        if self.path_of(base) is not None:
            return _plain(self._public_path(base, *attributes)), None
        name = f".{function.attr}" if function.attr in FUNCTIONS else None
        return name, function.value

    def _public_path(self, name: str, *attributes: str) -> str | None:
        """Return the path of a function, unless it may be the person's own."""
        path = self.path_of(name)
        if path is None or path.partition(".")[0] not in LIBRARIES:
            return None
        is_usual = len(attributes) == 1 and attributes[0] in FUNCTIONS
        if name not in self._imported and not is_usual:
            return None
        return ".".join([path, *attributes])


def _split_path(node: ast.expr) -> tuple[str, list[str]]:
    """Return the name and the attributes of ``a.b.c``; the name is empty for other expressions."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else ""), attributes[::-1]


def _plain(name: str | None) -> str | None:
    """Return a name if it is short and in ASCII, else None."""
    return name if name and _PLAIN.fullmatch(name) else None


def root_of(name: str) -> str:
    """Return the module of a function; the name itself of a method or a built-in function."""
    return name if name.startswith(".") else name.partition(".")[0]


def last_part(name: str) -> str:
    """Return the last part of a name: ``lineplot`` of ``seaborn.lineplot``."""
    return name.rpartition(".")[2]
