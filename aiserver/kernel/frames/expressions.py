"""Determine the values of expressions without running them, and report problems."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any

from ..inspection.dtypes import texts_dtype
from ..inspection.modules import may_define, submodule_exists
from ..inspection.objects import (
    MISSING,
    class_attribute,
    class_attributes,
    is_function,
    is_library_class,
    is_plain_class,
    is_user_function,
    loaded_module,
    loaded_value,
    may_provide,
    method_keywords,
    module_of,
    module_value,
)
from ..problems import Problems
from ..scopes.bindings import VALUE_KINDS, parameters_of
from .context import Context, argument_nodes, may_change_data
from .current import (
    check_append,
    check_attribute_of_dates,
    check_call,
    check_called,
    check_condition,
    check_key_of_groups,
    check_numpy_name,
    check_object_dtype,
    check_offset,
    check_part_of_date,
    check_position,
    check_property,
    check_row_label,
    check_truth,
    pass_arguments,
)
from .functions import call_symbol, may_create_files
from .pandas_methods import call_groups, call_pandas, call_plot, call_series
from .polars_methods import call_expression, call_polars, call_polars_groups
from .value_checks import (
    check_accessor,
    check_method,
    check_operation,
    check_requirements,
    check_text_method,
)
from .values import (
    UNKNOWN,
    Expression,
    Frame,
    Function,
    Groups,
    Indexer,
    Instance,
    Labels,
    Method,
    Row,
    Series,
    Symbol,
    Text,
    Texts,
    Value,
    class_of_value,
    value_of_object,
)

_INDEXERS = {"loc", "iloc", "at", "iat"}
# Comparisons whose result is one boolean.
_BOOLEAN_OPERATORS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
# Methods that return a Series of booleans.
_BOOLEAN_METHODS = set(
    "isin isna isnull notna notnull between duplicated eq ne lt gt le ge contains startswith "
    "endswith match fullmatch".split()
)
_TEXTS_OF_DATES = {"strftime", "day_name", "month_name"}
# Libraries that don't change frames, apart from ``_CALLING_FUNCTIONS``.
_HARMLESS_LIBRARIES = set(
    "pandas numpy polars seaborn plotly sklearn scipy statsmodels matplotlib IPython builtins math "
    "datetime time re json os pathlib random collections itertools statistics warnings".split()
)
# These may run any code.
_CALLING_FUNCTIONS = {"exec", "eval", "setattr", "delattr", "map", "filter", "getattr", "vars"}
# Kinds that aren't reported in expressions that may be skipped, or run later.
_UNCERTAIN_KINDS = {"missing_column", "missing_attribute", "missing_file"} | VALUE_KINDS


class Expressions(Context):
    """Evaluates expressions, and follows their effects on frames."""

    def __init__(
        self, problems: Problems, variables: dict[str, Any], folder: str, source: Any
    ) -> None:
        super().__init__(problems, variables, folder, source)
        # The values of the names that the suggestion sets.
        self._names: dict[str, Value] = {}
        if source.may_define_names:
            self._names = dict.fromkeys(variables, UNKNOWN)
        self._memo: dict[int, Value] = {}  # values of nodes, by the nodes' ids
        self._value_of_object: dict[int, Value] = {}

    def value(self, node: ast.AST) -> Value:
        """Return the value of an expression, and cache it, except that of a name."""
        if isinstance(node, ast.Name):
            return self._name(node.id)
        result = self._memo.get(id(node))
        if result is None:
            self.problems.check_time()
            method: Callable[[Any], Value]
            method = getattr(self, "_of_" + type(node).__name__, self._children)
            result = self._memo[id(node)] = method(node)
        return result

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

    def lift(self, obj: Any, path: str) -> Value:
        """Return the value of an object in the kernel; ``path`` is its dotted name."""
        if id(obj) not in self._value_of_object:
            value: Value = UNKNOWN
            try:
                value = value_of_object(obj, path, self.may_change_frames)
            except Exception:  # an attribute is missing in this version of the library
                pass
            self._value_of_object[id(obj)] = value
        return self._value_of_object[id(obj)]

    def frames(self) -> dict[str, Frame]:
        kinds = [loaded_value(library, "DataFrame") for library in ("pandas", "polars")]
        kinds = [kind for kind in kinds if is_plain_class(kind) and is_library_class(kind)]
        frames = {}
        for name, obj in self.variables.items():
            if not name.startswith("_") and any(type(obj) is kind for kind in kinds):
                value = self.lift(obj, name)
                if isinstance(value, Frame):
                    frames[name] = value
        return frames

    def name_of_module(self, path: str) -> str:
        module = loaded_module(path)
        names = [name for name, value in self.variables.items() if value is module]
        for name in ["pd", *self._names, *names]:
            value = self._name(name) if not name.startswith("_") else UNKNOWN
            if isinstance(value, Symbol) and value.path == path:
                return name
        return ""

    def _of_Constant(self, node: ast.Constant) -> Value:
        return Text(node.value) if type(node.value) is str else UNKNOWN

    def _of_List(self, node: Any) -> Value:
        self._children(node)
        return self._texts(self.labels(node))

    _of_Tuple = _of_List

    def _texts(self, named: Labels) -> Value:
        return Texts(named.names) if named.is_exact and named.items else UNKNOWN

    # Scopes, and expressions that may be skipped

    def _of_Lambda(self, node: ast.Lambda) -> Value:
        return self.call_lambda(node, [])

    def call_lambda(self, node: Any, parameters: list[Value]) -> Value:
        self._memo[id(node)] = UNKNOWN
        names, arguments = dict(self._names), node.args
        self._names.update((item.arg, UNKNOWN) for item in parameters_of(arguments))
        for item, value in zip(arguments.args, parameters):
            self._names[item.arg] = value
        # Without parameters, it runs later, when variables may have changed.
        later = {"missing_column", "missing_file"} | VALUE_KINDS
        with self.ignoring(() if parameters else later):
            result = self.value(node.body)
        self._names = names
        return result

    def _comprehension(self, node: Any) -> Value:
        names = dict(self._names)
        for generator in node.generators:
            self.value(generator.iter)
            for child in ast.walk(generator.target):
                if isinstance(child, ast.Name):
                    self._names[child.id] = UNKNOWN
            for test in generator.ifs:
                self.value(test)
        is_filtered = any(generator.ifs for generator in node.generators)
        with self.ignoring(_UNCERTAIN_KINDS if is_filtered else ()):
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, ast.comprehension):
                    self.value(child)
        self._names = names
        return UNKNOWN

    _of_ListComp = _of_SetComp = _of_DictComp = _of_GeneratorExp = _comprehension

    def _of_NamedExpr(self, node: Any) -> Value:
        value = self.value(node.value)
        self._names[node.target.id] = value if not self.is_conditional else UNKNOWN
        return value

    def _of_IfExp(self, node: ast.IfExp) -> Value:
        check_condition(self, node.test)
        self._uncertain([node.body, node.orelse])
        return UNKNOWN

    def _of_BoolOp(self, node: ast.BoolOp) -> Value:
        check_truth(self, node)
        self._uncertain(node.values[1:])
        first = self.value(node.values[0])
        return first if isinstance(first, Series) else UNKNOWN  # what was meant

    def _of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            check_truth(self, node)
        return self._operation(node)

    def _of_FormattedValue(self, node: ast.FormattedValue) -> Value:
        check_called(self, node.value)
        return self._children(node)

    def _uncertain(self, nodes: list[Any]) -> None:
        with self.ignoring(_UNCERTAIN_KINDS):
            for node in nodes:
                self.value(node)

    # Operations

    def _operation(self, node: Any) -> Value:
        if isinstance(node, (ast.BinOp, ast.Compare)):
            check_operation(self, node)
            for operand in ast.iter_child_nodes(node):
                if isinstance(operand, ast.Attribute):
                    check_called(self, operand)
        if isinstance(node, ast.Compare):
            check_object_dtype(self, node)
        values = [self.value(child) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], _BOOLEAN_OPERATORS):
            return UNKNOWN
        expressions = [value for value in values if isinstance(value, Expression)]
        if expressions:
            reads = [read for part in expressions for read in part.reads]
            return Expression(reads, expressions[0].output)
        frames = [value for value in values if isinstance(value, Frame)]
        if frames:
            return frames[0].derive() if len(frames) == 1 else UNKNOWN
        for value in values:
            if isinstance(value, Series):
                return Series(value.library, None, value.index)
        is_sum = isinstance(getattr(node, "op", None), ast.Add)
        return self._texts(self.labels(node)) if is_sum else UNKNOWN

    _of_Compare = _of_BinOp = _operation

    # Attributes

    def _of_Attribute(self, node: ast.Attribute) -> Value:
        return self.attribute(node, is_called=False)

    def attribute(self, node: ast.Attribute, is_called: bool) -> Value:
        owner = self.value(node.value)
        if isinstance(owner, Symbol):
            return self._symbol_attribute(owner, node)
        if isinstance(owner, (Frame, Groups, Series)):
            return self._data_attribute(owner, node, is_called)
        if isinstance(owner, Row) and not owner.is_tuple and not is_called:
            kind = loaded_value("pandas", "Series")
            if kind is not MISSING and class_attribute(kind, node.attr) is MISSING:
                self._data_attribute(owner.frame, node, is_called)
        if isinstance(owner, (Expression, Instance, Method)):
            if isinstance(owner, Method) and owner.name == "dt" and not is_called:
                return check_attribute_of_dates(self, owner, node)
            if isinstance(owner, Method) and not node.attr.startswith("_"):
                check_called(self, node.value)
            return Method(owner, node.attr)
        if isinstance(owner, Texts):
            owner.values = None  # a method may change the list
        return UNKNOWN

    def _symbol_attribute(self, owner: Symbol, node: ast.Attribute) -> Value:
        name, value = node.attr, owner.value
        path = owner.path + "." + name
        if owner.path == "polars.col":
            return Expression([(name, node)], name)
        if value is MISSING:
            if owner.is_module and check_numpy_name(self, owner, node):
                return UNKNOWN
            if owner.is_module and not may_define(owner.path, name):
                self.report_attribute(node, f"Module {owner.path!r}", [])
            return Symbol(path, MISSING)
        if type(value) is types.ModuleType:
            member = module_value(value, name)
            if member is not MISSING:
                return self.lift(member, path)
            if check_numpy_name(self, owner, node):
                return UNKNOWN
            is_implicit = name.startswith("__") or may_provide(value, name)
            if is_implicit or submodule_exists(owner.path, name):
                module = loaded_module(path)
                return Symbol(path, MISSING if module is None else module)
            names = [key for key in list(value.__dict__) if type(key) is str and key[:1] != "_"]
            self.report_attribute(node, f"Module {owner.path!r}", names)
        elif is_plain_class(value) and _is_of_loaded_module(value):
            member = class_attribute(value, name)
            of_metaclass = [class_attribute(type(value), key) for key in (name, "__getattr__")]
            if is_function(member):
                return Symbol(path, member)
            if member is MISSING and all(item is MISSING for item in of_metaclass):
                names = sorted(class_attributes(value))
                self.report_attribute(node, f"Class {owner.path!r}", names)
        return UNKNOWN

    def _data_attribute(
        self, owner: Frame | Groups | Series, node: ast.Attribute, is_called: bool
    ) -> Value:
        name, kind = node.attr, class_of_value(owner)
        if isinstance(owner, Frame) and owner.library == "pandas" and name in _INDEXERS:
            return Indexer(owner, name)
        is_whole = isinstance(owner, Frame) or (isinstance(owner, Groups) and not owner.is_single)
        frame = owner if isinstance(owner, Frame) else owner.frame
        is_column = is_whole and frame is not None and name in frame.columns
        is_member = kind is MISSING or class_attribute(kind, name) is not MISSING
        if is_member and not (kind is MISSING and is_column):
            if isinstance(owner, Series):
                check_accessor(self, owner, node)
            return Method(owner, name)
        if is_whole and frame is not None and (is_column or self.has_column(frame, name)):
            if isinstance(owner, Groups):
                return owner.select(Labels([(name, node)], True, is_single=True))
            return frame.column(name) if is_column and frame.library == "pandas" else UNKNOWN
        if isinstance(owner, Series) and not is_called:
            check_part_of_date(self, owner, node)
        is_set = isinstance(owner, Frame) and name in owner.attributes
        if is_set or name.startswith("__") or (isinstance(owner, Series) and not is_called):
            return UNKNOWN
        if is_whole and frame is not None and frame.library == "pandas" and not is_called:
            self.report_column(frame, name, self.problems.position_of_name(node, name))
        else:
            columns = frame.columns if is_whole and frame is not None else ()
            public = sorted(key for key in class_attributes(kind) if key[:1] != "_")
            self.report_attribute(node, f"The {_NOUNS[type(owner)]}", [*columns, *public])
        return UNKNOWN

    # Subscripts

    def key(self, node: ast.Subscript) -> Any:
        """Return a subscript's key as in CPython 3.9 and newer."""
        key: Any = node.slice
        if type(key).__name__ == "Index":
            return key.value
        if type(key).__name__ == "ExtSlice":
            return ast.Tuple([getattr(part, "value", part) for part in key.dims], ast.Load())
        return key

    def is_mask(self, key: ast.AST) -> bool:
        """Return whether a key selects rows, as ``frame["x"] > 0`` does."""
        if isinstance(key, (ast.Compare, ast.Slice)):
            return True
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.Invert):
            return True
        if isinstance(key, ast.BinOp) and isinstance(key.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            return True
        return isinstance(self.value(key), (Series, Frame))

    def _of_Subscript(self, node: ast.Subscript) -> Value:
        owner, key = self.value(node.value), self.key(node)
        if isinstance(key, ast.Lambda) and isinstance(owner, (Frame, Indexer)):
            self.call_lambda(key, [owner if isinstance(owner, Frame) else owner.frame])
        self.value(key)
        if isinstance(owner, Frame):
            return self._subscript_frame(owner, key)
        if isinstance(owner, Method):
            return self._subscript_method(owner, node)
        if isinstance(owner, Indexer):
            if owner.name in ("iloc", "iat"):
                check_position(self, owner, node)
            else:
                check_row_label(self, owner, node)
            return self._subscript_indexer(owner, key)
        if isinstance(owner, Series):
            check_key_of_groups(self, owner, self.labels(key), node)
            return owner.of_some_rows() if self.is_mask(key) else UNKNOWN
        wanted = self.labels(key)
        if isinstance(owner, Groups):
            self.report_missing(owner.frame, wanted)
            return owner.select(wanted) if wanted.items or wanted.is_exact else UNKNOWN
        if isinstance(owner, Row) and not owner.is_tuple:
            self.report_missing(owner.frame, wanted)
        return UNKNOWN

    def _subscript_method(self, method: Method, node: ast.Subscript) -> Value:
        check_called(self, node.value)
        if not isinstance(method.owner, Series) or method.name != "str":
            return UNKNOWN
        return Series(method.owner.library, method.owner.name)  # as in ``series.str[0]``

    def _subscript_frame(self, frame: Frame, key: Any) -> Value:
        if self.is_mask(key):
            # Another Series may contain names of columns.
            is_comparison = isinstance(key, (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Slice))
            method = getattr(getattr(key, "func", None), "attr", "")
            return frame.derive(rows="some" if is_comparison or method in _BOOLEAN_METHODS else "")
        if isinstance(key, ast.Tuple) and frame.library == "pandas":
            return UNKNOWN
        wanted = self.labels(key)
        self.report_missing(frame, wanted)
        if wanted.is_single:
            return frame.column(wanted.names[0])
        if wanted.is_exact and wanted.items:
            return frame.derive(wanted.names, rows="all")
        return frame.derive() if isinstance(key, (ast.List, ast.ListComp)) else UNKNOWN

    def _subscript_indexer(self, indexer: Indexer, key: Any) -> Value:
        frame = indexer.frame
        if indexer.name in ("iloc", "iat"):
            rows = key.elts[0] if isinstance(key, ast.Tuple) and key.elts else key
            if isinstance(rows, ast.Slice):
                return frame.derive()
            return Row(frame) if rows is key and indexer.name == "iloc" else UNKNOWN
        has_one_level = frame.index is not None and len(frame.index) == 1
        if not isinstance(key, ast.Tuple):
            if indexer.name == "loc" and self.is_mask(key):
                return frame.derive(rows="some")
            return Row(frame) if indexer.name == "loc" and has_one_level else UNKNOWN
        selects_rows = len(key.elts) == 2 and self.is_mask(key.elts[0])
        if len(key.elts) != 2 or not (has_one_level or selects_rows):
            return UNKNOWN
        columns = key.elts[1]
        bounds = [columns.lower, columns.upper] if isinstance(columns, ast.Slice) else [columns]
        parts = [self.labels(bound) for bound in bounds]
        for part in parts:
            self.report_missing(frame, part)
        if not selects_rows:
            return UNKNOWN
        if parts[0].is_single and len(parts) == 1:
            return frame.column(parts[0].names[0]).of_some_rows()
        is_exact = len(parts) == 1 and parts[0].is_exact and parts[0].items
        return frame.derive(parts[0].names if is_exact else None)

    # Calls

    def _of_Call(self, node: ast.Call) -> Value:
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr == "append" and check_append(self, self.value(function.value), node):
                self._evaluate_arguments(node)
                return UNKNOWN
            called = self.attribute(function, is_called=True)
            if may_create_files(function.attr):
                self._evaluate_arguments(node)
                self.may_create_files = True
        else:
            called = self.value(function)
            if isinstance(called, Function):
                pass_arguments(self, called, node)
            if isinstance(function, ast.Name):
                self._record_effects(function.id, called, node)
        if self._may_change_values(called, node):
            self.forget_values()
        check_requirements(self, called, node)
        check_property(self, called, node)
        result = self._call(called, node)
        self._evaluate_arguments(node)
        return result

    def _evaluate_arguments(self, node: ast.Call) -> None:
        for argument in argument_nodes(node):
            self.value(argument)

    def _call(self, called: Value, node: ast.Call) -> Value:
        if isinstance(called, Symbol):
            if called.value is MISSING and "." not in called.path:
                return UNKNOWN
            result = call_symbol(self, called, node)
            if result is UNKNOWN and is_plain_class(called.value):
                return Instance(called.value)
            return result
        if not isinstance(called, Method):
            return UNKNOWN
        owner, name = called.owner, called.name
        kind = class_of_value(owner)
        if kind is not MISSING:
            self.check_keywords(method_keywords(kind, name), name, node)
            check_method(self, owner, name, node)
            check_call(self, owner, name, node)
        if isinstance(owner, Frame):
            if name in ("iterrows", "itertuples"):
                return Row(owner, name == "itertuples")
            call = call_pandas if owner.library == "pandas" else call_polars
            return call(self, owner, name, node)
        if isinstance(owner, Series):
            return call_series(self, owner, name, node)
        if isinstance(owner, Groups):
            is_pandas = owner.frame.library == "pandas"
            return (call_groups if is_pandas else call_polars_groups)(self, owner, name, node)
        if isinstance(owner, Expression):
            return call_expression(self, owner, name, node)
        return self._call_accessor(owner, name, node) if isinstance(owner, Method) else UNKNOWN

    def _call_accessor(self, accessor: Method, name: str, node: ast.Call) -> Value:
        owner = accessor.owner
        if isinstance(owner, Frame) and accessor.name == "plot":
            return call_plot(self, owner, name, node)
        if isinstance(owner, Series) and accessor.name in ("str", "dt", "cat"):
            check_offset(self, name, node)
            if accessor.name == "str":
                check_text_method(self, name, node)
            if name == "split" and any(keyword.arg == "expand" for keyword in node.keywords):
                return UNKNOWN
            is_text = accessor.name == "dt" and name in _TEXTS_OF_DATES
            dtype = texts_dtype() if is_text else None
            return owner.with_dtype(dtype) if is_text else Series(owner.library, owner.name)
        if isinstance(owner, Expression):
            return call_expression(self, owner, accessor.name, node)
        return UNKNOWN

    # Effects on frames

    def forget_values(self) -> None:
        self.may_change_frames = True
        for value in [*self._names.values(), *self._value_of_object.values()]:
            if isinstance(value, Frame):
                value.forget_values()
            elif isinstance(value, Series):
                value.change()

    def _may_change_values(self, called: Value, node: ast.Call) -> bool:
        if isinstance(called, Symbol):
            name = called.path.rpartition(".")[2]
            return name in _CALLING_FUNCTIONS or _library_of(called) not in _HARMLESS_LIBRARIES
        if isinstance(called, Method) or not isinstance(node.func, ast.Attribute):
            return may_change_data(called)
        owner = node.func.value
        has_frame = any(isinstance(self.value(item), Frame) for item in argument_nodes(node))
        return has_frame or (isinstance(owner, ast.Name) and self.value(owner) is UNKNOWN)

    def _record_effects(self, name: str, called: Value, node: ast.Call) -> None:
        """Record what a call of the person's function may do to files, arguments and globals."""
        if isinstance(called, Symbol) and not is_user_function(called.value):
            self.may_create_files = self.may_create_files or may_create_files(name)
            return
        self.may_create_files = True
        for argument in argument_nodes(node) if may_change_data(called) else ():
            self._expose(argument)
        variable = self.variables.get(name) if name not in self._names else None
        for used in variable.__code__.co_names if type(variable) is types.FunctionType else ():
            value = self._names.get(used)
            value = value or self._value_of_object.get(id(self.variables.get(used)))
            if isinstance(value, Frame):
                value.has_unknown_columns = True

    def _expose(self, node: ast.AST) -> None:
        """Record that other code may add columns to the frames in ``node``."""
        value = self._name(node.id) if isinstance(node, ast.Name) else UNKNOWN
        if isinstance(value, Frame):
            value.has_unknown_columns = True
        # The frame in ``frame["price"]`` stays as it is.
        if not isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            for child in ast.iter_child_nodes(node):
                self._expose(child)


_NOUNS = {Frame: "DataFrame", Groups: "groups", Series: "Series"}


def _is_of_loaded_module(kind: Any) -> bool:
    """Return whether a class is from a loaded module other than the notebook (``__main__``)."""
    module = module_of(kind)
    return module != "__main__" and loaded_module(module) is not None


def _library_of(symbol: Symbol) -> str:
    module = symbol.path
    if type(symbol.value) is types.FunctionType:
        module = symbol.value.__module__
    elif is_plain_class(symbol.value):
        module = module_of(symbol.value)
    return module.partition(".")[0] if type(module) is str else ""
