"""Parquet, Excel, SQLite and DuckDB files: what their libraries read of them; never a value."""

from __future__ import annotations

import os
import sqlite3
import struct
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest
from pyarrow import parquet

from aiserver.plugins.data_files import library
from aiserver.plugins.data_files.reader import DataFiles
from aiserver.prompts.data_texts import file_by_line, file_in_line
from aiserver.prompts.language import cell_language
from aiserver.prompts.prompt_input import Database, FileProfile

from ..effort import at_most
from .binary_files import excel

CANARY = "canary"
SQLITE_SHOP = """
create table orders (id integer primary key, "unit price" real not null default 4.5, 城市 text);
create table customers ([the name] varchar(20), code text unique);
create view big as select * from orders where id > 10;
insert into orders values (1, 2.5, 'canary'), (2, 3.5, 'canary');
create index by_city on orders (城市);
create virtual table notes using fts5(body);
"""
DUCKDB_SHOP = """
create type city as enum ('canary one', 'canary''s, two');
create table orders (id integer primary key, "unit price" double default 4.5, 城市 city,
    more struct(place city, counts integer[]));
insert into orders select range, 2.5, 'canary one', {'place': 'canary one', 'counts': [1]}
    from range(1000);
comment on column orders.id is 'canary';
create view big as select * from orders where id > 10;
create schema old;
create table old.codes (code varchar);
"""


@pytest.fixture(autouse=True)
def _without_cache() -> None:
    library._cache.clear()


def described(path: Path, examples: int = 0) -> FileProfile:
    """Describe a file with little work of the server's own process."""
    with at_most(25_000_000):
        [profile] = DataFiles(str(path.parent)).describe("a.ipynb", [[path.name]], examples)
    return profile


def dtypes(profile: FileProfile) -> dict[str, str]:
    return {column.name: column.dtype for column in profile.table.columns}


def database(path: Path) -> Database:
    content = described(path).database
    assert content is not None
    return content


def columns(path: Path) -> dict[str, list[tuple[str, str]]]:
    return {
        item.name: [(column.name, column.dtype.lower()) for column in item.table.columns]
        for item in database(path).tables
    }


def write_sqlite(path: Path, script: str = SQLITE_SHOP) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def write_duckdb(path: Path, script: str = DUCKDB_SHOP) -> Path:
    with duckdb.connect(path) as connection:
        connection.execute(script)
    return path


def write_parquet(path: Path) -> Path:
    table = pyarrow.table({"id": [1, 2], "名称": [CANARY, CANARY]})
    parquet.write_table(table, path)
    return path


def write_excel(path: Path, rows: list[list[Any]], **parts: bytes) -> Path:
    path.write_bytes(excel(rows, **parts))
    return path


# Parquet


def test_the_schema_of_a_parquet_file(tmp_path: Path) -> None:
    """P15: with no value, also not of a categorical column."""
    parquet.write_table(
        pyarrow.table(
            {
                "id": [1, 2],
                "名称": [CANARY, CANARY],
                "kind": pyarrow.array([CANARY, "x"]).dictionary_encode(),
                "ok": [True, False],
                "small": pyarrow.array([1, 2], pyarrow.int8()),
                "seen": pyarrow.array([1, 2], pyarrow.timestamp("us")),
                "utc": pyarrow.array([1, 2], pyarrow.timestamp("ns", "UTC")),
                "day": pyarrow.array([1, 2], pyarrow.date32()),
                "tags": [["x"], []],
                "ratio": pyarrow.array([1, 2], pyarrow.float32()),
                "__index_level_0__": [1, 2],
            }
        ),
        tmp_path / "a.parquet",
    )
    profile = described(tmp_path / "a.parquet", examples=2)
    assert dtypes(profile) == {
        "id": "int64",
        "名称": "object",
        "kind": "category",
        "ok": "bool",
        "small": "int8",
        "seen": "datetime64[us]",
        "utc": "datetime64[ns, UTC]",
        "day": "object",
        "tags": "object",
        "ratio": "float32",
    }
    assert (profile.table.row_count, profile.table.has_estimate) == (2, False)
    assert profile.table.column_count == 10 and CANARY not in repr(profile)


# Excel


