"""Determine what methods of pandas' DataFrames, groups and Series return, and report missing
columns.
"""

from __future__ import annotations

import ast
import keyword
import re
from typing import Any

from .context import Context, apply_in_place
from .merges import examine_merge, examine_sum, report_other_key
from .value_checks import aggregated_columns, check_functions
from .values import UNKNOWN, Arguments, Frame, Function, Groups, Labels, Row, Series, Value

# Methods whose result has the same columns, but other values.
_SAME_COLUMNS = set(
    "abs add applymap bfill clip convert_dtypes cummax cummin cumprod cumsum describe "
    "diff div divide eq ffill fillna floordiv ge gt infer_objects interpolate isin isna isnull le "
    "lt map mask mod mul multiply ne notna notnull pct_change pow rank replace round select_dtypes "
    "shift sub subtract transform truediv where".split()
)
# Methods whose result has one row for each group, and the selected columns.
_AGGREGATIONS = set(
    "sum mean median min max std var count first last prod nunique sem quantile any all "
    "idxmax idxmin skew".split()
)
# Methods whose result has all or some rows of the grouped frame.
_TRANSFORMATIONS = set(
    "cumsum cumprod cummax cummin shift diff rank ffill bfill fillna pct_change transform "
    "head tail sample".split()
)
# Methods whose result has the same index names: all rows, some rows, or other values.
_ALL_ROWS = {"copy", "sort_values", "sort_index"}
_SOME_ROWS = set("head tail dropna drop_duplicates sample nlargest nsmallest".split())
_SERIES_METHODS = set(
    "abs add sub mul div truediv astype between bfill clip combine_first cummax cummin cumprod "
    "cumsum diff drop duplicated eq ne lt gt le ge ffill fillna infer_objects interpolate isin "
    "isna isnull map mask notna notnull pct_change rank replace round shift where convert_dtypes "
    "mod pow floordiv".split()
)


def call_pandas(context: Context, frame: Frame, name: str, node: ast.Call) -> Value:
    same = "same" if name in _SAME_COLUMNS else ""
    parameters, columns, effect = _METHODS.get(name, ("", "", same))
    arguments = Arguments(node, parameters)
    if not arguments.is_exact and not isinstance(effect, str):
        return UNKNOWN
    if arguments.is_exact and arguments.constant("axis", 0) in (0, "index", "rows"):
        for parameter in columns.split():
            wanted = context.labels(arguments.get(parameter.rstrip("+")))
            context.report_missing(frame, wanted, with_index=parameter.endswith("+"))
    result: Value = UNKNOWN
    if not isinstance(effect, str):
        result = effect(context, frame, arguments)
    elif effect:
        is_same = effect == "same" or "axis" in arguments.given()
        result = frame.derive(rows="" if is_same else effect)
        if name == "drop_duplicates":
            result.repeated = set()
        if is_same and name != "describe":
            result.row_texts = frame.row_texts
    return apply_in_place(context, frame, arguments, result)


def call_plot(context: Context, frame: Frame, name: str, node: ast.Call) -> Value:
    """Check the columns in ``frame.plot.bar()`` and the like."""
    if name in ("bar", "barh", "line", "area", "scatter", "hexbin", "pie"):
        arguments = Arguments(node, "x y")
        for parameter in ("x", "y"):
            wanted = context.labels(arguments.get(parameter))
            context.report_missing(frame, wanted, with_index=name not in ("scatter", "hexbin"))
    return UNKNOWN


def _rename(context: Context, frame: Frame, arguments: Arguments) -> Value:
    mapping = arguments.get("columns")
    if mapping is None and arguments.constant("axis", 0) in (1, "columns"):
        mapping = arguments.get("mapper")
    if mapping is None:
        return frame.derive()
    pairs = list(zip(mapping.keys, mapping.values)) if isinstance(mapping, ast.Dict) else []
    parts = [(context.labels(old), context.labels(new)) for old, new in pairs]
    singles = [pair for pair in parts if pair[0].is_single and pair[1].is_single]
    renamed = {old.names[0]: new.names[0] for old, new in singles}
    result = frame.derive(renamed.get(name, name) for name in frame.columns)
    if not {"index", "mapper"} & arguments.given():
        result.row_texts, result.has_rows = frame.row_texts, frame.has_rows
    is_exact = isinstance(mapping, ast.Dict) and len(singles) == len(pairs)
    result.has_unknown_columns = frame.has_unknown_columns or not is_exact
    return result


