"""Damaged, huge and malicious files: little is read, and the result has no columns."""

from __future__ import annotations

import io
import random
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.data_files import excel as excel_module
from aiserver.data_files.profile import FileProfile
from aiserver.data_files.reader import MAX_BYTES, DataFiles

from ..effort import at_most
from ..examples import examples
from .binary_files import excel, parquet

NAMES = [
    *("a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "a.xlsx", "a.xls"),
    *("a.sqlite", "a.duckdb"),
]
PIECES = [
    rb"\ud83d",
    rb"\ude00",
    b'"',
    b"{",
    b"[",
    b",",
    b"<",
    b">",
    b"/>",
    b"\0",
    b"\xff" * 9,
    b"9" * 5000,
]
BOMB = b"<x>" + b"a" * 200_000_000 + b"</x>"
ENTITIES = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><x>&c;&c;&c;</x>"""


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Record the number of bytes of each read."""
    sizes: list[int] = []

    class Recording(io.FileIO):
        def read(self, size: int = -1) -> bytes:
            data = super().read(size)
            sizes.append(len(data))
            return data

    def recording_fdopen(descriptor: int, *_: Any, **__: Any) -> Recording:
        return Recording(descriptor)

    monkeypatch.setattr("aiserver.data_files.folder.os.fdopen", recording_fdopen)
    yield sizes


def described(folder: Path, name: str) -> FileProfile:
    """Describe a file with little work."""
    with at_most(25_000_000):
        [profile] = DataFiles(str(folder)).describe("n.ipynb", [[name]], examples=3)
    return profile


@pytest.mark.parametrize("name", NAMES)
def test_little_of_a_gigabyte_is_read(tmp_path: Path, reads: list[int], name: str) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(1 << 30)  # a sparse file
    profile = described(tmp_path, name)
    assert (profile.table.columns, profile.size) == ((), 1 << 30)
    assert sum(reads) <= excel_module.MAX_READ
    if name[-4:] in (".csv", ".tsv", "json", "sonl"):
        assert sum(reads) <= MAX_BYTES


def test_a_line_that_does_not_end_has_no_columns(tmp_path: Path, reads: list[int]) -> None:
    (tmp_path / "a.csv").write_text("name," * 2_000_000)
    assert described(tmp_path, "a.csv").table.columns == ()
    assert sum(reads) <= MAX_BYTES


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_line_of_ten_gigabytes_has_no_columns(
    tmp_path: Path, reads: list[int], name: str
) -> None:
    with (tmp_path / name).open("wb") as file:
        file.write(b'[{"a":' * MAX_BYTES)
        file.truncate(10 << 30)  # the rest is sparse
    table = described(tmp_path, name).table
    assert (table.columns, table.row_count) == ((), None)
    assert sum(reads) <= MAX_BYTES


def test_a_formula_is_not_evaluated(tmp_path: Path) -> None:
    """A model gets its stored result; a text that looks like a formula is a text."""
    sheet = b'<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>total</v></c>'
    sheet += b'<c r="B1" t="inlineStr"><is><t>=1+1</t></is></c></row><row r="2"><c r="A2">'
    sheet += b'<f>WEBSERVICE("http://example.org")</f><v>7</v></c><c r="B2"><f>2+2</f></c></row>'
    sheet += b"</sheetData></worksheet>"
    (tmp_path / "a.xlsx").write_bytes(excel([["a"]], sheet=sheet))
    (tmp_path / "a.csv").write_text('total,=1+1\n7,=cmd|"/c calc"\n')
    columns = described(tmp_path, "a.xlsx").table.columns
    assert [(column.name, column.dtype) for column in columns] == [
        ("total", "int64"),
        ("=1+1", "float64"),
    ]
    columns = described(tmp_path, "a.csv").table.columns
    assert [(column.name, column.dtype) for column in columns] == [
        ("total", "int64"),
        ("=1+1", "object"),
    ]


@pytest.mark.parametrize("length", [0, 11, 2**31, 2**32 - 1])
def test_a_wrong_length_of_a_footer_is_ignored(
    tmp_path: Path, reads: list[int], length: int
) -> None:
    data = bytearray(parquet([{1: 2, 3: 1, 4: "id"}], 3, 1))
    data[-8:-4] = length.to_bytes(4, "little")
    (tmp_path / "a.parquet").write_bytes(data)
    assert described(tmp_path, "a.parquet").table.columns == ()
    assert sum(reads) <= len(data) + 8


def test_very_wide_tables_are_cut(tmp_path: Path) -> None:
    for cell in ("a", "1", "c%d"):
        row = ",".join(cell % n if "%" in cell else cell for n in range(9_000))
        (tmp_path / "a.csv").write_text(f"{row}\n{row}\n{row},x\n")
        table = described(tmp_path, "a.csv").table
        assert len(table.columns) <= 200 and table.column_count == 9_000


@pytest.mark.parametrize("part", ["sheet", "shared", "workbook", "rels", "styles"])
@pytest.mark.parametrize("data", [BOMB, ENTITIES, b"", b"<", b"<x/>", b"\xff\xfe<", b"a" * 10**6])
def test_bombs_in_workbooks_are_not_unpacked(
    tmp_path: Path, part: str, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.xlsx").write_bytes(excel([["a", "b"], ["x", ("date", 1)]], **{part: data}))
    unpacked: list[int] = []
    original = zipfile.ZipExtFile.read

    def recording_read(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        piece = original(self, n)
        unpacked.append(len(piece))
        return piece

    monkeypatch.setattr(zipfile.ZipExtFile, "read", recording_read)
    described(tmp_path, "a.xlsx")
    assert sum(unpacked) < 3_000_000


def test_a_long_format_takes_no_time(tmp_path: Path) -> None:
    styles = '<s><numFmt numFmtId="1" formatCode="' + "[" * 100_000 + '"/></s>'
    (tmp_path / "a.xlsx").write_bytes(excel([["a"]], styles=styles.encode()))
    with at_most(steps=20_000_000):
        described(tmp_path, "a.xlsx")


def test_a_huge_index_in_a_workbook_is_not_followed(tmp_path: Path) -> None:
    sheet = b'<worksheet><sheetData><row><c r="ZZZ1" t="s"><v>999999999</v></c><c r="A1" s="7">'
    sheet += b"<v>1e999</v></c></row></sheetData></worksheet>"
    (tmp_path / "a.xlsx").write_bytes(excel([["a"]], sheet=sheet))
    assert described(tmp_path, "a.xlsx").table.column_count == 1


def test_an_archive_with_many_files_is_not_listed(tmp_path: Path, reads: list[int]) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{'x' * 60}{number}", b"")
    (tmp_path / "a.xlsx").write_bytes(buffer.getvalue())
    assert described(tmp_path, "a.xlsx").table.columns == ()
    assert sum(reads) <= 2 * excel_module.MAX_READ


def test_deep_json_has_no_columns(tmp_path: Path) -> None:
    for text in ("[" * 60_000, '[{"a":' * 20_000, '{"a":' * 9_000 + "1", "[{}" + ",{}" * 20_000):
        for name in ("a.json", "a.jsonl"):
            (tmp_path / name).write_text(text)
            assert described(tmp_path, name).table.column_count == 0


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    name=st.sampled_from(NAMES),
    data=st.binary(max_size=400) | st.text(max_size=200).map(str.encode),
    start=st.sampled_from(
        [b"", b"PAR1", b"PK\x03\x04", b"\xff\xfe", b"\xef\xbb\xbf", b"a,b\n", b"[{", b'{"a":1}\n']
    ),
)
def test_garbage_never_raises(tmp_path: Path, name: str, data: bytes, start: bytes) -> None:
    end = len(data).to_bytes(4, "little") + b"PAR1" if name.endswith("parquet") else b""
    (tmp_path / name).write_bytes(start + data + end)
    described(tmp_path, name)


@pytest.mark.parametrize("name", ["a.parquet", "a.xlsx"])
def test_every_damaged_byte_is_survived(tmp_path: Path, name: str) -> None:
    elements: list[dict[int, Any]] = [{1: 2, 3: 1, 4: "id"}, {1: 6, 3: 1, 4: "b", 10: {1: {}}}]
    valid = parquet(elements, 3, 2) if name == "a.parquet" else excel([["a"], ["x"], [1]])
    chance = random.Random(7)
    for at in range(0, len(valid), 1 if len(valid) < 200 else 7):
        damaged = bytearray(valid)
        damaged[at] = chance.randrange(256)
        (tmp_path / name).write_bytes(damaged)
        described(tmp_path, name)
        (tmp_path / name).write_bytes(valid[:at])
        described(tmp_path, name)


@pytest.mark.parametrize("error", [StopIteration, RecursionError, MemoryError, KeyError, OSError])
@pytest.mark.parametrize("name", NAMES)
def test_whatever_a_reader_raises_the_file_is_not_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[Exception]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    for reader in ("delimited", "json", "parquet", "excel", "sqlite", "duckdb"):
        monkeypatch.setattr(f"aiserver.data_files.reader.read_{reader}", fail)
    (tmp_path / name).write_text("a\n1\n")
    profile = described(tmp_path, name)
    assert (profile.table.columns, profile.database, profile.size) == ((), None, 4)


def test_cut_emojis_in_json_become_replacement_characters(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(r'[{"so \ud83d": "so happy \ud83d"}, {"so \ud83d": "\ude00"}]')
    [column] = described(tmp_path, "a.json").table.columns
    assert (column.name, column.examples) == ("so \ufffd", ["so happy \ufffd", "\ufffd"])


def test_a_workbook_without_ids_has_no_columns(tmp_path: Path) -> None:
    workbook = b'<workbook><sheets><sheet name="S" sheetId="1"/></sheets></workbook>'
    (tmp_path / "a.xlsx").write_bytes(excel([["a"], [1]], workbook=workbook))
    assert described(tmp_path, "a.xlsx").table.columns == ()


def test_a_timestamp_without_a_unit_has_no_columns(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet([{1: 2, 4: "t", 10: {8: {2: {}}}}], 1, 1))
    assert described(tmp_path, "a.parquet").table.columns == ()


def _sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.sqlite")
        with closing(sqlite3.connect(path)) as database:
            database.executescript(
                "create table a (b integer, c varchar(9)); create view d as select 1"
            )
        return path.read_bytes()


def _sheet(rows: list[list[Any]], part: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(excel(rows))) as archive:
        return archive.read(part)


_ROWS: list[list[Any]] = [["a", "b"], ["x", ("date", 1)], [True, 2.5]]
_PARTS = {
    "workbook": "xl/workbook.xml",
    "rels": "xl/_rels/workbook.xml.rels",
    "styles": "xl/styles.xml",
    "shared": "xl/sharedStrings.xml",
    "sheet": "xl/worksheets/first.xml",
}
SMALL_FILES = {
    "a.csv": b"name;count\nOslo;1\n\xe5;2\n",
    "a.json": rb'[{"a": 1, "b": "so \ud83d\ude00"}, {"a": null, "\u00e5": [true]}]',
    "a.jsonl": b'{"a": 1}\n{"a": "x"}\n',
    "a.parquet": parquet(
        [{1: 2, 3: 1, 4: "id"}, {1: 2, 4: "t", 10: {8: {1: True, 2: {2: {}}}}}], 3, 2
    ),
    "a.sqlite": _sqlite(),
    "a.db": _sqlite(),
    **{f"{part}.xlsx": _sheet(_ROWS, path) for part, path in _PARTS.items()},
}


def _write(folder: Path, name: str, content: bytes) -> None:
    """Write a file; ``sheet.xlsx`` is a workbook in which this part has the content.

    So the archive has the right checksums.
    """
    part = name.removesuffix(".xlsx")
    (folder / name).write_bytes(content if part == name else excel(_ROWS, **{part: content}))


@pytest.mark.parametrize("name", SMALL_FILES)
def test_small_files_are_described(tmp_path: Path, name: str) -> None:
    _write(tmp_path, name, SMALL_FILES[name])
    profile = described(tmp_path, name)
    assert profile.table.columns or profile.database


@pytest.mark.parametrize("name", SMALL_FILES)
@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_changed_files_are_described_without_errors_and_surrogates(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    content = SMALL_FILES[name]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = start + data.draw(st.integers(0, 30))
        new = data.draw(st.binary(max_size=4) | st.sampled_from(PIECES))
        content = content[:start] + new + content[end:]
    _write(tmp_path, name, content)
    for profile in DataFiles(str(tmp_path)).describe("n.ipynb", [[name]], examples=3):
        tables = [item.table for item in profile.database.tables] if profile.database else []
        for table in [profile.table, *tables]:
            for column in table.columns:
                "".join([column.name, column.dtype, *column.examples]).encode()


def test_a_file_that_may_not_be_read_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")

    def refuse(base: str, parts: list[str]) -> int:
        raise PermissionError

    monkeypatch.setattr("aiserver.data_files.folder._open_parts", refuse)
    assert DataFiles(str(tmp_path)).describe("n.ipynb", [["a.csv"]]) == []
