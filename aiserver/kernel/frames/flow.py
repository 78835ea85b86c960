"""Follow the statements of a suggestion in order, without running them."""

from __future__ import annotations

import ast
import contextlib
import types
from typing import Any

from ..inspection.modules import absent_part, may_define, module_names, package_of, submodule_exists
from ..inspection.objects import MISSING, loaded_module, may_provide, module_value
from ..scopes.bindings import (
    CATCHABLE_KINDS,
    VALUE_KINDS,
    bound_names,
    caught_kinds,
    is_always,
    is_never,
    suppresses,
)
from .assignments import Assignments
from .values import (
    UNKNOWN,
    Groups,
    Row,
    Symbol,
    Value,
)

# The kinds of problems that aren't reported in statements that might be skipped.
_UNCERTAIN = frozenset({"missing_column", "missing_file", "missing_attribute", "missing_module"})
_UNCERTAIN |= VALUE_KINDS
# The kinds of problems that aren't reported in the body of a function.
_IN_FUNCTIONS = frozenset({"missing_column", "missing_file"}) | VALUE_KINDS


class Flow(Assignments):
    """Follows statements in order, and tracks the values of names."""

    def run(self, tree: ast.Module) -> None:
        """Follow all statements, and after them the bodies of the functions."""
        self._find_possible_columns(tree)
        self._block(tree.body)
        functions, self._functions = self._functions, []
        imported: dict[str, Value] = {
            name: value
            for name, value in self._names.items()
            if isinstance(value, Symbol) and name not in self._rebound
        }
        for node, ignored in functions:
            self._function(node, imported, ignored)

    def _find_possible_columns(self, tree: ast.Module) -> None:
        """Collect the columns that loops and functions may add at an unknown time."""
        for node in ast.walk(tree):
            self.problems.check_time()
            if isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef)):
                for inner in ast.walk(node):
                    self.problems.check_time()
                    if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
                        for part in ast.walk(inner.slice):
                            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                                self.possible_columns.add(part.value)

    def _function(self, node: Any, imported: dict[str, Value], ignored: set[str]) -> None:
        """Follow a function's body. Variables are unknown in it, except modules and ``imported``.

        Other variables may have new values when the function is called. ``ignored`` contains the
        kinds of problems that weren't reported at the function's definition.
        """
        names, previous_kinds = self._names, self.ignored_kinds
        self._names = {**dict.fromkeys(self.variables, UNKNOWN), **imported}
        for name, value in self.variables.items():
            if type(value) is types.ModuleType and name not in imported:
                self._names.pop(name)
        self._names.update(dict.fromkeys(bound_names(node), UNKNOWN))
        self.ignored_kinds = ignored | _IN_FUNCTIONS
        self._block(node.body)
        self._names, self.ignored_kinds = names, previous_kinds
        functions, self._functions = self._functions, []
        for inner, inner_ignored in functions:
            inner_names = dict(imported)
            for name in bound_names(node):
                inner_names[name] = UNKNOWN
            self._function(inner, inner_names, inner_ignored)

    # Blocks

    def _block(self, statements: list[Any]) -> None:
        for statement in statements:
            if self.problems.is_full:
                return
            with contextlib.suppress(TimeoutError):  # what was found so far stays
                self._statement(statement)

    def _branch(self, statements: list[Any], ignored: set[str]) -> None:
        """Follow statements that might be skipped, without reporting the kinds in ``ignored``.

        Afterwards, an assigned name is unknown, unless it was imported again from the same module.
        """
        before, kinds, was_conditional = dict(self._names), self.ignored_kinds, self.is_conditional
        self.ignored_kinds, self.is_conditional = self.ignored_kinds | ignored, True
        self._block(statements)
        self.ignored_kinds, self.is_conditional = kinds, was_conditional
        for name, value in self._names.items():
            if before.get(name) is not value:
                before[name] = value if self._is_same_symbol(before.get(name), value) else UNKNOWN
        self._names = before

    def _is_same_symbol(self, first: Value | None, other: Value) -> bool:
        return isinstance(first, Symbol) and isinstance(other, Symbol) and first.path == other.path

    def _statement(self, node: Any) -> None:
        method = getattr(self, "_on_" + type(node).__name__, None)
        if method is not None:
            method(node)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)
                elif isinstance(child, ast.stmt):
                    self._statement(child)

    def _on_If(self, node: ast.If) -> None:
        self.value(node.test)
        if is_never(node.test):
            self._branch(node.body, set(CATCHABLE_KINDS))
        elif is_always(node.test) or _is_main(node.test):
            self._block(node.body)
        else:
            self._branch(node.body, set(_UNCERTAIN))
        self._branch(node.orelse, set(_UNCERTAIN))

    def _on_For(self, node: ast.For) -> None:
        iterated = self.value(node.iter)
        self._forget(bound_names(node))
        if isinstance(node.iter, (ast.List, ast.Tuple)):
            self._expose(node.iter)
        self._bind_iterated(node.target, iterated)
        self._loop(node)

    _on_AsyncFor = _on_For

    def _on_While(self, node: ast.While) -> None:
        self._forget(bound_names(node))
        self.value(node.test)
        self._loop(node)

    def _loop(self, node: Any) -> None:
        self._branch(node.body, set(VALUE_KINDS))
        self._branch(node.orelse, set())
        self._forget(bound_names(node))

    def _bind_iterated(self, target: ast.AST, value: Value) -> None:
        pair = target.elts if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
        if isinstance(value, Groups) and pair:
            self._assign(pair[1], value.frame.derive())
        elif isinstance(value, Row) and value.is_tuple:
            self._assign(target, value)
        elif isinstance(value, Row) and pair:
            self._assign(pair[1], value)

    def _on_Try(self, node: Any) -> None:
        self._branch(node.body, caught_kinds(node.handlers) | VALUE_KINDS)
        for handler in node.handlers:
            self._branch(handler.body, set(_UNCERTAIN))
        self._branch(node.orelse, set())
        self._block(node.finalbody)

    _on_TryStar = _on_Try

    def _on_With(self, node: Any) -> None:
        for item in node.items:
            self.value(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, UNKNOWN)
        if any(suppresses(item.context_expr) for item in node.items):
            self._branch(node.body, set(CATCHABLE_KINDS))
        else:
            self._block(node.body)

    _on_AsyncWith = _on_With

    def _on_Assert(self, node: ast.Assert) -> None:
        self.value(node.test)
        if node.msg is not None:
            self._uncertain([node.msg])

    def _on_Match(self, node: Any) -> None:
        self.value(node.subject)
        self._forget(bound_names(node))
        for case in node.cases:
            self._branch(case.body, set(_UNCERTAIN))

    def _forget(self, names: set[str]) -> None:
        for name in names:
            self._names[name] = UNKNOWN

    # Definitions and imports

    def _on_FunctionDef(self, node: Any) -> None:
        for child in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if child is not None:
                self.value(child)
        self._functions.append((node, set(self.ignored_kinds)))
        self._names[node.name] = UNKNOWN

    _on_AsyncFunctionDef = _on_FunctionDef

    def _on_ClassDef(self, node: ast.ClassDef) -> None:
        for child in [*node.decorator_list, *node.bases]:
            self.value(child)
        names = dict(self._names)
        self._branch(node.body, set())
        self._names = names
        self._names[node.name] = UNKNOWN

    def _on_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            exists = self._check_module(node, alias.name)
            path = alias.name if alias.asname else alias.name.split(".", 1)[0]
            module = loaded_module(path) if exists else None
            value: Any = MISSING if module is None else module
            symbol = Symbol(path, value, is_module=True) if exists else UNKNOWN
            self._names[alias.asname or path] = symbol

    def _on_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module:
            self._forget({alias.asname or alias.name for alias in node.names})
            return
        exists = self._check_module(node, node.module)
        module = loaded_module(node.module) if exists else None
        for alias in node.names:
            if alias.name == "*":
                self._rebound.update(self._names)
                self._names = dict.fromkeys(self._names, UNKNOWN)
                continue
            value = MISSING if module is None else module_value(module, alias.name)
            if value is MISSING and exists and self._lacks(node.module, module, alias.name):
                message = f"Module {node.module!r} has no {alias.name!r}."
                position = alias if hasattr(alias, "lineno") else node
                names = list(module.__dict__) if module is not None else []
                plain = [name for name in names if type(name) is str]
                self.report(position, "missing_attribute", alias.name, message, plain)
            path = node.module + "." + alias.name
            symbol = Symbol(path, MISSING) if value is MISSING else self.lift(value, path)
            self._names[alias.asname or alias.name] = symbol if exists else UNKNOWN

    def _lacks(self, path: str, module: Any, name: str) -> bool:
        """Return whether a module can't provide a name that isn't in its ``__dict__``."""
        if module is None:
            return not may_define(path, name)
        return not may_provide(module, name) and not submodule_exists(path, name)

    def _check_module(self, node: Any, name: str) -> bool:
        """Return whether a module exists; report it if it doesn't."""
        missing = absent_part(name) if not self.may_install_modules else None
        if missing is None:
            return True
        message = f"There is no module {missing!r}."
        if "." in missing:
            self.report(node, "missing_module", missing, message, [])
        elif "missing_module" not in self.ignored_kinds:
            package = package_of(missing)
            near = [] if package else self.problems.near(missing, module_names())
            self.problems.add(node, "missing_module", missing, message, near, package)
        return False


def _is_main(test: ast.AST) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
    )