def _drop(context: Context, frame: Frame, arguments: Arguments) -> Value:
    given, axis = arguments.get("columns"), arguments.constant("axis", 0)
    if given is None and axis is ...:
        return UNKNOWN
    if given is None and axis in (1, "columns"):
        given = arguments.get("labels")
    wanted = context.labels(given)
    if arguments.constant("errors", "raise") == "raise":
        context.report_missing(frame, wanted)
    has_all_rows = given is not None and arguments.get("index") is None
    rows = "all" if has_all_rows else "some"
    result = frame.derive(rows=rows if wanted.is_exact else "")
    result.remove(wanted.names)
    return result


def _assign(context: Context, frame: Frame, arguments: Arguments) -> Value:
    result = frame.derive(rows="all")
    for name, value in arguments.keywords.items():
        if isinstance(value, ast.Lambda):
            context.call_lambda(value, [result])
        else:
            context.value(value)
        result.add([name])
    return result


def _set_index(context: Context, frame: Frame, arguments: Arguments) -> Value:
    wanted = context.labels(arguments.get("keys"))
    result = frame.derive(rows="all" if wanted.is_exact else "")
    if arguments.constant("drop", True) is True:
        result.remove(wanted.names)
    is_exact = wanted.items and wanted.is_exact and "append" not in arguments.given()
    result.index = tuple(wanted.names) if is_exact else None
    result.row_texts = None
    return result


def _reset_index(context: Context, frame: Frame, arguments: Arguments) -> Value:
    result = frame.derive(rows="all")
    if arguments.constant("drop", False) is not True:
        result.add([*frame.index_names, "index", *("level_%d" % n for n in range(4))])
        result.add(context.labels(arguments.get("names")).names)
        result.has_unknown_columns = frame.has_unknown_columns or frame.index is None
    result.index = (None,) if arguments.get("level") is None else None
    result.row_texts = None if result.index is None else frozenset()
    return result


def merge_frames(context: Context, left: Value, right: Value, arguments: Arguments) -> Value:
    shared = context.labels(arguments.get("on"))
    if report_other_key(context, [left, right], shared, arguments):
        shared = context.labels(None)
    for side, parameter in ((left, "left_on"), (right, "right_on")):
        if isinstance(side, Frame):
            for wanted in (shared, context.labels(arguments.get(parameter))):
                context.report_missing(side, wanted, with_index=True)
    if not isinstance(left, Frame) or not isinstance(right, Frame):
        return UNKNOWN
    given = arguments.get("suffixes")
    suffixes = ["_x", "_y"] if given is None else context.labels(given).names
    result = _joined(left, right, suffixes)
    result.add(["_merge", "key_0"])
    result.repeated = examine_merge(context, [left, right], arguments)
    result.has_unknown_columns = result.has_unknown_columns or not suffixes
    result.index, result.row_texts = (None,), frozenset()
    if arguments.get("left_index", "right_index") is not None:
        result.add(left.index_names | right.index_names)
        result.index = result.row_texts = None
    return result


def _joined(left: Frame, right: Frame, suffixes: list[str]) -> Frame:
    common = [name for name in left.columns if name in right.columns]
    result = left.derive([*left.columns, *right.columns])
    result.add(name + suffix for name in common for suffix in suffixes)
    result.has_unknown_columns = left.has_unknown_columns or right.has_unknown_columns
    return result


def _merge(context: Context, frame: Frame, arguments: Arguments) -> Value:
    return merge_frames(context, frame, context.value_of(arguments.get("right")), arguments)


