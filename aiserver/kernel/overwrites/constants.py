"""Find the texts, conditions and library functions that expressions of a suggestion stand for."""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

from ..inspection.objects import (
    MISSING,
    class_name,
    is_plain_class,
    loaded_value,
    plain_texts,
)


class Constants:
    """Evaluates names and texts, without running anything."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables
        self.paths: dict[str, str] = {}  # the dotted names of what the suggestion has imported
        self.assigned: set[str] = set()  # the names that it has assigned
        self.texts_of: dict[str, list[str]] = {}  # the texts that it has assigned to names
        self._single: set[str] = set()  # the names that are one text, not several
        self._masks: set[str] = set()  # the names to which it has assigned conditions

    def assign(self, name: str, node: ast.AST | None) -> None:
        """Record that the suggestion has assigned the value of ``node`` to a name."""
        texts = self.texts(node)
        is_single, is_mask = self.text(node) is not None, self.is_mask(node)
        for names, belongs in ((self._single, is_single), (self._masks, is_mask)):
            names.discard(name)
            if belongs:
                names.add(name)
        self.texts_of.pop(name, None)
        if texts is not None:
            self.texts_of[name] = texts
        self.assigned.add(name)
        self.paths.pop(name, None)

    def use_import(self, name: str, path: str) -> None:
        """Record that the suggestion has imported ``path`` by a name."""
        self.assigned.discard(name)
        self.paths[name] = path

    def path(self, node: ast.AST) -> str:
        """Return the dotted name of a library's function or class; "" for anything else."""
        if isinstance(node, ast.Attribute):
            parent = self.path(node.value)
            return parent and parent + "." + node.attr
        if not isinstance(node, ast.Name) or node.id in self.assigned:
            return ""
        if node.id in self.paths:
            return self.paths[node.id]
        value = self.variables.get(node.id, MISSING)
        if value is MISSING:
            return "builtins." + node.id if node.id in builtins.__dict__ else ""
        if type(value) is types.ModuleType:
            name = value.__dict__.get("__name__")
            return name if type(name) is str else ""
        return _path_of_object(value)

    def is_mask(self, key: Any) -> bool:
        """Return whether a key selects some rows by a condition."""
        if isinstance(key, ast.Name) and key.id in self.assigned:
            return key.id in self._masks
        if isinstance(key, ast.Name):
            kind = type(self.variables.get(key.id))
            return any(kind is loaded_value(library, "Series") for library in ("pandas", "polars"))
        if isinstance(key, ast.UnaryOp):
            return isinstance(key.op, ast.Invert)
        if isinstance(key, ast.BinOp):
            return isinstance(key.op, (ast.BitAnd, ast.BitOr, ast.BitXor))
        method = getattr(getattr(key, "func", None), "attr", "")
        return isinstance(key, ast.Compare) or method in _CONDITIONS

    def text(self, node: Any) -> str | None:
        """Return the value of an expression that is a text or a path; None for any other."""
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is str else None
        if isinstance(node, ast.Name) and node.id in self.assigned:
            return self.texts_of[node.id][0] if node.id in self._single else None
        if isinstance(node, ast.Name):
            value = self.variables.get(node.id)
            return value if type(value) is str else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
            left, right = self.text(node.left), self.text(node.right)
            if left is None or right is None:
                return None
            return left + ("/" if isinstance(node.op, ast.Div) else "") + right
        if isinstance(node, ast.Call) and self.path(node.func) in _PATHS and not node.keywords:
            parts = [self.text(part) for part in node.args]
            return "/".join(part for part in parts if part) if all(parts) else None
        return None

    def texts(self, node: Any) -> list[str] | None:
        """Return the texts in an expression, or the keys of a dict; None if not all are known."""
        single = self.text(node)
        if single is not None:
            return [single]
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            parts: list[Any] = node.keys if isinstance(node, ast.Dict) else node.elts
            items = [self.text(item) for item in parts]
            return None if None in items else [item for item in items if item is not None]
        if isinstance(node, ast.Name) and node.id in self.assigned:
            return self.texts_of.get(node.id)
        if isinstance(node, ast.Name):
            return plain_texts(self.variables.get(node.id))
        return None


def _path_of_object(value: Any) -> str:
    """Return the dotted name of a function or class of a library; "" for any other object."""
    if type(value) is types.FunctionType:
        if value.__dict__.get("__wrapped__") is builtins.open:
            return "builtins.open"  # IPython's wrapper of ``open``
        name: Any = value.__name__
    else:
        name = class_name(value) if is_plain_class(value) else None
    for library in _IMPORTED_FROM:
        if type(name) is str and loaded_value(library, name) is value:
            return library + "." + name
    return ""


_IMPORTED_FROM = ("pandas", "polars", "seaborn", "copy", "pathlib")  # whose objects are recognised
_PATHS = ("pathlib.Path", "pathlib.PurePath", "os.path.join")
# Methods of a Series that return booleans.
_CONDITIONS = set(
    "isin isna isnull notna notnull between duplicated eq ne lt gt le ge contains startswith "
    "endswith match fullmatch is_null is_not_null is_between".split()
)
