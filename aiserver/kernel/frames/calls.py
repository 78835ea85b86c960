"""Find out what a call or a subscript returns, such as a DataFrame with known columns."""

from __future__ import annotations

import ast
import types
from typing import Any

from ..inspection.dtypes import texts_dtype
from ..inspection.objects import (
    MISSING,
    class_attribute,
    class_attributes,
    is_plain_class,
    is_user_function,
    loaded_value,
    module_of,
)
from ..inspection.signatures import method_keywords
from .dtypes import check_frame_method, check_groups_method, check_series_method
from .expressions import Expressions, groups_class
from .functions import call_symbol, check_keywords, may_create_files
from .grouping import call_groups, call_series, select_groups
from .labels import labels, report_missing
from .pandas_methods import call_pandas, call_plot
from .polars_methods import call_expression, call_polars, call_polars_groups
from .requirements import check_requirements
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
    Texts,
    Value,
)

# Methods of ``series.dt`` that return texts.
_TEXTS_OF_DATES = {"strftime", "day_name", "month_name"}


class Calls(Expressions):
    """Extends ``Expressions`` with calls and subscripts."""

    # Subscripts

    def key(self, node: ast.Subscript) -> Any:
        """Return the key of a subscript, in the form that the AST has since CPython 3.9."""
        key: Any = node.slice
        if type(key).__name__ == "Index":
            return key.value
        if type(key).__name__ == "ExtSlice":
            return ast.Tuple([getattr(part, "value", part) for part in key.dims], ast.Load())
        return key

    def is_mask(self, key: ast.AST) -> bool:
        """Return whether a key selects rows, such as ``frame["x"] > 0`` or a slice."""
        if isinstance(key, (ast.Compare, ast.Slice)):
            return True
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.Invert):
            return True
        if isinstance(key, ast.BinOp) and isinstance(key.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            return True
        return isinstance(self.value(key), (Series, Frame))

    def _of_Subscript(self, node: ast.Subscript) -> Value:
        owner, key = self.value(node.value), self.key(node)
        if isinstance(owner, Frame):
            return self._subscript_frame(owner, key)
        if isinstance(owner, Indexer):
            return self._subscript_indexer(owner, key)
        if isinstance(owner, Groups):
            self.value(key)
            return select_groups(self, owner, key)
        if isinstance(owner, Row) and not owner.is_tuple:
            wanted = labels(self, key)
            report_missing(self, owner.frame, wanted)
            return UNKNOWN
        if isinstance(owner, Series) and self.is_mask(key):
            self.value(key)
            return owner.of_some_rows()
        self.value(key)
        return UNKNOWN

    def _subscript_frame(self, frame: Frame, key: Any) -> Value:
        value = self.value(key)
        if self.is_mask(key):
            # Any other Series may also contain names of columns.
            is_comparison = isinstance(key, (ast.Compare, ast.BinOp, ast.UnaryOp))
            method = getattr(getattr(key, "func", None), "attr", "")
            if is_comparison or isinstance(key, ast.Slice) or method in _BOOLEAN_METHODS:
                return frame.select(some_rows=True)
            return frame.derive()
        if isinstance(key, ast.Tuple) and frame.library == "pandas":
            return UNKNOWN
        wanted = labels(self, key)
        report_missing(self, frame, wanted)
        if wanted.is_single:
            return frame.column(wanted.names[0])
        if isinstance(value, Texts) and value.values is not None:
            return frame.select(wanted.names)
        if isinstance(key, ast.List):
            return frame.select(wanted.names) if wanted.is_exact else frame.derive()
        if isinstance(key, (ast.ListComp, ast.List)):
            return frame.derive()
        return UNKNOWN

    def _subscript_indexer(self, indexer: Indexer, key: Any) -> Value:
        self.value(key)
        frame = indexer.frame
        if indexer.name in ("iloc", "iat"):
            rows = key.elts[0] if isinstance(key, ast.Tuple) and key.elts else key
            if isinstance(rows, ast.Slice):
                return frame.derive()
            return Row(frame) if rows is key and indexer.name == "iloc" else UNKNOWN
        if not isinstance(key, ast.Tuple):
            if indexer.name == "loc" and self.is_mask(key):
                return frame.select(some_rows=True)
            return Row(frame) if indexer.name == "loc" and frame.levels == 1 else UNKNOWN
        if len(key.elts) != 2:
            return UNKNOWN
        rows, columns = key.elts
        selects_rows = self.is_mask(rows)
        if frame.levels != 1 and not selects_rows:
            return UNKNOWN
        if isinstance(columns, ast.Slice):
            for bound in (columns.lower, columns.upper):
                report_missing(self, frame, labels(self, bound))
            return frame.derive() if selects_rows else UNKNOWN
        wanted = labels(self, columns)
        report_missing(self, frame, wanted)
        if not selects_rows:
            return UNKNOWN
        if wanted.is_single:
            column = frame.column(wanted.names[0])
            return column.of_some_rows()
        return frame.derive(wanted.names if wanted.is_exact and wanted.items else None)

    # Calls

    def _of_Call(self, node: ast.Call) -> Value:
        function = node.func
        if isinstance(function, ast.Attribute):
            called = self.attribute(function, is_called=True)
            if may_create_files(function.attr):
                self._evaluate_arguments(node)
                self.may_create_files = True
        else:
            called = self.value(function)
            if isinstance(function, ast.Name):
                self._record_effects(function.id, called, node)
        if self._may_change_values(called, node):
            self.forget_values()
        check_requirements(self, called, node)
        result = self._call(called, node)
        self._evaluate_arguments(node)
        return result

    def _evaluate_arguments(self, node: ast.Call) -> None:
        for argument in node.args:
            self.value(argument)
        for keyword in node.keywords:
            self.value(keyword.value)

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
        if isinstance(owner, Frame):
            self._check_method(loaded_value(owner.library, "DataFrame"), name, node)
            check_frame_method(self, owner, name, node)
            return self._call_frame(owner, name, node)
        if isinstance(owner, Series):
            self._check_method(loaded_value(owner.library, "Series"), name, node)
            check_series_method(self, owner, name, node)
            return call_series(self, owner, name, node)
        if isinstance(owner, Groups):
            if owner.frame.library == "polars":
                return call_polars_groups(self, owner, name, node)
            self._check_method(groups_class(owner), name, node)
            check_groups_method(self, owner, name, node)
            return call_groups(self, owner, name, node)
        if isinstance(owner, Expression):
            return call_expression(self, owner, name, node)
        if isinstance(owner, Instance):
            self._check_method(owner.kind, name, node)
        if isinstance(owner, Method):
            return self._call_accessor(owner, name, node)
        return UNKNOWN

    def _check_method(self, kind: Any, name: str, node: ast.Call) -> None:
        if kind is not MISSING:
            check_keywords(self, method_keywords(kind, name), name, node)

    def _call_frame(self, frame: Frame, name: str, node: ast.Call) -> Value:
        if name in ("iterrows", "itertuples"):
            return Row(frame, name == "itertuples")
        call = call_pandas if frame.library == "pandas" else call_polars
        return call(self, frame, name, node)

    def _call_accessor(self, accessor: Method, name: str, node: ast.Call) -> Value:
        """Return the result of an accessor's method, such as ``series.str.upper()``."""
        owner = accessor.owner
        if isinstance(owner, Frame) and accessor.name == "plot":
            return call_plot(self, owner, name, node)
        if isinstance(owner, Series) and accessor.name in ("str", "dt", "cat"):
            self._check_text_method(accessor.name, name, node)
            if name == "split" and any(keyword.arg == "expand" for keyword in node.keywords):
                return UNKNOWN
            if accessor.name == "dt" and name in _TEXTS_OF_DATES:
                return owner.with_dtype(texts_dtype())
            return Series(owner.library, owner.name, owner.index, owner.levels)
        if isinstance(owner, Expression):
            return call_expression(self, owner, accessor.name, node)
        return UNKNOWN

    def _check_text_method(self, accessor: str, name: str, node: ast.Call) -> None:
        """Check a call of a method of ``series.str``. Other accessors aren't checked."""
        kind = loaded_value("pandas.core.strings.accessor", "StringMethods")
        if accessor != "str" or kind is MISSING or not isinstance(node.func, ast.Attribute):
            return
        if class_attribute(kind, name) is MISSING:
            names = sorted(class_attributes(kind))
            self._report_attribute(node.func, f"'Series.str' has no {name!r}.", names)
        else:
            self._check_method(kind, name, node)

    def _may_change_values(self, called: Value, node: ast.Call) -> bool:
        """Return whether a call may change the values of frames, besides a frame's own methods."""
        if isinstance(called, Symbol):
            name = called.path.rpartition(".")[2]
            return name in _CALLING_FUNCTIONS or _library_of(called) not in _HARMLESS_LIBRARIES
        if isinstance(called, Method) or not isinstance(node.func, ast.Attribute):
            return not isinstance(called, Method)
        owner, arguments = node.func.value, [*node.args, *[word.value for word in node.keywords]]
        has_frame = any(isinstance(self.value(argument), Frame) for argument in arguments)
        return has_frame or (isinstance(owner, ast.Name) and self.value(owner) is UNKNOWN)

    def _record_effects(self, name: str, called: Value, node: ast.Call) -> None:
        """Record the possible effects of a call on files, arguments and globals.

        A library's function is assumed to change neither its arguments nor global variables.
        """
        variable = self.variables.get(name, MISSING) if name not in self._names else MISSING
        is_library = isinstance(called, Symbol) and not is_user_function(called.value)
        if is_library:
            if may_create_files(name):
                self.may_create_files = True
            return
        self.may_create_files = True
        for argument in [*node.args, *[keyword.value for keyword in node.keywords]]:
            self._expose(argument)
        if type(variable) is types.FunctionType:
            for used_name in variable.__code__.co_names:
                used_value = self._names.get(used_name) or self._value_of_object.get(
                    id(self.variables.get(used_name))
                )
                if isinstance(used_value, Frame):
                    used_value.has_unknown_columns = True

    def _expose(self, node: ast.AST) -> None:
        """Record that other code can reach the frames in ``node``, and may add columns to them."""
        for child in ast.walk(node) if isinstance(node, _CONTAINERS) else [node]:
            if isinstance(child, ast.Name):
                value: Value | None = self._name(child.id)
                if isinstance(value, Frame):
                    value.has_unknown_columns = True


def _library_of(symbol: Symbol) -> str:
    """Return the name of the library that defines a function or class."""
    module = symbol.path
    if type(symbol.value) is types.FunctionType:
        module = symbol.value.__module__
    elif is_plain_class(symbol.value):
        module = module_of(symbol.value)
    return module.partition(".")[0] if type(module) is str else ""


# Methods that return a Series of booleans.
_BOOLEAN_METHODS = set(
    "isin isna isnull notna notnull between duplicated eq ne lt gt le ge contains startswith "
    "endswith match fullmatch".split()
)
# Libraries whose functions don't change the values of frames, apart from ``_CALLING_FUNCTIONS``.
_HARMLESS_LIBRARIES = set(
    "pandas numpy polars seaborn plotly sklearn scipy statsmodels matplotlib IPython builtins math "
    "datetime time re json os pathlib random collections itertools statistics warnings".split()
)
# Built-in functions that may run any code.
_CALLING_FUNCTIONS = {"exec", "eval", "setattr", "delattr", "map", "filter", "getattr", "vars"}
_CONTAINERS = (ast.List, ast.Tuple, ast.Dict, ast.Set)
