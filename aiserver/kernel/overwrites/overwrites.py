"""Find what a suggestion would overwrite: DataFrames in the kernel, and files.

A warning isn't a problem: the code does what it says. It is a dict with these keys:

- ``line``, ``column``, ``end_line`` and ``end_column``, as in a problem
- ``kind``: ``replaced`` (the name gets another value), ``reloaded`` (the same, read from a file),
  ``deleted``, ``changed`` (in place), ``columns`` (existing columns are overwritten) or ``file``
- ``name``: the name of the DataFrame, or the path of the file
- ``rows`` and ``width``: the size of the DataFrame; 0 for a file
- ``labels``: the columns that are overwritten
- ``other_name``: another name for the result of an assignment, or ""
- ``uses``: the positions at which this name has to replace the old one, each as line and column

There is at most one warning for each DataFrame and file. Nothing is reported for:

- statements that may be skipped, and the bodies of functions
- new columns, and a new order of rows or columns
- statements that the cell has already
- names that the cell's own code defines, if the suggestion defines them, too
"""

from __future__ import annotations

import ast
import time
from typing import Any

from ..problems import Problems, printable
from ..scopes.bindings import bound_names, is_always
from ..source import Source
from .files import exists, written_file
from .methods import COMPLETE, LOST, READ, UNSURE, effect_of_method, is_in_place
from .origins import Origin, Origins, key_of
from .own_code import OwnCode, reads_name
from .renaming import free_name, uses_after

_MAX_WARNINGS = 10
_MAX_LABELS = 5
# The kinds, from the gravest. Of several warnings about one DataFrame, the gravest is returned.
_WARNING_KINDS = ("deleted", "replaced", "reloaded", "file", "changed", "columns")
# Methods that change a DataFrame without ``inplace``.
_CHANGING = {"update", "isetitem", "replace_column", "extend"}
_REMOVING = {"pop", "drop_in_place"}
_INDEXER_NAMES = {"loc", "iloc", "at", "iat"}
_SKIPPED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def find_overwrites(
    tree: ast.Module,
    source: Source,
    variables: dict[str, Any],
    original: str,
    problems: Problems,
    folder: str,
) -> list[dict[str, Any]]:
    """Return the warnings about a suggestion, sorted by position.

    ``original`` is the cell's own code, and ``problems`` converts positions.
    """
    finder = _Finder(tree, source, variables, OwnCode(original, variables), problems, folder)
    finder.follow(tree.body)
    warnings = list(finder.warnings.values())[:_MAX_WARNINGS]
    return sorted(warnings, key=lambda item: (item["line"], item["column"]))


