"""Profiles of each kind of data, in pandas, polars, numpy and pyarrow."""

from __future__ import annotations

import datetime
import decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .profiles_of import columns_of, lazy_columns_of, listed, profile_of


def test_each_kind_of_data_is_listed_with_its_shape_and_columns():
    frame = pd.DataFrame({"价格": [1.5, 2.0], "城市": ["北京", "上海"]})
    items = listed(
        {
            "frame": frame,
            "series": frame["价格"],
            "polars": pl.DataFrame({"a": [1]}),
            "lazy": pl.LazyFrame({"a": [1]}),
            "table": pa.table({"x": [1, 2], "y": ["a", "b"]}),
            "matrix": np.zeros((3, 4)),
            "cube": np.zeros((2, 3, 4)),
            "records": np.zeros(5, dtype=[("id", "i8"), ("名", "U3")]),
            "relation": duckdb.sql("select 1 as a, 'x' as b"),
            "number": 3,
            "_hidden": frame,
        }
    )
    assert {name: (item["kind"], item["rowCount"]) for name, item in items.items()} == {
        "relation": ("duckdb.DuckDBPyRelation", None),
        "records": ("numpy.ndarray", 5),
        "cube": ("numpy.ndarray", 24),
        "matrix": ("numpy.ndarray", 3),
        "table": ("pyarrow.Table", 2),
        "lazy": ("polars.LazyFrame", None),
        "polars": ("polars.DataFrame", 1),
        "series": ("pandas.Series", 2),
        "frame": ("pandas.DataFrame", 2),
    }
    assert items["frame"]["columns"] == [
        {"name": "价格", "dtype": "float64"},
        {"name": "城市", "dtype": "str"},
    ]
    assert items["matrix"]["columnCount"] == 4
    assert items["cube"]["shape"] == [2, 3, 4]
    assert [column["name"] for column in items["records"]["columns"]] == ["id", "名"]
    assert items["relation"]["columns"][1]["dtype"] == "VARCHAR"
    assert items["lazy"]["isLazy"] and items["relation"]["isLazy"]
    assert profile_of(pl.LazyFrame({"a": [1]})) == {"problem": "lazy"}


