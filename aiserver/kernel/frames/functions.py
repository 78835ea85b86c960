"""Follow calls of library functions that read files, create frames or plot columns."""

from __future__ import annotations

import ast
from typing import Any

from ..inspection.dtypes import Dtype, csv_dtypes, is_pandas_2
from ..inspection.files import csv_rows, file_exists, is_local, neighbours
from ..inspection.objects import MISSING, is_function, is_plain_class, loaded_value
from ..inspection.signatures import keywords, own_keywords
from .dtypes import check_function
from .labels import Arguments, labels, report_missing
from .pandas_methods import call_pandas, merge_frames
from .polars_methods import column_expression
from .values import UNKNOWN, Context, Frame, Instance, Series, Symbol, Value

# Functions whose first argument is the path of a file or folder to read.
_READERS = set(
    "pandas.read_csv pandas.read_table pandas.read_excel pandas.read_parquet "
    "pandas.read_pickle pandas.read_feather pandas.read_hdf pandas.read_stata pandas.read_sas "
    "pandas.read_orc pandas.read_spss pandas.read_json pandas.read_fwf "
    "pandas.ExcelFile pandas.read_xml "
    "polars.read_csv polars.read_parquet polars.read_excel polars.read_ipc polars.read_json "
    "polars.read_ndjson polars.scan_csv polars.scan_parquet builtins.open numpy.load "
    "numpy.loadtxt numpy.genfromtxt numpy.fromfile matplotlib.pyplot.imread PIL.Image.open "
    "os.listdir".split()
)
# For each library, the parameters of its plotting functions that name columns.
_DATA_PARAMETERS = {
    "seaborn": ("x", "y", "hue", "size", "style", "col", "row", "units"),
    "plotly.express": [
        "x",
        "y",
        "color",
        "symbol",
        "size",
        "hover_name",
        "facet_row",
        "facet_col",
        "animation_frame",
        "animation_group",
        "names",
        "values",
        "text",
        "line_group",
        "line_dash",
        "pattern_shape",
        "locations",
        "lat",
        "lon",
    ],
}
# Keywords of ``read_csv`` that don't change the names of the columns in the header.
_HARMLESS = set(
    "filepath_or_buffer sep delimiter dtype encoding na_values keep_default_na low_memory "
    "nrows thousands decimal skipinitialspace usecols index_col engine true_values "
    "false_values memory_map on_bad_lines error_bad_lines na_filter parse_dates "
    "infer_datetime_format dayfirst cache_dates date_format converters float_precision "
    "skip_blank_lines verbose quotechar".split()
)
# Keywords of ``read_csv`` that don't change the dtypes of the columns.
_TYPE_PRESERVING = set("filepath_or_buffer sep delimiter encoding low_memory header".split())
# The keywords of ``read_csv`` in any version, for a kernel that hasn't loaded pandas.
_READ_CSV = _HARMLESS | set(
    "header names squeeze prefix mangle_dupe_cols skiprows skipfooter iterator chunksize "
    "compression lineterminator quoting doublequote escapechar comment encoding_errors dialect "
    "warn_bad_lines delim_whitespace storage_options dtype_backend keep_date_col date_parser "
    "dayfirst date_format".split()
)
# The keywords that a function or class accepts through its ``**kwargs``.
_KEYWORDS = {
    "pandas.date_range": "closed",
    "pandas.Grouper": (
        "key level freq axis sort closed label how convention base loffset origin offset dropna "
        "group_keys kind limit fill_method"
    ),
}
# What the functions that convert a Series return.
_CONVERTED_KINDS = {"pandas.to_datetime": "date", "pandas.to_numeric": "number"}
# Functions that may create files, run commands or change the current folder.
_FILE_MAKERS = set(
    "urlretrieve system popen run Popen call check_call check_output extractall extract chdir "
    "unpack_archive copy copyfile copy2 copytree move rename replace makedirs mkdir download "
    "download_file fetch_data savefig save dump touch write_text write_bytes symlink "
    "NamedTemporaryFile".split()
)


