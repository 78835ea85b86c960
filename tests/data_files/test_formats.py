"""The description of each format: names, dtypes, and the arguments that pandas needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aiserver.plugins.data_files.names import mentioned_files
from aiserver.plugins.data_files.reader import MAX_BYTES, DataFiles
from aiserver.prompts.data_texts import file_by_line, file_in_line
from aiserver.prompts.language import cell_language
from aiserver.prompts.prompt_input import FileProfile
from aiserver.redact import redact

TABLE = "name,age,score,member,note\nAda,36,1.5,True,\nBob,,2,False,x\n"


def profile(folder: Path, name: str, data: str | bytes, examples: int = 0) -> FileProfile:
    """Write a file and return its description."""
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    [described] = DataFiles(str(folder)).describe("n.ipynb", [[name]], examples)
    return described


def dtypes(described: FileProfile) -> dict[str, str]:
    return {column.name: column.dtype for column in described.table.columns}


def test_the_columns_of_a_csv_have_the_dtypes_that_pandas_reads(tmp_path: Path) -> None:
    described = profile(tmp_path, "a.csv", TABLE)
    frame = pd.read_csv(tmp_path / "a.csv")
    expected = {name: str(dtype).replace("str", "object") for name, dtype in frame.dtypes.items()}
    assert dtypes(described) == expected
    assert (described.kind, described.size) == ("CSV", len(TABLE))
    assert (described.table.row_count, described.table.column_count) == (2, 5)
    assert described.table.arguments == ()
    assert not any(column.examples for column in described.table.columns)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["1", "-2"], "int64"),
        (["1", "NA"], "float64"),
        (["1", " 2"], "int64"),
        (["9999999999999999999"], "uint64"),
        (["1e3", ".5"], "float64"),
        (["inf", "1"], "float64"),
        (["true", "False"], "bool"),
        (["true", ""], "object"),
        (["2024-01-01"], "object"),
        (["1,5"], "object"),
        (["NaN", ""], "float64"),
        (["0x10"], "object"),
    ],
)
def test_guessed_dtypes_are_those_of_pandas(tmp_path: Path, values: list[str], dtype: str) -> None:
    text = "column;other\n" + "".join(f"{value};x\n" for value in values)
    assert dtypes(profile(tmp_path, "a.csv", text))["column"] == dtype
    frame = pd.read_csv(tmp_path / "a.csv", sep=";")
    assert str(frame["column"].dtype).replace("str", "object") == dtype


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_encodings_and_delimiters_are_recognised(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    rows = [["日期", "城市", "金额"], *([f"2024-01-{n:02}", "北京", str(n)] for n in range(1, 29))]
    data = "".join(delimiter.join(row) + "\r\n" for row in rows).encode(encoding)
    described = profile(tmp_path, "a.csv", data)
    assert dtypes(described) == {"日期": "object", "城市": "object", "金额": "int64"}
    arguments = eval(f"dict({', '.join(described.table.arguments)})")
    frame = pd.read_csv(tmp_path / "a.csv", **arguments)
    assert list(frame.columns) == ["日期", "城市", "金额"]


def test_an_encoding_is_recognised_although_a_character_is_cut(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-16", "gb18030"):
        data = ("城市,数\n" + "北京,1\n" * MAX_BYTES).encode(encoding)
        described = profile(tmp_path, "a.csv", data)
        assert dtypes(described) == {"城市": "object", "数": "int64"}
        assert described.table.has_estimate


def test_western_texts_are_not_read_as_chinese(tmp_path: Path) -> None:
    text = "nom,année\nédition spéciale,1\nà côté,2\n"
    described = profile(tmp_path, "a.csv", text.encode("cp1252"))
    assert list(dtypes(described)) == ["nom", "année"]
    assert described.table.arguments == ("encoding='cp1252'",)


def test_a_tsv_needs_no_delimiter(tmp_path: Path) -> None:
    described = profile(tmp_path, "a.tsv", "a\tb\n1\tx,y\n")
    assert (dtypes(described), described.table.arguments) == ({"a": "int64", "b": "object"}, ())


@pytest.mark.parametrize(
    "text",
    [
        " Yr  RPT   VAL\n 61  15.04  NaN\n 62   9.5   3.1\n",
        "5.1,Iris-setosa\n4.9,Iris-setosa\n4.7,Iris-setosa\n",
        "id;name\n1;a b\n2;c\n",
        '18.0   8\t"chevrolet malibu"\n15.0   8\t"buick"\n18.5  6\t"ford pinto"\n',
        "x\ty\n1\t2\n3\t4\n",
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.data", "a.dat"])
def test_the_table_in_a_text_file_is_read_as_by_pandas(
    tmp_path: Path, name: str, text: str
) -> None:
    described = profile(tmp_path, name, text)
    arguments = eval(f"dict({', '.join(described.table.arguments)})")
    frame = pd.read_csv(tmp_path / name, **arguments)
    read = {str(column): str(dtype) for column, dtype in frame.dtypes.items()}
    assert dtypes(described) == {c: d.replace("str", "object") for c, d in read.items()}


@pytest.mark.parametrize(
    "text",
    [
        "Dear all, hello\nthis is a letter, with commas\nand more\n",
        "hello world\nfoo bar\nbaz qux\n",
        "1 2\n",
        "1\n2\n3\n",
        "",
        "\x00\x01\n" * 9,
    ],
)
def test_a_text_file_without_a_table_is_not_described(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert DataFiles(str(tmp_path)).describe("n.ipynb", [["a.txt"]]) == []


def test_repeated_and_empty_names_are_those_of_pandas(tmp_path: Path) -> None:
    text = ",a,a,b\n0,1,2,3\n"
    described = profile(tmp_path, "a.csv", text)
    assert list(dtypes(described)) == list(pd.read_csv(tmp_path / "a.csv").columns)


def test_quoted_fields_may_have_delimiters_and_line_breaks(tmp_path: Path) -> None:
    described = profile(tmp_path, "a.csv", 'a,"b, c"\n1,"x\ny"\n2,z\n')
    assert dtypes(described) == {"a": "int64", "b, c": "object"}
    assert described.table.row_count == 2


def test_a_wide_table_has_years_as_names(tmp_path: Path) -> None:
    for names in ("2019,2020", "May 2019,Dec 2020"):
        described = profile(tmp_path, "a.csv", f"country,{names}\nNorway,5.3,5.4\n")
        assert dtypes(described) == {"country": "object"} | dict.fromkeys(
            names.split(","), "float64"
        )


CANARY = "canary"
HEADERLESS = [
    f"{CANARY}张三,13800000000,北京\n李四,13800000001,上海\n",
    f"{CANARY},{CANARY}@example.org\nBob,bob@example.org\n",
    f"{CANARY},2024-01-02\nBob,2024-01-03\n",
    f"{CANARY},Oslo\nBob,Oslo\nEve,Rome\n",
    f"{CANARY},1987\nBob,1988\n",
    f"{CANARY},50%\n",
    f"{CANARY},https://example.org\n",
    f"{CANARY},12.5\n",
    f"{CANARY} {'x' * 500},y\n",
    f"{CANARY},31-May-2024\nBob,1-Jun-2024\n",
    f'{CANARY},"May 31, 2024"\n',
    f"{CANARY},31st of May 2024\n",
    f"{CANARY},January 2024\nBob,February 2024\n",
    f"{CANARY} <{CANARY}@example.org>,Oslo\nBob,Rome\n",
    f"{CANARY}@example.org and bob@example.org,x\nBob,y\n",
    f'{CANARY},"1.234,5 kg"\nBob,3 kg\n',
    f"{CANARY},True\nBob,False\n",
    f"{CANARY},#N/A\nBob,5\n",
    f"{CANARY},-\nBob,5\n",
    f"{CANARY},?\nBob,5\n",
    f"{CANARY},n.a.\nBob,5\n",
    f"{CANARY},8d3e2c1a-1111-4222-8333-123456789abc\n",
    f"{CANARY},NO123\nBob,NO1245\n",
    f"3 juin 2024,{CANARY}\n4 juin 2024,Bob\n",
    f"3 de mayo de 2024,{CANARY}\n4 de mayo de 2024,Bob\n",
    f"{CANARY},11010519491231002X\nBob,110105194912310020\n",
    f"aa:bb:cc:dd:ee:ff,{CANARY}\n01:23:45:67:89:ab,Bob\n",
    f"{CANARY},59.9N\nBob,60.1N\n",
    f"{CANARY},5 000 kr\nBob,6 000 kr\n",
    f"{CANARY},1.5e+00 2.5e-01\nBob,2.5e-01 1.5e+00\n",
    f"{CANARY},\nBob,6\n",
    f"{CANARY},,Oslo\nBob,x,Rome\n",
    f",{CANARY}\n,Bob\n5,Eve\n",
    f",{CANARY},Oslo\n5,Bob,Rome\n7,Eve,Paris\n",
    f"Salaries of {CANARY},\nname,age\nBob,6\n",
    f",Salaries of {CANARY},\nname,age,x\nBob,6,1\n",
    f"Salaries of {CANARY},\n1,Bob\n2,Eve\n",
]


@pytest.mark.parametrize("text", HEADERLESS)
def test_without_a_header_no_value_counts_as_a_name(tmp_path: Path, text: str) -> None:
    """P15: the names of the columns are then their positions."""
    described = profile(tmp_path, "a.csv", text)
    assert CANARY not in repr(described)
    assert described.table.arguments == ("header=None",)
    assert list(dtypes(described)) == [str(n) for n in range(described.table.column_count)]


TITLES = [
    f"Salaries of {CANARY}\nname,age\nBob,6\nEve,7\n",
    f"Salaries of {CANARY}\n\nname;age;x\nBob;6;1\n",
    f"Salaries of {CANARY}\nAll of them\nname,age\nBob,6\nEve,7\n",
    f"Salaries, {CANARY}\nname,age,x\nBob,6,1\nEve,7,2\n",
]


@pytest.mark.parametrize("text", TITLES)
def test_a_title_is_not_a_header(tmp_path: Path, text: str) -> None:
    """P15: pandas can't read such a file without knowing where its table begins."""
    described = profile(tmp_path, "a.csv", text)
    assert CANARY not in repr(described)
    assert described.table.columns == ()


