"""Determine how much the values in a suggestion have of the data in the kernel's DataFrames."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from ..frames.flow import Flow
from ..frames.polars_methods import output_names
from ..frames.values import UNKNOWN, Arguments, Frame, Indexer, Value
from ..inspection.objects import has_own_index


class StoredFrame:
    """A DataFrame in the kernel. ``columns`` has the labels that are texts."""

    def __init__(self, name: str, obj: Any, frame: Frame) -> None:
        self.name, self.obj, self.columns = name, obj, set(frame.columns)
        if frame.library == "pandas" and not all(map(has_own_index, (obj.index, obj.columns))):
            raise TypeError("Reading the size could run a person's code.")
        self.rows, self.width = obj.shape


class Origin:
    """The part of a DataFrame's data that a value has.

    ``frame`` is the DataFrame of which the value has all data, and perhaps more columns. It is None
    if there is none: the value is new, or lacks data. ``is_same`` tells whether the value is the
    DataFrame or stands for it, and ``is_read`` whether it was read from a file. ``is_changed``
    tells whether the suggestion has changed it, or the value from which it was copied.
    """

    def __init__(
        self,
        frame: StoredFrame | None = None,
        is_same: bool = False,
        is_read: bool = False,
        is_changed: bool = False,
    ) -> None:
        self.frame, self.is_same, self.is_read = frame, is_same, is_read
        self.is_changed = is_changed

    def after(self, keeps_all: bool | None) -> Origin | None:
        """Return the origin of an operation's result; None if it isn't certain."""
        if keeps_all is None:
            return None
        return Origin(self.frame, is_changed=self.is_changed) if keeps_all else Origin()


class Origins(Flow):
    """Evaluates expressions, and records the origins of their values. Reports no problems."""

    def report(self, *_: Any, **__: Any) -> None: ...

    report_code = report

    def origin(self, node: ast.AST) -> Origin | None:
        """Return the origin of an expression's value; None if it isn't certain."""
        origin: Origin | None = self.value(node).origin
        return origin

    def value(self, node: ast.AST) -> Value:
        is_new = not isinstance(node, ast.Name) and id(node) not in self._memo
        value = super().value(node)
        method = getattr(self, "_origin_of_" + type(node).__name__, None) if is_new else None
        origin: Origin | None = method(node) if method is not None else None
        if origin is not None:
            if value is UNKNOWN or value.origin is not None:
                value = self._memo[id(node)] = Value()
            value.origin = origin
        return value

    def _name(self, name: str) -> Value:
        value = super()._name(name)
        if isinstance(value, Frame) and name not in self._names and value.origin is None:
            with contextlib.suppress(Exception):  # this version of the library lacks an attribute
                value.origin = Origin(StoredFrame(name, self.variables[name], value), is_same=True)
        return value

    def _origin_of_Constant(self, node: ast.AST) -> Origin:
        return Origin()

    _origin_of_JoinedStr = _origin_of_BinOp = _origin_of_UnaryOp = _origin_of_Constant
    _origin_of_Compare = _origin_of_Constant

    def _origin_of_Attribute(self, node: ast.Attribute) -> Origin | None:
        owner = self.origin(node.value)
        if owner is None or owner.frame is None:
            return owner
        return Origin() if node.attr in _PARTS or node.attr in owner.frame.columns else None

    def _origin_of_Subscript(self, node: ast.Subscript) -> Origin | None:
        selected, rows, columns = self.value(node.value), self.key(node), None
        if isinstance(selected, Indexer):
            selected = selected.frame
            if isinstance(rows, ast.Tuple) and len(rows.elts) == 2:
                rows, columns = rows.elts
        owner: Origin | None = selected.origin
        if owner is None or owner.frame is None:
            return owner
        has_all = self._selects_all(owner.frame, rows)
        if has_all and columns is not None:
            is_slice = isinstance(columns, ast.Slice)
            has_all = None if is_slice else self._selects_all(owner.frame, columns)
        return owner.after(has_all)

    def _selects_all(self, frame: StoredFrame, key: Any) -> bool | None:
        """Return whether ``frame[key]`` has all data of a DataFrame; None if it isn't certain."""
        if isinstance(key, ast.Slice):
            lower, upper = (getattr(part, "value", part) for part in (key.lower, key.upper))
            if key.step is not None or not {type(lower), type(upper)} <= {int, type(None)}:
                return None
            return not lower and (upper is None or upper >= frame.rows)
        wanted = self.labels(key)
        if self.is_mask(key) or wanted.is_single:
            return False
        has_all = set(wanted.names) >= frame.columns and len(frame.columns) == frame.width
        return has_all if wanted.is_exact else None

    def _origin_of_Call(self, node: ast.Call) -> Origin | None:
        method: Any = node.func
        owner = self.origin(method.value) if isinstance(method, ast.Attribute) else None
        if owner is None:
            return self._origin_of_function(node)
        if owner.frame is None or is_in_place(node):  # the result of the latter is None
            return Origin(is_read=owner.is_read)
        return owner.after(self.keeps_all(owner.frame, method.attr, node))

    def _origin_of_function(self, node: ast.Call) -> Origin | None:
        called = self.value(node.func)
        library, _, name = getattr(called, "path", "").rpartition(".")
        first = self.origin(node.args[0]) if node.args else None
        is_copy = name in ("DataFrame", "from_pandas") and first is not None and first.frame
        if library not in ("pandas", "polars", "numpy", "seaborn") or is_copy:
            return None
        return Origin(is_read=name.startswith(("read_", "scan_", "load_dataset")))

    def keeps_all(self, frame: StoredFrame, name: str, node: ast.Call) -> bool | None:
        """Return whether a method's result has all data of ``frame``; None if it isn't certain."""
        arguments = Arguments(node, "first")
        if not arguments.is_exact:
            return None
        if name in ("assign", "with_columns"):
            outputs = [output_names(self, given) for given in node.args]
            names = {name for part in outputs for name in part or ()}.union(arguments.keywords)
            return frame.columns.isdisjoint(names) if None not in outputs else None
        if name in _LIMITING:
            default = None if arguments.given() else 5
            count = arguments.constant("first", arguments.constant("n", default))
            return False if type(count) is int and count < frame.rows else None
        if name in ("drop", "rename"):
            wanted = self.labels(arguments.get("columns", "labels", "first"))
            if not frame.columns.isdisjoint(wanted.names):
                return False
            is_certain = name == "drop" and "errors" not in arguments.given()
            return False if is_certain and not (wanted.items and wanted.is_exact) else None
        if name in _LOSING and "drop" not in arguments.given():
            return False
        return True if name in _KEEPING else None


