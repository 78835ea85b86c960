"""Profiles are equal to the libraries' own answers, on data sets that packages ship."""

from __future__ import annotations

import importlib
import math
from typing import Any

import pandas as pd
import polars as pl
import pytest
from sklearn import datasets as sklearn_datasets

from .profiles_of import columns_of

STATSMODELS = (
    "anes96",
    "cancer",
    "ccard",
    "co2",
    "copper",
    "cpunish",
    "danish_data",
    "elnino",
    "engel",
    "fair",
    "fertility",
    "grunfeld",
    "heart",
    "interest_inflation",
    "longley",
    "macrodata",
    "modechoice",
    "nile",
    "randhie",
    "scotland",
    "spector",
    "stackloss",
    "star98",
    "statecrime",
    "strikes",
    "sunspots",
)
SKLEARN = ("iris", "wine", "breast_cancer", "diabetes", "linnerud")


def public_frame(name: str) -> pd.DataFrame:
    if name in SKLEARN:
        return getattr(sklearn_datasets, f"load_{name}")(as_frame=True)["data"]
    frame = importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data
    return pd.DataFrame(frame).reset_index()


@pytest.mark.parametrize("name", [*STATSMODELS, *SKLEARN])
def test_a_profile_equals_the_answers_of_pandas(name):
    frame = public_frame(name)
    profiles = columns_of(frame)
    assert list(profiles) == [str(column) for column in frame.columns]
    for column in frame.columns:
        series, profile = frame[column], profiles[str(column)]
        assert profile["rows"] == len(series)
        assert profile["missing"] == series.isna().sum()
        assert profile["distinct"] == series.nunique()
        if pd.api.types.is_numeric_dtype(series) and series.count():
            assert_numbers(profile["numbers"], series.describe())
            assert sum(profile["histogram"]["counts"]) == series.count()
        elif pd.api.types.is_datetime64_any_dtype(series):
            assert pd.Timestamp(profile["dates"]["max"]) == series.max()
        elif "top" in profile:
            assert profile["top"][0]["count"] == series.value_counts().iloc[0]


@pytest.mark.parametrize("name", ["iris", "wine", "longley", "statecrime", "anes96", "strikes"])
def test_a_profile_equals_the_answers_of_polars(name):
    source = public_frame(name)
    frame = pl.DataFrame({str(c): source[c].tolist() for c in source.columns}, strict=False)
    profiles = columns_of(frame)
    for series in frame:
        profile = profiles[series.name]
        assert profile["missing"] == series.null_count()
        assert profile["distinct"] == series.drop_nulls().n_unique()
        if series.dtype.is_numeric():
            expected = {"mean": series.mean(), "std": series.std(), "min": series.min()}
            expected["max"] = series.max()
            for part in (25, 50, 75):
                expected[f"{part}%"] = series.quantile(part / 100, "linear")
            assert_numbers(profile["numbers"], pd.Series(expected))
        else:
            first = series.drop_nulls().value_counts(sort=True).row(0)
            assert profile["top"][0]["count"] == first[1]


def assert_numbers(numbers: dict[str, Any], described: pd.Series) -> None:
    """Compare with ``describe``."""
    numbers_in_order = [numbers[name] for name in ("mean", "std", "min")] + numbers["quartiles"]
    numbers_in_order.append(numbers["max"])
    names = ["mean", "std", "min", "25%", "50%", "75%", "max"]
    for number, name in zip(numbers_in_order, names, strict=True):
        assert number is not None
        assert math.isclose(number, described[name], rel_tol=1e-9, abs_tol=1e-9), name
