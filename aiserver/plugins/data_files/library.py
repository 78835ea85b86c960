"""Describe Parquet, Excel, SQLite and DuckDB files with their libraries.

These run in a child process, which ends after ``TIMEOUT``: a hostile or damaged file could take
long, need much memory or crash them. Descriptions are cached until the file changes.

Invariants:

- No value of a database or a Parquet file is described, and none is in a type: ``ENUM('Oslo')``
  becomes ``ENUM``. Views and virtual tables are only named, because their columns depend on code.
- The file is neither locked nor changed, so that the person's kernel can write it. DuckDB's library
  would lock it, so it gets a copy. What is only in a log isn't described.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from ...child_process import command_of
from ...durable import Stamp
from ...prompts.prompt_input import (
    MAX_COLUMNS,
    MAX_NAME,
    Database,
    DatabaseTable,
    Table,
    describe_column,
)
from ...surrogates import fix_surrogates
from .dtypes import Date, dtype_of_values
from .table import describe_rows

TIMEOUT = 4.0  # seconds, with the start and imports
RETRY_AFTER = 60.0  # seconds until a slow file is read again
MAX_COPY = 64_000_000  # bytes; a larger DuckDB file isn't described
UNTYPED = "no type"  # SQLite allows columns without a type
_PACKAGES = {"Parquet": "pyarrow", "Excel": "python-calamine", "DuckDB": "duckdb"}
_MAX_CACHED = 20
_VALUES = re.compile(r"ENUM\((?:'(?:[^']|'')*(?:'|\Z)(?:, )?)*\)?", re.IGNORECASE)  # may be cut
_TEXT = re.compile(r"'(?:[^']|'')*(?:'|\Z)")  # in a type with another name
_COMMAND = command_of("aiserver.plugins.data_files.library_worker")
_cache: dict[tuple[Any, ...], tuple[Any, float]] = {}


def missing_package(kind: str) -> str:
    """Return the package for files of this kind; "" if it is installed."""
    package = _PACKAGES.get(kind, "")
    is_installed = not package or importlib.util.find_spec(package.replace("-", "_"))
    return "" if is_installed else package


def read_with_library(file: BinaryIO, kind: str, examples: int = 0) -> Table | Database | None:
    """Describe a file.

    Return None if it isn't of this kind, its library is missing or fails, it changes meanwhile, or
    a DuckDB file is too large to copy. Raises OSError.
    """
    status = os.fstat(file.fileno())
    if missing_package(kind) or (kind == "DuckDB" and status.st_size > MAX_COPY):
        return None
    key = (kind, status.st_dev, Stamp.of(status))
    if key not in _cache or time.monotonic() > _cache[key][1]:
        result = _content_of_copy(file) if kind == "DuckDB" else _content(file, kind)
        after = os.fstat(file.fileno())
        if (after.st_nlink, after.st_size) != (status.st_nlink, status.st_size):
            return None
        while len(_cache) >= _MAX_CACHED:
            _cache.pop(next(iter(_cache)), None)
        _cache[key] = result
    content, _ = _cache[key]
    if content is None:
        return None
    if kind == "Excel":
        return _sheet(content, examples)
    return _table(content, MAX_COLUMNS) if kind == "Parquet" else _database(content)


def _content_of_copy(file: BinaryIO) -> tuple[Any, float]:
    with tempfile.TemporaryDirectory(prefix="aiserver-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "copy.duckdb"
        with path.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        return _content(file, "DuckDB", str(path))


def _content(file: BinaryIO, *arguments: str) -> tuple[Any, float]:
    """Return the child's answer, None if it fails, and until when that is true."""
    # numpy's threads would reserve parts of the child's memory.
    environment = {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        finished = subprocess.run(
            [*_COMMAND, *arguments],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            timeout=TIMEOUT,
            check=True,
        )
        return json.loads(finished.stdout), math.inf
    except subprocess.TimeoutExpired:  # the machine or its disk may be busy
        return None, time.monotonic() + RETRY_AFTER
    except (subprocess.SubprocessError, ValueError) as error:
        # The system may have killed it for lack of memory.
        was_killed = getattr(error, "returncode", 0) < 0
        return None, time.monotonic() + RETRY_AFTER if was_killed else math.inf


def _sheet(content: dict[str, Any], examples: int) -> Table:
    rows = [[Date() if value == [] else value for value in row] for row in content["rows"]]
    is_complete = content["count"] == len(rows)
    blank_count = next((i for i, row in enumerate(rows) if row != [None] * len(row)), len(rows))
    rows = rows[blank_count:]  # `skiprows` below skips them, too
    table = describe_rows(
        rows, examples=examples, is_complete=is_complete, dtype_of=dtype_of_values
    )
    arguments = [
        *([f"skiprows={blank_count}"] if blank_count and rows else []),
        *([] if table.has_header else ["header=None"]),
    ]
    row_count = content["count"] - blank_count - table.has_header
    return replace(table, arguments=tuple(arguments), row_count=row_count if rows else None)


def _table(content: dict[str, Any], limit: int) -> Table:
    columns = [
        describe_column(name, _TEXT.sub("…", _VALUES.sub("ENUM", dtype)) or UNTYPED)
        for name, dtype in content.get("columns", ())[:limit]
    ]
    has_estimate = content.get("has_estimate", False)
    count = content.get("column_count", 0)
    return Table(columns, count, content.get("rows"), has_estimate=has_estimate)


def _database(content: dict[str, Any]) -> Database:
    tables = []
    columns_left = MAX_COLUMNS
    for item in content["tables"]:
        table = _table(item, columns_left)
        columns_left -= len(table.columns)
        name = fix_surrogates(item["name"][:MAX_NAME])
        tables.append(DatabaseTable(name, item["kind"], table))
    return Database(tables, content["count"])
