"""Amounts in words become digits for small models."""

from __future__ import annotations

import pytest

from aiserver.prompts.amounts import with_digits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sales above 100k", "sales above 100000"),
        ("销售额大于10万的行", "销售额大于100000的行"),
        ("超过1.5亿元", "超过150000000元"),
        ("收入在3千萬以上", "收入在30000000以上"),
        ("population > 1.5M", "population > 1500000"),
        ("over 2 million people", "over 2000000 people"),
        ("above 1,250k and below 2bn", "above 1250000 and below 2000000000"),
    ],
)
def test_amounts_become_digits(text: str, expected: str) -> None:
    assert with_digits(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "resample to 5M",
        "the last 3M months",
        "run 100m in seconds",
        "column '10k'",
        "use col_10k and v2k",
        "10kg of flour",
        "3 kids and 5 Monday rows",
        "version 1.2.3k4",
        "plot 2020 and 2021",
        "万一没有数据",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert with_digits(text) == text
