"""Report operations that a column's values don't allow, and modules that a call lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..inspection.modules import absent_part, package_of
from ..inspection.objects import (
    MISSING,
    class_attribute,
    class_attributes,
    loaded_value,
    method_keywords,
)
from .context import Context
from .current import check_function_name
from .values import UNKNOWN, Arguments, Frame, Groups, Method, Series, Symbol, Text, Value

# Methods that need numbers, and have the parameter ``numeric_only``.
_NUMERIC = set("mean median std var sem skew quantile kurt kurtosis".split())
# Methods that need numbers, but accept texts that are numbers.
_LENIENT = {"corr", "cov"}
_LENIENT_OF_GROUPS = {"std", "sem", "skew", *_LENIENT}
# Methods of a Series that fail for any text, and that fail only for words.
_NUMERIC_OF_SERIES = {*_NUMERIC, "nlargest", "nsmallest"} - {"quantile"}
_LENIENT_OF_SERIES = {"abs", "quantile"}
# Functions of numpy that fail for words.
_NUMPY_FUNCTIONS = set(
    "abs absolute cbrt ceil corrcoef cos degrees exp expm1 floor isfinite isinf isnan log log10 "
    "log1p log2 mean median nanmean nanmedian nanstd nanvar negative radians rint sign sin sqrt "
    "square std tan trunc var".split()
)
# The dtypes that don't have an accessor.
_ACCESSORS = {
    "dt": ("text", "object", "number", "boolean"),
    "str": ("number", "boolean", "date", "duration"),
}
# Removes units and separators of thousands.
_AS_NUMBER = r'str.replace(r"[^\d.-]", "", regex=True)'
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
# Modules of which a function needs one, the usual one first.
_NEEDED = {
    name: modules.split()
    for names, modules in {
        "pandas.read_parquet pandas.to_parquet": "pyarrow fastparquet",
        "pandas.read_feather pandas.to_feather pandas.read_orc pandas.to_orc": "pyarrow",
        "pandas.read_html": "lxml html5lib",
        "pandas.read_xml pandas.to_xml": "lxml",
        "pandas.read_hdf pandas.to_hdf": "tables",
        "pandas.to_markdown": "tabulate",
        # The backend of pandas' plots can be changed.
        "pandas.plot": "matplotlib plotly hvplot",
        "pandas.hist pandas.boxplot": "matplotlib",
        "pandas.to_excel pandas.ExcelWriter": "openpyxl xlsxwriter",
        "polars.read_excel": "fastexcel xlsx2csv openpyxl",
        "polars.write_excel": "xlsxwriter",
    }.items()
    for name in names.split()
}
# Modules that ``read_excel`` needs, unless ``calamine`` is installed.
_EXCEL_READERS = {"xlsx": "openpyxl", "xlsm": "openpyxl", "xls": "xlrd", "ods": "odf"}


def check_accessor(context: Context, series: Series, node: ast.Attribute) -> None:
    """Report ``series.dt`` without dates, and ``series.str`` without text."""
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
    formats = series.dtype.formats if series.dtype else ""
    function = f"{pandas}.to_datetime"
    converted = [_read_dates(function, text, formats)] if pandas and (dates or formats) else []
    if converted and dates == "unclear":
        converted.append(f"{pandas}.to_datetime({text}, dayfirst=True)")
    message = f".dt needs dates, but {_content(series)}."
    context.report_code(node.value, "not_dates", message, converted)


def check_text_method(context: Context, name: str, node: ast.Call) -> None:
    """Report methods and arguments that ``.str`` doesn't have."""
    kind = loaded_value("pandas.core.strings.accessor", "StringMethods")
    if kind is MISSING or not isinstance(node.func, ast.Attribute):
        return
    if class_attribute(kind, name) is MISSING:
        context.report_attribute(node.func, "'Series.str'", sorted(class_attributes(kind)))
    else:
        context.check_keywords(method_keywords(kind, name), name, node)