def test_the_first_sheet_of_a_workbook(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["名称", "n", "price", "day", "ok", "gap"],
        ["x", 1, 1.5, ("date", 45000), True, None],
        ["y", 2, 2, ("date", 45001), False, 3],
    ]
    profile = described(write_excel(tmp_path / "a.xlsx", rows), examples=2)
    assert dtypes(profile) == {
        "名称": "object",
        "n": "int64",
        "price": "float64",
        "day": "datetime64[ns]",
        "ok": "bool",
        "gap": "float64",
    }
    assert profile.table.columns[0].examples == ["x", "y"]
    assert (profile.kind, profile.table.row_count) == ("Excel", 2)


def test_only_the_first_rows_of_a_workbook_are_looked_at(tmp_path: Path) -> None:
    rows: list[list[Any]] = [[], [None, None], ["a", "b"], *([n, n] for n in range(20_000)), ["x"]]
    profile = described(write_excel(tmp_path / "a.xlsx", rows))
    assert dtypes(profile) == {"a": "int64", "b": "int64"}
    assert (profile.table.row_count, profile.table.arguments) == (20_001, ("skiprows=2",))


@pytest.mark.parametrize(
    "rows",
    [
        [[CANARY, 1.5], ["Bob", 2.5]],
        [[CANARY, None], ["Bob", True]],
        [[CANARY, None, "Oslo"], ["Bob", "x", "Rome"]],
        [[f"Salaries of {CANARY}"], ["name", "age"], ["Bob", 6]],
        [[None, f"Salaries of {CANARY}"], [], ["name", "age", "x"], ["Bob", 6, 1]],
    ],
)
def test_a_workbook_without_a_header_shows_no_value(tmp_path: Path, rows: list[list[Any]]) -> None:
    """P15"""
    profile = described(write_excel(tmp_path / "a.xlsx", rows))
    assert CANARY not in repr(profile) and profile.table.arguments == ("header=None",)


def test_a_formula_is_not_evaluated(tmp_path: Path) -> None:
    """A model gets its stored result; a text that looks like a formula is a text."""
    sheet = b'<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>total</v></c>'
    sheet += b'<c r="B1" t="inlineStr"><is><t>=1+1</t></is></c></row><row r="2"><c r="A2">'
    sheet += b'<f>WEBSERVICE("http://example.org")</f><v>7</v></c><c r="B2"><f>2+2</f></c></row>'
    sheet += b"</sheetData></worksheet>"
    profile = described(write_excel(tmp_path / "a.xlsx", [["a"]], sheet=sheet))
    assert dtypes(profile) == {"total": "int64", "=1+1": "float64"}


# Databases


@pytest.mark.parametrize("extension", ["sqlite", "sqlite3", "db", "DB"])
def test_tables_of_sqlite_have_columns_with_declared_types(tmp_path: Path, extension: str) -> None:
    """P15: and no values."""
    path = write_sqlite(tmp_path / f"shop.{extension}")
    assert columns(path) == {
        "orders": [("id", "integer"), ("unit price", "real"), ("城市", "text")],
        "customers": [("the name", "varchar(20)"), ("code", "text")],
        "big": [],
        "notes": [],
    }
    tables = database(path).tables
    assert [item.kind for item in tables] == ["table", "table", "view", "virtual table"]
    assert [item.table.row_count for item in tables] == [2, 0, None, None]
    assert CANARY not in repr(described(path))


def test_no_value_is_in_a_declared_type(tmp_path: Path) -> None:
    """P15: SQLite allows any text as a type."""
    path = tmp_path / "a.sqlite"
    types = [f"ENUM ('{CANARY}','x')", f"SET('{CANARY}')", f"enum('{CANARY}"]
    with closing(sqlite3.connect(path)) as connection:
        declared = ", ".join(f'c{n} "{type_}"' for n, type_ in enumerate(types))
        connection.execute(f"create table t ({declared})")
    assert len(columns(path)["t"]) == 3
    assert CANARY not in repr(described(path))


@pytest.mark.parametrize(("count", "step"), [(9_999, 1), (60_000, 1), (60_000, 2**40)])
def test_the_number_of_rows_of_sqlite_is_estimated(tmp_path: Path, count: int, step: int) -> None:
    path = write_sqlite(tmp_path / "a.db", "create table a (x); create table b (k primary key)"
                        " without rowid;")  # fmt: skip
    with closing(sqlite3.connect(path)) as connection, connection:
        ids = ((n * step - 2**60,) for n in range(count))
        connection.executemany("insert into a (rowid) values (?)", ids)
    table, without_ids = (item.table for item in database(path).tables)
    assert table.row_count is not None and abs(table.row_count - count) < count / 1000
    assert table.has_estimate == (count > 10_000)
    assert without_ids.row_count is None