def call_symbol(context: Context, symbol: Symbol, node: ast.Call) -> Value:
    """Return the result of calling a known function or class. Reports problems in the arguments."""
    path = symbol.path
    if path == "numpy.random.default_rng" and symbol.value is not MISSING:
        check_keywords(context, frozenset(["seed"]), path, node)
        generator = loaded_value("numpy.random", "Generator")
        return Instance(generator) if is_plain_class(generator) else UNKNOWN
    accepted = keywords(symbol.value)
    if path == "pandas.read_csv" and symbol.value is MISSING:
        accepted = frozenset(_READ_CSV)
    if path in _KEYWORDS and symbol.value is not MISSING:
        own = own_keywords(symbol.value) if is_function(symbol.value) else frozenset()
        accepted = own.union(_KEYWORDS[path].split())
    check_keywords(context, accepted, path, node)
    check_function(context, path, node)
    if path in _READERS:
        return _read(context, path, node)
    if path == "pandas.DataFrame" or path == "polars.DataFrame":
        return _frame(context, path.split(".")[0], node)
    if path == "pandas.merge":
        arguments = Arguments(
            node, "left right how on left_on right_on left_index right_index sort suffixes"
        )
        sides = [arguments.get("left"), arguments.get("right")]
        left, right = (context.value(side) if side is not None else UNKNOWN for side in sides)
        if arguments.is_exact:
            return merge_frames(context, left, right, arguments) or UNKNOWN
    if path in ("pandas.concat", "polars.concat"):
        return _concat(context, path.split(".")[0], node)
    if path == "polars.col":
        return column_expression(context, node)
    if path in ("pandas.to_datetime", "pandas.to_numeric", "pandas.cut", "pandas.qcut"):
        first = context.value(node.args[0]) if node.args else UNKNOWN
        is_certain = not any(keyword.arg == "errors" for keyword in node.keywords)
        kind = _CONVERTED_KINDS.get(path) if is_certain else None
        dtype = None if kind is None else Dtype(kind)
        return first.with_dtype(dtype) if isinstance(first, Series) else UNKNOWN
    if path in ("pandas.pivot_table", "pandas.melt", "pandas.pivot"):
        frame = context.value(node.args[0]) if node.args else UNKNOWN
        if not isinstance(frame, Frame):
            return UNKNOWN
        method = ast.Call(node.func, node.args[1:], node.keywords)
        return call_pandas(context, frame, path.partition(".")[2], method)
    _check_plot(context, path, node)
    return UNKNOWN


def check_keywords(context: Context, accepted: Any | None, function: str, node: ast.Call) -> None:
    """Report the keyword arguments that aren't in ``accepted``.

    ``accepted`` is None if the accepted keywords aren't known. In this case, report nothing.
    """
    if accepted is None:
        return
    for keyword in node.keywords:
        if keyword.arg is not None and keyword.arg not in accepted:
            message = "{}() has no argument {!r}.".format(function.rpartition(".")[2], keyword.arg)
            position = context.problems.position_of_name(keyword, keyword.arg)
            context.report(position, "unknown_argument", keyword.arg, message, sorted(accepted))


def may_create_files(name: str) -> bool:
    """Return whether a function with this name may create files."""
    return name in _FILE_MAKERS or name.startswith(("to_", "save", "write", "download", "fetch"))


def _read(context: Context, path: str, node: ast.Call) -> Value:
    arguments = Arguments(
        node, "filepath_or_buffer mode" if path == "builtins.open" else "path sep"
    )
    first = node.args[0] if node.args else None
    if first is None:
        first = arguments.get("filepath_or_buffer", "io", "path", "file", "source", "fname")
    named = labels(context, first)
    if first is None or not named.is_single or not arguments.is_exact:
        return UNKNOWN
    file, file_node = named.items[0]
    if path == "builtins.open" and not _is_reading(arguments):
        return UNKNOWN
    if not is_local(file):
        return UNKNOWN
    if not file_exists(file, context.folder):
        if not context.may_create_files:
            message = f"There is no file {file!r}."
            near = neighbours(file, context.folder)
            context.report(file_node, "missing_file", file, message, near)
        return UNKNOWN
    if path in ("pandas.read_csv", "pandas.read_table", "polars.read_csv"):
        return _read_csv(context, path, file, node)
    return UNKNOWN


def _is_reading(arguments: Arguments) -> bool:
    mode = arguments.constant("mode", "r")
    return isinstance(mode, str) and mode[:1] == "r" and "+" not in mode


