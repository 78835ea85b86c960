"""Report code that the installed pandas or numpy refuses, or that has no effect.

Models have learned from code for older versions, and from code that never ran. Each function
reports one such mistake with the code in its place, as far as there is only one.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from ..inspection.dtypes import WRONG_DTYPES
from ..inspection.modules import submodule_exists
from ..inspection.objects import MISSING, class_attribute, is_function, loaded_value
from .context import Context
from .values import (
    Arguments,
    Frame,
    Function,
    Groups,
    Indexer,
    Labels,
    Method,
    Series,
    Symbol,
    Text,
    Value,
)

# Offsets of pandas 2.1 that pandas 3 refuses.
_OFFSETS = {
    **{"M": "ME", "BM": "BME", "SM": "SME", "CBM": "CBME", "Q": "QE", "BQ": "BQE"},
    **{"Y": "YE", "A": "YE", "BY": "BYE", "BA": "BYE", "AS": "YS", "BAS": "BYS"},
    **{"H": "h", "BH": "bh", "CBH": "cbh", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns"},
}
_OFFSET = re.compile(r"(\d*)([A-Z]+)(-[A-Z]{3})?")
# The parameters before the offset.
_WITH_OFFSET = {
    "resample": "rule",
    "asfreq": "freq",
    "pandas.Grouper": "key level freq",
    "pandas.date_range": "start end periods freq",
    "pandas.bdate_range": "start end periods freq",
    "pandas.timedelta_range": "start end periods freq",
}
_ROUNDINGS = {"floor", "ceil", "round"}  # of ``.dt``
# Names of functions that no group has.
_GROUP_FUNCTIONS = {
    **{"average": "mean", "avg": "mean", "maximum": "max", "minimum": "min", "total": "sum"},
    **{"stdev": "std", "stddev": "std", "variance": "var", "distinct": "nunique", "len": "size"},
}
# Names that numpy 1.24 or 2.0 has removed.
_OF_NUMPY = {
    **{"float": "float", "int": "int", "object": "object", "str": "str", "long": "int"},
    **{"NaN": "{}.nan", "NAN": "{}.nan", "Inf": "{}.inf", "Infinity": "{}.inf", "infty": "{}.inf"},
    **{"float_": "{}.float64", "complex_": "{}.complex128", "string_": "{}.bytes_"},
    **{"unicode_": "{}.str_", "product": "{}.prod", "cumproduct": "{}.cumprod"},
    **{"alltrue": "{}.all", "sometrue": "{}.any", "in1d": "{}.isin", "trapz": "{}.trapezoid"},
    **{"row_stack": "{}.vstack", "round_": "{}.round"},
}
_IN_NUMPY_2 = {"long", "in1d", "trapz", "row_stack"}  # in some versions
_REDUCING = set("sum mean median min max std var count prod nunique sem skew any all".split())
_REDUCING_NAMES = sorted(_REDUCING)
_ACCEPTING_TEXT = {"nunique", "any", "all"}  # they take any value as True
_PROPERTIES = set("shape columns index dtypes dtype values size T ndim empty axes".split())
# Methods that are usually called without arguments.
_PLAIN_METHODS = _REDUCING | set(
    "head tail info describe unique value_counts copy isnull isna notnull notna dropna round abs "
    "cumsum diff tolist to_list to_numpy to_dict size first last mode drop_duplicates reset_index "
    "upper lower strip title len month_name day_name".split()
)
_PARTS_OF_DATES = set("year month day hour minute second weekday dayofweek quarter date".split())
_OF_DATES = {
    **{"week": "isocalendar().week", "weekofyear": "isocalendar().week"},
    **{"weekday_name": "day_name()"},
}
_IN_PLACE = re.compile(r"(?<=\()\s*inplace\s*=\s*True\s*,?\s*|,\s*inplace\s*=\s*True\b")
# With ``inplace``, these return the object since pandas 3.
_RETURNING = {"fillna", "replace", "ffill", "bfill", "clip", "interpolate", "mask", "where"}


def is_pandas_3() -> bool:
    version = loaded_value("pandas", "__version__")
    major = version.partition(".")[0] if type(version) is str else ""
    return major.isdigit() and int(major) > 2


def check_call(context: Context, owner: Value, name: str, node: ast.Call) -> None:
    """Report mistakes in a call of a method of pandas."""
    library = owner.frame.library if isinstance(owner, Groups) else getattr(owner, "library", "")
    if library != "pandas" or not isinstance(node.func, ast.Attribute):
        return
    check_offset(context, name, node)
    if isinstance(owner, Groups):
        if name == "transform" and node.args:
            check_function_name(context, node.args[0])
        elif name in _REDUCING and is_pandas_3():  # pandas 2 takes any value as True
            _check_axis(context, None if owner.is_single else owner.frame, name, node)
    elif isinstance(owner, Frame):
        _check_frame_call(context, owner, name, node)
    elif isinstance(owner, Series):
        _check_series_call(context, name, node)


def _check_frame_call(context: Context, frame: Frame, name: str, node: ast.Call) -> None:
    if name in ("drop", "rename"):
        _check_missing_axis(context, frame, name, node)
    elif name in _REDUCING:
        _check_axis(context, frame, name, node)
    _check_fill_method(context, name, node)


def _check_series_call(context: Context, name: str, node: ast.Call) -> None:
    if name == "sort_values":
        has_name = bool(node.args) or any(keyword.arg == "by" for keyword in node.keywords)
        if has_name and len(node.args) < 2:
            keywords = [keyword for keyword in node.keywords if keyword.arg != "by"]
            _report_call(context, node, name, keywords, "A Series has no columns to sort by.")
    elif name in _REDUCING:
        _check_axis(context, None, name, node)
    elif name == "astype" and len(node.args) == 1:
        given = _constant_text(node.args[0])
        if given in WRONG_DTYPES:
            message = f"There is no dtype {given!r}."
            context.report_code(node.args[0], "not_valid", message, [repr(WRONG_DTYPES[given])])
    _check_fill_method(context, name, node)


def _report_call(
    context: Context, node: ast.Call, name: str, keywords: list[ast.keyword], message: str
) -> None:
    """Report a call of a method; in its place is ``name`` with these keywords."""
    given = ", ".join(f"{item.arg}={context.problems.text_of(item.value)}" for item in keywords)
    position = context.problems.position_of_method(node)
    context.report_code(position, "not_valid", message, [f"{name}({given})"])


def check_offset(context: Context, name: str, node: ast.Call) -> None:
    """Report an offset such as ``"M"``, which pandas 3 refuses."""
    part = Arguments(node, _WITH_OFFSET.get(name, "")).get("freq", "rule")
    if name in _ROUNDINGS and len(node.args) == 1:
        part = node.args[0]
    wanted = context.labels(part)
    given = wanted.names[0] if part is not None and wanted.is_single else ""
    match = _OFFSET.fullmatch(given)
    offset = _OFFSETS.get(match[2]) if match else None
    is_offset = name in _WITH_OFFSET or name in _ROUNDINGS
    if match is None or offset is None or not (is_offset and is_pandas_3()):
        return
    if name in ("resample", "asfreq") and _may_have_periods(context):
        return
    current = repr(f"{match[1]}{offset}{match[3] or ''}")
    message = f"pandas has no offset {given!r} any more."
    is_constant = isinstance(part, ast.Constant)
    context.report_code(part, "not_valid", message, [current] if is_constant else [])


def _may_have_periods(context: Context) -> bool:
    """Return whether an index may have periods, whose frequencies have their old names."""
    kind = loaded_value("pandas", "PeriodIndex")
    data = [loaded_value("pandas", name) for name in ("DataFrame", "Series")]
    indexed = [obj for obj in context.variables.values() if any(type(obj) is each for each in data)]
    is_named = any("period" in line.lower() for line in context.problems.lines)
    return is_named or any(type(obj.index) is kind for obj in indexed)


def check_function_name(context: Context, node: ast.expr) -> None:
    """Report the name of a function that groups don't have, such as ``"average"``."""
    name = _constant_text(node)
    kinds = [
        loaded_value("pandas.core.groupby.generic", "SeriesGroupBy"),
        loaded_value("pandas.core.resample", "DatetimeIndexResampler"),
    ]
    is_missing = MISSING not in kinds and all(
        class_attribute(kind, name) is MISSING for kind in kinds
    )
    if name and is_missing:
        near = [_GROUP_FUNCTIONS[name]] if name in _GROUP_FUNCTIONS else []
        near = near or context.problems.near(name, _REDUCING_NAMES)
        message = f"Groups have no function {name!r}."
        context.report_code(node, "not_valid", message, [repr(each) for each in near])


