"""Signals that the result of a run may prove nothing, although the code ran without an error.

A signal is a fact, not a problem. It is a dict with these keys:

- ``kind``: ``empty`` (no rows), ``missing_result`` (the only result is NaN or None),
  ``all_missing`` (columns without any value, which had some, or weren't there) or ``unchanged`` (a
  change was asked for, and a DataFrame that the code assigns is as before)
- ``name``: the variable, or "" for the output
- ``labels``: the columns
- ``before`` and ``after``: numbers of rows, or 0

The check reports others before the run, which also have their ``line``: those of
``frames/merges.py`` and ``frames/requested.py``.

The page keeps the state before the run as a text, so that the kernel needs no variable for it.
"""

from __future__ import annotations

import ast
import datetime
import json
import re
import time
from typing import Any

from .inspection.objects import (
    class_name,
    encode,
    has_own_index,
    index_names,
    loaded_value,
    own_manager,
    plain_variables,
)
from .inspection.scalars import is_missing
from .profiling.columns import inner_column, kind_of, plain_values
from .profiling.containers import Container, container_of
from .scopes.bindings import changed_names
from .source import Source

_SECONDS = 0.05  # for reading values; variables that aren't read in time count as changed
_MAX_CELLS = 2_000_000  # of a variable whose values are read
_FEWEST_ROWS = 3  # of a column without values: one or two may lack them by chance
_MAX_SIGNALS = 5
_MAX_LABELS = 5
_WORD = re.compile(r"[^\W\d]\w*")
_COMPARED_CLASSES = (str, int, float, bool, datetime.date)
_NO_TIME = -(2**63)  # NaT
# The end of an output: the texts of pandas, polars, numpy and Python for a value without elements.
_EMPTY_OUTPUT = re.compile(
    r"(?:^|\n)(?:Empty DataFrame\nColumns: .*\nIndex: .*|Series\(\[\], .*\)|\w*Index\(\[\], .*\)"
    r"|shape: \(0,.*\)(?:\n[┌│╞└].*)*|array\(\[\], .*\)|\[\](?:\nLength: 0, .*)?|\{\}|set\(\))\Z"
)
_MISSING_OUTPUT = re.compile(r"(?:.*[:=] ?)?(?:nan|NaN|NaT|<NA>|np\.float64\(nan\))|None")


def state_before(variables: dict[str, Any], code: str) -> str:
    """Return ``{"state": …}`` as JSON in base64: a text for ``signals_after``."""
    return encode({"state": json.dumps(_state(variables, code))})


def signals_after(
    variables: dict[str, Any], code: str, state: str, output: str, own_code: str, is_change: bool
) -> str:
    """Return ``{"signals": […]}`` as JSON in base64.

    ``state`` is the text of ``state_before``, ``output`` that of the cell's output, ``own_code``
    the code that ``code`` has replaced in the cell. ``is_change`` tells whether the request asks
    for a change of data.
    """
    before, after = json.loads(state), _state(variables, code)
    signals = _signals_of_output(output.strip())
    changed = [name for name in after if _is_changed(name, before, after)]
    tree = Source(code).tree or ast.Module([], [])
    for name in changed:
        if not _is_read(tree, name):
            signals += _signals_of_variable(name, before, after[name])
    if any(not signal["name"] for signal in signals):  # shown is more than assigned
        signals = [item for item in signals if not item["name"] or item["kind"] != "empty"]
    if is_change and not changed and not before.keys() - after.keys():
        own_tree = Source(own_code).tree or ast.Module([], [])
        assigned = changed_names(tree) - changed_names(own_tree)
        signals += [_signal("unchanged", name) for name in sorted(assigned & after.keys())]
    return encode({"signals": signals[:_MAX_SIGNALS]})


def _signal(kind: str, name: str = "", labels: list[str] | None = None) -> dict[str, Any]:
    shown = (labels or [])[:_MAX_LABELS]
    return {"kind": kind, "name": name, "labels": shown, "before": 0, "after": 0}