@pytest.mark.parametrize(
    "text",
    [
        ",name,city\n0,Ada,Oslo\n1,Bob,Oslo\n",  # pandas wrote an index
        ",a,b\na,1.0,0.5\nb,0.5,1.0\n",
        ",,mean,max\nAda,x,1.0,2.0\nAda,y,0.5,1.0\n",
        "name,,age\nAda,x,5\nBob,y,6\n",
        "name,city,\nAda,Oslo,\nBob,Rome,\n",  # each line ends with a delimiter
        ",name,city\n,Ada,Oslo\n,Bob,Rome\n",
        "age,city\nAda,5,Oslo\nBob,6,Oslo\n",  # R wrote the names of rows
    ],
)
def test_a_header_may_leave_out_names(tmp_path: Path, text: str) -> None:
    described = profile(tmp_path, "a.csv", text)
    assert list(dtypes(described)) == list(pd.read_csv(tmp_path / "a.csv").columns)


def test_examples_are_different_texts(tmp_path: Path) -> None:
    text = "城市,n,long\n北京,1," + "x" * 99 + "\n上海,2,y\n北京,3,\n,4,z\n广州,5,w\n"
    described = profile(tmp_path, "a.csv", text, examples=3)
    assert [column.examples for column in described.table.columns] == [
        ["北京", "上海", "广州"],
        [],
        ["y", "z", "w"],  # without the long word
    ]


