"""The comparison of values, and the search for values in printed text."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from benchmarks.suite.same_values import asks_for_order, is_same
from benchmarks.suite.texts import shows_text, shows_value

POLARS = pl.DataFrame({"sales": [1, 2], "city": ["Bern", "Rome"]})
DAYS = pl.Series([datetime.date(2024, 1, 2), datetime.date(2024, 1, 3)])
FRAME = pd.DataFrame({"city": ["Bern", "Rome"], "sales": [1, 2]})
BY_CITY = FRAME.set_index("city")["sales"]


@pytest.mark.parametrize(
    ("expected", "actual", "is_equal"),
    [
        (FRAME, POLARS, True),
        (FRAME.set_index("city"), POLARS, True),
        (FRAME.set_axis([7, 5]), POLARS, True),
        (FRAME, POLARS.head(1), False),
        (FRAME, POLARS.rename({"city": "town"}), False),
        (BY_CITY, POLARS.select("city", "sales"), True),
        ([1, 2], POLARS["sales"], True),
        (3, POLARS.select(pl.col("sales").sum()), True),
        (pd.Series(pd.to_datetime(["2024-01-02", "2024-01-03"])), DAYS, True),
        (FRAME, POLARS.lazy(), False),
        (0.1 + 0.2, 0.3, True),
        (1, 1.0, True),
        (np.int64(3), 3, True),
        (1.0, 1.001, False),
        (float("nan"), None, True),
        (np.float64("nan"), np.float32("nan"), True),
        (np.float64("nan"), 0.0, False),
        (True, 1, False),
        (True, np.True_, True),
        ("Bern", " Bern ", True),
        ("Bern", "Rome", False),
        (5, pd.Series([5]), True),
        ([1, 2], np.array([1.0, 2.0]), True),
        ([1, 2], [1, 3], False),
        (np.eye(2), [[1, 0], [0, 1]], True),
        (np.eye(2), np.eye(3), False),
        (pd.Index(["a", "b"]), ["a", "b"], True),
        (pd.Series([1, 2], name="x"), pd.Series([1.0, 2.0], name="y"), True),
        (BY_CITY, pd.Series([1, 2], index=["Bern", "Rome"]), True),
        (BY_CITY, pd.Series([1, 2], index=["Bern", "Oslo"]), False),
        (BY_CITY, [1, 2], False),
        (BY_CITY, {"Bern": 1, "Rome": 2}, True),
        (BY_CITY, FRAME, True),
        (FRAME, FRAME.astype({"sales": float}), True),
        (FRAME, FRAME[["sales", "city"]], True),
        (FRAME, FRAME.rename(columns={"sales": "total"}), False),
        (FRAME, FRAME.rename_axis("row"), True),
        (FRAME, FRAME.head(1), False),
        (FRAME, "Bern", False),
    ],
)
def test_values(expected: Any, actual: Any, is_equal: bool) -> None:
    assert is_same(expected, actual, ordered=True) is is_equal


def test_the_order_of_rows_counts_only_if_it_is_asked_for() -> None:
    reverse = FRAME.iloc[::-1]
    assert is_same(FRAME, reverse.reset_index(drop=True), ordered=False)
    assert not is_same(FRAME, reverse.reset_index(drop=True), ordered=True)
    assert not is_same(["a", "b"], ["b", "a"], ordered=False)  # a list has an order of its own


@pytest.mark.parametrize(
    ("request_text", "is_ordered"),
    [
        ("Sort by the name of the item", True),
        ("the 3 largest values", True),
        ("按商品名称排序", True),
        ("看一下前 10 行", True),
        ("the mean of each group", False),
        ("求每种 animal 的平均 age", False),
    ],
)
def test_requests_that_ask_for_an_order(request_text: str, is_ordered: bool) -> None:
    assert asks_for_order(request_text) is is_ordered


@pytest.mark.parametrize(
    ("expected", "text", "is_shown"),
    [
        (3, "There are 3 rows.", True),
        (3, "There are 13 rows.", False),
        (2.34567, "mean: 2.35", True),
        (2.34567, "mean: 2.3", False),
        (2.34567, "mean: 2.40", False),
        (39237.02, "Revenue: $39,237.02", True),
        (FRAME, f"The table:\n{FRAME.to_string()}", True),
        (FRAME, f"The table:\n{FRAME.to_string(index=False)}", False),
        (np.arange(3), "[0 1 2]", True),
        ("Bern", "The city is Bern.", True),
        ("Bern", "The city is Rome.", False),
        (3, "", False),
    ],
)
def test_values_in_texts(expected: Any, text: str, is_shown: bool) -> None:
    assert shows_value(expected, text) is is_shown


def test_a_number_among_many_is_not_shown() -> None:
    assert not shows_value(7, " ".join(map(str, range(100))))


def test_expected_texts() -> None:
    assert shows_text("Revenue was: $39.02", "39.02")
    assert not shows_text("Revenue was: $39.02", "39")
    assert shows_text("done well", "It is done well.")
