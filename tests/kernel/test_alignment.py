"""Columns that would only contain NaN, because the indexes don't match. Each snippet also runs."""

from __future__ import annotations

import pandas as pd
import pytest

from aiserver.kernel.check import check


def shop() -> pd.DataFrame:
    return pd.DataFrame(
        {"城市": ["北京", "上海", "北京"], "price": [1.5, 2.5, 3.5], "n": [0, 1, 0]}
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


def test_a_step_that_may_be_skipped_is_not_reported():
    assert reported("if len(df) > 5:\n    df['new'] = df['城市'].value_counts()") == []
