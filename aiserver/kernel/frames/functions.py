"""Follow functions that read files, create frames or plot columns."""

from __future__ import annotations

import ast
import csv
import itertools
import os

from ..inspection.dtypes import Dtype, csv_dtypes, is_pandas_2
from ..inspection.objects import (
    MISSING,
    is_function,
    is_plain_class,
    keywords,
    loaded_value,
    own_keywords,
)
from .context import Context
from .current import check_called, check_offset
from .pandas_methods import call_pandas, merge_frames
from .polars_methods import column_expression
from .value_checks import check_function
from .values import UNKNOWN, Arguments, Frame, Instance, Series, Symbol, Value

# The first argument of these is the path of a file or folder to read.
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
# By library, the parameters that name columns.
_DATA_PARAMETERS = {
    "seaborn": "x y hue size style col row units",
    "plotly.express": (
        "x y color symbol size hover_name facet_row facet_col animation_frame animation_group "
        "names values text line_group line_dash pattern_shape locations lat lon"
    ),
}
# Keywords of ``read_csv`` that don't change the header's names.
_HARMLESS = set(
    "filepath_or_buffer sep delimiter dtype encoding na_values keep_default_na low_memory "
    "nrows thousands decimal usecols index_col engine true_values "
    "false_values memory_map on_bad_lines error_bad_lines na_filter parse_dates "
    "infer_datetime_format dayfirst cache_dates date_format converters float_precision "
    "skip_blank_lines verbose quotechar".split()
)
# Keywords of ``read_csv`` that don't change the dtypes.
_TYPE_PRESERVING = set("filepath_or_buffer sep delimiter encoding low_memory header".split())
# Keywords that are accepted through ``**kwargs``.
_KEYWORDS = {
    "pandas.date_range": "closed",
    "pandas.Grouper": (
        "key level freq axis sort closed label how convention base loffset origin offset dropna "
        "group_keys kind limit fill_method"
    ),
}
# The dtypes of functions that convert a Series; "" if unknown.
_CONVERTED_KINDS = {
    "pandas.to_datetime": "date",
    "pandas.to_numeric": "number",
    "pandas.cut": "",
    "pandas.qcut": "",
}
# These may create files, run commands or change the current folder.
_FILE_MAKERS = set(
    "urlretrieve system popen run Popen call check_call check_output extractall extract chdir "
    "unpack_archive copy copyfile copy2 copytree move rename replace makedirs mkdir dump touch "
    "symlink NamedTemporaryFile".split()
)


def call_symbol(context: Context, symbol: Symbol, node: ast.Call) -> Value:
    path = symbol.path
    library, _, name = path.rpartition(".")
    _check_arguments(context, symbol, node)
    check_function(context, path, node)
    check_offset(context, path, node)
    if path in ("builtins.print", "IPython.display.display"):
        for argument in node.args:
            check_called(context, argument)
    if path in _READERS:
        return _read(context, path, node)
    if library in ("pandas", "polars") and name == "DataFrame":
        return _frame(context, library, node)
    if library in ("pandas", "polars") and name == "concat":
        return _concat(context, library, node)
    if path == "pandas.merge":
        arguments = Arguments(
            node, "left right how on left_on right_on left_index right_index sort suffixes"
        )
        left, right = (context.value_of(arguments.get(side)) for side in ("left", "right"))
        return merge_frames(context, left, right, arguments) if arguments.is_exact else UNKNOWN
    if path == "polars.col":
        return column_expression(context, node)
    first = context.value(node.args[0]) if node.args else UNKNOWN
    if path in _CONVERTED_KINDS:
        kind = _CONVERTED_KINDS[path]
        is_certain = kind and not any(keyword.arg == "errors" for keyword in node.keywords)
        dtype = Dtype(kind) if is_certain else None
        return first.with_dtype(dtype) if isinstance(first, Series) else UNKNOWN
    if path in ("pandas.pivot_table", "pandas.melt", "pandas.pivot"):
        if isinstance(first, Frame):
            method = ast.Call(node.func, node.args[1:], node.keywords)
            return call_pandas(context, first, name, method)
    if path == "numpy.random.default_rng" and symbol.value is not MISSING:
        generator = loaded_value("numpy.random", "Generator")
        return Instance(generator) if is_plain_class(generator) else UNKNOWN
    _check_plot(context, library, node)
    return UNKNOWN


