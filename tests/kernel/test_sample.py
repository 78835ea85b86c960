"""The first rows of a DataFrame, as a request at the level ``sample`` gets them."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.kernel.variables import MAX_BYTES, MAX_CELL, describe, first_rows
from aiserver.requests import Sample


def read(frame: Any, count: int = 5, name: str = "df") -> dict[str, Any]:
    result: dict[str, Any] = json.loads(base64.b64decode(first_rows({"df": frame}, name, count)))
    return result


class Hostile:
    """Fails if any of its methods is called."""

    def __repr__(self) -> str:
        raise AssertionError

    __str__ = __eq__ = __hash__ = __bool__ = __len__ = __repr__  # type: ignore[assignment]


class Text(str):
    """A class of the person, whose methods must not be called."""

    def __str__(self) -> str:
        raise AssertionError

    __repr__ = __getitem__ = encode = __str__  # type: ignore[assignment]


def test_exactly_the_first_rows_are_read_as_texts() -> None:
    """P15"""
    frame = pd.DataFrame(
        {
            "city": ["Rome", None, "北京", "Bonn", "Kiel", "canary"],
            "price": [1.5, float("nan"), 3, 4, 5, 6],
            ("a", 2): pd.to_datetime(["2024-01-01 00:00", None] + ["2024-02-01 12:00"] * 4),
            "n": pd.array([1, None, 3, 4, 5, 6], dtype="Int64"),
            "is": [True] * 6,
        }
    )
    result = read(frame, 3)
    assert result["columns"] == ["city", "price", "('a', 2)", "n", "is"]
    assert result["rows"] == [
        ["Rome", "1.5", "2024-01-01 00:00:00", "1", "True"],
        [None, None, None, None, "True"],
        ["北京", "3.0", "2024-02-01 12:00:00", "3", "True"],
    ]
    assert len(read(frame)["rows"]) == 5 and len(read(frame, 20)["rows"]) == 6


def test_rows_of_polars_and_of_a_column_name_that_occurs_twice() -> None:
    frame = pl.DataFrame({"a": [1, None], "d": [datetime.date(2024, 1, 2), None], "xs": [[1], []]})
    assert read(frame)["rows"] == [["1", "2024-01-02", "<list>"], [None, None, "<list>"]]
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"], index=["canary-label"])
    assert read(twice) == {"columns": ["a", "a"], "rows": [["1", "2"]]}


def test_only_values_of_exact_classes_are_texts() -> None:
    """P18: no method of the person's objects is called, and no subclass's."""
    values = [Hostile(), Text("x"), b"x", {"a": 1}, 10**9999, decimal.Decimal("1.50"), np.int8(2)]
    result = read(pd.DataFrame({"x": pd.Series(values, dtype=object)}), 7)
    assert [row[0] for row in result["rows"]] == [
        *("<Hostile>", "<Text>", "<bytes>", "<dict>", "<int>", "1.50", "<int8>")
    ]

    class Own(pd.DataFrame):  # type: ignore[misc]
        @property
        def iloc(self) -> Any:
            raise AssertionError

    assert read(Own({"a": [1]}))["rows"] == [["1"]]


@pytest.mark.parametrize("value", [None, Hostile(), [1], pd.Series([1]), pd.DataFrame])
def test_another_variable_is_no_data_frame(value: Any) -> None:
    assert read(value) == {"problem": "missing"}
    assert read(pd.DataFrame(), name="other") == {"problem": "missing"}


def test_a_cut_text_contains_no_part_of_a_word() -> None:
    """P16: a part of a key isn't recognised, so it isn't sent."""
    key = "sk-proj-" + "Ab3" * 30
    texts = [f"the key is {key}", key, "价" * 100, "word " * 30, "x" * MAX_CELL]
    cut = [row[0] for row in read(pd.DataFrame({"t": texts}))["rows"]]
    assert cut == [
        "the key is …",
        "…",
        "价" * (MAX_CELL - 1) + "…",
        "word " * 11 + "…",
        "x" * MAX_CELL,
    ]


@given(
    st.lists(
        st.lists(st.text() | st.none() | st.floats() | st.integers(), min_size=3, max_size=3),
        max_size=8,
    ),
    st.integers(1, 5),
)
def test_any_values_become_a_valid_sample(rows: list[list[Any]], count: int) -> None:
    result = read(pd.DataFrame(rows, columns=["a", "b", "c"], dtype=object), count)
    assert len(result["rows"]) == min(len(rows), count)
    if rows:
        Sample(rows=result["rows"])


def test_wide_rows_are_limited_in_bytes() -> None:
    wide = pd.DataFrame({f"c{n}": ["价" * 60] * 5 for n in range(300)})
    result = read(wide)
    assert len(result["columns"]) == 200 and len(result["rows"]) == 1
    size = sum(len(text.encode()) for row in result["rows"] for text in row)
    assert size <= MAX_BYTES
    Sample(rows=result["rows"])


def test_an_example_has_no_part_of_a_key() -> None:
    """P16: the part isn't recognised as a secret when the prompt is stored."""
    key = "ghp_" + "aB3d" * 9
    frame = pd.DataFrame({"user": ["bob", "amy"], "note": [key, f"use {key}"]})
    described = json.loads(base64.b64decode(describe({"df": frame}, 2)))
    [described_frame] = described["frames"]
    examples = [column["examples"] for column in described_frame["columns"]]
    assert examples == [["bob", "amy"], ["use …"]]
