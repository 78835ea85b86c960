"""About how many rows a file has, from its beginning only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aiserver.plugins.data_files.reader import DataFiles
from aiserver.prompts.prompt_input import Table


def table(folder: Path, name: str, data: str | bytes) -> Table:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    [profile] = DataFiles(str(folder)).describe("n.ipynb", [[name]])
    return profile.table


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_the_rows_of_a_long_text_file_are_estimated(
    tmp_path: Path, name: str, encoding: str
) -> None:
    count = 50_000
    delimiter = "\t" if name == "a.tsv" else ","
    lines = [f"城市{delimiter}note", *(f"北京{n}{delimiter}{'x' * (n % 30)}" for n in range(count))]
    shown = table(tmp_path, name, "\r\n".join(lines).encode(encoding))
    assert shown.has_estimate and shown.row_count is not None
    assert abs(shown.row_count - count) < count / 10


def test_rows_in_several_lines_count_once(tmp_path: Path) -> None:
    text = "a,b\n" + '1,"x\ny\nz"\n' * 20_000
    shown = table(tmp_path, "a.csv", text)
    assert shown.row_count is not None and abs(shown.row_count - 20_000) < 100


def test_a_short_file_is_counted(tmp_path: Path) -> None:
    shown = table(tmp_path, "a.csv", "a,b\n1,2\n3,4\n")
    assert (shown.row_count, shown.has_estimate) == (2, False)


def test_a_few_long_rows_allow_no_estimate(tmp_path: Path) -> None:
    shown = table(tmp_path, "a.csv", "a,b\n" + f"1,{'x' * 20_000}\n" * 50)
    assert (shown.column_count, shown.row_count, shown.has_estimate) == (2, None, False)
    shown = table(tmp_path, "a.csv", 'a,b\n1,"' + "x\n" * 90_000)  # the quotation mark isn't closed
    assert (shown.row_count, shown.has_estimate) == (None, False)


def test_json_lines_are_estimated_and_arrays_are_not(tmp_path: Path) -> None:
    records = [{"a": n, "b": "x" * (n % 30)} for n in range(20_000)]
    shown = table(tmp_path, "a.jsonl", "\n".join(map(json.dumps, records)) + "\n")
    assert shown.has_estimate and shown.row_count is not None
    assert abs(shown.row_count - 20_000) < 2_000
    shown = table(tmp_path, "a.json", json.dumps(records))
    assert (shown.column_count, shown.row_count, shown.has_estimate) == (2, None, False)
