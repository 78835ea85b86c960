"""Resolve the names of the functions that a cell calls. Pure.

Invariant: a name that is returned consists of names of modules, functions and methods only. The
name of a variable, or of a function that the person defined, is never part of it.
"""

from __future__ import annotations

import ast
import builtins
import re

from ...kernel.inspection.imports import ALIASES

_BUILTINS = {name for name, value in vars(builtins).items() if callable(value)} | {"display"}
_PLAIN = re.compile(r"\.?[A-Za-z_][A-Za-z0-9_]{0,39}(?:\.[A-Za-z_][A-Za-z0-9_]{0,39}){0,5}")


class Names:
    """The modules and functions that the names in a cell stand for."""

    def __init__(self, tree: ast.AST) -> None:
        self._imported: dict[str, str] = {}
        self._bound: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    path = alias.name if alias.asname else alias.name.partition(".")[0]
                    self._imported[alias.asname or path] = path
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names if node.module and not node.level else ():
                    self._imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
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
        with a dot. The name is None for a function of the cell, and for any other expression.
        """
        function = call.func
        if isinstance(function, ast.Name):
            path = self.path_of(function.id)
            if path is None and function.id in _BUILTINS and function.id not in self._bound:
                path = function.id
            return _plain(path), None
        if not isinstance(function, ast.Attribute):
            return None, None
        if path := self._module_path(function):
            return _plain(path), None
        return _plain(f".{function.attr}"), function.value

    def _module_path(self, node: ast.expr) -> str | None:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        path = self.path_of(node.id) if isinstance(node, ast.Name) else None
        return ".".join([path, *reversed(parts)]) if path else None


def _plain(name: str | None) -> str | None:
    """Return a name if it is short and in ASCII, else None."""
    return name if name and _PLAIN.fullmatch(name) else None


def root_of(name: str) -> str:
    """Return the module of a function; the name itself of a method or a built-in function."""
    return name if name.startswith(".") else name.partition(".")[0]


def last_part(name: str) -> str:
    """Return the last part of a name: ``lineplot`` of ``seaborn.lineplot``."""
    return name.rpartition(".")[2]
