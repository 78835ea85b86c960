"""Determine the values of expressions, as far as possible without running them."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any

from ..inspection.modules import may_define, submodule_exists
from ..inspection.objects import (
    MISSING,
    class_attribute,
    class_attributes,
    is_function,
    is_plain_class,
    loaded_module,
    loaded_value,
    may_provide,
    module_of,
    module_value,
)
from ..problems import Problems
from ..scopes.bindings import VALUE_KINDS
from .dtypes import check_accessor, check_arithmetic, check_comparison
from .labels import Labels, has_column, labels, report_column
from .lifting import Lifting
from .values import (
    UNKNOWN,
    Expression,
    Frame,
    Groups,
    Indexer,
    Instance,
    Method,
    Row,
    Series,
    Symbol,
    Text,
    Texts,
    Value,
)

_INDEXERS = {"loc", "iloc", "at", "iat"}


class Expressions(Lifting):
    """Evaluates expressions and reports the problems in them."""

    def __init__(
        self, problems: Problems, variables: dict[str, Any], folder: str, source: Any
    ) -> None:
        self.problems, self.variables, self.folder = problems, variables, folder
        self.ignored_kinds: set[str] = set()
        self.possible_columns: set[str] = set()
        self.is_conditional = False
        self.may_create_files = source.may_create_files
        self.may_change_frames = False
        self.may_install_modules = source.may_install_modules
        self._names: dict[str, Value] = {}  # the values of the names that the suggestion sets
        self._rebound: set[str] = set()  # names that were assigned or that ``import *`` may set
        self._memo: dict[int, Value] = {}  # the values of nodes, by the nodes' ids
        self._value_of_object = {}
        # The functions whose bodies haven't been followed yet, each with the ``ignored_kinds`` at
        # the function's definition.
        self._functions: list[tuple[Any, set[str]]] = []
        if source.may_define_names:
            self._names = dict.fromkeys(variables, UNKNOWN)

    def value(self, node: ast.AST) -> Value:
        """Return the value of an expression. The value is cached, unless the node is a name."""
        if isinstance(node, ast.Name):
            return self._name(node.id)
        result = self._memo.get(id(node))
        if result is None:
            self.problems.check_time()
            method: Callable[[Any], Value] | None
            method = getattr(self, "_of_" + type(node).__name__, None)
            result = method(node) if method is not None else self._children(node)
            self._memo[id(node)] = result
        return result

    def texts(self, value: Value) -> Labels:
        """Return the strings of a ``Texts`` as labels, with placeholders for AST nodes."""
        if isinstance(value, Texts) and value.values is not None:
            return Labels([(name, ast.Pass()) for name in value.values], True)
        return Labels([], False)

    def _children(self, node: ast.AST) -> Value:
        for child in ast.iter_child_nodes(node):
            self.value(child)
        return UNKNOWN

    # Names and constants

    def _name(self, name: str) -> Value:
        if name in self._names:
            return self._names[name]
        if name in self.variables:
            return self.lift(self.variables[name], name)
        value = builtins.__dict__.get(name, MISSING)
        return UNKNOWN if value is MISSING else self.lift(value, "builtins." + name)

    def _of_Constant(self, node: ast.Constant) -> Value:
        return Text(node.value) if type(node.value) is str else UNKNOWN

    def _of_List(self, node: Any) -> Value:
        for element in node.elts:
            self.value(element)
        named = labels(self, node)
        return Texts(named.names) if named.is_exact and named.items else UNKNOWN

    _of_Tuple = _of_List

    def _of_Lambda(self, node: ast.Lambda) -> Value:
        return self.call_lambda(node, [])

    def call_lambda(self, node: Any, parameters: list[Value]) -> Value:
        self._memo[id(node)] = UNKNOWN
        names = dict(self._names)
        arguments = node.args
        plain = [*getattr(arguments, "posonlyargs", ()), *arguments.args, *arguments.kwonlyargs]
        for item in [*plain, arguments.vararg, arguments.kwarg]:
            if item is not None:
                self._names[item.arg] = UNKNOWN
        for item, value in zip(arguments.args, parameters):
            self._names[item.arg] = value
        previous = self.ignored_kinds
        if not parameters:  # the lambda runs later, when variables may have other values
            self.ignored_kinds = previous | {"missing_column", "missing_file"} | VALUE_KINDS
        result = self.value(node.body)
        self.ignored_kinds = previous
        self._names = names
        return result

    def _comprehension(self, node: Any) -> Value:
        names = dict(self._names)
        for generator in node.generators:
            self.value(generator.iter)
            for child in ast.walk(generator.target):
                if isinstance(child, ast.Name):
                    self._names[child.id] = UNKNOWN
            previous = self.ignored_kinds
            for test in generator.ifs:
                self.value(test)
            if generator.ifs:
                kinds = {"missing_column", "missing_attribute"} | VALUE_KINDS
                self.ignored_kinds = previous | kinds
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.comprehension):
                self.value(child)
        if node.generators:
            self.ignored_kinds = previous
        self._names = names
        return UNKNOWN

    _of_ListComp = _of_SetComp = _of_DictComp = _of_GeneratorExp = _comprehension

    def _of_NamedExpr(self, node: Any) -> Value:
        value = self.value(node.value)
        self._names[node.target.id] = value if not self.is_conditional else UNKNOWN
        return value

    def _of_IfExp(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        self._uncertain([node.body, node.orelse])
        return UNKNOWN

    def _of_BoolOp(self, node: ast.BoolOp) -> Value:
        self.value(node.values[0])
        self._uncertain(node.values[1:])
        return UNKNOWN

    def _uncertain(self, nodes: list[Any]) -> None:
        """Follow expressions that might be skipped, and report fewer kinds of problems in them."""
        previous = self.ignored_kinds
        kinds = {"missing_column", "missing_attribute", "missing_file"} | VALUE_KINDS
        self.ignored_kinds = previous | kinds
        for node in nodes:
            self.value(node)
        self.ignored_kinds = previous

    def _operation(self, node: Any) -> Value:
        """Return the value of an operation: ``frame > 0`` has the columns of ``frame``."""
        values = [self.value(child) for child in ast.iter_child_nodes(node)]
        for value in values:
            if isinstance(value, Expression):
                reads = [
                    read for part in values if isinstance(part, Expression) for read in part.reads
                ]
                return Expression(reads, value.output)
        frames = [value for value in values if isinstance(value, Frame)]
        if frames:
            return frames[0].derive() if len(frames) == 1 else UNKNOWN
        for value in values:
            if isinstance(value, Series):
                return Series(value.library, None, value.index, value.levels)
        return UNKNOWN

    _of_UnaryOp = _operation

    def _of_Compare(self, node: ast.Compare) -> Value:
        check_comparison(self, node)
        return self._operation(node)

    def _of_BinOp(self, node: ast.BinOp) -> Value:
        check_arithmetic(self, node)
        result = self._operation(node)
        if result is UNKNOWN and isinstance(node.op, ast.Add):
            named = labels(self, node)
            if named.is_exact and named.items:
                return Texts(named.names)
        return result

    # Attributes

    def _of_Attribute(self, node: ast.Attribute) -> Value:
        return self.attribute(node, is_called=False)

    def attribute(self, node: ast.Attribute, is_called: bool) -> Value:
        owner, name = self.value(node.value), node.attr
        if isinstance(owner, Symbol):
            return self._symbol_attribute(owner, node)
        if isinstance(owner, Frame):
            return self._frame_attribute(owner, node, is_called)
        if isinstance(owner, Series):
            return self._series_attribute(owner, node, is_called)
        if isinstance(owner, Groups):
            return self._groups_attribute(owner, node, is_called)
        if isinstance(owner, Row) and not owner.is_tuple:
            return self._row_attribute(owner, node, is_called)
        if isinstance(owner, (Expression, Instance, Method)):
            return Method(owner, name)
        if isinstance(owner, Texts):
            owner.values = None  # a method of the list may change it
        return UNKNOWN

    def _symbol_attribute(self, owner: Symbol, node: ast.Attribute) -> Value:
        path, name = owner.path + "." + node.attr, node.attr
        value = owner.value
        if owner.path == "polars.col":
            return Expression([(name, node)], name)
        if value is MISSING:
            if owner.is_module and not may_define(owner.path, name):
                self._report_attribute(node, f"Module {owner.path!r} has no {name!r}.", [])
            return Symbol(path, MISSING)
        if type(value) is types.ModuleType:
            member = module_value(value, name)
            if member is not MISSING:
                return self.lift(member, path)
            if (
                may_provide(value, name)
                or name.startswith("__")
                or submodule_exists(owner.path, name)
            ):
                module = loaded_module(path)
                return Symbol(path, MISSING if module is None else module)
            names = [key for key in list(value.__dict__) if type(key) is str and key[:1] != "_"]
            self._report_attribute(node, f"Module {owner.path!r} has no {name!r}.", names)
        elif is_plain_class(value) and class_of_library(value):
            member = class_attribute(value, name)
            if member is MISSING and class_attribute(type(value), name) is MISSING:
                if class_attribute(type(value), "__getattr__") is MISSING:
                    names = sorted(class_attributes(value))
                    message = f"Class {owner.path!r} has no {name!r}."
                    self._report_attribute(node, message, names)
            elif is_function(member):
                return Symbol(path, member)
        return UNKNOWN

    def _report_attribute(self, node: ast.Attribute, message: str, names: list[str]) -> None:
        position = self.problems.position_of_name(node, node.attr)
        self.report(position, "missing_attribute", node.attr, message, names)

    def _frame_attribute(self, frame: Frame, node: ast.Attribute, is_called: bool) -> Value:
        name = node.attr
        kind = loaded_value(frame.library, "DataFrame")
        is_member = kind is MISSING or class_attribute(kind, name) is not MISSING
        if name in _INDEXERS and frame.library == "pandas":
            return Indexer(frame, name)
        if is_member and (name not in frame.columns or kind is not MISSING):
            return Method(frame, name)
        if name in frame.columns and frame.library == "pandas":
            return frame.column(name)
        if has_column(self, frame, name) or name in frame.attributes or name.startswith("__"):
            return UNKNOWN
        if frame.library == "pandas" and not is_called:
            report_column(self, frame, name, self.problems.position_of_name(node, name))
        else:
            names = [*frame.columns, *sorted(class_attributes(kind))]
            self._report_attribute(node, f"The DataFrame has no {name!r}.", names)
        return UNKNOWN

    def _groups_attribute(self, groups: Groups, node: ast.Attribute, is_called: bool) -> Value:
        name, frame = node.attr, groups.frame
        kind = groups_class(groups)
        if kind is MISSING or class_attribute(kind, name) is not MISSING or name[:2] == "__":
            return Method(groups, name)
        if not groups.is_single and has_column(self, frame, name):
            selected = Groups(frame, groups.keys, groups.as_index)
            selected.selection, selected.is_single = [name], True
            selected.is_resampled = groups.is_resampled
            return UNKNOWN if is_called else selected
        if is_called or groups.is_single:
            names = sorted(class_attributes(kind))
            self._report_attribute(node, f"The groups have no {name!r}.", names)
        else:
            report_column(self, frame, name, self.problems.position_of_name(node, name))
        return UNKNOWN

    def _row_attribute(self, row: Row, node: ast.Attribute, is_called: bool) -> Value:
        """Return an attribute of a row.

        ``frame.loc[key]`` counts as a row, but it may also be a DataFrame with several rows. It is
        treated as a DataFrame if only DataFrames have the attribute, or if it is ``groupby``.
        """
        series, frame = loaded_value("pandas", "Series"), loaded_value("pandas", "DataFrame")
        if series is MISSING or frame is MISSING:
            return UNKNOWN
        of_series = class_attribute(series, node.attr) is not MISSING
        of_frame = class_attribute(frame, node.attr) is not MISSING
        if node.attr == "groupby" or (of_frame and not of_series):
            return self._frame_attribute(row.frame.derive(), node, is_called)
        if not of_series and not is_called and not node.attr.startswith("__"):
            return self._frame_attribute(row.frame, node, is_called)
        return UNKNOWN

    def _series_attribute(self, series: Series, node: ast.Attribute, is_called: bool) -> Value:
        kind = loaded_value(series.library, "Series")
        name = node.attr
        if kind is MISSING or series.library != "pandas":
            return Method(series, name)
        if class_attribute(kind, name) is MISSING and not name.startswith("__"):
            if is_called or not series.has_text_index:
                names = sorted(item for item in class_attributes(kind) if item[:1] != "_")
                self._report_attribute(node, f"The Series has no {name!r}.", names)
            return UNKNOWN
        check_accessor(self, series, node)
        return Method(series, name)

    def name_of_module(self, path: str) -> str:
        module = loaded_module(path)
        names = [name for name, value in self.variables.items() if value is module]
        for name in ["pd", *self._names, *names]:
            value = self._name(name) if not name.startswith("_") else UNKNOWN
            if isinstance(value, Symbol) and value.path == path:
                return name
        return ""

    def forget_values(self) -> None:
        """Record that the values of all frames and Series may have changed."""
        self.may_change_frames = True
        for value in [*self._names.values(), *self._value_of_object.values()]:
            if isinstance(value, Frame):
                value.forget_values()
            elif isinstance(value, Series):
                value.change()


def groups_class(groups: Groups) -> Any:
    """Return the pandas class of ``groups``; ``MISSING`` for polars or if pandas isn't loaded."""
    if groups.frame.library != "pandas":
        return MISSING
    if groups.is_resampled:
        return loaded_value("pandas.core.resample", "DatetimeIndexResampler")
    name = "SeriesGroupBy" if groups.is_single else "DataFrameGroupBy"
    return loaded_value("pandas.core.groupby.generic", name)


def class_of_library(kind: Any) -> bool:
    """Return whether a class is from a loaded module, and not from the notebook (``__main__``)."""
    module = module_of(kind)
    return module != "__main__" and loaded_module(module) is not None