def test_an_example_has_no_part_of_a_key(tmp_path: Path) -> None:
    """P16: the part isn't recognised as a secret when the prompt is stored."""
    text = "user,token\nbob,ghp_" + "aB3d" * 9 + "\namy,key ghp_" + "aB3d" * 9 + "\n"
    described = profile(tmp_path, "a.csv", text, examples=3)
    assert described.table.columns[1].examples == ["key …"]


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        ("a.json", json.dumps([{"a": 1, "b": "x"}, {"a": None, "b": "y", "c": [1]}]), ()),
        ("a.jsonl", '{"a": 1, "b": "x"}\n{"a": null, "b": "y", "c": [1]}\n', ("lines=True",)),
        ("a.json", '{"a": 1, "b": "x"}\n\n{"a": null, "b": "y", "c": [1]}', ("lines=True",)),
    ],
)
def test_json_records_have_their_keys_as_columns(
    tmp_path: Path, name: str, text: str, arguments: tuple[str, ...]
) -> None:
    described = profile(tmp_path, name, text)
    assert dtypes(described) == {"a": "float64", "b": "object", "c": "object"}
    assert (described.table.row_count, described.table.arguments) == (2, arguments)


PERSON = {"age": 5, "city": "Oslo"}


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
@pytest.mark.parametrize(
    ("records", "count", "values"),
    [
        ([{CANARY: {"age": 5}}, {"Bob": {"age": 6}}], 2, "objects"),  # no key occurs twice
        ([{CANARY: 5, "size": "x"}, {"Bob": 6, "height": "x"}], 4, "numbers or texts"),
        ([{CANARY: PERSON, "Bob": PERSON}], 2, "objects"),
        ([{CANARY: PERSON}], 1, "objects"),
        ([{CANARY: 5, "Bob": 6.5, "Eve": None}], 3, "nulls or numbers"),
        ([{CANARY: [1], "Bob": []}], 2, "lists"),
        ([{CANARY: None}], 1, "nulls"),
        ([{CANARY: PERSON, "Bob": PERSON}, {CANARY: PERSON, "Eve": {"age": 1}}], 3, "objects"),
        ([{CANARY: PERSON, "Bob": {"age": 1}}] * 2, 2, "objects"),
        ([{CANARY: 5, "Bob": 6}, {CANARY: 7, "Eve": 8}], 3, "numbers"),
        ([{f"{CANARY}@example.org": 5, "of": "x"}] * 2, 2, "numbers or texts"),
        ([{CANARY: 5, "10001": PERSON}] * 2, 2, "numbers or objects"),
    ],
)
def test_keys_that_may_be_values_are_counted_only(
    tmp_path: Path, name: str, records: list[dict[str, Any]], count: int, values: str
) -> None:
    """P15"""
    text = json.dumps(records) if name == "a.json" else "\n".join(map(json.dumps, records))
    described = profile(tmp_path, name, text, examples=3)
    assert CANARY not in repr(described) and described.table.columns == ()
    reason = f", not described: its keys may be data (number: {count}, values: {values})"
    assert file_by_line(described).endswith(reason)
    assert file_in_line(described, cell_language("python")).endswith(reason)


