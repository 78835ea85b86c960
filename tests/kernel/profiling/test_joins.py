"""Columns by which tables can be joined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from .profiles_of import keys_of
from .test_hostile_data import Hostile, calls

IDS = [101, 102, 103, 104, 105, 106]


def orders(ids: list[Any] = IDS) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "order": range(12),
            "customer_id": ids * 2,
            "amount": np.linspace(1, 9, 12),
            "day": pd.date_range("2024-01-01", periods=12),
        }
    )


CUSTOMERS = pd.DataFrame(
    {"id": [*IDS, 107], "name": list("abcdefg"), "city": ["北京", "上海"] * 3 + ["北京"]}
)


def best(**tables: Any) -> str:
    key = keys_of(tables)[0]
    return f"{key['left']}.{key['leftColumn']} = {key['right']}.{key['rightColumn']}"


def test_similar_names_with_common_values():
    keys = keys_of({"orders": orders(), "customers": CUSTOMERS})
    assert keys[0] == {
        "left": "orders",
        "leftColumn": "customer_id",
        "right": "customers",
        "rightColumn": "id",
        "share": 1.0,
    }
    assert len(keys) == 1


def test_keys_with_missing_values_texts_dates_and_other_libraries():
    with_missing = orders().assign(customer_id=[None, *IDS, *IDS[1:]])
    assert with_missing["customer_id"].dtype == "float64"
    expected = "orders.customer_id = customers.id"
    assert best(orders=with_missing, customers=CUSTOMERS) == expected
    assert best(orders=with_missing.convert_dtypes(), customers=CUSTOMERS) == expected
    polars = pl.DataFrame({"ID": IDS, "x": list("abcdef")})
    assert best(orders=orders(), customers=polars) == "orders.customer_id = customers.ID"
    table = pa.table({"Customer-ID": IDS})
    assert best(orders=orders(), t=table) == "orders.customer_id = t.Customer-ID"
    days = pd.DataFrame({"day": pd.date_range("2024-01-05", periods=9), "t": range(9)})
    assert best(orders=orders(), weather=days) == "orders.day = weather.day"
    # Names that differ: only texts, nearly all of which occur in the other table.
    codes = pd.DataFrame({"代码": list("abcdefg"), "值": range(7)})
    assert best(customers=CUSTOMERS, 表=codes) == "customers.name = 表.代码"


def test_what_is_no_key():
    # The same name without common values, numbers that happen to be equal, floats.
    other = pd.DataFrame({"customer_id": [1, 2, 3], "rank": [0, 1, 2], "amount": [1.5, 2.5, 3.5]})
    assert keys_of({"orders": orders(), "other": other}) == []
    assert keys_of({"orders": orders(), "missing": None}) == []
    flags = pd.DataFrame({"flag": [True, False]})
    assert keys_of({"a": flags, "b": flags}) == []


def test_hostile_values_are_not_compared():
    frame = pd.DataFrame({"id": pd.Series([Hostile(), Hostile()], dtype=object)})
    calls.clear()
    assert keys_of({"a": frame, "b": frame}) == []
    assert calls == []


def test_long_columns_are_matched_by_name_only():
    long = pd.DataFrame({"id": np.arange(1_000_001)})
    keys = keys_of({"a": long, "b": pd.DataFrame({"id": [1]})})
    assert [key["share"] for key in keys] == [None]
