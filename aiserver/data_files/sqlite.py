"""Describe the tables of an SQLite file: their columns, types and number of rows.

Invariant: no value of a table is read. Views and virtual tables are named only, because their
columns depend on code.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from .profile import MAX_COLUMNS, MAX_NAME, Database, DatabaseTable, Table
from .sqlite_columns import columns_of
from .sqlite_pages import Damaged, SchemaEntry, SQLiteFile

_MAX_TABLES = 30


def is_sqlite(file: BinaryIO) -> bool:
    """Return whether a file begins like an SQLite file. Moves to the beginning of the file."""
    try:
        SQLiteFile(file)
    except Damaged:
        return False
    finally:
        file.seek(0)
    return True


def read_sqlite(file: BinaryIO) -> Database | None:
    """Return the description of the tables and views; None if it isn't an SQLite file."""
    try:
        source = SQLiteFile(file)
    except Damaged:
        return None
    entries = _without_parts(
        entry
        for entry in source.schema()
        if entry.kind in ("table", "view") and not entry.name.startswith("sqlite_")
    )
    tables = []
    columns_left = MAX_COLUMNS
    for entry in entries[:_MAX_TABLES]:
        table = _describe(source, entry, columns_left)
        columns_left -= len(table.table.columns)
        tables.append(table)
    return Database(tables, len(entries), source.is_complete)


def _describe(source: SQLiteFile, entry: SchemaEntry, limit: int) -> DatabaseTable:
    """Describe a table or view, with at most ``limit`` columns."""
    name = entry.name[:MAX_NAME]
    if entry.kind == "view" or _is_virtual(entry):
        return DatabaseTable(name, "view" if entry.kind == "view" else "virtual table")
    columns = columns_of(entry.statement)
    rows = source.row_count(entry.root_page)
    count, is_estimate = rows if rows else (None, False)
    table = Table(columns[:limit], len(columns), count, has_estimate=is_estimate)
    return DatabaseTable(name, "table", table)


def _is_virtual(entry: SchemaEntry) -> bool:
    return entry.statement[:20].upper().startswith("CREATE VIRTUAL TABLE")


def _without_parts(entries: Iterable[SchemaEntry]) -> list[SchemaEntry]:
    """Leave out the tables in which a virtual table stores its data, such as ``notes_content``."""
    entries = list(entries)
    owners = tuple(f"{entry.name}_" for entry in entries if _is_virtual(entry))
    return [
        entry
        for entry in entries
        if not owners or _is_virtual(entry) or not entry.name.startswith(owners)
    ]
