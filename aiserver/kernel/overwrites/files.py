"""Find the existing files that a call writes over."""

from __future__ import annotations

import ast
import os

from ..inspection.files import is_local
from .constants import Constants
from .methods import argument

# Methods that write a file whose path is their first argument.
_WRITERS = set(
    "to_csv to_excel to_parquet to_json to_pickle to_feather to_html to_xml to_latex to_stata "
    "to_markdown to_orc write_csv write_parquet write_json write_ndjson write_excel write_ipc "
    "write_avro write_html write_image savefig".split()
)
_WRITING_FUNCTIONS = {"numpy.savetxt", "pandas.ExcelWriter", "matplotlib.pyplot.imsave"}
_PATH_ARGUMENTS = (
    *("path_or_buf", "path", "path_or_buffer", "excel_writer", "buf", "fname", "file"),
    *("workbook", "filename"),
)


def written_file(constants: Constants, node: ast.Call) -> str | None:
    """Return the path of the file that a call writes anew; None if it isn't known."""
    function = node.func
    path = constants.path(function)
    first = node.args[0] if node.args else argument(node, *_PATH_ARGUMENTS)
    if path == "builtins.open":
        mode = node.args[1] if len(node.args) > 1 else argument(node, "mode")
        return constants.text(first or argument(node, "file")) if _truncates(mode) else None
    if path in _WRITING_FUNCTIONS:
        return constants.text(first) if _replaces_file(node) else None
    if not isinstance(function, ast.Attribute):
        return None
    if function.attr in _WRITERS:
        return constants.text(first) if _replaces_file(node) else None
    is_path = not isinstance(function.value, ast.Constant)
    if function.attr in ("write_text", "write_bytes") and is_path:
        return constants.text(function.value)
    if function.attr == "open" and is_path and not path:
        mode = node.args[0] if node.args else argument(node, "mode")
        return constants.text(function.value) if _truncates(mode) else None
    return None


def exists(path: str, folder: str) -> bool:
    return is_local(path) and os.path.isfile(os.path.join(folder, os.path.expanduser(path)))


def _truncates(mode: ast.AST | None) -> bool:
    """Return whether this mode of ``open`` empties an existing file."""
    return isinstance(mode, ast.Constant) and type(mode.value) is str and "w" in mode.value


def _replaces_file(node: ast.Call) -> bool:
    """Return whether a call writes the whole file, and doesn't append to it."""
    mode = argument(node, "mode")
    return mode is None or _truncates(mode)