def _signals_of_output(output: str) -> list[dict[str, Any]]:
    if _EMPTY_OUTPUT.search(output):
        return [_signal("empty")]
    return [_signal("missing_result")] if _MISSING_OUTPUT.fullmatch(output) else []


def _signals_of_variable(
    name: str, before: dict[str, Any], now: dict[str, Any]
) -> list[dict[str, Any]]:
    if now["rows"] == 0:
        return [_signal("empty", name)]
    others = {label for other in before.values() for label in other["missing"]}
    labels = [label for label in now["missing"] if label not in others]
    return [_signal("all_missing", name, labels)] if labels else []


def _is_changed(name: str, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Return whether a container is new or another one; also if that isn't known."""
    digest = after[name]["digest"]
    return name not in before or digest is None or digest != before[name]["digest"]


def _is_read(tree: ast.Module, name: str) -> bool:
    """Return whether a variable is as it was read from a file, which may have such columns."""
    is_read = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and name in changed_names(node):
            function = getattr(node.value, "func", None)
            is_read = getattr(function, "attr", "").startswith("read_")
    return is_read


def _state(variables: dict[str, Any], code: str) -> dict[str, Any]:
    """Describe the containers that code names: ``rows``, ``digest`` and ``missing`` columns."""
    deadline = time.monotonic() + _SECONDS
    plain = plain_variables(variables)
    state = {}
    for name in dict.fromkeys(_WORD.findall(code)):
        container = container_of(plain.get(name))
        if container is not None and container.row_count is not None:
            try:
                state[name] = _describe_container(plain[name], container, deadline)
            except Exception:  # the object's state may be unexpected
                state[name] = {"rows": None, "digest": None, "missing": []}
    return state


def _describe_container(value: Any, container: Container, deadline: float) -> dict[str, Any]:
    rows, width = container.row_count or 0, container.column_count or 0
    parts: list[Any] = [container.kind, rows, width, tuple(container.columns)]
    missing = []
    is_read = rows * width <= _MAX_CELLS and width == len(container.columns)
    for index, (label, _) in enumerate(container.columns if is_read else ()):
        if time.monotonic() > deadline or container.column is None:
            is_read = False
            break
        digest, has_values = _read_column(container.column(index))
        parts.append(digest)
        if rows >= _FEWEST_ROWS and not has_values:
            missing.append(label)
    if container.kind.startswith("pandas."):
        index = own_manager(value, type(value)).axes[-1]
        parts += [index_names(value), _index_digest(index)]
    digest = hash(tuple(parts)) if is_read and None not in parts else None
    return {"rows": rows, "digest": digest, "missing": missing}


def _index_digest(index: Any) -> int | None:
    if not has_own_index(index):
        return None
    name = class_name(type(index))
    if name == "RangeIndex":
        return hash((index.start, index.stop, index.step))
    if name == "MultiIndex":
        return None
    return _read_column(index._data)[0]


def _read_column(values: Any) -> tuple[int | None, bool]:
    """Return a number for the values, None if they can't be compared, and whether there are any."""
    column = inner_column(values)
    kind = kind_of(column)
    is_array = type(column) is loaded_value("numpy", "ndarray")
    if is_array and kind == "number":
        return hash(column.tobytes()), bool((column == column).any())
    if kind == "time" and (is_array or hasattr(column, "asi8")):
        times = column.astype("int64") if is_array else column.asi8
        return hash(times.tobytes()), bool((times != _NO_TIME).any())
    if not kind:
        return None, True
    plain = [None if is_missing(value) else value for value in plain_values(column, kind)]
    classes = {id(type(value)): type(value) for value in plain if value is not None}
    is_plain = all(any(cls is other for other in _COMPARED_CLASSES) for cls in classes.values())
    return hash(tuple(plain)) if is_plain else None, bool(classes)