def _check_missing_axis(context: Context, frame: Frame, name: str, node: ast.Call) -> None:
    """Report ``drop("price")`` and ``rename({"a": "b"})``, which look among the rows."""
    arguments = Arguments(node, "labels" if name == "drop" else "mapper")
    if not arguments.is_exact or len(node.args) != 1 or frame.row_texts is None:
        return
    if {"axis", "columns", "index", "level", "errors"} & arguments.given():
        return
    wanted = context.labels(node.args[0])
    names = wanted.names if wanted.is_exact else []
    is_column = [each in frame.columns and each not in frame.row_texts for each in names]
    if not names or not all(is_column):
        return
    kind, verb = ("not_valid", "fails") if name == "drop" else ("no_effect", "changes nothing")
    message = f"Without columns=, {name}() looks for these labels among the rows, and {verb}."
    columns = f"columns={context.problems.text_of(node.args[0])}"
    context.report_code(node.args[0], kind, message, [columns])


def _check_axis(context: Context, frame: Frame | None, name: str, node: ast.Call) -> None:
    """Report ``df.mean("price")``, whose argument isn't a column."""
    given = _constant_text(node.args[0]) if len(node.args) == 1 and not node.keywords else ""
    if not given or given in ("index", "columns", "rows") or name in _ACCEPTING_TEXT:
        return
    message = f"The argument of {name}() isn't a column."
    if frame is None:
        _report_call(context, node, name, [], message)
    elif given in frame.columns:
        owner = context.problems.text_of(getattr(node.func, "value", node))
        column = context.problems.text_of(node.args[0])
        context.report_code(node, "not_valid", message, [f"{owner}[{column}].{name}()"])


