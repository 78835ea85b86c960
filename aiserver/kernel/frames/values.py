"""The values in a suggestion, where they are certain without running it."""

from __future__ import annotations

import ast
import builtins
import contextlib
import types
from collections.abc import Iterable
from typing import Any

from ..inspection.dtypes import Dtype, frame_dtypes
from ..inspection.objects import (
    MISSING,
    class_of,
    index_names,
    instance_dict,
    is_array_function,
    is_compiled_function,
    is_plain_class,
    is_random_function,
    loaded_value,
    plain_texts,
    text_labels,
)


class Value:
    """A value; an instance of this base class is an unknown one.

    ``origin`` tells how much it has of a DataFrame's data; see ``overwrites.py``.
    """

    origin: Any = None


UNKNOWN = Value()


class Text(Value):
    def __init__(self, value: str) -> None:
        self.value = value


class Texts(Value):
    """A list of strings; ``values`` is None if it may have changed."""

    def __init__(self, values: list[str] | None) -> None:
        self.values = values


class Symbol(Value):
    """A module, function or class with the dotted name ``path``.

    ``value`` is ``MISSING`` if its module isn't loaded, and for ``polars.col``.
    """

    def __init__(self, path: str, value: Any, is_module: bool = False) -> None:
        self.path, self.value, self.is_module = path, value, is_module


class Instance(Value):
    """An instance of exactly the library class ``kind``."""

    def __init__(self, kind: type) -> None:
        self.kind = kind


# Methods that change a DataFrame.
_FRAME_CHANGERS = {"insert", "pop", "update", "isetitem", "eval", "pipe", "apply", "exec"}
_HARMLESS_FUNCTIONS = set(
    "len print sum max min round list range sorted str int float abs dict set tuple zip "
    "enumerate isinstance bool".split()
)


class Function(Value):
    """A function that the cell defines, without decorators.

    ``values`` are those of its parameters, the columns of all calls; None if it isn't called yet.
    ``is_called`` tells whether a call certainly runs it.
    """

    def __init__(self, node: Any) -> None:
        self.node = node
        self.values: dict[str, Value] | None = None
        self.is_called = False

    def call(self, values: dict[str, Value], is_certain: bool) -> None:
        """Record a call with these values."""
        if self.values is not None:
            before, both = self.values, self.values.keys() & values.keys()
            pairs = [(name, before[name], values[name]) for name in both]
            values = {
                name: first.union(second)
                for name, first, second in pairs
                if isinstance(first, Frame) and isinstance(second, Frame)
            }
        self.values = values
        self.is_called = self.is_called or is_certain

    def may_change_data(self) -> bool:
        """Return whether the function, or one that it calls, might change a DataFrame."""
        for node in ast.walk(self.node):
            is_changed = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            is_part = isinstance(node, (ast.Subscript, ast.Attribute)) and is_changed
            function = node.func if isinstance(node, ast.Call) else None
            name = getattr(function, "attr", None)
            if isinstance(function, ast.Name) and function.id not in _HARMLESS_FUNCTIONS:
                return True
            if is_part or name in _FRAME_CHANGERS or getattr(node, "arg", "") == "inplace":
                return True
        return False


class Frame(Value):
    """A DataFrame.

    ``columns`` has the columns that it may have; ``has_unknown_columns`` means any others, too.
    ``index`` has the names of the index's levels, or is None if unknown. ``attributes`` aren't
    columns. ``dtypes`` has the known ones. ``row_texts`` has the texts that may label rows, or is
    None if unknown. ``has_rows`` tells whether there are certainly rows. ``repeated`` has columns
    whose rows a merge has repeated.
    """

    def __init__(
        self, library: str, columns: Iterable[str], index: tuple[str | None, ...] | None = None
    ) -> None:
        self.library, self.index = library, index
        self.columns: dict[str, None] = dict.fromkeys(columns)
        self.has_unknown_columns = False
        self.attributes: set[str] = set()
        self.dtypes: dict[str, Dtype] = {}
        self.row_texts: frozenset[str] | None = None
        self.has_rows = False
        self.repeated: set[str] = set()

    @property
    def index_names(self) -> set[str]:
        return {name for name in self.index or () if name is not None}

    def derive(self, columns: Iterable[str] | None = None, rows: str = "") -> Frame:
        """Return a new frame with the same index and these columns (None: the same).

        ``rows`` is "all" for the same values, "some" if values may be missing, and "" for others.
        """
        frame = Frame(self.library, self.columns if columns is None else columns, self.index)
        frame.has_unknown_columns = self.has_unknown_columns
        frame.row_texts = self.row_texts if rows else None
        frame.has_rows = self.has_rows and rows == "all"
        frame.repeated = self.repeated if rows else set()
        for name, dtype in self.dtypes.items() if rows else ():
            if name in frame.columns:
                frame.dtypes[name] = dtype.of_some_rows() if rows == "some" else dtype
        return frame

    def column(self, name: str) -> Series:
        """Return a column, without a dtype if the frame may have changed in unknown ways."""
        dtype = None if self.has_unknown_columns else self.dtypes.get(name)
        return Series(self.library, name, self.index, dtype, self)

    def union(self, other: Frame) -> Frame:
        """Return a frame that has the columns of both, and unknown values."""
        frame = Frame(self.library, [*self.columns, *other.columns])
        frame.has_unknown_columns = self.has_unknown_columns or other.has_unknown_columns
        return frame

    def become(self, other: Value) -> None:
        """Change this frame to ``other`` in place; without a frame, any column is possible."""
        if isinstance(other, Frame):
            self.columns, self.has_unknown_columns = dict(other.columns), other.has_unknown_columns
            self.index, self.dtypes = other.index, other.dtypes
            self.row_texts, self.has_rows = other.row_texts, other.has_rows
            self.repeated = other.repeated
        else:
            self.has_unknown_columns = True
            self.forget_values()

    def forget_values(self) -> None:
        self.dtypes.clear()
        self.row_texts, self.has_rows = None, False
        self.repeated = set()

    def add(self, names: Iterable[str]) -> None:
        """Add or replace columns. ``columns`` becomes a new dict, as ``Problems.near`` needs."""
        names = list(names)
        self.repeated = self.repeated.difference(names)
        for name in names:
            self.dtypes.pop(name, None)
        self.columns = {**self.columns, **dict.fromkeys(names)}

    def remove(self, names: Iterable[str]) -> None:
        removed = set(names)
        self.columns = {name: None for name in self.columns if name not in removed}


