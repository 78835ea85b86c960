"""Describe the DataFrames in the kernel."""

from __future__ import annotations

from typing import Any

from ..inspection.objects import (
    has_own_index,
    is_library_class,
    is_plain_class,
    loaded_value,
    pandas_columns,
    polars_columns,
)


class StoredFrame:
    """A DataFrame in the kernel. ``columns`` has the labels that are texts."""

    def __init__(self, library: str, columns: list[str], rows: int, width: int) -> None:
        self.library, self.columns = library, set(columns)
        self.rows, self.width = rows, width


def stored_frame(obj: Any) -> StoredFrame | None:
    """Describe a DataFrame; return None for any other object, and if reading it could run code."""
    kind = type(obj)
    if not is_plain_class(kind) or not is_library_class(kind):
        return None
    if kind is loaded_value("pandas", "DataFrame"):
        if not has_own_index(obj.index) or not has_own_index(obj.columns):
            return None
        columns = pandas_columns(obj)
        if columns is None:
            return None
        return StoredFrame("pandas", columns, len(obj.index), len(obj.columns))
    if kind is loaded_value("polars", "DataFrame"):
        columns = polars_columns(obj)
        return None if columns is None else StoredFrame("polars", columns, *obj.shape)
    return None