def _check_fill_method(context: Context, name: str, node: ast.Call) -> None:
    """Report ``fillna(method="ffill")``, whose parameter pandas 3 has removed."""
    is_fill = name == "fillna" and not node.args
    method = _constant_text(Arguments(node, "").get("method")) if is_fill else ""
    for part in node.args if name == "fillna" else ():
        check_called(context, part)
    current = {"pad": "ffill", "backfill": "bfill"}.get(method, method)
    if current in ("ffill", "bfill") and is_pandas_3():
        keywords = [keyword for keyword in node.keywords if keyword.arg != "method"]
        _report_call(
            context, node, current, keywords, "fillna() has no argument 'method' any more."
        )


def check_append(context: Context, owner: Value, node: ast.Call) -> bool:
    """Report ``df.append(other)``, which pandas 2 has removed, and return whether it is one."""
    kind = loaded_value("pandas", "DataFrame")
    function: Any = node.func
    words = {item.arg for item in node.keywords}
    is_data = isinstance(owner, (Frame, Series)) and owner.library == "pandas"
    is_appended = is_data or (type(owner) is Value and "ignore_index" in words)
    is_removed = kind is not MISSING and class_attribute(kind, "append") is MISSING
    is_column = isinstance(owner, Frame) and "append" in owner.columns
    if not is_appended or not is_removed or is_column or len(node.args) != 1:
        return False
    text_of, pandas = context.problems.text_of, context.name_of_module("pandas")
    [other] = node.args
    part = text_of(other)
    if isinstance(other, ast.Dict):
        part = f"{pandas}.DataFrame([{part}])"
    is_certain = isinstance(other, ast.Dict) or isinstance(context.value(other), (Frame, Series))
    keywords = "".join(f", {text_of(item)}" for item in node.keywords)
    candidates = [f"{pandas}.concat([{text_of(function.value)}, {part}]{keywords})"]
    message = "pandas has no append() any more, but concat()."
    context.report_code(node, "not_valid", message, candidates if pandas and is_certain else [])
    return True