def check_method(context: Context, owner: Value, name: str, node: ast.Call) -> None:
    """Report a method that needs numbers, if there is text."""
    if isinstance(owner, Series):
        is_strict = name in _NUMERIC_OF_SERIES
        is_lenient = (
            name in _LENIENT_OF_SERIES
            or (name == "between" and any(map(_is_number, node.args)))
            or (name == "astype" and _is_number_type(node))
        )
        if (is_strict and _has_text(owner)) or (is_lenient and _has_words(owner)):
            message = f"{name}() needs numbers, but {_content(owner)}."
            position = context.problems.position_of_method(node)
            text = f"{_AS_NUMBER}.{context.problems.text_of(position)}"
            candidates = [text] if name == "astype" and _has_amounts(owner) else []
            context.report_code(position, "not_numbers", message, candidates)
    if name == "sum":
        _check_sum(context, owner, node)
    elif name in _NUMERIC or name in _LENIENT:
        if isinstance(owner, Frame):
            _check_columns(context, owner, list(owner.columns), name in _LENIENT, node, 1)
        elif isinstance(owner, Groups):
            columns, is_lenient = aggregated_columns(owner), name in _LENIENT_OF_GROUPS
            positions = int(name in ("quantile", "corr"))
            _check_columns(
                context, owner.frame, columns, is_lenient, node, positions, not owner.is_single
            )


def _check_sum(context: Context, owner: Value, node: ast.Call) -> None:
    """Report the sum of texts with figures: it joins them, as in ``"$3$4"``."""
    columns = [owner] if isinstance(owner, Series) else []
    if isinstance(owner, Groups):
        columns = [owner.frame.column(name) for name in owner.selection or ()]
    for series in columns:
        dtype = series.dtype
        if dtype is not None and dtype.is_all_text and (dtype.has_figures or dtype.has_amounts):
            position = context.problems.position_of_method(node)
            text = f"{_AS_NUMBER}.astype(float).{context.problems.text_of(position)}"
            message = f"sum() joins texts here, but {_content(series)}."
            candidates = [text] if series is owner and dtype.has_amounts else []
            context.report_code(position, "not_numbers", message, candidates)
            return


def _check_columns(
    context: Context,
    frame: Frame,
    columns: list[str],
    is_lenient: bool,
    node: ast.Call,
    positions: int,
    has_option: bool = True,
) -> None:
    """Report a method if columns contain text or, if ``is_lenient``, words."""
    if len(node.args) > positions or not Arguments(node, "").is_exact:
        return
    if any(keyword.arg == "numeric_only" for keyword in node.keywords):
        return
    is_axis = bool(node.args) and not is_lenient  # that of corr() and cov() is the method
    first = getattr(node.args[0], "value", None) if is_axis else None
    if isinstance(first, str) and first not in ("index", "columns", "rows"):
        return  # ``_check_axis`` reports it
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
    """Add an argument to a call: ``mean()`` becomes ``mean(numeric_only=True)``."""
    inner = call[:-1].rstrip()
    separator = "" if inner.endswith("(") else " " if inner.endswith(",") else ", "
    return f"{inner}{separator}numeric_only=True)"


def _forbids_option(series: Series, call: str) -> bool:
    """Return whether a column fails even with ``numeric_only``, or should be converted."""
    dtype = series.dtype
    if dtype is None:
        return False
    is_wrong = dtype.kind == "boolean" if call.startswith("quantile") else dtype.kind == "date"
    return dtype.has_figures or (is_wrong and call.startswith(("quantile", "cov")))


def aggregated_columns(groups: Groups) -> list[str]:
    """Return the columns of an aggregation; [] if unknown."""
    if groups.keys is None or not groups.is_exact:
        return []
    keys = groups.keys
    return groups.selection or [name for name in groups.frame.columns if name not in keys]