class Series(Value):
    """A Series. ``index`` is as in ``Frame``, and ``dtype`` is None if unknown.

    ``frame`` is the frame whose rows it has, which may change with it, or None if unknown.
    ``has_text_labels`` tells whether the index certainly has texts, ``is_by_group`` whether it has
    the keys of groups.
    """

    def __init__(
        self,
        library: str,
        name: str | None = None,
        index: tuple[str | None, ...] | None = None,
        dtype: Dtype | None = None,
        frame: Frame | None = None,
    ) -> None:
        self.library, self.name, self.index = library, name, index
        self.dtype, self.frame = dtype, frame
        self.has_text_labels = self.is_by_group = False

    def with_dtype(self, dtype: Dtype | None) -> Series:
        return Series(self.library, self.name, self.index, dtype, self.frame)

    def of_some_rows(self) -> Series:
        dtype = None if self.dtype is None else self.dtype.of_some_rows()
        return Series(self.library, self.name, self.index, dtype)

    def change(self) -> None:
        self.dtype = None
        if self.frame is not None:
            self.frame.forget_values()


class Row(Value):
    """A row of a frame as a Series, or as a named tuple if ``is_tuple``.

    It can also be ``frame.loc[key]``, for which pandas may return a DataFrame.
    """

    def __init__(self, frame: Frame, is_tuple: bool = False) -> None:
        self.frame, self.is_tuple = frame, is_tuple


class Groups(Value):
    """The result of ``groupby`` or ``resample``.

    ``keys`` is None if unknown, ``selection`` None if all columns are selected. ``is_single`` means
    one column as a Series, ``is_exact`` that ``selection`` is certain.
    """

    def __init__(self, frame: Frame, keys: list[str] | None, as_index: bool = True) -> None:
        self.frame, self.keys, self.as_index = frame, keys, as_index
        self.selection: list[str] | None = None
        self.is_single = self.is_resampled = False
        self.is_exact = True

    def select(self, wanted: Labels) -> Groups:
        groups = Groups(self.frame, self.keys, self.as_index)
        groups.selection = wanted.names if wanted.is_exact else list(self.frame.columns)
        groups.is_single, groups.is_exact = wanted.is_single, wanted.is_exact
        groups.is_resampled = self.is_resampled
        return groups


class Indexer(Value):
    """``frame.loc``, ``frame.iloc``, ``frame.at`` or ``frame.iat``."""

    def __init__(self, frame: Frame, name: str) -> None:
        self.frame, self.name = frame, name


class Method(Value):
    """A method or an accessor, such as ``str``."""

    def __init__(self, owner: Value, name: str) -> None:
        self.owner, self.name = owner, name


class Expression(Value):
    """A polars expression: the columns with nodes that it reads, and those that it creates, or
    None.
    """

    def __init__(self, reads: list[tuple[str, ast.AST]], output: str | None) -> None:
        self.reads, self.output = reads, output


class Labels:
    """The labels in an expression, each with its AST node.

    ``is_exact`` means that ``items`` has all labels, ``is_single`` that the expression is one
    string.
    """

    def __init__(
        self, items: list[tuple[str, ast.AST]], is_exact: bool, is_single: bool = False
    ) -> None:
        self.items, self.is_exact, self.is_single = items, is_exact, is_single

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.items]