def check_numpy_name(context: Context, symbol: Symbol, node: ast.Attribute) -> bool:
    """Report a name that numpy has removed, and return whether it is one.

    If numpy isn't loaded yet, its version isn't known, but numpy 2 has the package ``_core``.
    """
    if symbol.path != "numpy" or node.attr not in _OF_NUMPY or not isinstance(node.value, ast.Name):
        return False
    is_loaded = symbol.value is not MISSING
    if not is_loaded and (node.attr in _IN_NUMPY_2 or not submodule_exists("numpy", "_core")):
        return False
    current = _OF_NUMPY[node.attr].format(context.problems.text_of(node.value))
    message = f"numpy has no {node.attr!r} any more."
    context.report_code(node, "not_valid", message, [current])
    return True


def check_position(context: Context, indexer: Indexer, node: ast.Subscript) -> None:
    """Report ``df.iloc[rows, "price"]`` and ``df.iloc["a"]``: ``iloc`` takes only numbers."""
    key, owner = _key(node), getattr(node.value, "value", None)
    has_columns = isinstance(key, ast.Tuple) and len(key.elts) == 2
    wanted = context.labels(key.elts[1] if has_columns else key)
    if not wanted.items or owner is None:
        return
    candidates = []
    has_rows = has_columns and hasattr(key.elts[0], "lineno")  # CPython 3.8 lacks it for slices
    if has_rows and isinstance(node.ctx, ast.Load):
        frame, rows, columns = map(context.problems.text_of, (owner, *key.elts))
        by_label = f"{frame}.{indexer.name[1:]}[{rows}, {columns}]"
        by_number = f"{frame}[{columns}].{indexer.name}[{rows}]"
        candidates = [by_label if _are_labels(context, key.elts[0]) else by_number]
    message = f"{indexer.name} takes only numbers of rows and columns."
    context.report_code(node, "not_valid", message, candidates)


def _are_labels(context: Context, rows: ast.expr) -> bool:
    """Return whether rows are selected by texts or a condition, as ``loc`` does."""
    if isinstance(rows, ast.Slice):
        return bool(context.labels(rows.lower).items or context.labels(rows.upper).items)
    return context.is_mask(rows) or bool(context.labels(rows).items)


def check_key_of_groups(context: Context, series: Series, wanted: Labels, node: Any) -> None:
    """Report ``sums["city"]`` if the cities are the index of a Series by group."""
    if not wanted.is_single or series.frame is not None or not series.is_by_group:
        return
    name = wanted.names[0]
    if name == series.name or name in (series.index or ()):
        text = context.problems.text_of(node.value)
        values = text if name == series.name else f"{text}.index"
        message = f"The Series has one value for each group, and no column {name!r}."
        # A group could have this name, so neither is certain.
        candidates = [values, f"{text}.reset_index()[{name!r}]"]
        context.report_code(node, "not_valid", message, candidates)


def check_truth(context: Context, node: Any) -> None:
    """Report ``and``, ``or``, ``not`` and ``if`` with a Series, which has no truth value."""
    operands = node.values[:1] if isinstance(node, ast.BoolOp) else [node.operand]
    if not any(_has_no_truth(context.value(operand)) for operand in operands):
        return
    problems = context.problems
    if isinstance(node, ast.BoolOp):
        sign = " & " if isinstance(node.op, ast.And) else " | "
        parts = [f"({problems.text_of(part)})" for part in node.values]
        is_sure = all(_has_no_truth(context.value(part)) for part in node.values)
        candidates = [sign.join(parts)] if is_sure else []
    else:
        candidates = [f"~({problems.text_of(node.operand)})"]
    message = "A Series has no truth value. Use &, | and ~ with parentheses."
    context.report_code(node, "not_valid", message, candidates)