def _check_arguments(context: Context, symbol: Symbol, node: ast.Call) -> None:
    path, function = symbol.path, symbol.value
    accepted = keywords(function)
    if path == "numpy.random.default_rng" and function is not MISSING:
        accepted = frozenset(["seed"])
    if path in _KEYWORDS and function is not MISSING:
        own = own_keywords(function) if is_function(function) else frozenset()
        accepted = own.union(_KEYWORDS[path].split())
    context.check_keywords(accepted, path, node)


def may_create_files(name: str) -> bool:
    return name in _FILE_MAKERS or name.startswith(("to_", "save", "write", "download", "fetch"))


def _read(context: Context, path: str, node: ast.Call) -> Value:
    is_open = path == "builtins.open"
    arguments = Arguments(node, "filepath_or_buffer mode" if is_open else "filepath_or_buffer sep")
    first = arguments.get("filepath_or_buffer", "io", "path", "file", "source", "fname")
    named = context.labels(first)
    if not named.is_single or not arguments.is_exact:
        return UNKNOWN
    file, file_node = named.items[0]
    mode = arguments.constant("mode", "r") if is_open else "r"
    is_reading = isinstance(mode, str) and mode[:1] == "r" and "+" not in mode
    if not context.folder or not is_reading or not is_local(file):
        return UNKNOWN
    if not file_exists(file, context.folder):
        if not context.may_create_files:
            message = f"There is no file {file!r}."
            near = neighbours(file, context.folder)
            context.report(file_node, "missing_file", file, message, near)
        return UNKNOWN
    if path in ("pandas.read_csv", "pandas.read_table", "polars.read_csv"):
        return _read_csv(context, path, file, arguments)
    return UNKNOWN


def _read_csv(context: Context, path: str, file: str, arguments: Arguments) -> Value:
    library, _, function = path.partition(".")
    given = arguments.given()
    is_plain_header = "header" not in given or arguments.constant("header") == 0
    if not given <= _HARMLESS | {"header"} or not is_plain_header:
        return UNKNOWN
    default = "," if function == "read_csv" else "\t"
    separator = arguments.constant("sep", arguments.constant("delimiter", default))
    encoding = arguments.constant("encoding", "utf-8")
    dates = arguments.get("parse_dates")
    may_combine = isinstance(dates, ast.Dict) or any(
        isinstance(item, ast.List) for item in getattr(dates, "elts", ())
    )
    is_text = isinstance(separator, str) and isinstance(encoding, str)
    if may_combine or not is_text or len(separator) != 1:
        return UNKNOWN
    rows = csv_rows(file, context.folder, separator, encoding)
    if not rows:
        return UNKNOWN
    header = rows[0]
    frame = Frame(library, header, (None,))
    is_plain = given <= _TYPE_PRESERVING and not context.may_create_files
    if library == "pandas" and is_plain and all(len(row) == len(header) for row in rows):
        frame.row_texts, frame.has_rows = frozenset(), len(rows) > 1
        frame.dtypes = csv_dtypes(header, rows[1:]) if is_pandas_2() else {}
    usecols = context.labels(arguments.get("usecols"))
    context.report_missing(frame, usecols)
    if isinstance(dates, (ast.List, ast.Tuple)):
        context.report_missing(frame, context.labels(dates))
    return _with_index(context, frame, arguments.get("index_col"), usecols.names)


def _with_index(
    context: Context, frame: Frame, index_col: ast.AST | None, usecols: list[str]
) -> Frame:
    """Apply ``usecols`` (empty: all columns) and ``index_col`` of ``read_csv``."""
    header = list(frame.columns)
    if usecols:
        frame.columns = {name: None for name in header if name in usecols}
    if index_col is None:
        return frame
    wanted = context.labels(index_col)
    context.report_missing(frame, wanted)
    names = wanted.names
    if isinstance(index_col, ast.Constant) and type(index_col.value) is int and not usecols:
        number = index_col.value
        names = header[number : number + 1] if number >= 0 else []
    frame.remove(names)
    frame.index = tuple(names) or None
    return frame