def test_the_columns_of_a_lazy_frame_are_read_without_its_data(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("价格,city\n1.5,x\n")

    def fail(frame: pl.DataFrame) -> pl.DataFrame:
        raise AssertionError("computed")

    lazy = pl.scan_csv(path).with_columns(n=pl.col("价格").cast(pl.Int8))
    lazy = lazy.map_batches(fail)
    expected = {"价格": "Float64", "city": "String", "n": "Int8"}
    assert lazy_columns_of(lazy) == expected
    assert lazy_columns_of(pl.scan_csv(tmp_path / "none.csv")) == "unreadable"
    assert lazy_columns_of(pl.DataFrame({"a": [1]})) == "missing"
    assert profile_of(3) == {"problem": "missing"}


def test_every_dtype_of_pandas_is_profiled():
    days = pd.date_range("2024-01-01", periods=4)
    frame = pd.DataFrame(
        {
            "float": [1.0, np.nan, 3.0, np.inf],
            "bool": [True, False, True, True],
            "text": ["北京", None, "北京", "上海"],
            "nullable": pd.array([1, None, 3, 3], dtype="Int64"),
            "truth": pd.array([True, None, True, False], dtype="boolean"),
            "date": days,
            "zone": days.tz_localize("Asia/Shanghai"),
            "duration": pd.to_timedelta([1, 2, None, 4], unit="h"),
            "period": pd.period_range("2024-01", periods=4, freq="M"),
            "category": pd.Categorical(["a", "b", None, "b"], categories=["a", "b", "unused"]),
            "sparse": pd.arrays.SparseArray([0, 0, 1, 0]),
            "interval": pd.cut([1, 2, 3, 4], 2),
            "decimal": [decimal.Decimal("1.5"), None, decimal.Decimal("NaN"), decimal.Decimal(3)],
            "day": [datetime.date(2024, 1, d) for d in (3, 1, 2, 1)],
            "nested": [[1], {}, (), [2]],
            "mixed": [1, "a", None, 1.0],
            "empty": [None] * 4,
            "arrow": pd.array([1, None, 3, 3], dtype="int64[pyarrow]"),
        }
    )
    profiles = columns_of(frame)
    for name in frame.columns:
        if name not in ("nested",):
            assert profiles[name]["missing"] == frame[name].isna().sum(), name
            assert profiles[name]["distinct"] == frame[name].nunique(), name
    assert profiles["float"]["numbers"]["max"] is None  # infinite
    assert "histogram" not in profiles["float"] or profiles["float"]["histogram"] is None
    assert profiles["bool"]["top"][0] == {"value": "True", "count": 3}
    assert profiles["text"]["top"][0] == {"value": "北京", "count": 2}
    assert profiles["nullable"]["numbers"]["mean"] == pytest.approx(7 / 3)
    assert profiles["truth"]["distinct"] == 2
    assert profiles["date"]["dates"] == {"min": "2024-01-01T00:00:00", "max": "2024-01-04T00:00:00"}
    assert profiles["zone"]["dates"]["min"] == "2024-01-01T00:00:00+08:00"
    assert profiles["period"]["dates"]["max"] == "2024-04"
    assert profiles["category"]["top"][0] == {"value": "b", "count": 2}
    assert profiles["decimal"]["numbers"]["mean"] == 2.25
    assert profiles["day"]["dates"] == {"min": "2024-01-01", "max": "2024-01-03"}
    assert profiles["nested"]["note"] == "nested"
    assert profiles["mixed"]["top"][0] == {"value": "1", "count": 2}
    assert profiles["arrow"]["numbers"]["max"] == 3


def test_every_dtype_of_polars_is_profiled():
    frame = pl.DataFrame(
        {
            "float": [1.0, None, float("nan"), 4.0],
            "text": ["北京", None, "北京", "上海"],
            "bool": [True, None, True, False],
            "date": [datetime.date(2024, 1, 1), None, datetime.date(2024, 3, 1), None],
            "time": [datetime.time(1), datetime.time(3), None, None],
            "duration": [datetime.timedelta(hours=1), None, None, None],
            "decimal": pl.Series(["1.5", None, "3", "3"]).cast(pl.Decimal(10, 2)),
            "category": pl.Series(["a", "b", None, "b"], dtype=pl.Categorical),
            "list": [[1], None, [], [2]],
            "struct": [{"a": 1}] * 4,
            "object": pl.Series([object(), 1, "a", None], dtype=pl.Object),
            "null": [None] * 4,
        }
    )
    profiles = columns_of(frame)
    assert profiles["float"] | {"numbers": None, "histogram": None} == {
        **{"index": 0, "name": "float", "dtype": "Float64", "rows": 4, "missing": 2},
        **{"distinct": 2, "numbers": None, "histogram": None},
    }
    assert profiles["float"]["numbers"]["mean"] == 2.5
    assert profiles["text"]["top"][0] == {"value": "北京", "count": 2}
    assert profiles["bool"]["distinct"] == 2
    assert profiles["date"]["dates"] == {"min": "2024-01-01", "max": "2024-03-01"}
    assert profiles["time"]["dates"]["max"] == "03:00:00"
    assert profiles["duration"]["dates"]["max"] == "1:00:00"
    assert profiles["decimal"]["numbers"]["mean"] == 2.5
    assert profiles["category"]["distinct"] == 2
    assert [profiles[name].get("note") for name in ("list", "struct")] == ["nested"] * 2
    assert [profiles[name].get("note") for name in ("object", "null")] == ["unsupported"] * 2


@given(
    st.lists(
        st.one_of(st.none(), st.floats(allow_nan=True), st.integers(-(2**70), 2**70)), max_size=30
    )
)
def test_numbers_as_objects_are_profiled_like_numbers(values):
    profile = columns_of(pd.DataFrame({"x": pd.Series(values, dtype=object)}))["x"]
    series = pd.Series(values, dtype=object)
    assert profile["missing"] == series.isna().sum()
    assert profile["distinct"] == series.nunique()
    present = [float(value) for value in series.dropna()]
    if present and all(np.isfinite(present)):
        assert float(profile["numbers"]["min"]) == min(present)
        assert profile["numbers"]["quartiles"][1] == pytest.approx(np.median(present), rel=1e-9)


def test_large_data_is_sampled_and_marked():
    count = 300_000
    values = np.arange(count, dtype="float64")
    values[::10] = np.nan
    frame = pd.DataFrame({"x": values, "text": np.where(np.arange(count) % 4, "多", "少")})
    profiles = columns_of(frame)
    assert profiles["x"]["rows"] == profiles["text"]["rows"] == 20_000
    # The range and the missing values of numbers are those of all rows.
    assert profiles["x"]["all"] == {"rows": count, "missing": count / 10}
    assert profiles["x"]["missing"] == pytest.approx(2000, rel=0.05)
    assert profiles["x"]["numbers"]["max"] == count - 1
    assert profiles["x"]["numbers"]["quartiles"][1] == pytest.approx(count / 2, rel=0.02)
    # A sample of every n-th row would find only one of two values that alternate.
    assert profiles["text"]["top"][0]["count"] == pytest.approx(15_000, rel=0.02)
    polars = columns_of(pl.DataFrame({"x": values}, nan_to_null=True))["x"]
    assert polars["all"] == profiles["x"]["all"]
    quartiles = profiles["x"]["numbers"].pop("quartiles")
    assert polars["numbers"].pop("quartiles") == pytest.approx(quartiles, rel=0.02)
    assert polars["numbers"] == pytest.approx(profiles["x"]["numbers"])


def test_profiling_stops_after_its_time_and_continues():
    frame = pd.DataFrame({str(n): np.arange(60_000) % (n + 7) for n in range(150)})
    first = profile_of(frame, 0, 1)
    assert [column["index"] for column in first["columns"]] == [0]
    assert len(profile_of(frame, 0, 150)["columns"]) == 150  # in several calls
    assert profile_of(frame, 148, 300)["columns"][-1]["name"] == "149"