def test_the_keys_of_a_long_file_are_not_counted(tmp_path: Path) -> None:
    described = profile(tmp_path, "a.json", json.dumps([{str(n): [n]} for n in range(MAX_BYTES)]))
    assert file_by_line(described).endswith("its keys may be data (values: lists)")


@pytest.mark.parametrize(
    "record",
    [
        {"x": 1, "y": 2.5},
        {"name": "Ada", "city": "Oslo"},
        {"tokens": ["a"], "tags": [1]},
        {"message": {"role": "user"}},
        {"user": {"login": "ada"}, "place": {"city": "Oslo"}},
        {"country": "Norway", "2019": 1, "2020": 2},
        {"0": 1, "1": "x"},
    ],
)
def test_keys_of_records_are_names_if_each_record_has_them(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    described = profile(tmp_path, "a.json", json.dumps([record, record]))
    assert list(dtypes(described)) == list(record)


def test_long_json_is_read_up_to_the_limit(tmp_path: Path) -> None:
    record = {"id": 1, "text": "数" * 50, "flag": True}
    for name, text in (
        ("a.json", json.dumps([record] * 5000, ensure_ascii=False)),
        ("a.ndjson", (json.dumps(record) + "\n") * 5000),
    ):
        described = profile(tmp_path, name, text)
        assert dtypes(described) == {"id": "int64", "text": "object", "flag": "bool"}
        assert described.table.has_estimate == (name != "a.json")


@pytest.mark.parametrize("text", ['{"alice@example.org": 1}', "[1, 2]", '["a"]', "5", "[", ""])
def test_other_json_has_no_columns(tmp_path: Path, text: str) -> None:
    """P15: the keys of a single object may be values."""
    described = profile(tmp_path, "a.json", text)
    assert (described.table.columns, described.size) == ((), len(text))


def test_the_name_is_the_requests_own_spelling(tmp_path: Path) -> None:
    (tmp_path / "数据").mkdir()
    (tmp_path / "数据" / "销售.csv").write_text("a\n1\n")
    files = DataFiles(str(tmp_path))
    for name in ("数据/销售.csv", "./数据/销售.csv"):
        [described] = files.describe("n.ipynb", mentioned_files([f"读“{name}”"]))
        assert described.name == name


SECRET = "Zq7xKd93Lm2QpVb81"


@pytest.mark.parametrize(
    "line",
    [
        'password = "{}"',
        'connect("postgresql://me:{}@db/x")',
        "the password is {} ok",
        "Authorization: Bearer {}",
        'login(\n    auth=(\n        "bob",\n        "{}",\n    )\n)',
        '{{"user": "bob", "password": "{}", "a": [1, 2]}}',
    ],
)
@pytest.mark.parametrize("filler", ["# a line\n", "[1, 2], "])
def test_the_cut_of_a_text_divides_no_secret(tmp_path: Path, line: str, filler: str) -> None:
    """P16: also if the whole file is one line."""
    text = line.format(SECRET)
    for cut in range(0, len(text) + 1, 3):
        start = (filler * MAX_BYTES)[: MAX_BYTES - cut - len(filler)] + filler
        (tmp_path / "a.txt").write_text(start + text + "\n" + filler * 100)
        [read] = DataFiles(str(tmp_path)).read_texts("n.ipynb", ["a.txt"]).values()
        assert MAX_BYTES - 400 < len(read) <= MAX_BYTES
        assert SECRET[:5] not in redact(read, is_prose=True)


def notebook_text(folder: Path, data: str) -> str | None:
    (folder / "a.ipynb").write_text(data, "utf-8")
    return DataFiles(str(folder)).read_texts("n.ipynb", ["a.ipynb"]).get("a.ipynb")


def notebook_json(plot: str = "") -> str:
    output = {"output_type": "display_data", "data": {"image/png": plot, "text/plain": "Ada 82000"}}
    cell = {"cell_type": "code", "source": "df.head()", "outputs": [output]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize("size", [0, 9_000_000])
def test_the_text_of_a_notebook_is_that_of_its_cells(tmp_path: Path, size: int) -> None:
    assert notebook_text(tmp_path, notebook_json("A" * size)) == "# %% [code]\ndf.head()"


@pytest.mark.parametrize(
    "data",
    [
        f"<<<<<<< HEAD\n{notebook_json()}\n=======\n{notebook_json()}\n>>>>>>> main\n",
        json.dumps({"nbformat": 3, "worksheets": [{"cells": [{"input": "df.head()"}]}]}),
        json.dumps({"cells": ["Ada 82000"]}),
        json.dumps(["Ada 82000"]),
        notebook_json()[:-1],
        "",
    ],
)
def test_a_damaged_notebook_has_no_text(tmp_path: Path, data: str) -> None:
    """Otherwise, its outputs would be a part of the text."""
    assert notebook_text(tmp_path, data) is None


def test_a_very_large_notebook_has_no_text(tmp_path: Path) -> None:
    assert notebook_text(tmp_path, notebook_json("A" * 20_000_000)) is None
