"""Determine which columns pandas' DataFrame methods need, and which columns their results have."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable
from typing import Any

from .dtypes import check_functions
from .grouping import group_by, resample
from .labels import Arguments, Labels, apply_in_place, labels, report_missing
from .values import UNKNOWN, Context, Frame, Row, Series, Value

# Methods whose result has all or some columns of the DataFrame, and no others.
_PANDAS_SAME = set(
    "abs add align asfreq asof astype at_time between_time bfill cummax cummin cumprod cumsum "
    "clip convert_dtypes copy corr cov describe diff div divide dropna eq ewm ffill fillna "
    "first floordiv ge gt head infer_objects interpolate isin isna isnull last le lt map "
    "applymap mask mod mul multiply ne nlargest notna notnull nsmallest pad pct_change pow "
    "query rank replace round sample select_dtypes shift sort_index sort_values sub subtract "
    "tail take transform truediv truncate tz_convert tz_localize where drop_duplicates "
    "swaplevel reorder_levels loc filter".split()
)
# Those methods whose result contains some rows of the DataFrame, or all of them in another order.
_SOME_ROWS_OF_FRAME = set(
    "copy sort_values sort_index dropna drop_duplicates head tail sample nlargest nsmallest".split()
)
# Methods in ``_PANDAS_SAME`` whose result is nevertheless unknown.
_NOT_IMPLEMENTED = {"align", "ewm", "asof", "corr", "cov", "loc"}
# For each method: its positional parameters, the parameters that name columns, and whether they may
# also name levels of the index.
_PANDAS_CHECKED = {
    "sort_values": ("by axis ascending inplace", ("by",), True),
    "dropna": ("", ("subset",), False),
    "drop_duplicates": ("subset keep inplace", ("subset",), False),
    "duplicated": ("subset keep", ("subset",), False),
    "nlargest": ("n columns keep", ("columns",), False),
    "nsmallest": ("n columns keep", ("columns",), False),
    "explode": ("column", ("column",), False),
    "value_counts": ("subset", ("subset",), False),
    "hist": ("column by", ("column", "by"), False),
    "boxplot": ("column by", ("column", "by"), False),
    "plot": ("", ("x", "y"), True),
    "pivot": ("", ("index", "columns", "values"), True),
    "to_csv": ("", ("columns",), False),
    "astype": ("dtype", ("dtype",), False),
}
# The methods of ``frame.plot`` whose ``x`` and ``y`` are checked.
_PLOTS = {"bar", "barh", "line", "area", "scatter", "hexbin", "pie"}


def call_pandas(context: Context, frame: Frame, name: str, node: ast.Call) -> Value:
    """Return the result of a method of a DataFrame. Reports missing columns."""
    if name == "groupby":
        return group_by(context, frame, node)
    if name == "resample":
        return resample(context, frame, node)
    if name in _METHODS:
        parameters, method = _METHODS[name]
        arguments = Arguments(node, parameters)
        if not arguments.is_exact:
            return UNKNOWN
        return apply_in_place(context, frame, arguments, method(context, frame, arguments))
    arguments = Arguments(node, _PANDAS_CHECKED[name][0] if name in _PANDAS_CHECKED else "")
    if name in _PANDAS_CHECKED and arguments.is_exact:
        _, checked, with_index = _PANDAS_CHECKED[name]
        if arguments.constant("axis", 0) in (0, "index", "rows"):
            for parameter in checked:
                given = arguments.get(parameter)
                if name != "astype" or isinstance(given, ast.Dict):
                    report_missing(context, frame, labels(context, given), with_index)
    result: Value = UNKNOWN
    if (
        name == "nlargest"
        or (name in _PANDAS_SAME and name not in _NOT_IMPLEMENTED)
        or name == "explode"
    ):
        result = frame.derive()
    if name in _SOME_ROWS_OF_FRAME and "axis" not in arguments.given():
        result = frame.select(some_rows=name not in ("copy", "sort_values", "sort_index"))
    if name in ("update", "isetitem"):
        frame.forget_values()
    return apply_in_place(context, frame, arguments, result)


def call_plot(context: Context, frame: Frame, name: str, node: ast.Call) -> Value:
    """Check the columns in a call of a method of ``frame.plot``."""
    arguments = Arguments(node, "x y" if name in _PLOTS else "")
    if name in _PLOTS:
        for parameter in ("x", "y"):
            wanted = labels(context, arguments.get(parameter))
            report_missing(context, frame, wanted, with_index=name not in ("scatter", "hexbin"))
    return UNKNOWN


def _rename(context: Context, frame: Frame, arguments: Arguments) -> Value:
    mapping = arguments.get("columns")
    if mapping is None and arguments.constant("axis", 0) in (1, "columns"):
        mapping = arguments.get("mapper")
    if mapping is None:
        return frame.derive()
    if not isinstance(mapping, ast.Dict):
        result = frame.derive()
        result.has_unknown_columns = True
        return result
    renamed: dict[str, list[str]] = {}
    is_exact = True
    for key, value in zip(mapping.keys, mapping.values):
        old = labels(context, key) if key is not None else Labels([], False)
        new = labels(context, value)
        if not old.is_single or not new.is_single:
            is_exact = False
        else:
            renamed[old.names[0]] = new.names
    names = [new for old in frame.columns for new in renamed.get(old, [old])]
    result = frame.derive(names)
    result.has_unknown_columns = frame.has_unknown_columns or not is_exact
    return result


def _drop(context: Context, frame: Frame, arguments: Arguments) -> Value:
    given = arguments.get("columns")
    if given is None:
        axis = arguments.constant("axis", 0)
        if axis in (1, "columns"):
            given = arguments.get("labels")
        elif axis is ...:
            return UNKNOWN
    wanted = labels(context, given)
    if given is not None and arguments.constant("errors", "raise") == "raise":
        report_missing(context, frame, wanted)
    dropped = set(wanted.names)
    remaining = [name for name in frame.columns if name not in dropped]
    if given is not None and not wanted.is_exact:
        return frame.derive(remaining)
    return frame.select(remaining, some_rows=given is None or arguments.get("index") is not None)


def _assign(context: Context, frame: Frame, arguments: Arguments) -> Value:
    result = frame.derive()
    for name in arguments.given():
        value = arguments.get(name)
        if isinstance(value, ast.Lambda):
            context.call_lambda(value, [result])
        elif value is not None:
            context.value(value)
        result.add([name])
    return result


def _set_index(context: Context, frame: Frame, arguments: Arguments) -> Value:
    wanted = labels(context, arguments.get("keys"))
    report_missing(context, frame, wanted)
    dropped = set(wanted.names) if arguments.constant("drop", True) is True else set()
    remaining = [name for name in frame.columns if name not in dropped]
    result = frame.select(remaining) if wanted.is_exact else frame.derive(remaining)
    if not wanted.items or not wanted.is_exact or "append" in arguments.given():
        result.index = result.levels = None
    else:
        result.index, result.levels = set(wanted.names), len(wanted.items)
    result.has_number_index = False
    return result


def _reset_index(context: Context, frame: Frame, arguments: Arguments) -> Value:
    result = frame.select()
    if arguments.constant("drop", False) is not True:
        result.add([*(frame.index or ()), "index", *("level_%d" % n for n in range(4))])
        result.add(labels(context, arguments.get("names")).names)
        result.has_unknown_columns = frame.has_unknown_columns or frame.index is None
    result.index, result.levels = set(), 1
    if arguments.get("level") is not None:
        result.index, result.levels = frame.index, None
    return result


def merge_frames(context: Context, left: Value, right: Value, arguments: Arguments) -> Frame | None:
    """Return the result of ``merge``; None if an operand isn't a ``Frame``."""
    shared_keys = labels(context, arguments.get("on"))
    for side, parameter in ((left, "left_on"), (right, "right_on")):
        if isinstance(side, Frame):
            report_missing(context, side, shared_keys, with_index=True)
            report_missing(
                context, side, labels(context, arguments.get(parameter)), with_index=True
            )
    if not isinstance(left, Frame) or not isinstance(right, Frame):
        return None
    suffixes = labels(context, arguments.get("suffixes")) if arguments.get("suffixes") else None
    result = Frame(left.library, [*left.columns, *right.columns, "_merge", "key_0"])
    if suffixes is not None and not suffixes.names:
        result.has_unknown_columns = True
    _add_suffixed(result, left, right, suffixes.names if suffixes else ["_x", "_y"])
    result.has_unknown_columns = (
        result.has_unknown_columns or left.has_unknown_columns or right.has_unknown_columns
    )
    if arguments.get("left_index", "right_index") is None:
        result.index, result.levels = set(), 1
    elif left.index is not None and right.index is not None:
        result.index, result.levels = left.index | right.index, None
        result.add(result.index)
    return result


