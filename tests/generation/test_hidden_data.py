"""P15: the values that a model may get of any DataFrame, whatever a client sends."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.generation.hidden_data import (
    MIN_VALUES,
    permitted_values,
    schema_only,
    stored_frame,
)
from aiserver.prompts.data_texts import is_date, is_number
from aiserver.requests import ColumnProfile, ColumnStatistics, DataFrameProfile, Sample

from ..kernel.profiling.profiles_of import columns_of

NUMBERS = [
    *("int64", "Int64", "uint8", "float32", "Float64", "double[pyarrow]", "int64[pyarrow]"),
    *("Decimal(precision=10, scale=2)", "decimal128(10, 2)[pyarrow]", "numeric", "integer"),
]
DATES = [
    *("datetime64[ns]", "datetime64[ns, UTC]", "Date", "date32[day][pyarrow]"),
    *("Datetime(time_unit='us', time_zone=None)", "timestamp[ns][pyarrow]", "POSIXct"),
]
OTHERS = [
    *("object", "str", "string", "category", "bool", "boolean", "interval[int64, right]"),
    *("complex128", "timedelta64[ns]", "period[M]", "List(Int64)", "integers", "dated", "Utf8", ""),
    *("character", "factor", "ordered", "logical", "difftime", "integer64", "list"),
]
counts = st.integers(0, 40)
statistics = st.builds(
    ColumnStatistics,
    rows=counts,
    missing=st.none() | counts,
    distinct=st.none() | counts,
    min=st.none() | st.sampled_from([1.5, "2024-01-01", "2024-01-01T10:00:00"]),
    max=st.none() | st.sampled_from([9.5, "2025-01-01"]),
    mean=st.none() | st.just(4.5),
    quartiles=st.none() | st.just([2.0, 3.0, 4.0]),
)
columns = st.builds(
    ColumnProfile,
    name=st.just("c"),
    dtype=st.sampled_from([*NUMBERS, *DATES, *OTHERS]),
    examples=st.lists(st.just("canary-example"), max_size=2),
    statistics=st.none() | statistics,
)
frames = st.builds(
    DataFrameProfile,
    name=st.just("df"),
    rowCount=st.just(12),
    columnCount=st.just(3),
    columns=st.lists(columns, max_size=3),
    index=st.lists(columns, max_size=2),
    level=st.sampled_from(["schema", "statistics", "sample"]),
    sample=st.none() | st.just(Sample(rows=[["canary-row", None]])),
)


@pytest.mark.parametrize(("dtypes", "expected"), [(NUMBERS, (True, False)), (DATES, (False, True))])
def test_dtypes_of_numbers_and_dates(dtypes: list[str], expected: tuple[bool, bool]) -> None:
    assert {(is_number(dtype), is_date(dtype)) for dtype in dtypes} == {expected}


def test_other_dtypes() -> None:
    assert [dtype for dtype in OTHERS if is_number(dtype) or is_date(dtype)] == []


@given(frames, st.booleans())
def test_a_model_gets_at_most_the_values_of_the_level(
    frame: DataFrameProfile, on_this_machine: bool
) -> None:
    given_frame = permitted_values(frame, on_this_machine=on_this_machine)
    text = given_frame.model_dump_json()
    if not on_this_machine:
        assert "canary-example" not in text
        assert frame.level == "sample" or "canary-row" not in text
        if frame.level == "schema":
            assert all(column.statistics is None for column in given_frame.columns)
    for column in [*given_frame.columns, *given_frame.index]:
        check_statistics(column)
    # The names and dtypes stay, and doing it again changes nothing.
    names = [(column.name, column.dtype) for column in frame.columns]
    assert [(column.name, column.dtype) for column in given_frame.columns] == names
    assert permitted_values(given_frame, on_this_machine=on_this_machine) == given_frame


def check_statistics(column: ColumnProfile) -> None:
    given_values = column.statistics
    if given_values is None:
        return
    names = {name for name, value in given_values.model_dump().items() if value is not None}
    missing = given_values.missing
    if missing is None or given_values.rows - missing < MIN_VALUES:
        assert names <= {"rows", "missing"}
    elif not is_number(column.dtype):
        bounds = {"min", "max"} if is_date(column.dtype) else set()
        assert names <= {"rows", "missing", "distinct"} | bounds
        assert all(isinstance(getattr(given_values, name), str) for name in names & {"min", "max"})
    else:
        assert not isinstance(given_values.min, str) and not isinstance(given_values.max, str)
        if given_values.rows - missing < 4 * MIN_VALUES:
            assert given_values.quartiles is None


@given(frames)
def test_a_stored_frame_has_no_rows_and_statistics_only_above_schema(
    frame: DataFrameProfile,
) -> None:
    stored: dict[str, Any] = stored_frame(frame)
    text = json.dumps(stored)
    assert "canary" not in text and "examples" not in text and "sample" not in stored
    assert ("level" in stored) == (frame.level != "schema")
    assert frame.level != "schema" or "statistics" not in text
    again = DataFrameProfile.model_validate(stored)
    assert again.level == frame.level
    assert schema_only(again) == schema_only(frame)
    assert "statistics" not in json.dumps(stored_frame(schema_only(frame)))


def test_the_kernels_profiles_of_numbers_and_dates_are_valid_statistics() -> None:
    days = pd.date_range("2024-01-01", periods=9, freq="h")
    zoned = {"t": days, "z": days.tz_localize("Asia/Shanghai"), "n": range(9), "x": ["canary"] * 9}
    dates = pl.Series([day.date() for day in days])
    for frame in (pd.DataFrame(zoned), pl.DataFrame({"t": days, "d": dates, "n": range(9)})):
        for profile in columns_of(frame).values():
            column = column_profile(profile)
            limited = permitted_values(
                DataFrameProfile(
                    name="df", row_count=9, column_count=1, columns=[column], level="statistics"
                ),
                on_this_machine=False,
            )
            statistics = limited.columns[0].statistics
            assert statistics is not None and statistics.missing == 0
            has_range = "numbers" in profile or "dates" in profile
            assert (statistics.min is not None) == (statistics.max is not None) == has_range
            assert has_range == (profile["name"] != "x")
            assert "canary" not in limited.model_dump_json()


def column_profile(profile: dict[str, Any]) -> ColumnProfile:
    """Return a column as ``src/kernel/dataValues.ts`` sends it."""
    numbers = profile.get("numbers", {})
    values = {name: numbers[name] for name in ("min", "max", "mean", "quartiles") if numbers}
    counts = {name: profile[name] for name in ("rows", "missing", "distinct")}
    statistics = ColumnStatistics(**(counts | values | profile.get("dates", {})))
    return ColumnProfile(name=profile["name"], dtype=profile["dtype"], statistics=statistics)
