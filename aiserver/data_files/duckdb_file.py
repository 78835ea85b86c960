"""Describe the tables of a DuckDB file: their columns, types and number of rows.

Only DuckDB's own library can read such a file. It opens a copy, in a child process that ends after
``TIMEOUT``: the library locks the files that it opens, and a damaged file could crash it.

Invariants:

- No value of a table is read, and none is in a type: ``ENUM('Oslo')`` becomes ``ENUM``. Views are
  named only, because their columns depend on code.
- The file itself is only copied, so the person's kernel can open it at any time. What isn't yet
  written to it, but to its log (``.wal``), isn't described.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from ..child_process import command_of
from ..surrogates import fix_surrogates
from .profile import MAX_COLUMNS, MAX_NAME, Database, DatabaseTable, Table, describe_column

MAX_COPY = 64_000_000  # bytes; a larger file isn't described
TIMEOUT = 4.0  # seconds, with the start of the process and the import of the library
_MAX_CACHED = 20
_VALUES = re.compile(r"ENUM\((?:'(?:[^']|'')*(?:'|\Z)(?:, )?)*\)?")  # the type can be cut
_COMMAND = command_of("aiserver.data_files.duckdb_worker")
_cache: dict[tuple[int, ...], Database | None] = {}


def read_duckdb(file: BinaryIO) -> Database | None:
    """Return the description of the tables and views.

    Return None if it isn't a DuckDB file that the installed library can read, if there is no such
    library, or if the file is too large to copy. Raises OSError.
    """
    status = os.fstat(file.fileno())
    key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    if status.st_size > MAX_COPY or importlib.util.find_spec("duckdb") is None:
        return None
    if key not in _cache:
        while len(_cache) >= _MAX_CACHED:
            del _cache[next(iter(_cache))]
        described = _describe_copy(file)
        _cache[key] = None if described is None else _database(described)
    return _cache[key]


def _describe_copy(file: BinaryIO) -> dict[str, Any] | None:
    """Return what the child process says of a copy of the file; None if it fails."""
    with tempfile.TemporaryDirectory(prefix="aiserver-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "copy.duckdb"
        with path.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        try:
            finished = subprocess.run(
                _COMMAND,
                input=str(path).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONSAFEPATH": "1"},
                timeout=TIMEOUT,
                check=True,
            )
            return dict(json.loads(finished.stdout))
        except (subprocess.SubprocessError, ValueError):
            return None


def _database(described: dict[str, Any]) -> Database:
    tables = []
    columns_left = MAX_COLUMNS
    for item in described["tables"]:
        columns = [
            describe_column(name, _VALUES.sub("ENUM", dtype))
            for name, dtype in item["columns"][:columns_left]
        ]
        columns_left -= len(columns)
        table = Table(columns, item["column_count"], item["rows"], has_estimate=True)
        is_view = item["rows"] is None
        name = fix_surrogates(item["name"][:MAX_NAME])
        tables.append(DatabaseTable(name, "view" if is_view else "table", table))
    return Database(tables, described["count"])
