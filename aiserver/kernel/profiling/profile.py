"""List a kernel's data, and profile columns.

Invariants (P18):

- None of the person's code runs, and no variable, module or setting changes.
- Profiling ends after ``SECONDS`` and says where to continue, and large data is sampled. Nothing is
  computed for lazy objects.
- A variable that can't be read is left out, and such a column says so. Neither affects the others.
"""

from __future__ import annotations

import time
from typing import Any

from ..inspection.objects import encode, plain_variables
from .columns import profile_column
from .containers import Container, container_of, lazy_columns

MAX_ITEMS = 200
MAX_LIST = 4_000_000  # characters of all columns' names
SECONDS = 0.3
_SHELL_NAMES = ("In", "Out", "exit", "quit", "open", "get_ipython")


def list_data(variables: dict[str, Any]) -> str:
    """Return ``{"items": […], "isComplete": …}`` as JSON in base64, the newest variable first."""
    items: list[dict[str, Any]] = []
    is_complete = True
    room = MAX_LIST
    for name, value in reversed(list(plain_variables(variables).items())):
        if name[:1] == "_" or not name.isidentifier() or name in _SHELL_NAMES:
            continue
        container = container_of(value)
        if container is None:
            continue
        size = sum(len(text) for pair in container.columns for text in pair)
        if len(items) == MAX_ITEMS or size > room:
            is_complete = False
            break
        room -= size
        items.append(_describe(name, value, container))
    return encode({"items": items, "isComplete": is_complete})


def profile_columns(variables: dict[str, Any], name: str, first: int, count: int) -> str:
    """Return profiles of ``count`` columns from ``first`` as JSON in base64.

    Stops after ``SECONDS``, but not before one column is complete. ``next`` is the column to
    continue with, or None. Without such a variable, or for a lazy one, return ``{"problem":
    "missing"}`` or ``{"problem": "lazy"}``.
    """
    container = container_of(plain_variables(variables).get(name))
    if container is None:
        return encode({"problem": "missing"})
    if container.column is None:
        return encode({"problem": "lazy"})
    started = time.monotonic()
    end = min(first + count, len(container.columns))
    columns: list[dict[str, Any]] = []
    index = first
    while index < end and (not columns or time.monotonic() - started < SECONDS):
        label, dtype = container.columns[index]
        columns.append({"index": index, "name": label, "dtype": dtype})
        columns[-1].update(_profile(container, index))
        index += 1
    return encode(
        {
            "name": name,
            "kind": container.kind,
            "rowCount": container.row_count,
            "columns": columns,
            "next": index if index < end else None,
        }
    )


def list_lazy_columns(variables: dict[str, Any], name: str) -> str:
    """Return a polars LazyFrame's columns and dtypes as JSON in base64.

    ``{"problem": "missing"}`` means that there is no such variable, ``unreadable`` that polars
    can't find out the columns.
    """
    try:
        columns = lazy_columns(plain_variables(variables).get(name))
    except Exception:  # a file or a column that doesn't exist
        return encode({"problem": "unreadable"})
    if columns is None:
        return encode({"problem": "missing"})
    return encode({"columns": [{"name": label, "dtype": dtype} for label, dtype in columns]})


def _profile(container: Container, index: int) -> dict[str, Any]:
    assert container.column is not None
    try:
        return profile_column(container.column(index))
    except Exception:  # unreadable values, such as dates beyond the range
        return {"rows": 0, "missing": None, "distinct": None, "note": "unsupported"}


def _describe(name: str, value: Any, container: Container) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": name,
        "kind": container.kind,
        "rowCount": container.row_count,
        "columnCount": container.column_count,
        "bytes": container.size,
        "isLazy": container.row_count is None,
        "columns": [{"name": label, "dtype": dtype} for label, dtype in container.columns],
        "identity": f"{id(value):x}",
    }
    return described if container.shape is None else {**described, "shape": container.shape}
