"""Report optional packages that a function of pandas or polars needs, and that aren't installed."""

from __future__ import annotations

import ast

from ..inspection.modules import absent_part, package_of
from .labels import Arguments, labels
from .values import Context, Frame, Method, Series, Symbol, Value

# For each function or method, the modules of which it needs one. The first is the usual one.
_NEEDED = {
    name: modules.split()
    for names, modules in {
        "pandas.read_parquet pandas.to_parquet": "pyarrow fastparquet",
        "pandas.read_feather pandas.to_feather pandas.read_orc pandas.to_orc": "pyarrow",
        "polars.to_arrow": "pyarrow",
        "pandas.read_html": "lxml html5lib",
        "pandas.read_xml pandas.to_xml": "lxml",
        "pandas.read_hdf pandas.to_hdf": "tables",
        "pandas.read_spss": "pyreadstat",
        "pandas.to_markdown": "tabulate",
        # Other packages can be set as the backend of pandas' plots.
        "pandas.plot": "matplotlib plotly hvplot",
        "pandas.hist pandas.boxplot": "matplotlib",
        "pandas.to_excel pandas.ExcelWriter": "openpyxl xlsxwriter",
        "polars.read_excel": "fastexcel xlsx2csv openpyxl",
        "polars.write_excel": "xlsxwriter",
    }.items()
    for name in names.split()
}
_EXCEL_READERS = {"pandas.read_excel", "pandas.ExcelFile"}
# The module that reads files with this ending; the engine ``calamine`` reads all of them.
_READERS_BY_ENDING = {
    ".xlsx": "openpyxl",
    ".xlsm": "openpyxl",
    ".xls": "xlrd",
    ".xlsb": "pyxlsb",
    ".ods": "odf",
}
_MODULES_OF_ENGINES = {"calamine": "python_calamine"}


def check_requirements(context: Context, called: Value, node: ast.Call) -> None:
    """Report the module that a call needs, if it's missing."""
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
    """Return a function or method of pandas or polars, such as ``pandas.to_excel``; "" if none."""
    if isinstance(called, Symbol):
        return called.path
    if not isinstance(called, Method):
        return ""
    if isinstance(called.owner, Method) and called.owner.name == "plot":
        called = called.owner  # as in ``frame.plot.bar()``
    owner = called.owner
    return f"{owner.library}.{called.name}" if isinstance(owner, (Frame, Series)) else ""


def _needed_modules(context: Context, path: str, node: ast.Call) -> list[str]:
    """Return the modules of which a call needs one; [] if it needs none or it isn't certain."""
    arguments = Arguments(node, "path")
    engine = arguments.constant("engine", arguments.constant("flavor"))
    is_reader = path in _EXCEL_READERS
    if not arguments.is_exact or "parser" in arguments.given():
        return []
    if not is_reader and path not in _NEEDED:
        return []
    if type(engine) is str:
        return [_MODULES_OF_ENGINES.get(engine, engine)] if "excel" in path.lower() else []
    if engine is not None:
        return []
    if not is_reader:
        return _NEEDED[path]
    files = labels(context, arguments.get("path", "io", "path_or_buffer"))
    ending = "." + files.names[0].rpartition(".")[2].lower() if files.is_single else ""
    reader = _READERS_BY_ENDING.get(ending)
    return [] if reader is None else [reader, "python_calamine"]