def test_another_file_with_the_extension_db_is_ignored(tmp_path: Path) -> None:
    for content in (b"", b"key=value\n", b"\0" * 4096):
        (tmp_path / "a.db").write_bytes(content)
        assert DataFiles(str(tmp_path)).describe("a.ipynb", [["a.db"]]) == []


def test_wide_tables_share_the_maximum_number_of_columns(tmp_path: Path) -> None:
    wide = ", ".join(f"c{n}" for n in range(150))
    tables = "".join(f"create table t{n} ({wide});" for n in range(40))
    content = database(write_sqlite(tmp_path / "a.sqlite", tables))
    assert (content.table_count, len(content.tables)) == (40, 30)
    assert [len(item.table.columns) for item in content.tables[:3]] == [150, 50, 0]
    assert content.tables[2].table.column_count == 150


def test_a_link_that_changes_before_sqlite_opens_it_is_not_followed(tmp_path: Path) -> None:
    """P5: the library opens the file by its path."""
    write_sqlite(tmp_path / "other.sqlite")
    path = write_sqlite(tmp_path / "a.sqlite")
    with path.open("rb") as file:
        path.rename(tmp_path / "old")
        assert library.read_with_library(file, "SQLite") is not None
        (tmp_path / "old").unlink()
        (tmp_path / "old (deleted)").symlink_to("other.sqlite")
        library._cache.clear()
        assert library.read_with_library(file, "SQLite") is None


def test_tables_of_duckdb_have_columns_types_and_rows_but_no_values(tmp_path: Path) -> None:
    """P15: the values of an ENUM are a part of its type in DuckDB."""
    profile = described(write_duckdb(tmp_path / "shop.duckdb"))
    assert profile.database is not None and profile.database.table_count == 3
    big, orders, codes = profile.database.tables
    assert (big.name, big.kind, big.table.columns) == ("big", "view", [])
    assert (codes.name, codes.kind) == ("old.codes", "table")
    assert (orders.table.row_count, orders.table.has_estimate) == (1000, True)
    assert [(column.name, column.dtype) for column in orders.table.columns] == [
        ("id", "INTEGER"),
        ("unit price", "DOUBLE"),
        ("城市", "ENUM"),
        ("more", "STRUCT(place ENUM, counts INTEGER[])"),
    ]
    python = cell_language("python")
    for text in (file_by_line(profile), file_in_line(profile, python)):
        assert CANARY not in text and "'unit price'" in text
    assert file_in_line(profile, python).startswith("duckdb.connect('shop.duckdb')")


