"""Determine the results of the methods that pandas' groups and Series have.

Groups are the result of ``groupby`` or ``resample``.
"""

from __future__ import annotations

import ast

from .dtypes import check_aggregation
from .labels import Arguments, Labels, labels, report_column, report_missing
from .values import UNKNOWN, Context, Frame, Groups, Series, Value

# Methods of groups whose result has one row for each group and has the selected columns.
_AGGREGATIONS = set(
    "sum mean median min max std var count first last prod nunique sem quantile any all "
    "idxmax idxmin skew".split()
)
# Methods of groups whose result has the rows of the grouped frame, or some of these rows.
_TRANSFORMATIONS = set(
    "cumsum cumprod cummax cummin shift diff rank ffill bfill fillna pct_change transform "
    "head tail nth sample".split()
)
# Methods of a Series that return a Series with the same index names.
_SERIES_METHODS = set(
    "abs add sub mul div truediv astype between bfill clip combine_first copy cummax cummin "
    "cumprod cumsum diff drop dropna drop_duplicates duplicated eq ne lt gt le ge ffill "
    "fillna head infer_objects interpolate isin isna isnull map mask nlargest notna notnull "
    "nsmallest pct_change rank replace round sample shift sort_index sort_values tail where "
    "convert_dtypes mod pow floordiv to_numeric".split()
)


# Those methods that return all rows, and those that return some rows.
_SAME_ROWS = {"copy", "sort_values", "sort_index"}
_SOME_ROWS = set("head tail dropna drop_duplicates sample nlargest nsmallest".split())


def group_by(context: Context, frame: Frame, node: ast.Call) -> Value:
    arguments = Arguments(node, "by axis level as_index sort group_keys")
    if not arguments.is_exact or "axis" in arguments.given():
        return UNKNOWN
    keys = labels(context, arguments.get("by"))
    report_missing(context, frame, keys, with_index=True)
    is_exact = keys.is_exact and arguments.get("level") is None
    as_index = arguments.constant("as_index", True) is True
    return Groups(frame, keys.names if is_exact else None, as_index)


def resample(context: Context, frame: Frame, node: ast.Call) -> Value:
    arguments = Arguments(node, "rule")
    report_missing(context, frame, labels(context, arguments.get("on")))
    groups = Groups(frame, None, True)
    groups.is_resampled = True
    return groups


def select_groups(context: Context, groups: Groups, key: ast.AST) -> Value:
    wanted = labels(context, key)
    report_missing(context, groups.frame, wanted)
    selected = Groups(groups.frame, groups.keys, groups.as_index)
    selected.selection = wanted.names if wanted.is_exact else list(groups.frame.columns)
    selected.is_single, selected.is_resampled = wanted.is_single, groups.is_resampled
    selected.is_exact = wanted.is_exact
    return selected if wanted.items or wanted.is_exact else UNKNOWN


def call_groups(context: Context, groups: Groups, name: str, node: ast.Call) -> Value:
    """Return the result of a method of groups."""
    if groups.is_resampled and name in ("ohlc", "size", "value_counts", "get_group"):
        return UNKNOWN
    if name in ("agg", "aggregate"):
        return _aggregate(context, groups, node)
    if name == "size":
        if not groups.as_index and groups.keys is not None:
            return Frame("pandas", [*groups.keys, "size"], set(), 1)
        return _series(groups, None)
    if name in _AGGREGATIONS:
        return _aggregated(groups, _selection(groups))
    if name in _TRANSFORMATIONS:
        frame = groups.frame
        if groups.is_single and groups.selection:
            return Series("pandas", groups.selection[0], frame.index, frame.levels)
        if name in ("transform", "nth"):
            return UNKNOWN
        return frame.derive()
    if name == "get_group":
        return groups.frame.derive()
    if name == "value_counts" and groups.is_single and groups.keys and groups.selection:
        name = groups.selection[0]
        return Series("pandas", name, {*groups.keys, name}, len(groups.keys) + 1)
    return UNKNOWN


def _selection(groups: Groups) -> list[str]:
    return groups.selection if groups.selection is not None else list(groups.frame.columns)


def _series(groups: Groups, name: str | None) -> Series:
    if groups.keys is None:
        return Series("pandas", name)
    series = Series("pandas", name, set(groups.keys), len(groups.keys))
    if len(groups.keys) == 1:
        key = groups.frame.column(groups.keys[0])
        series.has_text_labels = key.dtype is not None and key.dtype.is_all_text
    return series


