"""Changed data that is only shown, although the request asks for a change, is reported (P41)."""

from __future__ import annotations

import pandas as pd
import pytest

from .problems_of import check


def problems(code: str, mode: str = "change") -> list[tuple[str, list[str]]]:
    df = pd.DataFrame({"name": [" a", "b"], "price": [1.0, None], "day": ["2026-01-01"] * 2})
    return [
        (item["kind"], item["candidates"]) for item in check(code, {"pd": pd, "df": df}, mode=mode)
    ]


@pytest.mark.parametrize(
    ("code", "fixed"),
    [
        ("print(df.drop(columns='day'))", "df = df.drop(columns='day')"),
        ("df.rename(columns={'price': 'cost'})", "df = df.rename(columns={'price': 'cost'})"),
        ("df.dropna().reset_index(drop=True)", "df = df.dropna().reset_index(drop=True)"),
        ("print(df['price'].fillna(0))", "df['price'] = df['price'].fillna(0)"),
        ("df['name'].str.strip().str.upper()", "df['name'] = df['name'].str.strip().str.upper()"),
        ("print(pd.to_datetime(df['day']))", "df['day'] = pd.to_datetime(df['day'])"),
    ],
)
def test_a_changed_copy_that_is_only_shown(code: str, fixed: str) -> None:
    assert problems(code) == [("only_shown", [fixed])]
    assert problems(code, mode="") == [], "the request asks to show something"


@pytest.mark.parametrize(
    "code",
    [
        "df = df.drop(columns='day')\nprint(df)",
        "df['price'] = df['price'].fillna(0)\nprint(df['price'].fillna(1))",
        "df.drop(columns='day', inplace=True)",
        "other = df.drop(columns='day')\nprint(other)",
        "print(df.groupby('name')['price'].sum())",
        "print(df['price'].mean())",
        "print(df.head())",
        "print('done')",
        "for column in df:\n    print(df[column].astype(str))",
    ],
)
def test_other_code(code: str) -> None:
    assert problems(code) == []
