"""Columns that would only contain NaN, because the indexes don't match. Each snippet also runs."""

from __future__ import annotations

import pandas as pd
import pytest

from .problems_of import check


def shop() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "城市": ["北京", "上海", "北京"],
            "price": [1.5, 2.5, 3.5],
            "n": [0, 1, 0],
            "day": ["2024-01-02", "2024-01-09", "2024-02-06"],
        }
    )


def reported(code: str) -> list[dict]:
    return [
        problem
        for problem in check(code, {"df": shop(), "pd": pd})
        if problem["kind"] == "not_aligned"
    ]


def result(code: str) -> pd.Series:
    variables = {"df": shop(), "pd": pd}
    exec(code, variables)
    return variables["df"]["new"]


@pytest.mark.parametrize(
    ("code", "corrected"),
    [
        (
            "df['new'] = df.groupby('城市')['price'].mean()",
            "df['new'] = df.groupby('城市')['price'].transform('mean')",
        ),
        (
            "df = df.sort_values('price')\ndf['new'] = df.groupby('城市').price.max()",
            "df = df.sort_values('price')\ndf['new'] = df.groupby('城市').price.transform('max')",
        ),
        (
            "df['new'] = df['城市'].value_counts()",
            "df['new'] = df['城市'].map(df['城市'].value_counts())",
        ),
        (
            "df['month'] = pd.to_datetime(df['day']).dt.strftime('%Y-%m')\n"
            "df['new'] = df.groupby('month')['price'].sum()",
            "df['month'] = pd.to_datetime(df['day']).dt.strftime('%Y-%m')\n"
            "df['new'] = df.groupby('month')['price'].transform('sum')",
        ),
    ],
)
def test_a_column_without_values_is_reported(code, corrected):
    assert result(code).isna().all()
    [problem] = reported(code)
    *above, last = code.split("\n")
    last = last[: problem["column"]] + problem["correction"] + last[problem["end_column"] :]
    assert "\n".join([*above, last]) == corrected
    assert result(corrected).notna().all()
    assert reported(corrected) == []


@pytest.mark.parametrize(
    "code",
    [
        "df['new'] = df.groupby('n')['price'].mean()",
        "df = df.set_index('城市')\ndf['new'] = df.groupby('城市')['price'].mean()",
        "df.index = df['城市']\ndf['new'] = df['城市'].value_counts()",
        "df = pd.DataFrame({'price': [1, 2]}, index=['北京', '上海'])\n"
        "df['new'] = pd.Series([1, 2], index=['北京', '上海'])",
        "df['new'] = df['城市'].map(df.groupby('城市')['price'].mean())",
        "df['new'] = df.groupby('城市')['price'].cumsum()",
        "df['new'] = df.groupby('城市')['price'].mean().reset_index(drop=True)",
        "df['new'] = df['price'].mean()",
    ],
)
def test_a_column_with_values_is_not_reported(code):
    assert result(code).notna().any()
    assert reported(code) == []


@pytest.mark.parametrize("method", ["day_name()", "month_name(locale='C')"])
def test_names_of_days_and_months_are_texts(method):
    # pandas 3.1 fails to make them where its texts are NumPy's, so the code isn't run.
    grouped = "df['new'] = df.groupby('part')['price'].sum()"
    assert reported(f"df['part'] = pd.to_datetime(df['day']).dt.{method}\n{grouped}")


def test_years_as_texts_can_be_converted_to_numbers():
    code = (
        "df['year'] = pd.to_datetime(df['day']).dt.strftime('%Y')\n"
        "df['new'] = df['year'].astype(int) + pd.to_numeric(df['year'])"
    )
    assert result(code).notna().all()
    assert check(code, {"df": shop(), "pd": pd}) == []


def test_a_step_that_may_be_skipped_is_not_reported():
    assert reported("if len(df) > 5:\n    df['new'] = df['城市'].value_counts()") == []
