"""Find the data files that a notebook's code reads, and its libraries. Pure; runs no code.

A name counts only if the code uses it for sure: as the first argument of a call that reads a file,
or in an import. So a file that is only mentioned in a text or written is left out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...data_files.names import is_data_file
from ...requests import NoteCell
from .prose import MAX_NAME

MAX_FILES = 4
MAX_LIBRARIES = 3

_READS = re.compile(r"(?:read|scan)_\w+|load(?!s$)\w*")
_WRITES = re.compile(r"(?:to_|save|write|dump)\w*")
_PATH_ARGUMENTS = {
    *("path", "filepath", "filepath_or_buffer", "path_or_buf"),
    *("file", "filename", "fname", "io", "source"),
}
_URL = re.compile(r"\w+://[^/]*")
_FILE = re.compile(r"[^{}*?%<>|‹›\x00-\x1f]*\w\.[A-Za-z][A-Za-z0-9]{0,7}")
# Lines of IPython: magics, commands and help, also after an assignment.
_MAGIC_LINE = re.compile(r"^([ \t]*)(?:[%!?].*|[^\n=]*=[ \t]*[%!].*|.*\?[ \t]*)$", re.MULTILINE)
_FOREIGN = re.compile(r"\s*%%(?!time|capture|prun)")  # a cell in another language
# Lines of R and Julia.
_READS_IN_R = re.compile(
    r"\s*(?:[\w.]+\s*(?:<-|=)\s*)?(?:\w+::)?"
    r"(?:read[._]?\w+|fread|vroom|load)\(\s*(?:file\s*=\s*)?(?:\"([^\"]+)\"|'([^']+)')"
)
_LIBRARY_IN_R = re.compile(
    r"\s*(?:suppress\w+\(\s*)?(?:library|require)\(\s*[\"']?([A-Za-z][\w.]*)[\"']?\s*[,)]"
)
_LIBRARIES_IN_JULIA = re.compile(r"\s*using\s+([A-Z]\w*(?:\s*,\s*[A-Z]\w*)*)\s*(?:[:;#].*)?$")
_DISPLAY_NAMES = {"sklearn": "scikit-learn", "cv2": "OpenCV", "PIL": "Pillow"}
_OWN_MODULES = {"utils", "util", "helpers", "helper", "config", "src", "lib", "common"}


@dataclass(frozen=True)
class Data:
    """The names of data files that are read, without their folders, and of libraries."""

    files: tuple[str, ...]
    libraries: tuple[str, ...]


def read_data(cells: Sequence[NoteCell]) -> Data:
    """Return the data and libraries of the code, whose secrets must have been redacted.

    A notebook that imports no library of Python is read as R or Julia, too.
    """
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    reads: list[str] = []
    writes: set[str] = set()
    libraries: dict[str, None] = {}
    for source in sources:
        for node in _nodes(source):
            if isinstance(node, ast.Call):
                reads += _read_paths(node)
                writes.update(map(_file_name, _written_paths(node)))
            else:
                libraries |= dict.fromkeys(_libraries(node))
    if not libraries:
        lines = [line for source in sources for line in source.splitlines()]
        reads += [match[1] or match[2] for line in lines if (match := _READS_IN_R.match(line))]
        libraries |= dict.fromkeys(name for line in lines for name in _other_libraries(line))
    files = dict.fromkeys(name for path in reads if (name := _file_name(path)) not in writes)
    files.pop("", None)
    shown = [name for name in libraries if len(name) <= MAX_NAME]
    return Data(tuple(files)[:MAX_FILES], tuple(shown)[:MAX_LIBRARIES])


def _nodes(source: str) -> list[ast.Call | ast.Import | ast.ImportFrom]:
    """Return the calls and imports of a cell in their order; none if it isn't valid Python."""
    if _FOREIGN.match(source):
        return []
    tree = _parse(source) or _parse(_MAGIC_LINE.sub(r"\1pass", source))
    nodes = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Call | ast.Import | ast.ImportFrom)
    ]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _libraries(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the imported libraries that aren't part of Python or the notebook's project."""
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    else:
        modules = [node.module or ""] if node.level == 0 else []
    for module in modules:
        name = module.split(".")[0]
        if name and name not in sys.stdlib_module_names and name not in _OWN_MODULES:
            yield _DISPLAY_NAMES.get(name, name)


def _other_libraries(line: str) -> list[str]:
    """Return the libraries that a line of R or Julia attaches."""
    if match := _LIBRARY_IN_R.match(line):
        return [match[1]]
    match = _LIBRARIES_IN_JULIA.match(line)
    return [name.strip() for name in match[1].split(",")] if match else []


def _read_paths(call: ast.Call) -> list[str]:
    """Return the path of the file that a call reads, as a list."""
    name = _name(call)
    if not (_READS.fullmatch(name) or (name == "open" and _opens_for_reading(call))):
        return []
    named = [item.value for item in call.keywords if item.arg in _PATH_ARGUMENTS]
    return _strings(call.args[:1] or named[:1])


def _written_paths(call: ast.Call) -> list[str]:
    """Return the texts among the arguments of a call that writes a file."""
    name = _name(call)
    if _WRITES.fullmatch(name) or (name == "open" and not _opens_for_reading(call)):
        return _strings([*call.args, *(item.value for item in call.keywords)])
    return []


def _name(call: ast.Call) -> str:
    """Return the last part of the name of the called function."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _opens_for_reading(call: ast.Call) -> bool:
    modes = [*call.args[1:2], *(item.value for item in call.keywords if item.arg == "mode")]
    return not modes or any(mode in ("r", "rb", "rt") for mode in _strings(modes))


def _strings(nodes: Sequence[ast.expr]) -> list[str]:
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [value for value in values if isinstance(value, str)]


def _file_name(path: str) -> str:
    """Return the name of the file at a path or URL; "" if it may be something else."""
    name = re.split(r"[/\\]", _URL.sub("", path))[-1].strip()
    is_file = len(name) <= MAX_NAME and _FILE.fullmatch(name)
    return name if is_file and (" " not in name or is_data_file(name)) else ""