def _join(context: Context, frame: Frame, arguments: Arguments) -> Value:
    other = context.value_of(arguments.get("other"))
    if isinstance(other, Series) and other.name is not None:
        other = Frame(other.library, [other.name])
    if not isinstance(other, Frame):
        return UNKNOWN
    suffixes = [context.labels(arguments.get(side)) for side in ("lsuffix", "rsuffix")]
    result = _joined(frame, other, [name for part in suffixes for name in part.names])
    result.repeated = examine_merge(context, [frame, other], arguments, is_join=True)
    return result


def _pivot_table(context: Context, frame: Frame, arguments: Arguments) -> Value:
    values = context.labels(arguments.get("values"))
    function = arguments.get("aggfunc") or ast.Constant("mean")
    check_functions(context, frame, values.names, function)
    return UNKNOWN


def _change(context: Context, frame: Frame, arguments: Arguments) -> Value:
    _call_with(context, arguments.get("func"), frame.derive(rows="all"))
    frame.become(UNKNOWN)
    return UNKNOWN


def _apply(context: Context, frame: Frame, arguments: Arguments) -> Value:
    function = arguments.get("func")
    is_row = arguments.constant("axis", 0) in (1, "columns")
    if isinstance(function, ast.Lambda):
        context.call_lambda(function, [Row(frame) if is_row else UNKNOWN])
    own = context.value_of(function)
    if isinstance(own, Function):
        names = [item.arg for item in own.node.args.args][:1] if is_row else []
        is_certain = frame.has_rows and not context.is_conditional
        own.call({name: Row(frame.derive()) for name in names}, is_certain)
    return UNKNOWN


def _call_with(context: Context, function: ast.AST | None, frame: Frame) -> None:
    """Follow a lambda, or a function of the cell, that is called with a frame."""
    if isinstance(function, ast.Lambda):
        context.call_lambda(function, [frame])
    own = context.value_of(function)
    if isinstance(own, Function):
        values: dict[str, Value] = {item.arg: frame for item in own.node.args.args[:1]}
        own.call(values, frame.has_rows and not context.is_conditional)


def _check_dict(context: Context, frame: Frame, arguments: Arguments) -> Value:
    given = arguments.get("func", "dtype")
    if isinstance(given, ast.Dict) and arguments.constant("axis", 0) == 0:
        context.report_missing(frame, context.labels(given))
    return UNKNOWN if arguments.get("dtype") is None else frame.derive()


def _query(context: Context, frame: Frame, arguments: Arguments) -> Value:
    wanted = context.labels(arguments.get("expr"))
    if wanted.is_single and frame.index is not None:
        text, node = wanted.items[0]
        names = [name for name in _query_names(text) if not name.startswith("ilevel_")]
        plain = [(name, node) for name in names if name not in ("index", "columns")]
        context.report_missing(frame, Labels(plain, True), with_index=True)
    return frame.derive(rows="some")