def is_in_place(node: ast.Call) -> bool:
    arguments = Arguments(node, "")
    return arguments.constant("inplace", arguments.constant("in_place")) is True


# Attributes of a DataFrame that aren't the DataFrame.
_PARTS = {"T", "values", "columns", "index", "shape", "dtypes", "size", "empty", "style"}
# Methods whose result has all rows and columns, perhaps in another order.
_KEEPING = set(
    "copy sort_values sort_index reset_index convert_dtypes infer_objects rename_axis clone sort "
    "rechunk with_row_index".split()
)
# Methods that return a number of rows, by default 5 or 1.
_LIMITING = {"head", "tail", "limit", "sample", "nlargest", "nsmallest"}
# Methods whose result lacks rows, columns or values, or has another shape.
_LOSING = set(
    "dropna drop_duplicates query filter groupby group_by pivot pivot_table melt unpivot stack "
    "unstack merge join agg aggregate apply applymap map transform transpose describe value_counts "
    "corr count sum mean median min max std var quantile nunique select_dtypes select isin isna "
    "isnull notna notnull duplicated to_numpy to_dict to_list to_pandas fillna ffill bfill replace "
    "clip round astype where mask interpolate explode drop_nulls drop_nans unique cast fill_null "
    "fill_nan slice get_column resample rolling diff pct_change shift cumsum rank reindex pop "
    "set_index".split()
)
