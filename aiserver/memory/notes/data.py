"""Find the data files, tables and libraries that a notebook's code names. Pure; runs no code."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from ...data_files.names import mentioned_files
from ...requests import NoteCell
from .prose import MAX_NAME

MAX_FILES = 4
MAX_TABLES = 4
MAX_LIBRARIES = 3

_WRITES = re.compile(r"\bto_[a-z]+\(|\bwrite|\bsave|\bdump\(|,\s*(?:mode=)?['\"][wax]b?\+?['\"]")
_UNUSUAL = re.compile(r"[{}*?%<>|‹›\x00-\x1f]")
_IMPORT = re.compile(r"[ \t]*(?:import|from)[ \t]+([A-Za-z]\w*)|[ \t]*library\(['\"]?([\w.]+)")
_TABLE = re.compile(
    r"\b(?P<select>select)\b"
    r"|\b(?:from|join)\s+(?P<name>[A-Za-z_][\w.]*)(?![\w.(/])(?!\s+import\b)",
    re.IGNORECASE,
)
_SUBQUERY = re.compile(r"\b([A-Za-z_]\w*)\s+as\s*\(", re.IGNORECASE)
_NO_TABLES = {"select", "where", "lateral", "unnest", "the", "a", "an", "this", "each"}
_DISPLAY_NAMES = {"sklearn": "scikit-learn", "cv2": "OpenCV", "PIL": "Pillow"}
_OWN_MODULES = {"utils", "util", "helpers", "helper", "config", "src", "lib", "common"}


@dataclass(frozen=True)
class Data:
    """The names of data files and tables that are read, and of libraries."""

    files: tuple[str, ...]
    tables: tuple[str, ...]
    libraries: tuple[str, ...]


def read_data(cells: Sequence[NoteCell]) -> Data:
    """Return the data and libraries of the code, whose secrets must have been redacted."""
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    return Data(_files(sources), _tables(sources), _libraries(sources))


def _files(sources: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the files, without their folders, that are only read."""
    reads: dict[str, None] = {}
    writes: set[str] = set()
    for source in sources:
        for line in source.splitlines():
            if "." not in line or line.lstrip().startswith("#"):
                continue
            is_magic = line.lstrip().startswith(("!", "%"))
            for names in mentioned_files([line]):
                # Without quotes, it may be an attribute or a function, such as `read.csv`.
                if not is_magic and not any(f"{names[0]}{quote}" in line for quote in "'\"`"):
                    continue
                name = re.split(r"[/\\]", names[0])[-1].strip()
                if not name or len(name) > MAX_NAME or _UNUSUAL.search(name):
                    continue
                if _WRITES.search(line):
                    writes.add(name)
                else:
                    reads.setdefault(name)
    return tuple(name for name in reads if name not in writes)[:MAX_FILES]


def _tables(sources: Sequence[str]) -> tuple[str, ...]:
    """Return the names after ``FROM`` and ``JOIN`` in queries."""
    tables: dict[str, None] = {}
    for source in sources:
        subqueries = {match[1].lower() for match in _SUBQUERY.finditer(source)}
        is_query = False
        for match in _TABLE.finditer(source):
            is_query = is_query or bool(match["select"])
            name = (match["name"] or "").strip(".")
            is_table = name and len(name) <= MAX_NAME and name.lower() not in _NO_TABLES
            if is_query and is_table and name.lower() not in subqueries:
                tables.setdefault(name)
    return tuple(tables)[:MAX_TABLES]


def _libraries(sources: Sequence[str]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for source in sources:
        for line in source.splitlines():
            if match := _IMPORT.match(line):
                name = match[1] or match[2]
                is_other = name in sys.stdlib_module_names or name in _OWN_MODULES
                if not is_other and len(name) <= MAX_NAME:
                    names.setdefault(_DISPLAY_NAMES.get(name, name))
    return tuple(names)[:MAX_LIBRARIES]
