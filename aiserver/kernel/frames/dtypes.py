"""Report operations that fail for the values of a column, such as the mean of texts."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .values import Context, Frame, Groups, Series, Text, Value

# Methods that need numbers and have the parameter ``numeric_only``.
_NUMERIC = set("mean median std var sem skew quantile".split())
# Methods of groups that have a parameter before ``numeric_only``.
_ONE_POSITION = {"quantile", "corr"}
# Methods that need numbers, but accept texts that are numbers.
_LENIENT = {"corr", "cov"}
_LENIENT_OF_GROUPS = {"std", "sem", "skew", *_LENIENT}
# Methods of a Series that fail for any text, and those that fail only for words.
_NUMERIC_OF_SERIES = {*_NUMERIC, "kurt", "kurtosis", "nlargest", "nsmallest"} - {"quantile"}
_LENIENT_OF_SERIES = {"abs", "quantile"}
# Functions of numpy that fail for words.
_NUMPY_FUNCTIONS = set(
    "abs absolute cbrt ceil corrcoef cos degrees exp expm1 floor isfinite isinf isnan log log10 "
    "log1p log2 mean median nanmean nanmedian nanstd nanvar negative radians rint sign sin sqrt "
    "square std tan trunc var".split()
)
# For each accessor of a Series, the kinds of dtypes that don't have it.
_ACCESSORS = {
    "dt": ("text", "object", "number", "boolean"),
    "str": ("number", "boolean", "date", "duration"),
}
_NUMBER_TYPES = {"float", "int", "float64", "int64", "float32", "int32"}
_ARITHMETIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)
_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CONTENTS = {
    "text": "text",
    "number": "numbers",
    "boolean": "True and False",
    "date": "dates",
    "duration": "durations",
    "object": "values that aren't dates",
}


def check_accessor(context: Context, series: Series, node: ast.Attribute) -> None:
    """Report ``series.dt`` for a column without dates, and ``series.str`` for one without text."""
    kind = _kind(series)
    if kind not in _ACCESSORS.get(node.attr, ()):
        return
    text = context.problems.text_of(node.value)
    if node.attr == "str":
        converted = [f"{text}.astype(str)"] if kind == "number" else []
        message = f".str needs text, but {_content(series)}."
        context.report_code(node.value, "not_text", message, converted)
        return
    pandas, dates = context.name_of_module("pandas"), series.dtype and series.dtype.dates
    converted = [f"{pandas}.to_datetime({text})"] if pandas and dates else []
    if converted and dates == "unclear":
        converted.append(f"{pandas}.to_datetime({text}, dayfirst=True)")
    message = f".dt needs dates, but {_content(series)}."
    context.report_code(node.value, "not_dates", message, converted)


def check_series_method(context: Context, series: Series, name: str, node: ast.Call) -> None:
    """Report a method of a Series that needs numbers, if the Series contains text."""
    needs_numbers = (
        name in _NUMERIC_OF_SERIES
        or name in _LENIENT_OF_SERIES
        or (name == "between" and any(map(_is_number, node.args)))
        or (name == "astype" and _is_number_type(node))
    )
    operands = [series] if needs_numbers else []
    if name in _LENIENT:
        others = _series_of_same_rows(context, series, node.args[:1])
        operands = [series, *others] if others else []
    for operand in operands:
        if _has_words(operand) or (name in _NUMERIC_OF_SERIES and _has_text(operand)):
            message = f"{name}() needs numbers, but {_content(operand)}."
            position = context.problems.position_of_method(node)
            context.report_code(position, "not_numbers", message)
            return


def check_frame_method(context: Context, frame: Frame, name: str, node: ast.Call) -> None:
    """Report a method of a DataFrame that needs numbers, if a column contains text."""
    if name in _NUMERIC or name in _LENIENT or name in ("kurt", "kurtosis"):
        _check_columns(context, frame, list(frame.columns), name in _LENIENT, node, 1)


def check_groups_method(context: Context, groups: Groups, name: str, node: ast.Call) -> None:
    """Report a method of groups that needs numbers, if a selected column contains text."""
    if name not in _NUMERIC and name not in _LENIENT:
        return
    is_lenient = name in _LENIENT_OF_GROUPS
    columns, positions = _aggregated_columns(groups), int(name in _ONE_POSITION)
    has_option = not groups.is_single
    _check_columns(context, groups.frame, columns, is_lenient, node, positions, has_option)


def check_aggregation(context: Context, groups: Groups, functions: ast.expr) -> None:
    """Report the names of functions in ``groups.agg("mean")`` that need numbers.

    ``functions`` is the argument: a name, a list of names, or a dict with such values.
    """
    if not isinstance(functions, ast.Dict):
        check_functions(context, groups.frame, _aggregated_columns(groups), functions)
        return
    for key, value in zip(functions.keys, functions.values):
        column = context.value(key) if key is not None else None
        if isinstance(column, Text):
            check_functions(context, groups.frame, [column.value], value)


def check_functions(
    context: Context, frame: Frame, columns: Iterable[str], functions: ast.expr
) -> None:
    """Report the names of functions that need numbers, if a column contains text."""
    is_list = isinstance(functions, (ast.List, ast.Tuple))
    for function in getattr(functions, "elts", ()) if is_list else [functions]:
        name = function.value if isinstance(function, ast.Constant) else None
        for column in columns if name in _NUMERIC else ():
            series = frame.column(column)
            if _has_words(series) or (_has_text(series) and name not in _LENIENT_OF_GROUPS):
                message = f"{name!r} needs numbers, but {_content(series)}."
                context.report_code(function, "not_numbers", message)
                return


def _aggregated_columns(groups: Groups) -> list[str]:
    """Return the columns that an aggregation uses; [] if they aren't known."""
    if groups.keys is None or not groups.is_exact:
        return []
    keys = groups.keys
    return groups.selection or [name for name in groups.frame.columns if name not in keys]