def _query_names(text: str) -> list[str]:
    quoted: dict[str, str] = {}

    def replace(match: Any) -> str:
        name = "quoted_%d_" % len(quoted)
        quoted[name] = match.group(1)
        return name

    plain = re.sub(r"`([^`]+)`", replace, text.strip().replace("\n", " "))
    plain = re.sub(r"@\s*[\w.]+", "None", plain).replace("&&", "&")
    try:
        nodes = list(ast.walk(ast.parse(plain, mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if any(isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp)) for node in nodes):
        return []
    functions = {getattr(node.func, "id", "") for node in nodes if isinstance(node, ast.Call)}
    names = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
    others = {*functions, *keyword.kwlist, "true", "false"}
    return [quoted.get(name, name) for name in names if name not in others]


def _group_by(context: Context, frame: Frame, arguments: Arguments) -> Value:
    if "axis" in arguments.given():
        return UNKNOWN
    keys = context.labels(arguments.get("by"))
    is_exact = keys.is_exact and arguments.get("level") is None
    as_index = arguments.constant("as_index", True) is True
    return Groups(frame, keys.names if is_exact else None, as_index)


def _resample(context: Context, frame: Frame, arguments: Arguments) -> Value:
    groups = Groups(frame, None)
    groups.is_resampled = True
    return groups


# A method's positional parameters, those that name columns ("+": or levels of the index), and its
# result: a function, "all" (the frame, perhaps in another order), "some" (some rows), "same" (the
# same columns), or "" for unknown.
_METHODS: dict[str, tuple[str, str, Any]] = {
    "copy": ("", "", "all"),
    "sort_index": ("", "", "all"),
    "sort_values": ("by axis ascending inplace", "by+", "all"),
    "head": ("", "", "some"),
    "tail": ("", "", "some"),
    "sample": ("", "", "some"),
    "dropna": ("", "subset", "some"),
    "drop_duplicates": ("subset keep inplace", "subset", "some"),
    "nlargest": ("n columns keep", "columns", "some"),
    "nsmallest": ("n columns keep", "columns", "some"),
    "explode": ("column", "column", "same"),
    "duplicated": ("subset keep", "subset", ""),
    "value_counts": ("subset", "subset", ""),
    "hist": ("column by", "column by", ""),
    "boxplot": ("column by", "column by", ""),
    "plot": ("", "x+ y+", ""),
    "pivot": ("", "index+ columns+ values+", ""),
    "to_csv": ("", "columns", ""),
    "rename": ("mapper", "", _rename),
    "drop": ("labels axis index columns level inplace errors", "", _drop),
    "assign": ("", "", _assign),
    "set_index": ("keys", "keys", _set_index),
    "reset_index": ("level drop inplace", "", _reset_index),
    "merge": ("right how on left_on right_on left_index right_index sort suffixes", "", _merge),
    "join": ("other on how lsuffix rsuffix", "on+", _join),
    "pivot_table": ("values index columns aggfunc", "values index+ columns+", _pivot_table),
    "melt": ("id_vars value_vars", "id_vars value_vars", ""),
    "pop": ("item", "item", _change),
    "insert": ("", "", _change),
    "update": ("", "", _change),
    "isetitem": ("", "", _change),
    "apply": ("func axis", "", _apply),
    "pipe": ("func", "", _change),
    "agg": ("func axis", "", _check_dict),
    "aggregate": ("func axis", "", _check_dict),
    "astype": ("dtype", "", _check_dict),
    "query": ("expr", "", _query),
    "groupby": ("by axis level as_index sort group_keys", "by+", _group_by),
    "resample": ("rule", "on", _resample),
}


def call_groups(context: Context, groups: Groups, name: str, node: ast.Call) -> Value:
    frame, selection = groups.frame, groups.selection
    examine_sum(context, groups, name, node)
    if name in ("agg", "aggregate"):
        return _aggregate(context, groups, node)
    if name == "apply" and not groups.is_single and node.args:
        _call_with(context, node.args[0], frame.derive(selection, rows="all"))
    if groups.is_resampled and name not in _AGGREGATIONS and name not in _TRANSFORMATIONS:
        return UNKNOWN
    if name == "size":
        return _series_of_groups(groups, None) if groups.as_index else UNKNOWN
    if name in _AGGREGATIONS:
        return _aggregated(groups, _all_columns(groups))
    if name in _TRANSFORMATIONS:
        if groups.is_single and selection:
            return Series("pandas", selection[0], frame.index)
        return UNKNOWN if name == "transform" else frame.derive()
    return UNKNOWN


def _series_of_groups(groups: Groups, name: str | None) -> Series:
    if groups.keys is None:
        return Series("pandas", name)
    series = Series("pandas", name, tuple(groups.keys))
    series.is_by_group = not groups.is_resampled
    if len(groups.keys) == 1:
        key = groups.frame.column(groups.keys[0])
        series.has_text_labels = key.dtype is not None and key.dtype.is_all_text
    return series


def _all_columns(groups: Groups) -> list[str]:
    """Return the columns of an aggregation of all that are selected; the keys become the index."""
    if groups.selection is not None:
        return groups.selection
    keys = groups.keys if groups.as_index and groups.keys is not None else []
    return [name for name in groups.frame.columns if name not in keys]


def _aggregated(groups: Groups, columns: list[str], may_be_series: bool = True) -> Value:
    keys = groups.keys
    if groups.is_single and groups.as_index and may_be_series:
        return _series_of_groups(groups, columns[0])
    if keys is None and not groups.as_index:
        return UNKNOWN
    if groups.as_index:
        result = Frame("pandas", columns, None if keys is None else tuple(keys))
    else:
        result = Frame("pandas", [*(keys or ()), *columns], (None,))
        result.row_texts = frozenset()
    result.has_unknown_columns = groups.frame.has_unknown_columns and groups.selection is None
    return result


def _aggregate(context: Context, groups: Groups, node: ast.Call) -> Value:
    arguments = Arguments(node, "func")
    function = arguments.get("func")
    if not arguments.is_exact:
        return UNKNOWN
    if function is None:
        return _named_aggregation(context, groups, arguments)
    columns = _all_columns(groups)
    check_functions(context, groups.frame, aggregated_columns(groups), function)
    if isinstance(function, ast.Dict):
        wanted = context.labels(function)
        _report_missing_in_groups(context, groups, wanted)
        is_exact = wanted.is_exact and all(map(_is_one_function, function.values))
        return _aggregated(groups, wanted.names, may_be_series=False) if is_exact else UNKNOWN
    if _is_one_function(function):
        return _aggregated(groups, columns)
    if groups.is_single and isinstance(function, (ast.List, ast.Tuple)):
        wanted = context.labels(function)
        if wanted.is_exact:
            return _aggregated(groups, wanted.names, may_be_series=False)
    return UNKNOWN


def _named_aggregation(context: Context, groups: Groups, arguments: Arguments) -> Value:
    for value in arguments.keywords.values():
        first: ast.AST | None = None
        if isinstance(value, ast.Tuple) and len(value.elts) == 2:
            first = value.elts[0]
            columns = context.labels(first).names if groups.selection is None else []
            check_functions(context, groups.frame, columns, value.elts[1])
        elif isinstance(value, ast.Call):  # pd.NamedAgg(column=…, aggfunc=…)
            first = Arguments(value, "column aggfunc").get("column")
        if not groups.is_single:
            _report_missing_in_groups(context, groups, context.labels(first))
    names = list(arguments.keywords)
    return _aggregated(groups, names, may_be_series=False) if names else UNKNOWN


def _report_missing_in_groups(context: Context, groups: Groups, wanted: Labels) -> None:
    if groups.selection is None:
        context.report_missing(groups.frame, wanted)
    elif not groups.is_single:
        for name, node in wanted.items:
            if name not in groups.selection and name not in context.possible_columns:
                context.report_column(groups.frame, name, node)


def _is_one_function(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, (ast.Lambda, ast.Attribute))


def call_series(context: Context, series: Series, name: str, node: ast.Call) -> Value:
    examine_sum(context, series, name, node)
    arguments = Arguments(node, "level" if name == "reset_index" else "name")
    if arguments.get("inplace") is not None or name == "update":
        series.change()
    if name in _SOME_ROWS:
        return series.of_some_rows()
    if name in _SERIES_METHODS or name in _ALL_ROWS:
        return series.with_dtype(series.dtype if name in _ALL_ROWS else None)
    if series.library != "pandas" or not arguments.is_exact:
        return UNKNOWN
    if name == "resample" and series.frame is not None and series.name is not None:
        groups = Groups(series.frame, None)
        groups.is_resampled = True
        return groups.select(Labels([(series.name, node)], True, is_single=True))
    if name == "value_counts":
        counts = Series("pandas", "count", (series.name,) if series.name is not None else None)
        counts.has_text_labels = series.dtype is not None and series.dtype.is_all_text
        return counts
    is_unclear = {"level", "drop", "names", "inplace"} & arguments.given()
    if name == "reset_index" and series.index is not None and not is_unclear:
        given = arguments.get("name")
        names = [series.name or "0"] if given is None else context.labels(given).names
        index = [item for item in series.index if item is not None]
        possible = [*index, "index", "level_0", "level_1", "level_2", "count", "proportion"]
        return (
            Frame("pandas", [*possible, series.name or "0", *names], (None,)) if names else UNKNOWN
        )
    return UNKNOWN
