"""SQLite files: tables, columns with their declared types, and numbers of rows; never a value."""

from __future__ import annotations

import os
import random
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.data_files.profile import Database, FileProfile
from aiserver.data_files.reader import DataFiles
from aiserver.data_files.sqlite_columns import UNTYPED, columns_of
from aiserver.data_files.sqlite_pages import MAX_READ

from ..effort import at_most
from ..examples import examples
from .test_hostile_files import reads

__all__ = ["reads"]  # a fixture

SHOP = """
create table orders (id integer primary key, "unit price" real not null default 4.5, 城市 text);
create table customers ([the name] varchar(20), code text unique);
create view big as select * from orders where id > 10;
insert into orders values (1, 2.5, 'canary'), (2, 3.5, 'canary');
create index by_city on orders (城市);
"""


def write(path: Path, script: str) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def described(path: Path) -> FileProfile | None:
    """Describe a file with little work; None if it is ignored."""
    with at_most(25_000_000):
        profiles = DataFiles(str(path.parent)).describe("n.ipynb", [[path.name]], examples=3)
    return profiles[0] if profiles else None


def database(path: Path) -> Database:
    profile = described(path)
    assert profile is not None and profile.database is not None
    return profile.database


def columns(path: Path) -> dict[str, list[tuple[str, str]]]:
    return {
        item.name: [(column.name, column.dtype) for column in item.table.columns]
        for item in database(path).tables
    }


@pytest.mark.parametrize("extension", ["sqlite", "sqlite3", "db", "DB"])
def test_tables_have_columns_with_declared_types_and_no_values(
    tmp_path: Path, extension: str
) -> None:
    path = tmp_path / f"shop.{extension}"
    write(path, SHOP)
    assert columns(path) == {
        "orders": [("id", "integer"), ("unit price", "real"), ("城市", "text")],
        "customers": [("the name", "varchar(20)"), ("code", "text")],
        "big": [],
    }
    tables = database(path).tables
    assert [item.kind for item in tables] == ["table", "table", "view"]
    assert [item.table.row_count for item in tables] == [2, 0, None]
    assert "canary" not in repr(described(path))


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
@pytest.mark.parametrize("size", [512, 4096, 65536])
def test_all_encodings_and_sizes_of_pages_are_read(
    tmp_path: Path, encoding: str, size: int
) -> None:
    path = tmp_path / "a.sqlite"
    wide = ", ".join(f"column_{n} int" for n in range(100))  # continues in overflow pages
    script = f"pragma page_size={size}; pragma encoding='{encoding}'; create table wide ({wide});"
    write(path, script + SHOP)
    shown = columns(path)
    assert [name for name, _ in shown["wide"]] == [f"column_{n}" for n in range(100)]
    assert [name for name, _ in shown["orders"]] == ["id", "unit price", "城市"]


def test_the_number_of_rows_is_estimated(tmp_path: Path) -> None:
    chance = random.Random(1)
    for count in (0, 1, 100, 3_000, 60_000):
        path = tmp_path / f"{count}.db"
        write(path, "create table a (x text); create table b (k text primary key) without rowid;")
        with closing(sqlite3.connect(path)) as connection, connection:
            texts = (("x" * (n % 40),) for n in range(count))
            connection.executemany("insert into a values (?)", texts)
            keys = ((str(chance.random()),) for _ in range(count))
            connection.executemany("insert into b values (?)", keys)
        first, second = (item.table for item in database(path).tables)
        assert first.row_count is not None and second.row_count is not None
        assert 0.9 * count <= first.row_count <= count  # at most as many rows as ids
        assert abs(second.row_count - count) <= count / 2
        assert first.has_estimate == second.has_estimate == (count >= 3_000)


def test_negative_and_sparse_ids_do_not_count_as_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    write(path, "create table a (x)")
    with closing(sqlite3.connect(path)) as connection, connection:
        ids = ((n * 2**50 - 2**60,) for n in range(1_000))
        connection.executemany("insert into a (rowid) values (?)", ids)
    count = database(path).tables[0].table.row_count
    assert count is not None and 500 <= count <= 2_000


