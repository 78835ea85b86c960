"""The names of data files in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.plugins.data_files.names import (
    MAX_LENGTH,
    is_data_file,
    kind_of,
    mentioned_files,
)

from ..effort import at_most


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("plot sales.csv", "sales.csv"),
        ("What is in data/2024/sales.csv?", "data/2024/sales.csv"),
        ("read ../other/SALES.CSV, then sort it.", "../other/SALES.CSV"),
        ("pd.read_csv('my data/sales 2024.csv', sep=';')", "my data/sales 2024.csv"),
        ('df = pd.read_parquet("a.parquet")', "a.parquet"),
        ("don't read it, use 'a b.json'", "a b.json"),
        ("读取“数据/销售 明细.xlsx”并画图", "数据/销售 明细.xlsx"),
        ("用《学生.tsv》", "学生.tsv"),
        ("文件：学生.csv。", "学生.csv"),
        ("(see sales.jsonl)", "sales.jsonl"),
        ("path=sales.csv", "sales.csv"),
        ("It is in sales.csv.", "sales.csv"),
        ("sqlite3.connect('shop.db')", "shop.db"),
        ("count the orders in data/shop.sqlite3", "data/shop.sqlite3"),
        ("plot @data/sales.csv", "data/sales.csv"),
        ("读取 wind.data", "wind.data"),
        ("the rows of my.txt", "my.txt"),
        ("plot @'sales 2024.csv'", "sales 2024.csv"),
    ],
)
def test_a_quoted_or_bare_name_is_recognised(text: str, name: str) -> None:
    assert mentioned_files([text])[0][0] == name


def test_between_chinese_words_every_beginning_is_possible() -> None:
    """Only the disk can tell where the name begins."""
    [names] = mentioned_files(["读取数据/销售.csv并画图"])
    assert names[0] == "读取数据/销售.csv"
    assert "数据/销售.csv" in names
    assert "销售.csv" not in names  # a file in another folder


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a.csv",
        "x.csvx",
        "a.csv.gz",
        "df.to_csv(x)",
        "csv",
        ".csv",
        "a.csv_b",
        "my.db.x()",
    ],
)
def test_other_words_are_not_names(text: str) -> None:
    assert mentioned_files([text]) == []


def test_the_kind_is_that_of_the_extension() -> None:
    kinds = [kind_of(name) for name in ("a.CSV", "a.b.tsv", "a.pq", "a.ndjson", "a.xls")]
    assert kinds == ["CSV", "TSV", "Parquet", "JSON Lines", "Excel"]
    assert [kind_of(name) for name in ("a.DB", "a.sqlite3")] == ["SQLite", "SQLite"]


def test_a_text_file_may_be_prose() -> None:
    assert kind_of("a.txt") == "text"
    assert [is_data_file(name) for name in ("a.csv", "a.txt", "a.py")] == [True, False, False]


def test_a_name_that_is_mentioned_again_is_listed_once() -> None:
    assert len(mentioned_files(["a.csv and b.csv", "a.csv"])) == 2


@given(st.lists(st.text(alphabet="ab数 .csvxlj'\"“”/\\\n", max_size=80), max_size=3))
def test_names_are_parts_of_the_texts(texts: list[str]) -> None:
    for names in mentioned_files(texts):
        for name in names:
            assert any(name in text for text in texts)
            assert "\n" not in name and len(name) <= MAX_LENGTH


def test_long_texts_are_searched_quickly() -> None:
    texts = ["'" * 100_000 + "a.csv", "数" * 100_000 + ".csv", "a.csv " * 40_000, "a/" * 100_000]
    with at_most(125_000_000):  # quadratic time would need minutes
        mentioned_files(texts)
