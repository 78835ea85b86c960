"""Reads the catalogue of a DuckDB file, in a child process.

The path of the file is the standard input, and the description the standard output, as JSON. The
process may use ``_MEMORY`` bytes of memory and ``_SECONDS`` of CPU time.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

_MEMORY = 2_000_000_000
_SECONDS = 4
_MAX_TABLES = 30
_MAX_COLUMNS = 200
_OPTIONS: dict[str, Any] = {
    "enable_external_access": "false",  # no other file, no network
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "threads": "1",
    "memory_limit": "256MB",
    "lock_configuration": "true",
}
_TABLES = """
    SELECT schema_name, table_name AS name, estimated_size
    FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, NULL
    FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
    ORDER BY 1, 2"""
_COLUMNS = """
    SELECT left(column_name, 300), left(data_type, 5000) FROM duckdb_columns()
    WHERE database_name = current_database() AND schema_name = ? AND table_name = ?
    ORDER BY column_index"""


def main() -> None:
    """Describe the file. Fails if the library can't read it."""
    _limit()
    import duckdb

    path = sys.stdin.buffer.read().decode()
    with duckdb.connect(path, read_only=True, config=_OPTIONS) as database:
        rows = database.execute(_TABLES).fetchall()
        tables = []
        for schema, name, size in rows[:_MAX_TABLES]:
            columns = []
            if size is not None:
                columns = database.execute(_COLUMNS, [schema, name]).fetchall()
            shown = name if schema == "main" else f"{schema}.{name}"
            tables.append(
                {
                    "name": shown[:300],
                    "rows": size,
                    "columns": columns[:_MAX_COLUMNS],
                    "column_count": len(columns),
                }
            )
    json.dump({"count": len(rows), "tables": tables}, sys.stdout)


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