class _Finder:
    """Follows the statements of a suggestion in order."""

    def __init__(
        self,
        tree: ast.Module,
        source: Source,
        variables: dict[str, Any],
        own: OwnCode,
        problems: Problems,
        folder: str,
    ) -> None:
        self.warnings: dict[str, dict[str, Any]] = {}
        self._tree, self._source, self._own = tree, source, own
        self._problems, self._folder = problems, folder
        self._origins = Origins(variables)
        self._is_certain = True

    # Statements

    def follow(self, statements: list[Any]) -> None:
        for statement in statements:
            if time.monotonic() > self._problems.deadline:
                return
            method = getattr(self, "_on_" + type(statement).__name__, None)
            if method is not None:
                method(statement)
            else:
                self._find_calls(statement, statement)

    def _branch(self, statements: list[Any]) -> None:
        """Follow statements that may be skipped; afterwards, what they bind is unsure."""
        was_certain, self._is_certain = self._is_certain, False
        self.follow(statements)
        self._is_certain = was_certain
        for statement in statements:
            self._forget(bound_names(ast.Module([statement], [])))

    def _forget(self, names: set[str]) -> None:
        for name in names:
            self._origins.bind(name, Origin(UNSURE))

    def _on_If(self, node: ast.If) -> None:
        self._find_calls(node.test, node)
        if is_always(node.test):
            self.follow(node.body)
        else:
            self._branch(node.body)
        self._branch(node.orelse)

    def _on_For(self, node: Any) -> None:
        self._find_calls(node.iter, node)
        self._rebind_targets(node.target, Origin(LOST), node)
        columns = self._origins.columns_in(node.iter)
        if isinstance(node.target, ast.Name) and columns:
            self._origins.texts_of[node.target.id] = columns
        self.follow(node.body)
        self._forget(bound_names(node))
        self._branch(node.orelse)

    _on_AsyncFor = _on_For

    def _on_While(self, node: ast.While) -> None:
        self._find_calls(node.test, node)
        self.follow(node.body)
        self._forget(bound_names(node))
        self._branch(node.orelse)

    def _on_Try(self, node: Any) -> None:
        self.follow(node.body)
        for handler in node.handlers:
            self._branch(handler.body)
        self._branch(node.orelse)
        self.follow(node.finalbody)

    _on_TryStar = _on_Try

    def _on_With(self, node: Any) -> None:
        for item in node.items:
            self._find_calls(item.context_expr, node)
            if item.optional_vars is not None:
                self._rebind_targets(item.optional_vars, Origin(LOST), node)
        self.follow(node.body)

    _on_AsyncWith = _on_With

    def _on_Match(self, node: Any) -> None:
        for case in node.cases:
            self._branch(case.body)

    def _on_FunctionDef(self, node: Any) -> None:
        self._forget({node.name})

    _on_AsyncFunctionDef = _on_ClassDef = _on_FunctionDef

    def _on_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            path = alias.name if alias.asname else alias.name.split(".", 1)[0]
            self._origins.use_import(alias.asname or path, path)

    def _on_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._origins.use_import(alias.asname or alias.name, f"{node.module}.{alias.name}")

    # Assignments

    def _on_Assign(self, node: ast.Assign) -> None:
        self._find_calls(node, node)
        origin = self._origins.of(node.value)
        for target in node.targets:
            self._assign(target, node.value, origin, node)

    def _on_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._find_calls(node.value, node)
            self._assign(node.target, node.value, self._origins.of(node.value), node)

    def _assign(self, target: Any, value: Any, origin: Origin, node: Any) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            values = getattr(value, "elts", None)
            if isinstance(values, list) and len(values) == len(target.elts):
                origins = [self._origins.of(item) for item in values]
                for part, item, item_origin in zip(target.elts, values, origins):
                    self._assign(part, item, item_origin, node)
            else:
                self._rebind_targets(target, origin, node)
        elif isinstance(target, ast.Name):
            self._rebind(target, value, origin, node)
        else:
            self._change_target(target, node)

    def _rebind_targets(self, target: ast.AST, origin: Origin, node: Any) -> None:
        """Bind the names of a target to parts of a value."""
        part = origin if origin.effect in (LOST, READ) else Origin(UNSURE)
        for child in ast.walk(target):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                self._rebind(child, None, part, node)

    def _rebind(self, target: ast.Name, value: Any, origin: Origin, node: Any) -> None:
        name = target.id
        effect = self._effect_on(name, value, origin)
        is_whole = self._is_whole(name)
        is_redefined = not reads_name(node, name) and self._own.defines(name)
        if is_whole and effect in (LOST, READ) and not is_redefined:
            kind = "reloaded" if effect == READ else "replaced"
            self._warn(kind, name, target, node, value=value)
        if is_whole and effect == COMPLETE:
            origin = Origin(COMPLETE, name, is_same=True)  # a copy stands for the DataFrame now
        self._origins.bind(name, origin, value)

    def _is_whole(self, name: str) -> bool:
        """Return whether a name still has all data of the kernel's DataFrame of this name."""
        origin = self._origins.names.get(name)
        return origin is None or (origin.is_same and origin.name == name)

    def _effect_on(self, name: str, value: Any, origin: Origin) -> str:
        """Return how much of the DataFrame ``name`` is left after the name is bound to a value."""
        variables = self._origins.variables
        is_other_variable = (
            isinstance(value, ast.Name)
            and value.id not in self._origins.names
            and value.id in variables
        )
        if is_other_variable or origin.effect == COMPLETE:
            source = value.id if is_other_variable else origin.name
            is_same = variables.get(source) is variables.get(name)
            return COMPLETE if is_same else LOST
        return origin.effect

    def _on_AugAssign(self, node: ast.AugAssign) -> None:
        self._find_calls(node.value, node)
        if isinstance(node.target, ast.Name):
            self._warn("changed", self._origins.frame_name(node.target), node.target, node)
        else:
            self._change_target(node.target, node)

    def _on_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self._change_target(target, node, is_removed=True)
                continue
            if self._is_whole(target.id):
                self._warn("deleted", target.id, target, node)
            self._forget({target.id})

    def _change_target(self, target: Any, node: ast.stmt, is_removed: bool = False) -> None:
        """Warn about an assignment to an item or an attribute of a DataFrame."""
        if isinstance(target, ast.Attribute):
            name = self._origins.frame_name(target.value)
            if target.attr == "columns":
                self._warn("changed", name, target, node)
            else:
                self._change_columns(name, [target.attr], target, node, is_removed)
            return
        if not isinstance(target, ast.Subscript):
            return
        owner, key = target.value, key_of(target)
        if isinstance(owner, ast.Attribute) and owner.attr in _INDEXER_NAMES:
            self._change_rows(self._origins.frame_name(owner.value), owner.attr, key, target, node)
        elif self._origins.is_mask(key):
            self._warn("changed", self._origins.frame_name(owner), target, node)
        else:
            name, labels = self._origins.frame_name(owner), self._origins.texts(key)
            self._change_columns(name, labels, target, node, is_removed)

    def _change_rows(
        self, name: str, indexer: str, key: Any, target: ast.AST, node: ast.stmt
    ) -> None:
        """Warn about an assignment to ``frame.loc[key]``, unless it may add rows or columns."""
        rows, columns = key, None
        if isinstance(key, ast.Tuple) and len(key.elts) == 2:
            rows, columns = key.elts
        if indexer in ("iloc", "iat"):
            self._warn("changed", name, target, node)
        elif columns is not None and not isinstance(columns, ast.Slice):
            self._change_columns(name, self._origins.texts(columns), target, node, False)
        elif self._origins.is_mask(rows):
            self._warn("changed", name, target, node)

    def _change_columns(
        self, name: str, labels: list[str] | None, target: ast.AST, node: ast.stmt, is_removed: bool
    ) -> None:
        frame = self._origins.frame(name)
        existing = [label for label in labels or () if frame and label in frame.columns]
        if existing:
            self._warn("changed" if is_removed else "columns", name, target, node, labels=existing)

    # Calls

    def _find_calls(self, root: ast.AST, node: ast.stmt) -> None:
        """Warn about calls in a statement that change a DataFrame or write a file."""
        stack: list[ast.AST] = [root]
        while stack:
            child = stack.pop()
            if isinstance(child, ast.Call):
                self._call(child, node)
            elif isinstance(child, ast.NamedExpr):
                self._assign(child.target, child.value, self._origins.of(child.value), node)
            if not isinstance(child, _SKIPPED):
                stack += ast.iter_child_nodes(child)

    def _call(self, call: ast.Call, node: ast.stmt) -> None:
        path = written_file(self._origins, call)
        if path and exists(path, self._folder) and path not in self._own.files():
            self._warn("file", path, call, node)
        method = call.func
        if not isinstance(method, ast.Attribute):
            return
        name = self._origins.frame_name(method.value)
        frame = self._origins.frame(name)
        if frame is None:
            return
        if method.attr in _REMOVING:
            removed = self._origins.texts(call.args[0]) if call.args else None
            self._change_columns(name, removed, call, node, is_removed=True)
        elif method.attr in _CHANGING or (
            is_in_place(call) and effect_of_method(self._origins, frame, method.attr, call) == LOST
        ):
            self._warn("changed", name, call, node)

    # Warnings

    def _warn(
        self,
        kind: str,
        name: str,
        at: Any,
        node: ast.stmt,
        labels: list[str] | None = None,
        value: ast.AST | None = None,
    ) -> None:
        frame = self._origins.frame(name)
        if not self._is_certain or (kind != "file" and frame is None):
            return
        if not isinstance(node, _COMPOUND) and self._own.has(node):
            return
        key = ("file " if kind == "file" else "") + name
        previous = self.warnings.get(key)
        labels = [printable(label) for label in labels or ()]
        if previous is not None and _WARNING_KINDS.index(previous["kind"]) <= _WARNING_KINDS.index(
            kind
        ):
            if kind == previous["kind"] == "columns":
                previous["labels"] = list(dict.fromkeys(previous["labels"] + labels))[:_MAX_LABELS]
            return
        uses = self._uses(node, name) if kind in ("replaced", "reloaded") else []
        self.warnings[key] = {
            **self._problems.position(at),
            "kind": kind,
            "name": printable(name),
            "rows": frame.rows if frame is not None else 0,
            "width": frame.width if frame is not None else 0,
            "labels": labels[:_MAX_LABELS],
            "other_name": free_name(name, value, self._taken()) if uses else "",
            "uses": uses,
        }

    def _uses(self, node: ast.stmt, name: str) -> list[list[int]]:
        """Return the positions of the uses that can be renamed; [] if not all of them can be."""
        uses = uses_after(self._tree, node, name)
        if uses is None or self._source.has_magic_with(name, node.lineno):
            return []
        positions = [self._problems.position(use) for use in uses]
        return sorted([position["line"], position["column"]] for position in positions)

    def _taken(self) -> set[str]:
        nodes = [*ast.walk(self._tree), *ast.walk(self._own.tree)]
        return set(self._origins.variables) | {n.id for n in nodes if isinstance(n, ast.Name)}


_COMPOUND = (
    *(ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try),
    *_SKIPPED,
)
