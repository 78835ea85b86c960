"""DuckDB files: tables, columns with their types, and numbers of rows; never a value."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import duckdb
import pytest

from aiserver.data_files import duckdb_file
from aiserver.data_files.profile import FileProfile
from aiserver.data_files.reader import DataFiles
from aiserver.prompts.data_texts import data_file, data_file_as_line
from aiserver.prompts.language import cell_language

SHOP = """
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


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(SHOP)
    return path


@pytest.fixture(autouse=True)
def _without_cache() -> None:
    duckdb_file._cache.clear()


def described(path: Path) -> FileProfile:
    [profile] = DataFiles(str(path.parent)).describe("a.ipynb", [[path.name]])
    return profile


def test_tables_have_columns_types_and_rows_but_no_values(shop: Path) -> None:
    """P15: the values of an ENUM are a part of its type in DuckDB."""
    profile = described(shop)
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
    for text in (data_file(profile), data_file_as_line(profile, python)):
        assert "canary" not in text and "'unit price'" in text
    assert data_file_as_line(profile, python).startswith("duckdb.connect('shop.duckdb')")


def test_the_kernel_can_write_the_file_meanwhile(shop: Path) -> None:
    with duckdb.connect(shop) as connection:
        connection.execute("insert into old.codes values ('x')")
        before = shop.read_bytes()
        assert described(shop).database is not None
        assert shop.read_bytes() == before
    assert sorted(path.name for path in shop.parent.iterdir()) == ["shop.duckdb"]


def test_a_file_is_read_again_only_after_it_has_changed(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = described(shop)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("read again"))
    assert described(shop) == first
    monkeypatch.undo()
    with duckdb.connect(shop) as connection:
        connection.execute("create table more (x integer)")
    changed = described(shop).database
    assert changed is not None and changed.table_count == 4


def _damage(data: bytes) -> list[bytes]:
    return [
        b"",
        b"\0" * 8 + b"DUCK" + b"\0" * 500,
        data[:9000],
        data[:4096] + os.urandom(8192) + data[12288:],  # both headers
    ]


def test_a_damaged_file_has_its_size_only(shop: Path) -> None:
    for data in _damage(shop.read_bytes()):
        shop.write_bytes(data)
        profile = described(shop)
        assert (profile.kind, profile.size, profile.database) == ("DuckDB", len(data), None)


def test_a_huge_file_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.copyfileobj", lambda *_: pytest.fail("copied"))
    path = tmp_path / "huge.duckdb"
    with path.open("wb") as file:
        file.truncate(10**10)
    assert described(path).database is None


def test_a_slow_file_has_its_size_only(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_file, "TIMEOUT", 0.001)
    assert described(shop).database is None


def test_without_the_library_a_file_has_its_size_only(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert described(shop).database is None