def test_the_kernel_can_write_a_database_meanwhile(tmp_path: Path) -> None:
    path = write_duckdb(tmp_path / "a.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("insert into old.codes values ('x')")
        before = path.read_bytes()
        assert described(path).database is not None
        assert path.read_bytes() == before
    path = write_sqlite(tmp_path / "a.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("begin exclusive")
        assert "orders" in columns(path)
        connection.execute("commit")
        connection.execute("pragma journal_mode=wal")
    assert "orders" in columns(path)
    assert {entry.name for entry in tmp_path.iterdir()} == {"a.duckdb", "a.sqlite"}


# The child process


WRITERS = {
    "a.parquet": write_parquet,
    "a.sqlite": write_sqlite,
    "a.duckdb": write_duckdb,
    "a.xlsx": lambda path: write_excel(path, [["a", "b"], ["x", ("date", 1)], [True, 2.5]]),
}


@pytest.mark.parametrize("name", ["a.parquet", "a.duckdb", "a.xlsx"])
def test_without_the_library_the_prompt_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    WRITERS[name](tmp_path / name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("started"))
    profile = described(tmp_path / name)
    package = {"Parquet": "pyarrow", "DuckDB": "duckdb", "Excel": "python-calamine"}[profile.kind]
    expected = f", not described: {package} isn't installed beside Jupyter"
    assert file_by_line(profile).endswith(expected)
    assert file_in_line(profile, cell_language("python")).endswith(expected)


def test_a_file_is_read_again_only_after_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_sqlite(tmp_path / "a.sqlite")
    first = described(path)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("read again"))
    assert described(path) == first
    monkeypatch.undo()
    write_sqlite(path, "create table more (x integer)")
    assert "more" in columns(path)


def test_a_slow_file_has_its_size_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_sqlite(tmp_path / "a.sqlite")
    monkeypatch.setattr(library, "TIMEOUT", 0.001)
    monkeypatch.setattr(library, "RETRY_AFTER", 0)
    profile = described(path)
    assert (profile.size, profile.database) == (path.stat().st_size, None)
    monkeypatch.undo()  # the machine was busy
    assert described(path).database is not None


def delete(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    write_sqlite(path.with_name("new"), "create table other (x integer)").replace(path)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("change", [delete, replace, empty])
@pytest.mark.parametrize("is_read_before", [True, False])
def test_a_file_that_goes_away_while_it_is_read_is_not_described(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    is_read_before: bool,
) -> None:
    path, run = write_sqlite(tmp_path / "a.sqlite"), subprocess.run

    def changed_meanwhile(*arguments: Any, **options: Any) -> Any:
        finished = run(*arguments, **options) if is_read_before else None
        change(path)
        return finished or run(*arguments, **options)

    monkeypatch.setattr(subprocess, "run", changed_meanwhile)
    profile = described(path)
    assert profile.database is None and library._cache == {}
    assert file_by_line(profile) == "'a.sqlite': SQLite file, 41.0 kB, not described"
    line = file_in_line(profile, cell_language("python"))
    assert line == "File 'a.sqlite': 41.0 kB, not described"


def test_a_file_that_was_away_for_a_moment_is_described_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, away = write_sqlite(tmp_path / "a.sqlite"), tmp_path / "away"

    def fail(*_: Any, **__: Any) -> Any:
        path.rename(away)  # SQLite looks for the path that the file had before
        raise subprocess.CalledProcessError(1, "read")

    monkeypatch.setattr(subprocess, "run", fail)
    assert described(path).database is None
    monkeypatch.undo()
    away.rename(path)
    assert described(path).database is not None


def test_a_huge_duckdb_file_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.copyfileobj", lambda *_: pytest.fail("copied"))
    with (tmp_path / "huge.duckdb").open("wb") as file:
        file.truncate(10**10)
    assert described(tmp_path / "huge.duckdb").database is None


def _replace_middle(data: bytes) -> bytes:
    return data[:100] + os.urandom(len(data) - 200) + data[-100:]


@pytest.mark.parametrize("damage", [lambda data: data[:60], _replace_middle])
@pytest.mark.parametrize("name", WRITERS)
def test_a_damaged_file_has_its_size_only(
    tmp_path: Path, name: str, damage: Callable[[bytes], bytes]
) -> None:
    path = WRITERS[name](tmp_path / name)
    path.write_bytes(damage(path.read_bytes()))
    profile = described(path)
    assert (profile.size, dtypes(profile), profile.database) == (path.stat().st_size, {}, None)


def cycle(data: bytearray) -> None:
    """Make the first page of SQLite's schema its own child."""
    data[100] = 5
    struct.pack_into(">HHBI", data, 103, 1, 500, 0, 1)
    struct.pack_into(">H", data, 112, 600)
    struct.pack_into(">I", data, 600, 1)


def test_a_hostile_database_is_read_in_bounded_time(tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "a.sqlite")
    data = bytearray(path.read_bytes())
    cycle(data)
    path.write_bytes(data)
    assert described(path).database is None


BOMB = b"<x>" + b"a" * 200_000_000 + b"</x>"
ENTITIES = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><x>&c;&c;&c;</x>"""


@pytest.mark.parametrize("part", ["sheet", "shared"])
@pytest.mark.parametrize("data", [BOMB, ENTITIES, b"<row>" * 10**6])
def test_a_bomb_is_unpacked_in_the_child_only(tmp_path: Path, part: str, data: bytes) -> None:
    path = write_excel(tmp_path / "a.xlsx", [["a", "b"], ["x", ("date", 1)]], **{part: data})
    assert CANARY not in repr(described(path))


def test_a_huge_position_in_a_sheet_needs_bounded_memory(tmp_path: Path) -> None:
    sheet = b'<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576">'
    sheet += b'<c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    path = write_excel(tmp_path / "a.xlsx", [["a"]], sheet=sheet)
    assert described(path).table.columns == ()