def _add_suffixed(result: Frame, left: Frame, right: Frame, suffixes: list[str]) -> None:
    common = [name for name in left.columns if name in right.columns]
    result.add([name + suffix for name in common for suffix in suffixes])


def _merge(context: Context, frame: Frame, arguments: Arguments) -> Value:
    right = arguments.get("right")
    other = context.value(right) if right is not None else UNKNOWN
    return merge_frames(context, frame, other, arguments) or UNKNOWN


def _join(context: Context, frame: Frame, arguments: Arguments) -> Value:
    report_missing(context, frame, labels(context, arguments.get("on")), with_index=True)
    given = arguments.get("other")
    other = context.value(given) if given is not None else UNKNOWN
    result = frame.derive()
    if isinstance(other, Series) and other.name is not None:
        result.add([other.name])
    elif isinstance(other, Frame):
        result.add(other.columns)
        suffixes = [labels(context, arguments.get(side)) for side in ("lsuffix", "rsuffix")]
        _add_suffixed(result, frame, other, [name for part in suffixes for name in part.names])
        result.has_unknown_columns = frame.has_unknown_columns or other.has_unknown_columns
    else:
        return UNKNOWN
    return result


def _pivot_table(context: Context, frame: Frame, arguments: Arguments) -> Value:
    parts = {name: labels(context, arguments.get(name)) for name in ("values", "index", "columns")}
    for name, wanted in parts.items():
        report_missing(context, frame, wanted, with_index=name != "values")
    index, values = parts["index"], parts["values"]
    function = arguments.get("aggfunc")
    if values.items:
        check_functions(context, frame, values.names, function or ast.Constant("mean"))
    is_plain = function is None or isinstance(function, (ast.Constant, ast.Name, ast.Attribute))
    if arguments.get("columns") is not None or not is_plain or not index.items:
        return UNKNOWN
    if not index.is_exact or "margins" in arguments.given():
        return UNKNOWN
    names = values.names if values.items and values.is_exact else list(frame.columns)
    result = Frame("pandas", names, set(index.names), len(index.items))
    result.has_unknown_columns = frame.has_unknown_columns
    return result