def _read_csv(context: Context, path: str, file: str, node: ast.Call) -> Value:
    arguments = Arguments(node, "filepath_or_buffer sep")
    library, _, function = path.partition(".")
    if not set(arguments.given()) <= _HARMLESS and arguments.constant("header", "infer") != 0:
        return UNKNOWN
    if not set(arguments.given()) <= _HARMLESS | {"header"}:
        return UNKNOWN
    if {"sep", "delimiter"} & set(arguments.given()) and arguments.get("sep", "delimiter") is None:
        return UNKNOWN  # ``sep=None`` means that pandas finds out the separator
    separator = arguments.constant("sep", arguments.constant("delimiter"))
    encoding = arguments.constant("encoding", "utf-8") or "utf-8"
    dates = arguments.get("parse_dates")
    if isinstance(dates, ast.Dict) or any(
        isinstance(item, ast.List) for item in getattr(dates, "elts", ())
    ):
        return UNKNOWN
    separator = separator or ("," if function == "read_csv" else "\t")
    if not isinstance(separator, str) or len(separator) != 1 or not isinstance(encoding, str):
        return UNKNOWN
    rows = csv_rows(file, context.folder, separator, encoding)
    if not rows:
        return UNKNOWN
    header = rows[0]
    if arguments.constant("skipinitialspace", False):
        header = [name.strip() for name in header]
    frame = Frame(library, header, set(), 1)
    is_plain = set(arguments.given()) <= _TYPE_PRESERVING and not context.may_create_files
    if library == "pandas" and is_plain and all(len(row) == len(header) for row in rows):
        frame.has_number_index = len(rows) > 1
        frame.dtypes = csv_dtypes(header, rows[1:]) if is_pandas_2() else {}
    wanted = labels(context, arguments.get("usecols"))
    report_missing(context, frame, wanted)
    if isinstance(dates, (ast.List, ast.Tuple)):
        report_missing(context, frame, labels(context, dates))
    return _with_index(context, frame, arguments.get("index_col"), wanted.names)


def _with_index(
    context: Context, frame: Frame, index_col: ast.AST | None, usecols: list[str]
) -> Frame:
    """Apply the arguments ``usecols`` and ``index_col`` of ``read_csv`` to a frame.

    ``usecols`` contains the columns that the frame keeps; if it is empty, the frame keeps all
    columns. The columns that the node ``index_col`` names become the frame's index.
    """
    header = list(frame.columns)
    if usecols:
        frame.columns = {name: None for name in header if name in usecols}
    if index_col is None:
        return frame
    index = labels(context, index_col)
    report_missing(context, frame, index)
    names = index.names
    if isinstance(index_col, ast.Constant) and type(index_col.value) is int and not usecols:
        number = index_col.value
        names = header[number : number + 1] if number >= 0 else []
    frame.columns = {name: None for name in frame.columns if name not in names}
    frame.index, frame.levels = set(names) or None, len(names) or None
    return frame


def _frame(context: Context, library: str, node: ast.Call) -> Value:
    """Return the frame of ``DataFrame({"name": …})`` or ``DataFrame(…, columns=[…])``."""
    arguments = Arguments(node, "data index columns")
    data, columns = arguments.get("data"), arguments.get("columns")
    if not arguments.is_exact:
        return UNKNOWN
    wanted = labels(context, columns if columns is not None else None)
    if columns is None and isinstance(data, ast.Dict):
        wanted = labels(context, data)
    elif columns is None and data is not None:
        value = context.value(data)
        return value.derive() if isinstance(value, Frame) else UNKNOWN
    if not wanted.is_exact or wanted.is_single:
        return UNKNOWN
    if not wanted.items and (columns is not None or data is not None):
        is_empty = isinstance(data, ast.Dict) and not data.keys
        if not is_empty:
            return UNKNOWN
    index = arguments.get("index")
    return Frame(library, wanted.names, set() if index is None else None, 1)


def _concat(context: Context, library: str, node: ast.Call) -> Value:
    arguments = Arguments(node, "objs axis join ignore_index keys")
    parts = arguments.get("objs")
    if not isinstance(parts, (ast.List, ast.Tuple)) or "keys" in arguments.given():
        return UNKNOWN
    values = [context.value(part) for part in parts.elts]
    names: list[str] = []
    has_unknown_columns = False
    for value in values:
        if isinstance(value, Frame):
            names += value.columns
            has_unknown_columns = has_unknown_columns or value.has_unknown_columns
        elif isinstance(value, Series) and value.name is not None:
            names.append(value.name)
        else:
            return UNKNOWN
    result = Frame(library, names)
    result.has_unknown_columns = has_unknown_columns
    return result


def _check_plot(context: Context, path: str, node: ast.Call) -> None:
    """Check the columns in ``sns.scatterplot(data=frame, x="name", …)``."""
    library, _, _ = path.rpartition(".")
    parameters = _DATA_PARAMETERS.get(library)
    if parameters is None:
        return
    positional = "data_frame" if library == "plotly.express" else "data"
    arguments = Arguments(node, positional)
    data = arguments.get(positional)
    frame = context.value(data) if data is not None else UNKNOWN
    if not isinstance(frame, Frame) or not arguments.is_exact:
        return
    for parameter in parameters:
        given = arguments.get(parameter)
        if given is not None and parameter in arguments.keywords:
            wanted = labels(context, given)
            if wanted.is_single:
                report_missing(context, frame, wanted, with_index=True)