def test_virtual_tables_are_named_without_the_tables_of_their_data(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    write(path, "create virtual table notes using fts5(body); create table notes2 (a);")
    tables = database(path).tables
    assert [(item.name, item.kind) for item in tables] == [
        ("notes", "virtual table"),
        ("notes2", "table"),
    ]


def test_another_file_with_the_extension_db_is_ignored(tmp_path: Path) -> None:
    for content in (b"", b"key=value\n", b"SQLite format 3\0", b"\0" * 4096):
        (tmp_path / "a.db").write_bytes(content)
        assert described(tmp_path / "a.db") is None
        (tmp_path / "a.sqlite").write_bytes(content)
        profile = described(tmp_path / "a.sqlite")
        assert profile is not None and profile.database is None


TABLES = [
    "create table t (a, b)",
    "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b VARCHAR( 10 ) NOT NULL, c)",
    "create table t (a decimal(10, 2) default (1 + (2)), b text check (b <> ','), c as (a * 2))",
    'create table t ("a,""b" text, `c``d` int, [e f] double precision, \'g\' blob)',
    "create table t (a int, -- a comment, with a comma\n b /* and, another */ text)",
    "create table t (a int references other (x), b, primary key (a, b), unique (b), check (a > 1))",
    "create table t (a int constraint c not null, b unsigned big int collate nocase)",
    "create table [a (b] (x long varchar (255) unique on conflict ignore, foreign key (x)"
    " references t (y))",
    "create table t (城市 文本, value generated always as (1) virtual)",
    "create table t as select 1 as a, 'x' as b",
]


@pytest.mark.parametrize("statement", TABLES)
def test_the_columns_of_a_statement_are_those_that_sqlite_reads(statement: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(statement)
        query = "select name, sql from sqlite_schema where name not like 'sqlite_%'"
        [[name, stored]] = connection.execute(query).fetchall()
        rows = connection.execute("select name, type from pragma_table_xinfo(?)", [name])
        expected = [(column, dtype.upper().replace(" ", "")) for column, dtype in rows]
    actual = [
        (column.name, "" if column.dtype == UNTYPED else column.dtype.upper().replace(" ", ""))
        for column in columns_of(stored)
    ]
    # SQLite removes these words from the type of a generated column.
    assert actual == [(name, dtype.removesuffix("GENERATEDALWAYS")) for name, dtype in expected]


@pytest.mark.parametrize(
    "statement",
    [
        *("", "create view t as select 1", "create table", "create table t", "select 1"),
        *("CREATE TABLE t (" + "(" * 60_000, "CREATE TABLE t (" + "[" * 60_000),
        *("CREATE TABLE t (a " + '"' * 59_999, "CREATE TABLE t (/*" * 6_000),
        *("CREATE TABLE t (" + "a," * 30_000, "CREATE TABLE t (a" + " int" * 20_000),
    ],
)
def test_a_hostile_statement_is_read_quickly(statement: str) -> None:
    with at_most(50_000_000):
        for column in columns_of(statement):
            assert len(column.name) <= 200 and len(column.dtype) <= 60


@settings(max_examples=examples(300), deadline=None)
@given(st.text(alphabet="ab ,()[]\"'`-/*\n1城", max_size=80))
def test_any_statement_can_be_read(text: str) -> None:
    for column in columns_of(f"CREATE TABLE t ({text}"):
        assert "\n" not in column.dtype


Patch = Callable[[bytearray], None]


def cycle(data: bytearray) -> None:
    """Make the first page of the schema its own child."""
    data[100] = 5
    struct.pack_into(">HHBI", data, 103, 1, 500, 0, 1)
    struct.pack_into(">H", data, 112, 600)
    struct.pack_into(">I", data, 600, 1)


def overlapping(data: bytearray) -> None:
    """Let many entries of the schema be the same one."""
    [position] = struct.unpack_from(">H", data, 108)
    struct.pack_into(">H", data, 103, 1_500)
    for index in range(1_500):
        struct.pack_into(">H", data, 108 + 2 * index, position)


def far_roots(data: bytearray) -> None:
    """Let tables begin at pages that don't exist."""
    at = data.find(b"orders")
    while at >= 0:
        data[at + 12] = 0x7F
        at = data.find(b"orders", at + 1)


def deep(data: bytearray) -> None:
    """Let each page of a table have itself as its only child."""
    size = 4096
    for number in range(2, len(data) // size + 1):
        start = (number - 1) * size
        data[start] = 5
        struct.pack_into(">HHBI", data, start + 3, 0, 0, 0, number)


@pytest.mark.parametrize("patch", [cycle, overlapping, far_roots, deep])
def test_a_hostile_schema_is_read_in_bounded_time(
    tmp_path: Path, patch: Patch, reads: list[int]
) -> None:
    path = tmp_path / "a.sqlite"
    write(path, SHOP)
    data = bytearray(path.read_bytes())
    patch(data)
    path.write_bytes(data)
    assert len(database(path).tables) <= 30
    assert sum(reads) <= MAX_READ + 200


def test_a_huge_schema_is_cut(tmp_path: Path, reads: list[int]) -> None:
    path = tmp_path / "a.sqlite"
    long = "x" * 20_000
    tables = "".join(f"create table t{n} (a, b default '{long}');" for n in range(300))
    write(path, f"begin; create table first (a); {tables} commit;")
    read = database(path)
    assert read.tables[0].table.column_count == 1
    assert 5 < read.table_count < 300 and not read.is_complete
    assert sum(reads) <= MAX_READ + 200


def test_wide_tables_share_the_maximum_number_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    wide = ", ".join(f"c{n}" for n in range(150))
    write(path, f"create table a ({wide}); create table b ({wide}); create table c ({wide});")
    tables = [item.table for item in database(path).tables]
    assert [len(table.columns) for table in tables] == [150, 50, 0]
    assert [table.column_count for table in tables] == [150] * 3


def test_every_damaged_byte_is_survived(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    write(path, f"pragma page_size=512; {SHOP}")
    valid = path.read_bytes()
    chance = random.Random(3)
    for at in range(0, len(valid), 11):
        damaged = bytearray(valid)
        damaged[at] = chance.randrange(256)
        path.write_bytes(damaged)
        described(path)
        path.write_bytes(valid[:at])
        described(path)


def test_little_of_a_large_file_is_read(tmp_path: Path, reads: list[int]) -> None:
    path = tmp_path / "a.sqlite"
    write(path, SHOP)
    os.truncate(path, 10 * 2**30)  # a sparse file
    assert list(columns(path)) == ["orders", "customers", "big"]
    assert sum(reads) <= 10 * 4096 * 2


def test_a_database_that_another_process_writes_is_neither_locked_nor_changed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.sqlite"
    write(path, SHOP)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("begin exclusive")
        assert list(columns(path)) == ["orders", "customers", "big"]
        connection.execute("commit")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.sqlite"]