def _aggregated(groups: Groups, columns: list[str]) -> Value:
    """Return the result of an aggregation, which has one row for each group.

    The result has ``columns``, and the keys as its index or as further columns. If ``groups`` has a
    single selected column, ``columns`` is ignored, and the result has only the selected column.
    """
    if groups.is_single and groups.selection:
        if groups.as_index:
            return _series(groups, groups.selection[0])
        if groups.keys is None:
            return UNKNOWN
        return Frame("pandas", [*groups.keys, groups.selection[0]], set(), 1)
    if groups.keys is None:
        result = Frame("pandas", columns)
    elif groups.as_index:
        result = Frame("pandas", columns, set(groups.keys), len(groups.keys))
    else:
        result = Frame("pandas", [*groups.keys, *columns], set(), 1)
    result.has_unknown_columns = groups.frame.has_unknown_columns and groups.selection is None
    result.has_unknown_columns = result.has_unknown_columns or (
        groups.keys is None and not groups.as_index
    )
    return result


def _aggregate(context: Context, groups: Groups, node: ast.Call) -> Value:
    arguments = Arguments(node, "func")
    function = arguments.get("func")
    if not arguments.is_exact:
        return UNKNOWN
    if function is None:
        return _named_aggregation(context, groups, node)
    check_aggregation(context, groups, function)
    if isinstance(function, ast.Dict):
        wanted = labels(context, function)
        report_missing_in_groups(context, groups, wanted)
        if wanted.is_exact and all(_is_one_function(item) for item in function.values):
            unselected = Groups(groups.frame, groups.keys, groups.as_index)
            return _aggregated(unselected, wanted.names)
        return UNKNOWN
    if _is_one_function(function):
        return _aggregated(groups, _selection(groups))
    if groups.is_single and isinstance(function, (ast.List, ast.Tuple)):
        names = [_function_name(item) for item in function.elts]
        plain_names = [name for name in names if name is not None]
        if len(plain_names) == len(names):
            return _aggregated(Groups(groups.frame, groups.keys, groups.as_index), plain_names)
    return UNKNOWN


def _named_aggregation(context: Context, groups: Groups, node: ast.Call) -> Value:
    names = []
    for keyword in node.keywords:
        if keyword.arg is None:
            return UNKNOWN
        names.append(keyword.arg)
        first: ast.AST | None = None
        if isinstance(keyword.value, ast.Tuple) and len(keyword.value.elts) == 2:
            first = keyword.value.elts[0]
        elif isinstance(keyword.value, ast.Call):  # pd.NamedAgg(column=…, aggfunc=…)
            first = Arguments(keyword.value, "column aggfunc").get("column")
        if first is not None and not groups.is_single:
            report_missing_in_groups(context, groups, labels(context, first))
    unselected = Groups(groups.frame, groups.keys, groups.as_index)
    return _aggregated(unselected, names) if names else UNKNOWN


def report_missing_in_groups(context: Context, groups: Groups, wanted: Labels) -> None:
    """Report the labels that aren't among the columns that ``groups`` selects."""
    if groups.selection is None:
        report_missing(context, groups.frame, wanted)
    elif not groups.is_single:
        for name, node in wanted.items:
            if name not in groups.selection and name not in context.possible_columns:
                report_column(context, groups.frame, name, node)


def _is_one_function(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, (ast.Lambda, ast.Attribute))


def _function_name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return node.attr if isinstance(node, ast.Attribute) else None


def call_series(context: Context, series: Series, name: str, node: ast.Call) -> Value:
    """Return the result of a method of a Series."""
    arguments = Arguments(node, "level")
    if arguments.get("inplace") is not None or name == "update":
        series.change()
    if name in _SOME_ROWS:
        return series.of_some_rows()
    if name in _SERIES_METHODS:
        return series.with_dtype(series.dtype if name in _SAME_ROWS else None)
    if name == "value_counts" and series.library == "pandas":
        index = {series.name} if series.name is not None else None
        counts = Series("pandas", "count", index, 1)
        counts.has_text_labels = series.dtype is not None and series.dtype.is_all_text
        return counts
    if name == "to_frame" and series.library == "pandas":
        given = arguments.get("level", "name")
        names = labels(context, given).names if given is not None else [series.name or ""]
        frame = Frame("pandas", [*names, "count", "proportion"], series.index, series.levels)
        frame.has_unknown_columns = not names or (series.name is None and given is None)
        return frame
    if name == "reset_index" and series.library == "pandas":
        if not arguments.is_exact or "level" in arguments.given():
            return UNKNOWN
        if arguments.get("drop") is not None:
            return UNKNOWN
        if series.index is None:
            return UNKNOWN
        names = labels(context, arguments.get("name")).names
        possible = [*series.index, *names, "index", "level_0", "level_1", "level_2", "count"]
        frame = Frame("pandas", [*possible, "proportion", series.name or "0"], set(), 1)
        frame.has_unknown_columns = arguments.get("names", "inplace") is not None
        return frame
    return UNKNOWN