def check_function(context: Context, name: str, node: ast.Call) -> None:
    """Report a function that needs numbers if its only argument contains text.

    ``name`` is the dotted name of the function, such as ``numpy.sqrt``.
    """
    library, _, short_name = name.rpartition(".")
    if name != "pandas.to_numeric" and (library != "numpy" or short_name not in _NUMPY_FUNCTIONS):
        return
    value = context.value(node.args[0]) if len(node.args) == 1 and not node.keywords else None
    if value is not None and _has_words(value):
        reason = "fails:" if library == "pandas" else "needs numbers, but"
        context.report_code(node, "not_numbers", f"{short_name}() {reason} {_content(value)}.")


def check_arithmetic(context: Context, node: ast.BinOp) -> None:
    """Report ``column - 1`` and ``column / other`` for columns of text."""
    if isinstance(node.op, _ARITHMETIC):
        _check_operands(context, node, node.left, node.right)


def check_comparison(context: Context, node: ast.Compare) -> None:
    """Report ``column > 1`` for a column of text, and ``column > "1"`` for one of numbers."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], _ORDERINGS):
        return
    left, right = node.left, node.comparators[0]
    _check_operands(context, node, left, right)
    for column, other in ((left, right), (right, left)):
        value = context.value(column)
        if isinstance(context.value(other), Text) and _kind(value) in ("number", "boolean"):
            message = f"The comparison needs text, but {_content(value)}."
            context.report_code(column, "not_text", message)


def _check_operands(context: Context, node: ast.expr, left: ast.expr, right: ast.expr) -> None:
    for column, other in ((left, right), (right, left)):
        value = context.value(column)
        if _has_words(value) and isinstance(value, Series):
            others = _series_of_same_rows(context, value, [other])
            if _is_number(other) or any(_kind(item) == "number" for item in others):
                message = f"The operation needs numbers, but {_content(value)}."
                context.report_code(node, "not_numbers", message)


def _series_of_same_rows(
    context: Context, series: Series, nodes: Iterable[ast.expr]
) -> list[Series]:
    """Return the values of the nodes that are Series with the same rows as ``series``."""
    values = [context.value(node) for node in nodes]
    frame = series.frame
    return [v for v in values if isinstance(v, Series) and frame is not None and v.frame is frame]


def _check_columns(
    context: Context,
    frame: Frame,
    columns: list[str],
    is_lenient: bool,
    node: ast.Call,
    positions: int,
    has_option: bool = True,
) -> None:
    """Report a method that needs numbers if one of a frame's columns contains text.

    If ``is_lenient`` is true, the method accepts text that is a number. ``positions`` is the number
    of its positional parameters before ``numeric_only``. ``has_option`` tells whether the method
    can ignore columns of text (``numeric_only``).
    """
    if len(node.args) > positions or any(isinstance(item, ast.Starred) for item in node.args):
        return
    if any(keyword.arg in (None, "numeric_only") for keyword in node.keywords):
        return
    every = [frame.column(column) for column in columns]
    for series in every:
        if _has_words(series) or (_has_text(series) and not is_lenient):
            position = context.problems.position_of_method(node)
            text = context.problems.text_of(position)
            message = f"{text} needs numbers, but {_content(series)}."
            option = _with_option(text)
            is_certain = has_option and not any(_forbids_option(item, text) for item in every)
            context.report_code(position, "not_numbers", message, [option] if is_certain else [])
            return


def _with_option(call: str) -> str:
    """Add an argument to a call: ``mean() -> mean(numeric_only=True)``."""
    inner = call[:-1].rstrip()
    separator = "" if inner.endswith("(") else " " if inner.endswith(",") else ", "
    return f"{inner}{separator}numeric_only=True)"


def _forbids_option(series: Series, call: str) -> bool:
    """Return whether ``numeric_only`` is no correction of a call because of a column.

    A column of texts such as "1,200" should rather be converted. Even with the option,
    ``quantile()`` fails for booleans, and ``cov()`` for dates.
    """
    dtype = series.dtype
    if dtype is None:
        return False
    is_wrong = dtype.kind == "boolean" if call.startswith("quantile") else dtype.kind == "date"
    return dtype.has_figures or (is_wrong and call.startswith(("quantile", "cov")))


def _has_text(value: Value) -> bool:
    return isinstance(value, Series) and value.dtype is not None and value.dtype.has_text


def _has_words(value: Value) -> bool:
    return isinstance(value, Series) and value.dtype is not None and value.dtype.has_words


def _kind(value: Value) -> str:
    return value.dtype.kind if isinstance(value, Series) and value.dtype is not None else ""


def _content(value: Value) -> str:
    """Describe a Series: ``the column 'name' contains text``."""
    name = value.name if isinstance(value, Series) else None
    content = _CONTENTS["text" if _has_text(value) else _kind(value)]
    return f"{'the Series' if name is None else f'the column {name!r}'} contains {content}"


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _is_number_type(node: ast.Call) -> bool:
    """Return whether ``astype`` is called with a dtype of numbers, and without other arguments."""
    if len(node.args) != 1 or node.keywords:
        return False
    [given] = node.args
    name = getattr(given, "id", None) or getattr(given, "attr", None)
    return (name or getattr(given, "value", None)) in _NUMBER_TYPES