def check_condition(context: Context, test: ast.expr) -> None:
    """Report ``if df["price"] > 1:``."""
    if _has_no_truth(context.value(test)):
        message = "A Series has no truth value. Use any() or all(), or select rows."
        context.report_code(test, "not_valid", message)


def _has_no_truth(value: Value) -> bool:
    return isinstance(value, (Series, Frame)) and value.library == "pandas"


def check_called(context: Context, node: ast.expr) -> None:
    """Report a method that is shown or used in a calculation, but not called."""
    value = context.value(node)
    if not isinstance(node, ast.Attribute) or not isinstance(value, Method):
        return
    accessor = value.owner.name if isinstance(value.owner, Method) else ""
    owner = value.owner.owner if isinstance(value.owner, Method) else value.owner
    is_size = value.name == "size" and not isinstance(owner, Groups)  # a property
    is_data = isinstance(owner, (Frame, Series, Groups)) and accessor in ("", "str")
    if is_data and value.name in _PLAIN_METHODS and not is_size:
        text = context.problems.text_of(node)
        message = f"{value.name} is a method, and isn't called without parentheses."
        context.report_code(node, "not_called", message, [f"{text}()"])


def check_property(context: Context, called: Value, node: ast.Call) -> None:
    """Report ``df.shape()``."""
    if not isinstance(called, Method) or called.name not in _PROPERTIES or node.args:
        return
    if not isinstance(called.owner, (Frame, Series)) or called.owner.library != "pandas":
        return
    kind = loaded_value("pandas", "DataFrame" if isinstance(called.owner, Frame) else "Series")
    member = MISSING if kind is MISSING else class_attribute(kind, called.name)
    if member is not MISSING and not is_function(member):
        message = f"{called.name} isn't a method."
        text = context.problems.text_of(node.func)
        context.report_code(node, "not_valid", message, [text])


def check_part_of_date(context: Context, series: Series, node: ast.Attribute) -> None:
    """Report ``df["day"].year``."""
    texts = None if series.frame is None else series.frame.row_texts
    if node.attr in _PARTS_OF_DATES and texts is not None and node.attr not in texts:
        position = context.problems.position_of_name(node, node.attr)
        message = f"A Series has no {node.attr!r}, but its accessor dt has."
        context.report_code(position, "not_valid", message, [f"dt.{node.attr}"])


def check_attribute_of_dates(context: Context, accessor: Method, node: ast.Attribute) -> Value:
    """Report ``df["day"].dt.weekofyear``, and return the value of an attribute of ``dt``."""
    current, series = _OF_DATES.get(node.attr), accessor.owner
    kind = loaded_value("pandas.core.indexes.accessors", "DatetimeProperties")
    is_removed = kind is not MISSING and class_attribute(kind, node.attr) is MISSING
    if current and is_removed and isinstance(series, Series):
        position = context.problems.position_of_name(node, node.attr)
        message = f"dt has no {node.attr!r} any more."
        context.report_code(position, "not_valid", message, [current])
    is_part = node.attr in _PARTS_OF_DATES and isinstance(series, Series)
    if not is_part or not isinstance(series, Series) or series.library != "pandas":
        return Method(accessor, node.attr)
    return Series("pandas", series.name, series.index, None, series.frame)


