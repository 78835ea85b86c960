"""Damaged, huge and malicious files: little is read, and the result has no columns."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiserver.plugins.data_files.reader import MAX_BYTES, DataFiles
from aiserver.prompts.prompt_input import FileProfile

from ..effort import at_most
from ..examples import examples

NAMES = ["a.csv", "a.tsv", "a.json", "a.jsonl"]
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

    monkeypatch.setattr("aiserver.plugins.data_files.folder.os.fdopen", recording_fdopen)
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


def test_very_wide_tables_are_cut(tmp_path: Path) -> None:
    for cell in ("a", "1", "c%d"):
        row = ",".join(cell % n if "%" in cell else cell for n in range(9_000))
        (tmp_path / "a.csv").write_text(f"{row}\n{row}\n{row},x\n")
        table = described(tmp_path, "a.csv").table
        assert len(table.columns) <= 200 and table.column_count == 9_000


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
    start=st.sampled_from([b"", b"\xff\xfe", b"\xef\xbb\xbf", b"a,b\n", b"[{", b'{"a":1}\n']),
)
def test_garbage_never_raises(tmp_path: Path, name: str, data: bytes, start: bytes) -> None:
    (tmp_path / name).write_bytes(start + data)
    described(tmp_path, name)


@pytest.mark.parametrize("error", [StopIteration, RecursionError, MemoryError, KeyError, OSError])
@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.parquet"])
def test_whatever_a_reader_raises_the_file_is_not_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[Exception]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    for reader in ("delimited", "json", "with_library"):
        monkeypatch.setattr(f"aiserver.plugins.data_files.reader.read_{reader}", fail)
    (tmp_path / name).write_text("a\n1\n")
    profile = described(tmp_path, name)
    assert (profile.table.columns, profile.database, profile.size) == ((), None, 4)


def test_cut_emojis_in_json_become_replacement_characters(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(r'[{"so \ud83d": "so happy \ud83d"}, {"so \ud83d": "\ude00"}]')
    [column] = described(tmp_path, "a.json").table.columns
    assert (column.name, column.examples) == ("so \ufffd", ["so happy \ufffd", "\ufffd"])


SMALL_FILES = {
    "a.csv": b"name;count\nOslo;1\n\xe5;2\n",
    "a.json": rb'[{"a": 1, "b": "so \ud83d\ude00"}, {"a": null, "\u00e5": [true]}]',
    "a.jsonl": b'{"a": 1}\n{"a": "x"}\n',
}


@pytest.mark.parametrize("name", SMALL_FILES)
def test_small_files_are_described(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(SMALL_FILES[name])
    profile = described(tmp_path, name)
    assert profile.table.columns


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
    (tmp_path / name).write_bytes(content)
    for profile in DataFiles(str(tmp_path)).describe("n.ipynb", [[name]], examples=3):
        for column in profile.table.columns:
            "".join([column.name, column.dtype, *column.examples]).encode()


def test_a_file_that_may_not_be_read_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")

    def refuse(base: str, parts: list[str]) -> int:
        raise PermissionError

    monkeypatch.setattr("aiserver.plugins.data_files.folder._open_parts", refuse)
    assert DataFiles(str(tmp_path)).describe("n.ipynb", [["a.csv"]]) == []