def _melt(context: Context, frame: Frame, arguments: Arguments) -> Value:
    id_columns = labels(context, arguments.get("id_vars"))
    report_missing(context, frame, id_columns)
    report_missing(context, frame, labels(context, arguments.get("value_vars")))
    named = [labels(context, arguments.get(name)) for name in ("var_name", "value_name")]
    names = [name for part in named for name in part.names]
    result = Frame("pandas", [*id_columns.names, *names, "variable", "value"], set(), 1)
    given = [arguments.get("var_name"), arguments.get("value_name")]
    is_unclear = any(node is not None and not part.items for node, part in zip(given, named))
    result.has_unknown_columns = (
        is_unclear or not id_columns.is_exact or arguments.get("var_name") is None
    )
    return result


def _insert(context: Context, frame: Frame, arguments: Arguments) -> Value:
    added = labels(context, arguments.get("column"))
    frame.add(added.names)
    frame.has_unknown_columns = frame.has_unknown_columns or not added.items
    return UNKNOWN


def _pop(context: Context, frame: Frame, arguments: Arguments) -> Value:
    wanted = labels(context, arguments.get("item"))
    report_missing(context, frame, wanted)
    if not context.is_conditional:
        dropped = set(wanted.names)
        frame.columns = {name: None for name in frame.columns if name not in dropped}
    if context.is_conditional or not wanted.is_exact:
        frame.forget_values()
    return Series(frame.library, wanted.names[0] if wanted.is_single else None)


