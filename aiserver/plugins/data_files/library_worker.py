"""Reads a data file with the library of its format, in a child process.

The file is the standard input, its kind the only argument, and the answer JSON on the standard
output. Imports nothing of this package. May use ``_MEMORY`` bytes and ``_SECONDS`` of CPU time. If
a library can't read the file, the process fails.

Invariants: nothing of a database runs, and no row of a database or of a Parquet file is read.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import sys
from typing import Any

_MEMORY = 2_000_000_000
_SECONDS = 4
_MAX_TABLES = 30
_MAX_COLUMNS = 200
_MAX_TEXT = 300  # characters
_MAX_ROWS = 31  # of a sheet
_SAMPLE = 10_000  # rows from which the number of all is estimated
_DUCKDB_OPTIONS: dict[str, Any] = {
    "enable_external_access": "false",  # no other file, no network
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "threads": "1",
    "memory_limit": "256MB",
    "lock_configuration": "true",
}
_DUCKDB_TABLES = """
    SELECT schema_name, table_name AS name, estimated_size
    FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, NULL
    FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
    ORDER BY 1, 2"""
_DUCKDB_COLUMNS = """
    SELECT left(column_name, 300), left(data_type, 5000) FROM duckdb_columns()
    WHERE database_name = current_database() AND schema_name = ? AND table_name = ?
    ORDER BY column_index"""
_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}


def main() -> None:
    """Write the content. A DuckDB file's argument is followed by its path."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    kind, *path = sys.argv[1:]
    if kind == "Parquet":
        content = _parquet()
    elif kind == "Excel":
        content = _excel()
    else:
        content = _sqlite() if kind == "SQLite" else _duckdb(*path)
    json.dump(content, sys.stdout)


def _parquet() -> dict[str, Any]:
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(sys.stdin.buffer)
    fields = [  # pandas reads the others as the index
        field for field in file.schema_arrow if not field.name.startswith("__index_level_")
    ]
    columns = [(field.name[:_MAX_TEXT], _pandas_dtype(field.type)) for field in fields]
    return {
        "columns": columns[:_MAX_COLUMNS],
        "column_count": len(columns),
        "rows": file.metadata.num_rows,
    }


def _pandas_dtype(arrow_type: Any) -> str:
    from pyarrow import types

    name = str(arrow_type)
    if types.is_timestamp(arrow_type):
        zone = f", {arrow_type.tz}" if arrow_type.tz else ""
        return f"datetime64[{arrow_type.unit}{zone}]"
    if types.is_dictionary(arrow_type):
        return "category"
    is_plain = types.is_integer(arrow_type) or types.is_boolean(arrow_type)
    return name if is_plain else _FLOATS.get(name, "object")


def _excel() -> dict[str, Any]:
    """Return the first rows of the first sheet, and how many it has. A date becomes []."""
    from python_calamine import CalamineWorkbook

    sheet = CalamineWorkbook.from_filelike(sys.stdin.buffer).get_sheet_by_index(0)
    rows = sheet.to_python(skip_empty_area=False, nrows=_MAX_ROWS)
    cells = [[_cell(value) for value in row[:_MAX_COLUMNS]] for row in rows]
    return {"rows": cells, "count": sheet.end[0] + 1 if sheet.end else 0}


def _cell(value: Any) -> Any:
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return []
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        return value[: 2 * _MAX_TEXT] or None
    return value


def _sqlite() -> dict[str, Any]:
    """Return tables and views, without locking the file or reading its write-ahead log."""
    import sqlite3

    database = sqlite3.connect("file:/dev/fd/0?mode=ro&immutable=1", uri=True)
    # SQLite opens the path, which may have become a link to another file.
    if not any(map(_is_input, range(3, 20))):
        raise OSError("not the same file")
    database.text_factory = lambda data: data.decode(errors="replace")
    entries = database.execute(
        "SELECT name, type, sql LIKE 'create virtual table%' FROM sqlite_master"
        " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    # The tables in which a virtual table stores its data, such as `notes_content`.
    owners = tuple(f"{name}_" for name, _, is_virtual in entries if is_virtual)
    entries = [entry for entry in entries if entry[2] or not entry[0].startswith(owners)]
    tables = []
    for name, kind, is_virtual in entries[:_MAX_TABLES]:
        table: dict[str, Any] = {"name": name[:_MAX_TEXT], "kind": kind}
        if is_virtual:
            table["kind"] = "virtual table"
        elif kind == "table":
            query = (
                "SELECT substr(name, 1, 300), lower(substr(type, 1, 60)) FROM pragma_table_xinfo(?)"
            )
            columns = database.execute(query, [name]).fetchall()
            table |= {"columns": columns[:_MAX_COLUMNS], "column_count": len(columns)}
            with contextlib.suppress(sqlite3.Error):  # a table without ids, or a damaged one
                table |= _sqlite_rows(database, name)
        tables.append(table)
    return {"tables": tables, "count": len(entries)}


def _is_input(descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.fstat(0))
    except OSError:
        return False


def _sqlite_rows(database: Any, name: str) -> dict[str, Any]:
    """Return the number of rows. Only ids are read, from which many rows are estimated."""
    table = '"' + name.replace('"', '""') + '"'
    # A table's name can't be a parameter, so it is quoted.
    sample = f"SELECT _rowid_ AS id FROM {table} ORDER BY id LIMIT {_SAMPLE}"  # noqa: S608
    query = f"SELECT count(*), min(id), max(id) FROM ({sample})"  # noqa: S608
    [(count, first, last)] = database.execute(query)
    if count < _SAMPLE:
        return {"rows": count}
    [(end,)] = database.execute(f"SELECT max(_rowid_) FROM {table}")  # noqa: S608
    return {"rows": round(count * (end - first + 1) / (last - first + 1)), "has_estimate": True}


def _duckdb(path: str) -> dict[str, Any]:
    import duckdb

    with duckdb.connect(path, read_only=True, config=_DUCKDB_OPTIONS) as database:
        entries = database.execute(_DUCKDB_TABLES).fetchall()
        tables = []
        for schema, name, size in entries[:_MAX_TABLES]:
            shown = name if schema == "main" else f"{schema}.{name}"
            table: dict[str, Any] = {"name": shown[:_MAX_TEXT], "kind": "view"}
            if size is not None:
                columns = database.execute(_DUCKDB_COLUMNS, [schema, name]).fetchall()
                table |= {"kind": "table", "rows": size, "has_estimate": True}
                table |= {"columns": columns[:_MAX_COLUMNS], "column_count": len(columns)}
            tables.append(table)
    return {"tables": tables, "count": len(entries)}