def check_row_label(context: Context, indexer: Indexer, node: ast.Subscript) -> None:
    """Report ``df.loc["price"]`` if no row has this label."""
    key, frame = _key(node), indexer.frame
    rows = key.elts[0] if isinstance(key, ast.Tuple) and key.elts else key
    names, texts = context.labels(rows).names, frame.row_texts
    if texts is None or (texts and context.is_conditional):  # as after ``if name in df.index``
        return
    missing = [name for name in names if name not in texts]
    if not missing:
        return
    reason = "" if texts else ", because the rows are numbered"
    candidates = []
    if rows is key and set(names) <= set(frame.columns) and isinstance(node.value, ast.Attribute):
        owner, labels = map(context.problems.text_of, (node.value.value, key))
        candidates = [f"{owner}[{labels}]"]
    message = f"No row has the label {missing[0]!r}{reason}."
    context.report_code(node, "not_valid", message, candidates)


def pass_arguments(context: Context, function: Function, node: ast.Call) -> None:
    """Record a call of a function of the cell, and report a wrong number of arguments."""
    parameters = function.node.args
    names = [item.arg for item in [*parameters.posonlyargs, *parameters.args]]
    arguments = Arguments(node, " ".join(names))
    values: dict[str, Value] = {}
    if arguments.is_exact:
        _check_number_of_arguments(context, function.node, names, node)
    for name in names if arguments.is_exact else ():
        value = context.value_of(arguments.get(name))
        if isinstance(value, (Frame, Series)):  # as it is now
            values[name] = value.derive(rows="all") if isinstance(value, Frame) else value
    defaults = parameters.defaults
    for name, default in zip(names[len(names) - len(defaults) :], defaults):
        value = context.value(default)
        if arguments.is_exact and name not in arguments.given() and isinstance(value, Text):
            values[name] = value
    function.call(values, not context.is_conditional)


def _check_number_of_arguments(
    context: Context, function: Any, names: list[str], node: ast.Call
) -> None:
    """Report a call of a function of the cell with too few or too many arguments."""
    parameters = function.args
    by_position = names[: len(node.args)]
    by_name = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
    given = {*by_position, *by_name}
    required = names[: len(names) - len(parameters.defaults)]
    required += [
        item.arg
        for item, value in zip(parameters.kwonlyargs, parameters.kw_defaults)
        if value is None
    ]
    missing = [name for name in required if name not in given]
    if missing:
        message = f"{function.name}() also needs {' and '.join(map(repr, missing))}."
        context.report_code(node, "not_valid", message)
    elif set(by_position) & set(by_name) and not (parameters.posonlyargs or parameters.kwarg):
        twice = next(name for name in by_name if name in by_position)
        message = f"{function.name}() gets {twice!r} twice."
        context.report_code(node, "not_valid", message)
    elif len(node.args) > len(names) and parameters.vararg is None:
        message = f"{function.name}() takes {len(names)} arguments, but {len(node.args)} are given."
        context.report_code(node, "not_valid", message)