def check_functions(
    context: Context, frame: Frame, columns: Iterable[str], functions: ast.expr
) -> None:
    """Report names of functions that don't exist, or need numbers if a column contains text.

    ``functions`` is the argument of ``agg``: a name, a list, or a dict by column.
    """
    if isinstance(functions, ast.Dict):
        for key, value in zip(functions.keys, functions.values):
            column = context.value_of(key)
            if isinstance(column, Text):
                check_functions(context, frame, [column.value], value)
        return
    is_list = isinstance(functions, (ast.List, ast.Tuple))
    for function in getattr(functions, "elts", ()) if is_list else [functions]:
        check_function_name(context, function)
        name = function.value if isinstance(function, ast.Constant) else None
        for column_name in columns if name in _NUMERIC else ():
            series = frame.column(column_name)
            if _has_words(series) or (_has_text(series) and name not in _LENIENT_OF_GROUPS):
                message = f"{name!r} needs numbers, but {_content(series)}."
                context.report_code(function, "not_numbers", message)
                return


def check_dates(context: Context, node: ast.Call) -> None:
    """Report ``to_datetime`` for dates in several formats: it only reads the first one's."""
    value = context.value(node.args[0]) if len(node.args) == 1 else UNKNOWN
    if not isinstance(value, Series) or {keyword.arg for keyword in node.keywords} - {"errors"}:
        return
    formats = value.dtype.formats if value.dtype else ""
    if not formats:
        return
    text_of = context.problems.text_of
    options = [text_of(keyword) for keyword in node.keywords]
    corrected = _read_dates(text_of(node.func), text_of(node.args[0]), formats, options)
    name = "the Series" if value.name is None else f"the column {value.name!r}"
    message = f"to_datetime() can't read all dates: {name} has them in other or several formats."
    context.report_code(node, "not_dates", message, [corrected])


def _read_dates(function: str, text: str, formats: str, options: Iterable[str] = ()) -> str:
    """Return a call of ``to_datetime`` that reads dates in several formats."""
    if formats == "dates":
        text = f"{text}.str.replace('[年月./]', '-', regex=True).str.rstrip('日')"
    given = [*(["format='mixed'"] if formats == "times" else []), *options]
    return f"{function}({', '.join([text, *given])})"


def check_function(context: Context, name: str, node: ast.Call) -> None:
    """Report functions such as ``numpy.sqrt`` if the argument contains text."""
    if name == "pandas.to_datetime":
        check_dates(context, node)
    library, _, short_name = name.rpartition(".")
    if name != "pandas.to_numeric" and (library != "numpy" or short_name not in _NUMPY_FUNCTIONS):
        return
    is_coerced = _is_coerced(node)
    is_single = len(node.args) == 1 and (is_coerced or not node.keywords)
    value = context.value(node.args[0]) if is_single else UNKNOWN
    if not _has_words(value) or (is_coerced and not _has_only_words(value)):
        return
    reason = "needs numbers, but"
    if library == "pandas":
        reason = "gives only missing values:" if is_coerced else "fails:"
    candidates = []
    if library == "pandas" and _has_amounts(value):
        function, text = map(context.problems.text_of, (node.func, node.args[0]))
        option = ", errors='coerce'" if is_coerced else ""
        candidates = [f"{function}({text}.{_AS_NUMBER}{option})"]
    message = f"{short_name}() {reason} {_content(value)}."
    context.report_code(node, "not_numbers", message, candidates)


def _is_coerced(node: ast.Call) -> bool:
    given = {item.arg: getattr(item.value, "value", None) for item in node.keywords}
    return given == {"errors": "coerce"}


def check_operation(context: Context, node: ast.BinOp | ast.Compare) -> None:
    """Report ``column - 1`` and ``column > 1`` for text, and ``column > "1"`` for numbers."""
    operator: ast.AST
    if isinstance(node, ast.BinOp):
        operator, left, right = node.op, node.left, node.right
    else:
        operator, left, right = node.ops[0], node.left, node.comparators[0]
    is_chain = isinstance(node, ast.Compare) and len(node.ops) > 1
    if is_chain or not isinstance(operator, (*_ARITHMETIC, *_ORDERINGS)):
        return
    for column, other in ((left, right), (right, left)):
        value, operand = context.value(column), context.value(other)
        is_number = _is_number(other) or (
            _kind(operand) == "number" and _have_same_rows(value, operand)
        )
        if is_number and _has_words(value):
            message = f"The operation needs numbers, but {_content(value)}."
            context.report_code(node, "not_numbers", message)
        is_text = isinstance(operand, Text) and isinstance(node, ast.Compare)
        if is_text and _kind(value) in ("number", "boolean"):
            message = f"The comparison needs text, but {_content(value)}."
            context.report_code(column, "not_text", message)


