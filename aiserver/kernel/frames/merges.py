"""Signals of merges, found by counting the keys of the kernel's DataFrames.

- ``multiplied``: keys are several times on both sides. ``labels`` are the keys, ``before`` the
  number of rows with a match, on the side that has more, ``after`` the number of their pairs.
- ``lost``: a merge without ``how`` drops rows of the side on which the keys are several times, or
  else of the left. ``name`` is that side, ``before`` its number of rows, ``after`` that of the rows
  which stay.
- ``counted_twice``: the sum or mean of a column of the left side, whose rows the merge has
  repeated, because keys are several times on the right. ``labels`` has the column.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any

from ..inspection.dtypes import Dtype, stored_values
from ..inspection.scalars import is_missing
from .context import Context
from .values import Arguments, Frame, Groups, Labels, Series, Value

_MAX_KEY_ROWS = 50_000  # of both sides; the keys of more rows aren't counted
_FEWEST_LOST = 3  # rows, and the share of the rows
_LOST_SHARE = 0.1
_FEWEST_KEYS = 3
_MOST = 0.8  # a table of customers may have some twice, and lack some
_MAX_COMPARED = 10_000  # values of a column that may be a key
_MAX_COMPARED_COLUMNS = 20


def examine_merge(
    context: Context, sides: list[Frame], arguments: Arguments, is_join: bool = False
) -> set[str]:
    """Report what a merge does to the rows, and return the columns of rows that it repeats."""
    how = arguments.constant("how", "left" if is_join else "inner")
    keys = _keys(context, sides, arguments, is_join)
    is_plain = context.finds_signals and not context.is_conditional
    if not is_plain or keys is None or how not in ("inner", "left", "right", "outer"):
        return set()
    rows = [_key_rows(side, names) for side, names in zip(sides, keys)]
    if rows[0] is None or rows[1] is None or len(rows[0]) + len(rows[1]) > _MAX_KEY_ROWS:
        return set()
    left, right = Counter(rows[0]), Counter(rows[1])
    shared = left.keys() & right.keys()
    stay = [sum(counts[key] for key in shared) for counts in (left, right)]
    total = sum(left[key] * right[key] for key in shared)
    if total > max(stay):
        context.add_signal(arguments.node, "multiplied", "", keys[0], max(stay), total)
    if how == "inner" and "how" not in arguments.given():
        side = 1 if len(right) < len(rows[1]) and len(left) == len(rows[0]) else 0
        size = len(rows[side] or ())
        if size - stay[side] >= max(_FEWEST_LOST, size * _LOST_SHARE):
            name = _variable(arguments, side)
            context.add_signal(arguments.node, "lost", name, keys[side], size, stay[side])
    return set(sides[0].columns) if total > stay[0] else set()


def report_other_key(
    context: Context, sides: list[Value], wanted: Labels, arguments: Arguments
) -> bool:
    """Report a key that one side lacks, if a single column there has the same values."""
    frames = [side for side in sides if isinstance(side, Frame) and side.index is not None]
    word = next((item for item in arguments.node.keywords if item.arg == "on"), None)
    has_position = hasattr(word, "lineno")  # since CPython 3.9
    if len(frames) < 2 or len(wanted.names) != 1 or not has_position:
        return False
    [name] = wanted.names
    has = [context.has_column(side, name) or name in side.index_names for side in frames]
    if has[0] == has[1]:
        return False
    others = frames[has.index(False)].dtypes
    if len(others) > _MAX_COMPARED_COLUMNS:
        return False
    first, *rest = (
        _key_values(dtype, _MAX_COMPARED)
        for dtype in (frames[has.index(True)].dtypes.get(name), *others.values())
    )
    same = [label for label, values in zip(others, rest) if _are_same_keys(first, values)]
    if len(same) != 1:
        return False
    keys = [name, same[0]] if has[0] else [same[0], name]
    message = f"One side has no column {name!r}, but {same[0]!r} with the same values."
    candidates = ["left_on={!r}, right_on={!r}".format(*keys)]
    context.report_code(word, "not_valid", message, candidates)
    return True


def _are_same_keys(first: list[Any] | None, second: list[Any] | None) -> bool:
    """Return whether one side has most of its keys only once, and most keys of the other side."""
    for unique, other in ((first or [], second or []), (second or [], first or [])):
        keys, distinct = set(unique), set(other) - {None}
        is_key = len(keys) >= max(_FEWEST_KEYS, len(unique) * _MOST)
        if is_key and distinct and len(distinct & keys) >= len(distinct) * _MOST:
            return True
    return False


def examine_sum(context: Context, value: Series | Groups, name: str, node: ast.Call) -> None:
    """Report the sum or mean of a column that a merge has repeated.

    Groups by a column of the other side are left out: each may have a row once.
    """
    function: Any = node.args[0] if name in ("agg", "aggregate") and node.args else None
    is_sum = (name if function is None else getattr(function, "value", "")) in ("sum", "mean")
    frame = value.frame
    if not is_sum or frame is None:
        return
    columns = value.selection or [] if isinstance(value, Groups) else [value.name]
    keys = value.keys if isinstance(value, Groups) else []
    repeated = [name for name in columns if name is not None and name in frame.repeated]
    if repeated and keys is not None and frame.repeated.issuperset(keys):
        context.add_signal(node, "counted_twice", "", repeated)


def _keys(
    context: Context, sides: list[Frame], arguments: Arguments, is_join: bool
) -> list[list[str]] | None:
    """Return the columns or levels of indexes by which both sides match; None if not certain."""
    if "validate" in arguments.given() or any(side.has_unknown_columns for side in sides):
        return None
    given = [
        arguments.get("on", "left_on"),
        arguments.get(*(() if is_join else ("on", "right_on"))),
    ]
    by_index = [is_join and given[0] is None, is_join]
    if not is_join:
        by_index = [arguments.constant(name, False) for name in ("left_index", "right_index")]
        if given == [None, None] and by_index == [False, False]:
            shared = [name for name in sides[0].columns if name in sides[1].columns]
            return [shared, shared] if shared else None
    keys = []
    for side, node, is_index in zip(sides, given, by_index):
        wanted = context.labels(node)
        names = wanted.names if wanted.is_exact else []
        keys.append([name or "" for name in side.index or ()] if is_index is True else names)
    return keys if keys[0] and len(keys[0]) == len(keys[1]) else None


def _key_rows(frame: Frame, names: list[str]) -> list[Any] | None:
    """Return the keys of all rows, or None."""
    columns = [_key_values(frame.dtypes.get(name)) for name in names]
    plain = [column for column in columns if column is not None]
    if len(plain) < len(names) or len({len(column) for column in plain}) != 1:
        return None
    return plain[0] if len(plain) == 1 else list(zip(*plain))


def _key_values(dtype: Dtype | None, count: int = _MAX_KEY_ROWS + 1) -> list[Any] | None:
    values = [] if dtype is None else stored_values(dtype, count)
    if not values:
        return None
    classes = {id(cls): cls for cls in map(type, values)}
    if any(cls is not str and cls is not int for cls in classes.values()):
        values = [None if is_missing(value) else value for value in values]  # these match, too
        classes = {id(cls): cls for cls in map(type, values)}
    plain = (str, int, float, bool, type(None))
    return values if all(any(cls is kind for kind in plain) for cls in classes.values()) else None


def _variable(arguments: Arguments, side: int) -> str:
    """Return the name of the variable from which a side is made, or ""."""
    function: Any = arguments.node.func
    node: Any = arguments.get("right", "other") if side else arguments.get("left") or function.value
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