def _apply(context: Context, frame: Frame, arguments: Arguments) -> Value:
    function = arguments.get("func")
    if isinstance(function, ast.Lambda):
        is_row = arguments.constant("axis", 0) in (1, "columns")
        context.call_lambda(function, [Row(frame) if is_row else UNKNOWN])
    return UNKNOWN


def _pipe(context: Context, frame: Frame, arguments: Arguments) -> Value:
    function = arguments.get("func")
    if isinstance(function, ast.Lambda):
        return context.call_lambda(function, [frame])
    frame.has_unknown_columns = True
    return UNKNOWN


def _aggregate_frame(context: Context, frame: Frame, arguments: Arguments) -> Value:
    function = arguments.get("func")
    if isinstance(function, ast.Dict) and arguments.constant("axis", 0) == 0:
        report_missing(context, frame, labels(context, function))
    return UNKNOWN


def _query(context: Context, frame: Frame, arguments: Arguments) -> Value:
    given = arguments.get("expr")
    wanted = labels(context, given)
    if wanted.is_single and frame.index is not None:
        allowed = set(frame.index) | {"index", "columns"}
        for name in _query_names(wanted.names[0], frame.columns) or ():
            if name not in allowed and not name.startswith("ilevel_"):
                report_missing(context, frame, Labels([(name, wanted.items[0][1])], True))
    return frame.select(some_rows=True)


def _query_names(text: str, columns: dict[str, None]) -> list[str] | None:
    """Return the columns and index names in a query; None if they can't be determined."""
    quoted: dict[str, str] = {}

    def replace(match: Any) -> str:
        name = "quoted_%d_" % len(quoted)
        quoted[name] = match.group(1)
        return name

    plain = re.sub(r"`([^`]+)`", replace, text.strip().replace("\n", " "))
    plain = re.sub(r"@\s*[\w.]+", "None", plain).replace("&&", "&")
    try:
        tree = ast.parse(plain, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            functions.add(node.func.id)
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.NamedExpr)):
            return None
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return [
        quoted.get(name, name)
        for name in dict.fromkeys(names)
        if name not in functions and not keyword.iskeyword(name) and name not in ("true", "false")
    ]


def _eval(context: Context, frame: Frame, arguments: Arguments) -> Value:
    return UNKNOWN  # with ``inplace``, ``apply_in_place`` makes the columns unknown


def _filter(context: Context, frame: Frame, arguments: Arguments) -> Value:
    return frame.derive()


_METHODS: dict[str, tuple[str, Callable[[Context, Frame, Arguments], Value]]] = {
    "rename": ("mapper", _rename),
    "drop": ("labels axis index columns level inplace errors", _drop),
    "assign": ("", _assign),
    "set_index": ("keys", _set_index),
    "reset_index": ("level drop inplace", _reset_index),
    "merge": ("right how on left_on right_on left_index right_index sort suffixes", _merge),
    "join": ("other on how lsuffix rsuffix", _join),
    "pivot_table": ("values index columns aggfunc", _pivot_table),
    "melt": ("id_vars value_vars var_name value_name", _melt),
    "insert": ("loc column value", _insert),
    "pop": ("item", _pop),
    "apply": ("func axis", _apply),
    "pipe": ("func", _pipe),
    "agg": ("func axis", _aggregate_frame),
    "aggregate": ("func axis", _aggregate_frame),
    "query": ("expr", _query),
    "eval": ("expr", _eval),
    "filter": ("items like regex axis", _filter),
}