def _frame(context: Context, library: str, node: ast.Call) -> Value:
    """Read ``DataFrame({"name": …})`` or ``DataFrame(…, columns=[…])``."""
    arguments = Arguments(node, "data index columns")
    data, columns = arguments.get("data"), arguments.get("columns")
    if columns is None and data is not None and not isinstance(data, ast.Dict):
        value = context.value(data)
        is_frame = isinstance(value, Frame) and arguments.is_exact
        return value.derive() if is_frame and isinstance(value, Frame) else UNKNOWN
    wanted = context.labels(data if columns is None else columns)
    is_empty = data is None or (isinstance(data, ast.Dict) and not data.keys)
    is_exact = wanted.is_exact and not wanted.is_single and arguments.is_exact
    if not is_exact or not (wanted.items or (is_empty and columns is None)):
        return UNKNOWN
    return Frame(library, wanted.names, (None,) if arguments.get("index") is None else None)


def _concat(context: Context, library: str, node: ast.Call) -> Value:
    arguments = Arguments(node, "objs axis join ignore_index keys")
    parts = arguments.get("objs")
    if not isinstance(parts, (ast.List, ast.Tuple)) or "keys" in arguments.given():
        return UNKNOWN
    result = Frame(library, [])
    for part in parts.elts:
        value = context.value(part)
        if isinstance(value, Frame):
            result.add(value.columns)
            result.has_unknown_columns = result.has_unknown_columns or value.has_unknown_columns
        elif isinstance(value, Series) and value.name is not None:
            result.add([value.name])
        else:
            return UNKNOWN
    return result


def _check_plot(context: Context, library: str, node: ast.Call) -> None:
    """Check the columns in ``sns.scatterplot(data=frame, x="name", …)``."""
    positional = "data_frame" if library == "plotly.express" else "data"
    arguments = Arguments(node, positional)
    if library not in _DATA_PARAMETERS or not arguments.is_exact:
        return
    frame = context.value_of(arguments.get(positional))
    for parameter in _DATA_PARAMETERS[library].split() if isinstance(frame, Frame) else ():
        wanted = context.labels(arguments.keywords.get(parameter))
        if wanted.is_single and isinstance(frame, Frame):
            context.report_missing(frame, wanted, with_index=True)


_HEADER_BYTES = 65_536
_MAX_FILES = 2000
_MAX_ROWS = 50


def is_local(path: str) -> bool:
    """Return whether a path is local: no URL, and no pattern like ``*.csv``."""
    if not path or len(path) > 1000 or "\0" in path or "\n" in path:
        return False
    return "://" not in path and not any(char in path for char in "*?[]{}<>|")


def file_exists(path: str, folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, os.path.expanduser(path)))


def neighbours(path: str, folder: str) -> list[str]:
    """Return at most ``_MAX_FILES`` visible files and folders beside ``path``.

    ``"data/x.csv" -> ["data/a.csv", "data/b.csv"]``
    """
    parent = os.path.dirname(path)
    names: list[str] = []
    try:
        with os.scandir(os.path.join(folder, os.path.expanduser(parent))) as entries:
            for entry in entries:
                if not entry.name.startswith("."):
                    names.append(os.path.join(parent, entry.name))
                if len(names) == _MAX_FILES:
                    break
    except OSError:
        return []
    return sorted(names)


def csv_rows(path: str, folder: str, separator: str, encoding: str) -> list[list[str]]:
    """Return the header and first rows as ``read_csv`` reads them; [] if that isn't certain."""
    full = os.path.join(folder, os.path.expanduser(path))
    if path.lower().endswith((".gz", ".bz2", ".zip", ".xz", ".zst", ".tar")):
        return []
    if not os.path.isfile(full):
        return []
    rows: list[list[str]] = []
    try:
        with open(full, "rb") as file:
            data = file.read(_HEADER_BYTES)
        if data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        end = data.rfind(b"\n") if len(data) == _HEADER_BYTES else len(data)
        text = data[: max(end, 0)].decode(encoding)
        reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
        filled = (row for row in reader if any(cell.strip() for cell in row))
        for row in itertools.islice(filled, _MAX_ROWS):
            rows.append(row)
    except csv.Error:  # earlier rows are correct
        pass
    except (OSError, ValueError, LookupError, TypeError):
        return []
    if not rows:
        return []
    header = [name or "Unnamed: %d" % number for number, name in enumerate(rows[0])]
    return [header, *rows[1:]] if len(set(header)) == len(header) else []