class Arguments:
    """The arguments of a call by parameter.

    ``parameters`` are the positional ones, separated by spaces. ``is_exact`` is false for calls
    with ``*args`` or ``**kwargs``.
    """

    def __init__(self, node: ast.Call, parameters: str) -> None:
        self.node = node
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        self.is_exact = not starred and all(word.arg is not None for word in node.keywords)
        self.keywords = {word.arg: word.value for word in node.keywords if word.arg is not None}
        plain = [None if isinstance(part, ast.Starred) else part for part in node.args]
        named = {name: part for name, part in zip(parameters.split(), plain) if part is not None}
        self._nodes: dict[str, ast.expr] = {**named, **self.keywords}

    def get(self, *names: str) -> ast.expr | None:
        """Return the first given argument that isn't None."""
        for name in names:
            node = self._nodes.get(name)
            if node is not None and not (isinstance(node, ast.Constant) and node.value is None):
                return node
        return None

    def constant(self, name: str, default: Any = None) -> Any:
        """Return a constant argument, ``default`` if not given, ``...`` if it isn't constant."""
        node = self._nodes.get(name)
        if node is None:
            return default
        return node.value if isinstance(node, ast.Constant) else ...

    def given(self) -> set[str]:
        return set(self._nodes)


_MAX_ROW_LABELS = 1000
_LIBRARIES_OF_FUNCTIONS = ("pandas", "polars", "numpy", "seaborn", "plotly.express", "builtins")


def value_of_object(obj: Any, path: str, has_changed: bool) -> Value:
    """Return an object's value; ``path`` is its dotted name in the suggestion.

    ``has_changed`` tells whether the values of a DataFrame may have changed.
    """
    kind = type(obj)
    if kind is types.ModuleType:
        name = obj.__dict__.get("__name__")
        return Symbol(name, obj) if type(name) is str else UNKNOWN
    if kind is str:
        return Text(obj) if len(obj) < 1000 else UNKNOWN
    texts = plain_texts(obj)
    if texts is not None:
        return Texts(texts)
    if kind is types.FunctionType or kind is types.BuiltinFunctionType or is_plain_class(obj):
        return _function_value(obj, kind, path)
    if kind is loaded_value("pandas", "DataFrame"):
        return _pandas_frame(obj, kind, has_changed)
    if kind is loaded_value("polars", "DataFrame"):
        names = obj.columns
        is_plain = all(type(name) is str for name in names)
        return Frame("polars", names, (None,)) if is_plain else UNKNOWN
    if kind is loaded_value("pandas", "Series"):
        name = obj.name if type(obj.name) is str else None
        return Series("pandas", name, index_names(obj))
    if _is_compiled(obj, kind, path):
        return Symbol(path, obj)
    if obj is loaded_value("polars", "col"):
        return Symbol("polars.col", MISSING)
    library_class = class_of(obj)
    return UNKNOWN if library_class is None else Instance(library_class)


def _function_value(obj: Any, kind: type, path: str) -> Value:
    if kind is types.FunctionType and obj.__dict__.get("__wrapped__") is builtins.open:
        return Symbol("builtins.open", builtins.open)  # IPython's wrapper of ``open``
    name = obj.__name__ if kind is types.FunctionType else path.rpartition(".")[2]
    for library in _LIBRARIES_OF_FUNCTIONS:
        if type(name) is str and loaded_value(library, name) is obj:
            return Symbol(library + "." + name, obj)
    return Symbol(path, obj)


def _is_compiled(obj: Any, kind: type, path: str) -> bool:
    if kind is loaded_value("numpy", "ufunc") or is_array_function(obj) or is_random_function(obj):
        return True
    return path.startswith("numpy.random.") and is_compiled_function(obj)


def _pandas_frame(obj: Any, kind: Any, has_changed: bool) -> Value:
    columns = text_labels(obj.columns)
    if columns is None:
        return UNKNOWN
    frame = Frame("pandas", columns, index_names(obj))
    frame.attributes = {name for name in instance_dict(obj, kind) if type(name) is str}
    if not has_changed:
        frame.row_texts, frame.has_rows = _row_texts(obj.index), len(obj.index) > 0
        with contextlib.suppress(Exception):  # pandas may store columns in another way
            frame.dtypes = frame_dtypes(obj)
    return frame


def _row_texts(index: Any) -> frozenset[str] | None:
    """Return the texts in an index of numbers or texts; None for others, and if there are many."""
    if type(index) is loaded_value("pandas", "RangeIndex"):
        return frozenset()
    if type(index) is not loaded_value("pandas", "Index") or len(index) > _MAX_ROW_LABELS:
        return None
    texts = text_labels(index)
    return None if texts is None else frozenset(texts)


def class_of_value(owner: Value) -> Any:
    """Return the library class of a value; ``MISSING`` if unknown."""
    if isinstance(owner, Instance):
        return owner.kind
    if isinstance(owner, Frame):
        return loaded_value(owner.library, "DataFrame")
    if isinstance(owner, Series) and owner.library == "pandas":
        return loaded_value("pandas", "Series")
    if not isinstance(owner, Groups) or owner.frame.library != "pandas":
        return MISSING
    if owner.is_resampled:
        return loaded_value("pandas.core.resample", "DatetimeIndexResampler")
    name = "SeriesGroupBy" if owner.is_single else "DataFrameGroupBy"
    return loaded_value("pandas.core.groupby.generic", name)
