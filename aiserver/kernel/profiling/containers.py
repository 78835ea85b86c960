"""Recognise variables that contain data, and read what they are without reading their values.

Invariants:

- Only instances of a library's own classes are described, and of subclasses of pandas' DataFrame
  and Series, which are read through pandas' block manager, so no method that a person wrote runs.
- Nothing is computed for objects that compute on demand, such as a polars LazyFrame. Only
  `lazy_columns`, on request, may read a file's header.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from ..inspection.objects import (
    instance_dict,
    is_instance,
    is_library_class,
    loaded_value,
    own_manager,
)
from ..inspection.scalars import MAX_LABEL, cut, dtype_text, label_text
from .columns import EXACT_ROWS, is_own_array, sampled_positions

MAX_LISTED_COLUMNS = 5000

_CONTAINER_LIBRARIES = ("numpy", "pandas", "polars", "pyarrow", "duckdb", "_duckdb")


class Container:
    """A variable that contains data.

    ``columns`` has at most ``MAX_LISTED_COLUMNS`` pairs of name and dtype. ``row_count``,
    ``column_count`` and ``size`` (bytes) are None if computing them would execute something.
    ``column(i)`` returns values that ``columns.py`` profiles. ``shape`` is that of an array.
    """

    def __init__(
        self,
        kind: str,
        columns: list[tuple[str, str]],
        column_count: int | None = None,
        row_count: int | None = None,
        size: int | None = None,
        column: Callable[[int], Any] | None = None,
        shape: list[int] | None = None,
    ) -> None:
        self.kind, self.columns = kind, columns
        self.column_count, self.row_count, self.size = column_count, row_count, size
        self.column, self.shape = column, shape


def container_of(value: Any) -> Container | None:
    with contextlib.suppress(Exception):  # the object's state may be unexpected
        for name, read in _READERS:
            module, _, attribute = name.partition(".")
            cls = loaded_value(module, attribute)
            if type(value) is cls or (name in _BY_MANAGER and is_instance(value, cls)):
                # A person may have replaced the library's class.
                is_own = is_library_class(cls, _CONTAINER_LIBRARIES)
                return read(name, value, cls) if is_own else None
    return None


def _pandas_frame(kind: str, value: Any, cls: Any) -> Container:
    manager = own_manager(value, cls)
    labels, rows = manager.axes
    arrays, numbers = manager.blocks, manager.blknos
    dtypes = [dtype_text(_dtype_of(block.values)) for block in arrays]
    columns = [(name, dtypes[numbers[i]]) for i, name in enumerate(column_labels(labels))]
    size = sum(_array_size(block.values) for block in arrays)

    def column(i: int) -> Any:
        return _block_row(arrays[numbers[i]].values, manager.blklocs[i])

    return Container(kind, columns, len(labels), len(rows), size, column)


def _pandas_series(kind: str, value: Any, cls: Any) -> Container:
    manager = own_manager(value, cls)
    array = manager.blocks[0].values
    name = instance_dict(value, cls).get("_name")
    text = "" if name is None else label_text(name, MAX_LABEL)
    columns = [(text, dtype_text(_dtype_of(array)))]
    rows = len(manager.axes[0])
    return Container(kind, columns, 1, rows, _array_size(array), lambda i: array)


def _polars_frame(kind: str, value: Any, cls: Any) -> Container:
    pairs = list(zip(value.columns, value.dtypes))[:MAX_LISTED_COLUMNS]
    columns = [(cut(name), dtype_text(dtype)) for name, dtype in pairs]
    rows, width = value.shape
    return Container(kind, columns, width, rows, int(value.estimated_size()), value.to_series)


def _polars_series(kind: str, value: Any, cls: Any) -> Container:
    columns = [(cut(value.name), dtype_text(value.dtype))]
    size = int(value.estimated_size())
    return Container(kind, columns, 1, len(value), size, lambda i: value)


def lazy_columns(value: Any) -> list[tuple[str, str]] | None:
    """Return a polars LazyFrame's columns and dtypes without computing its data, else None.

    Polars may read headers of files for that, and calls schemas that are functions. Raises errors
    of polars, such as that a file doesn't exist.
    """
    container = container_of(value)
    if container is None or container.kind != "polars.LazyFrame":
        return None
    has_method = hasattr(type(value), "collect_schema")  # polars 1
    schema = value.collect_schema() if has_method else value.schema
    pairs = list(schema.items())[:MAX_LISTED_COLUMNS]
    return [(cut(name), dtype_text(dtype)) for name, dtype in pairs]


def _arrow_table(kind: str, value: Any, cls: Any) -> Container:
    schema = value.schema
    fields = [schema.field(i) for i in range(min(len(schema), MAX_LISTED_COLUMNS))]
    columns = [(cut(field.name), dtype_text(field.type)) for field in fields]
    rows, width = value.shape
    return Container(kind, columns, width, rows, int(value.nbytes), value.column)


def _array(kind: str, value: Any, cls: Any) -> Container:
    dtype = value.dtype
    is_matrix = value.ndim == 2 and not dtype.names
    names = list(dtype.names or ())[:MAX_LISTED_COLUMNS]
    if names:
        width = len(dtype.names)
        columns = [(cut(name), dtype_text(dtype[name])) for name in names]
    else:
        width = value.shape[1] if is_matrix else 1
        columns = [(str(i), dtype_text(dtype)) for i in range(min(width, MAX_LISTED_COLUMNS))]

    def column(i: int) -> Any:
        if names:
            return _flat(value[names[i]])
        return value[:, i] if is_matrix else _flat(value)

    rows = value.shape[0] if value.ndim in (1, 2) else value.size
    shape = [int(length) for length in value.shape]
    return Container(kind, columns, width, rows, int(value.nbytes), column, shape)


def _flat(array: Any) -> Any:
    """Return the elements without a copy; of a large array that needs one, a sample."""
    if array.ndim == 1 or array.flags.c_contiguous or array.size <= EXACT_ROWS:
        return array.reshape(-1)
    return array.flat[sampled_positions(array.size)]


def _duckdb_relation(kind: str, value: Any, cls: Any) -> Container:
    pairs = list(zip(value.columns, value.types))
    columns = [(cut(name), cut(str(dtype))) for name, dtype in pairs[:MAX_LISTED_COLUMNS]]
    return Container(kind, columns, len(pairs))


_READERS: tuple[tuple[str, Callable[[str, Any, Any], Container]], ...] = (
    ("pandas.DataFrame", _pandas_frame),
    ("pandas.Series", _pandas_series),
    ("polars.DataFrame", _polars_frame),
    ("polars.Series", _polars_series),
    ("polars.LazyFrame", lambda kind, *_: Container(kind, [])),
    ("pyarrow.Table", _arrow_table),
    ("numpy.ndarray", _array),
    ("duckdb.DuckDBPyRelation", _duckdb_relation),
)
_BY_MANAGER = ("pandas.DataFrame", "pandas.Series")


def _dtype_of(array: Any) -> Any:
    """Return an array's dtype or, if it isn't a library's own array, its class."""
    return array.dtype if is_own_array(array) else type(array)


def _array_size(array: Any) -> int:
    return int(array.nbytes) if is_own_array(array) else 0


def _block_row(values: Any, row: Any) -> Any:
    """Return a column of a DataFrame, which is a row of a block."""
    return values[row] if is_own_array(values) and values.ndim == 2 else values


def column_labels(index: Any) -> list[str]:
    head = index[:MAX_LISTED_COLUMNS]
    return [label_text(label, MAX_LABEL) for label in head]
