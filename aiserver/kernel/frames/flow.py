"""Follow the statements of a suggestion in order, without running them."""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Iterator
from typing import Any

from ..inspection.modules import absent_part, may_define, module_names, package_of, submodule_exists
from ..inspection.objects import MISSING, loaded_module, may_provide, module_value
from ..problems import Problems
from ..scopes.bindings import (
    CATCHABLE_KINDS,
    CODE_KINDS,
    VALUE_KINDS,
    bound_names,
    caught_kinds,
    is_always,
    is_never,
    suppresses,
    target_names,
)
from .current import check_assignment, check_called, check_condition, check_statement
from .expressions import Expressions
from .value_checks import check_alignment
from .values import (
    UNKNOWN,
    Frame,
    Function,
    Groups,
    Indexer,
    Instance,
    Method,
    Row,
    Series,
    Symbol,
    Texts,
    Value,
)

# Kinds of problems that aren't reported in statements that might be skipped.
_UNCERTAIN = frozenset({"missing_column", "missing_file", "missing_attribute", "missing_module"})
_UNCERTAIN |= VALUE_KINDS
# Kinds of problems that aren't reported in functions.
_IN_FUNCTIONS = frozenset({"missing_column", "missing_file"}) | VALUE_KINDS


class Flow(Expressions):
    """Follows statements in order, and tracks the values of names."""

    def __init__(
        self, problems: Problems, variables: dict[str, Any], folder: str, source: Any
    ) -> None:
        super().__init__(problems, variables, folder, source)
        self._rebound: set[str] = set()  # names that were assigned, or perhaps set by ``import *``
        # The functions yet to be followed, with the ``ignored_kinds`` at their definition.
        self._functions: list[tuple[Function, set[str]]] = []

    def run(self, tree: ast.Module) -> None:
        self._find_possible_columns(tree)
        self.plain_names = _plain_names(tree)
        self._block(tree.body)
        imported = {
            name: value
            for name, value in self._names.items()
            if isinstance(value, Symbol) and name not in self._rebound
        }
        # Other variables may have new values when a function is called.
        outer: dict[str, Value] = {**dict.fromkeys(self.variables, UNKNOWN), **imported}
        for name, value in self.variables.items():
            if type(value) is types.ModuleType and name not in imported:
                outer.pop(name)
        self._bodies(outer)

    def _find_possible_columns(self, tree: ast.Module) -> None:
        """Collect the columns that loops and functions may add at any time."""
        for node in ast.walk(tree):
            if not isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            for inner in ast.walk(node):
                self.problems.check_time()
                if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
                    self.possible_columns.update(_label_texts(inner.slice))

    def _bodies(self, outer: dict[str, Value]) -> None:
        """Follow the bodies of functions. ``outer`` has the names that they see: only modules."""
        functions, self._functions = self._functions, []
        for function, ignored in functions:
            node = function.node
            self._names = {**outer, **dict.fromkeys(bound_names(node), UNKNOWN)}
            visible = dict(self._names)
            self._names.update(function.values or {})
            self.ignored_kinds = ignored | _IN_FUNCTIONS
            if function.is_called:
                self.ignored_kinds -= {"missing_column"}
            self._block(node.body)
            self._bodies(visible)

    # Blocks

    def _block(self, statements: list[Any]) -> None:
        for statement in statements:
            if self.problems.is_full:
                return
            with contextlib.suppress(TimeoutError):  # what was found so far stays
                self._statement(statement)

    def _branch(self, statements: list[Any], ignored: Any = ()) -> None:
        """Follow statements that might be skipped. The names that they set become unknown."""
        before, was_conditional = dict(self._names), self.is_conditional
        self.is_conditional = True
        with self.ignoring(ignored):
            self._block(statements)
        self.is_conditional = was_conditional
        for name, value in self._names.items():
            first = before.get(name)
            if first is not value:
                symbols = isinstance(first, Symbol) and isinstance(value, Symbol)
                is_same = symbols and getattr(first, "path", "") == getattr(value, "path", "")
                before[name] = value if is_same else UNKNOWN
        self._names = before

    def _statement(self, node: Any) -> None:
        method = getattr(self, "_on_" + type(node).__name__, None)
        if method is not None:
            method(node)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.stmt):
                self._statement(child)

    def _on_If(self, node: ast.If) -> None:
        check_condition(self, node.test)
        left = getattr(node.test, "left", None)
        if is_never(node.test):
            self._branch(node.body, CATCHABLE_KINDS)
        elif is_always(node.test) or (isinstance(left, ast.Name) and left.id == "__name__"):
            self._block(node.body)
        else:
            self._branch(node.body, _UNCERTAIN)
        self._branch(node.orelse, _UNCERTAIN)

    def _on_For(self, node: ast.For) -> None:
        iterated = self.value(node.iter)
        check_called(self, node.iter)
        self._forget(bound_names(node))
        if isinstance(node.iter, (ast.List, ast.Tuple)):
            self._expose(node.iter)
        self._bind_iterated(node.target, iterated)
        self._loop(node)

    _on_AsyncFor = _on_For

    def _on_While(self, node: ast.While) -> None:
        self._forget(bound_names(node))
        check_condition(self, node.test)
        self._loop(node)

    def _loop(self, node: Any) -> None:
        self._branch(node.body, VALUE_KINDS)
        self._branch(node.orelse)
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
        self._branch(node.body, caught_kinds(node.handlers) | VALUE_KINDS | CODE_KINDS)
        for handler in node.handlers:
            self._branch(handler.body, _UNCERTAIN)
        self._branch(node.orelse)
        self._block(node.finalbody)

    _on_TryStar = _on_Try

    def _on_With(self, node: Any) -> None:
        for item in node.items:
            self.value(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, UNKNOWN)
        if any(suppresses(item.context_expr) for item in node.items):
            self._branch(node.body, CATCHABLE_KINDS)
        else:
            self._block(node.body)

    _on_AsyncWith = _on_With

    def _on_Assert(self, node: ast.Assert) -> None:
        self.value(node.test)
        self._uncertain([] if node.msg is None else [node.msg])

    def _on_Match(self, node: Any) -> None:
        self.value(node.subject)
        self._forget(bound_names(node))
        for case in node.cases:
            self._branch(case.body, _UNCERTAIN)

    def _forget(self, names: set[str]) -> None:
        self._names.update(dict.fromkeys(names, UNKNOWN))

    # Assignments

    def _on_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, (ast.List, ast.Tuple, ast.Dict)):
            self._expose(node.value)
        value = self.value(node.value)
        check_assignment(self, node)
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                frame = self.value(target.value)
                if isinstance(frame, Frame) and self.labels(self.key(target)).is_single:
                    check_alignment(self, frame, value, node.value)
            self._assign(target, value)

    def _on_Expr(self, node: ast.Expr) -> None:
        self.value(node.value)
        check_statement(self, node)

    def _on_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self.value(node.value))

    def _on_AugAssign(self, node: ast.AugAssign) -> None:
        self.value(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            value = self._names.get(target.id)
            self._names[target.id] = value.derive() if isinstance(value, Frame) else UNKNOWN
            return
        if isinstance(target, ast.Subscript):
            self._of_Subscript(target)
        self._assign(target, UNKNOWN)

    def _on_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._names[target.id] = UNKNOWN
            elif isinstance(target, ast.Subscript):
                frame = self.value(target.value)
                self._of_Subscript(target)
                wanted = self.labels(self.key(target))
                is_certain = isinstance(frame, Frame) and not self.is_conditional
                if isinstance(frame, Frame) and is_certain:
                    frame.remove(wanted.names)
                if not is_certain or not wanted.is_exact:
                    self._change_item(frame)

    def _assign(self, target: Any, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = value
            self._rebound.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List, ast.Starred)):
            self._forget(target_names(target))
            for child in ast.walk(target):
                if isinstance(child, (ast.Subscript, ast.Attribute)):
                    self._assign(child, UNKNOWN)
        elif isinstance(target, ast.Subscript):
            self._assign_item(target, value)
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)

    def _assign_item(self, target: ast.Subscript, value: Value) -> None:
        owner, key = self.value(target.value), self.key(target)
        self.value(key)
        if isinstance(owner, Frame):
            self._add_columns(owner, key)
            added = self.labels(key)
            is_certain = added.is_single and not self.is_conditional
            if is_certain and isinstance(value, Series) and value.frame is owner and value.dtype:
                owner.dtypes[added.names[0]] = value.dtype
        elif isinstance(owner, Indexer):
            owner.frame.forget_values()
            if owner.name in ("loc", "at"):
                is_pair = isinstance(key, ast.Tuple) and len(key.elts) == 2
                self._add_columns(owner.frame, key.elts[1] if is_pair else key, is_pair)
        else:
            self._change_item(owner)
            self.possible_columns.update(self.labels(key).names)

    def _add_columns(self, frame: Frame, key: Any, is_column: bool = True) -> None:
        """Record that the columns, or with a mask the rows, of ``key`` are assigned."""
        added = self.labels(key if is_column else None)
        frame.add(added.names)
        is_mask = self.is_mask(key)
        if is_mask or not added.is_exact:
            frame.forget_values()
        is_unknown = not added.is_exact if is_column else isinstance(key, ast.Name)
        if is_unknown and not is_mask:
            frame.has_unknown_columns = True

    def _change_item(self, owner: Value) -> None:
        """Record that an item of a value changes. An unknown value may be any frame or Series."""
        if isinstance(owner, Method):
            owner = owner.owner  # such as ``series`` in ``series.loc[0] = 1``
        if isinstance(owner, Series):
            owner.change()
        elif isinstance(owner, Frame):
            owner.forget_values()
        elif isinstance(owner, Texts):
            owner.values = None
        elif not isinstance(owner, (Symbol, Instance)):
            self.forget_values()

    def _assign_attribute(self, target: ast.Attribute, value: Value) -> None:
        owner = self.value(target.value)
        if isinstance(owner, Frame):
            if target.attr == "columns":
                is_exact = isinstance(value, Texts) and not self.is_conditional
                names = value.values if isinstance(value, Texts) and is_exact else None
                owner.has_unknown_columns = names is None
                if names is not None:
                    owner.columns = dict.fromkeys(names)
                owner.forget_values()
            elif target.attr == "index":
                owner.index = None
            else:
                owner.attributes.add(target.attr)
                owner.dtypes.pop(target.attr, None)
                owner.repeated = owner.repeated - {target.attr}
        elif isinstance(target.value, ast.Attribute) and target.attr in ("name", "names"):
            frame = self.value(target.value.value)
            if isinstance(frame, Frame):
                frame.index = None
        else:
            self._change_item(owner)

    # Definitions and imports

    def _on_FunctionDef(self, node: Any) -> None:
        for child in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if child is not None:
                self.value(child)
        function = Function(node)
        self._functions.append((function, set(self.ignored_kinds)))
        self._names[node.name] = UNKNOWN if node.decorator_list else function

    _on_AsyncFunctionDef = _on_FunctionDef

    def _on_ClassDef(self, node: ast.ClassDef) -> None:
        for child in [*node.decorator_list, *node.bases]:
            self.value(child)
        names = dict(self._names)
        self._branch(node.body)
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
                self._forget(set(self._names))
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
        if module is None:
            return not may_define(path, name)
        return not may_provide(module, name) and not submodule_exists(path, name)

    def _check_module(self, node: Any, name: str) -> bool:
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


def _plain_names(tree: ast.Module) -> set[str]:
    """Return the names that are read, but neither called nor passed on."""
    is_read: set[str] = set()
    is_passed: set[str] = set()
    for node in ast.walk(tree):
        is_use = isinstance(node, (ast.Attribute, ast.Subscript, ast.Expr, ast.BinOp, ast.Compare))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                (is_read if is_use else is_passed).add(child.id)
    return is_read - is_passed


def _label_texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts in a key, except those in conditions, such as ``frame["a"] > 0``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif not isinstance(node, (ast.Compare, ast.Subscript)):
        for child in ast.iter_child_nodes(node):
            yield from _label_texts(child)