def _have_same_rows(value: Value, other: Value) -> bool:
    if not isinstance(value, Series) or not isinstance(other, Series):
        return False
    return value.frame is not None and value.frame is other.frame


def _has_text(value: Value) -> bool:
    return isinstance(value, Series) and value.dtype is not None and value.dtype.has_text


def _has_words(value: Value) -> bool:
    return isinstance(value, Series) and value.dtype is not None and value.dtype.has_words


def _has_only_words(value: Value) -> bool:
    return isinstance(value, Series) and value.dtype is not None and value.dtype.has_only_words


def _has_amounts(value: Value) -> bool:
    return isinstance(value, Series) and value.dtype is not None and value.dtype.has_amounts


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
    if len(node.args) != 1 or node.keywords:
        return False
    [given] = node.args
    name = getattr(given, "id", None) or getattr(given, "attr", None)
    return (name or getattr(given, "value", None)) in _NUMBER_TYPES


def check_alignment(context: Context, frame: Frame, value: Value, node: ast.AST) -> None:
    """Report a Series with texts as index labels that is assigned to a column of ``frame``.

    In ``frame["mean"] = frame.groupby("city")["price"].mean()``, pandas looks up each row's number
    among the cities, so the column would only contain NaN. ``node`` is the assigned expression.
    """
    has_numbers = frame.has_rows and frame.row_texts == frozenset() and frame.index == (None,)
    if not (has_numbers and isinstance(value, Series) and value.has_text_labels):
        return
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    name, owner = node.func.attr, context.value(node.func.value)
    if isinstance(owner, Groups) and not node.args and not node.keywords:
        position = context.problems.position_of_method(node)
        text = context.problems.text_of(position)
        message = f"{text} has one value for each group, but the column needs one for each row."
        candidate = f"transform({name!r})"
    elif isinstance(owner, Series) and name == "value_counts":
        position, text = node, context.problems.text_of(node)
        message = (
            "value_counts() has one value for each text, but the column needs one for each row."
        )
        candidate = f"{context.problems.text_of(node.func.value)}.map({text})"
    else:
        return
    candidates = [candidate] if owner.frame is frame else []
    context.report_code(position, "not_aligned", message, candidates)


def check_requirements(context: Context, called: Value, node: ast.Call) -> None:
    """Report a missing optional package of pandas or polars."""
    path = _path(called)
    modules = _needed_modules(context, path, node) if path else []
    missing = [absent_part(module) for module in modules]
    if not modules or None in missing or context.may_install_modules:
        return
    if "missing_module" not in context.ignored_kinds:
        module, name = modules[0], path.rpartition(".")[2]
        message = f"{name!r} needs the module {module!r}, which isn't installed."
        context.problems.add(node, "missing_module", module, message, [], package_of(module))


def _path(called: Value) -> str:
    """Return the path of a function, such as ``pandas.to_excel``, or ""."""
    if isinstance(called, Symbol):
        return called.path
    if not isinstance(called, Method):
        return ""
    if isinstance(called.owner, Method) and called.owner.name == "plot":
        called = called.owner  # as in ``frame.plot.bar()``
    owner = called.owner
    return f"{owner.library}.{called.name}" if isinstance(owner, (Frame, Series)) else ""


def _needed_modules(context: Context, path: str, node: ast.Call) -> list[str]:
    """Return the modules of which a call needs one; none if that isn't certain."""
    arguments = Arguments(node, "path")
    if not arguments.is_exact or {"engine", "flavor", "parser", "backend"} & arguments.given():
        return []
    if path not in ("pandas.read_excel", "pandas.ExcelFile"):
        return _NEEDED.get(path, [])
    files = context.labels(arguments.get("path", "io", "path_or_buffer"))
    ending = files.names[0].rpartition(".")[2].lower() if files.is_single else ""
    reader = _EXCEL_READERS.get(ending)
    return [] if reader is None else [reader, "python_calamine"]