def check_assignment(context: Context, node: ast.Assign) -> None:
    """Report ``df = df.dropna(inplace=True)``, and assignments to a copy."""
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            _check_chain(context, target)
            check_called(context, node.value)
        elif isinstance(target, ast.Name) and target.id in context.plain_names:
            check_called(context, node.value)
    call = node.value
    called = context.value(call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(called, Method):
        _check_none(context, call)
        return
    is_data = isinstance(called.owner, (Frame, Series)) and called.owner.library == "pandas"
    in_place = Arguments(call, "").constant("inplace", False)
    returns = called.name in _RETURNING and is_pandas_3()
    if is_data and in_place is True and not returns:
        text = _IN_PLACE.sub("", context.problems.text_of(call))
        message = f"With inplace=True, {called.name}() returns None."
        context.report_code(call, "not_valid", message, [text])


def _check_none(context: Context, call: ast.expr) -> None:
    """Report ``x = values.tolist().sort()``."""
    if not isinstance(call, ast.Call):
        return
    owner = getattr(call.func, "value", None)
    name = getattr(getattr(owner, "func", None), "attr", "")
    is_list = isinstance(owner, (ast.List, ast.ListComp)) or name in ("tolist", "to_list")
    if is_list and getattr(call.func, "attr", "") == "sort" and not call.args:
        inner = [context.problems.text_of(owner)]
        inner += [f"{item.arg}={context.problems.text_of(item.value)}" for item in call.keywords]
        message = "sort() returns None."
        context.report_code(call, "not_valid", message, [f"sorted({', '.join(inner)})"])


def _check_chain(context: Context, target: ast.Subscript) -> None:
    """Report ``df["a"][0] = 1`` and ``df[rows]["a"] = 1``, which change a copy in pandas 3."""
    inner = target.value
    if not isinstance(inner, ast.Subscript) or not is_pandas_3():
        return
    frame, text_of = context.value(inner.value), context.problems.text_of
    message = "This assigns to a copy, and changes nothing."
    if isinstance(frame, Frame) and frame.library == "pandas":
        value = context.value(inner)
        if isinstance(value, Series) and value.name is not None:
            rows, columns = _key(target), _key(inner)
        elif isinstance(value, Frame) and context.labels(_key(target)).items:
            rows, columns = _key(inner), _key(target)
        elif isinstance(value, Frame) and context.is_mask(_key(target)):
            rows, columns = _key(target), _key(inner)
        else:
            return
        if isinstance(rows, ast.Slice):  # only ``loc`` includes the last row, so it isn't the same
            context.report_code(target, "no_effect", message)
            return
        fixed = f"{text_of(inner.value)}.loc[{text_of(rows)}, {text_of(columns)}]"
        context.report_code(target, "no_effect", message, [fixed])
    elif (
        isinstance(frame, Indexer)
        and frame.name == "loc"
        and isinstance(inner.value, ast.Attribute)
    ):
        fixed = f"{text_of(inner.value)}[{text_of(_key(inner))}, {text_of(_key(target))}]"
        is_rows = not isinstance(_key(inner), ast.Tuple)
        if is_rows and context.labels(_key(target)).items:
            context.report_code(target, "no_effect", message, [fixed])


def check_statement(context: Context, node: ast.Expr) -> None:
    """Report a shown method, and ``df["a"].fillna(0, inplace=True)``, which changes a copy."""
    call = node.value
    for part in call.elts if isinstance(call, ast.Tuple) else [call]:
        check_called(context, part)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    owner = call.func.value
    is_column = isinstance(owner, (ast.Subscript, ast.Attribute)) and is_pandas_3()
    series = context.value(owner) if is_column else None
    in_place = Arguments(call, "").constant("inplace", False)
    if isinstance(series, Series) and series.frame is not None and in_place is True:
        text_of = context.problems.text_of
        fixed = f"{text_of(owner)} = {_IN_PLACE.sub('', text_of(call))}"
        is_of_variable = isinstance(getattr(owner, "value", None), ast.Name)
        message = "This changes a copy of the column, and not the DataFrame."
        context.report_code(call, "no_effect", message, [fixed] if is_of_variable else [])


def check_object_dtype(context: Context, node: ast.Compare) -> None:
    """Report ``df[name].dtype == "object"``: texts have the dtype ``str`` in pandas 3."""
    left, right = node.left, node.comparators[0]
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return
    is_object = _constant_text(right) in ("object", "O") or getattr(right, "id", "") == "object"
    if not is_object or not isinstance(left, ast.Attribute) or not is_pandas_3():
        return
    owner: Any = left.value
    frame = context.value(owner.value if isinstance(owner, ast.Subscript) else owner)
    if left.attr not in ("dtype", "dtypes") or not isinstance(frame, Frame):
        return
    kinds = {dtype.kind for dtype in frame.dtypes.values()}
    if "text" in kinds and not any(dtype.kind == "object" for dtype in frame.dtypes.values()):
        message = "No column has the dtype object: texts have the dtype str."
        context.report_code(right, "no_effect", message, ['"str"'])


def _key(node: ast.Subscript) -> Any:
    """Return a subscript's key; CPython 3.8 has it in a node of its own."""
    key: Any = node.slice
    return key.value if type(key).__name__ == "Index" else key


def _constant_text(node: Any) -> str:
    value = node.value if isinstance(node, ast.Constant) else ""
    return value if isinstance(value, str) else ""
