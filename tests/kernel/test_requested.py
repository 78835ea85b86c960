"""Columns and values that a request names, and its code doesn't use."""

from __future__ import annotations

import pandas as pd
import pytest

from aiserver.kernel.check import check_suggestion


def unused(intent: str, code: str, own_code: str = "") -> list[str]:
    visits = pd.DataFrame(
        {
            "age": [30, 40],
            "unit price": [1.0, 2.0],
            "price": [1.0, 2.0],
            "ward": ["A&E", "eye clinic"],
            "path": ["/login", "/home"],
            "城市": ["北京", "上海"],
            "name": ["Ann", "Bob"],
        }
    )
    space = {"pd": pd, "visits": visits, "ward": visits["ward"]}
    result = check_suggestion(code, space, intent=intent, own_code=own_code)
    assert not result["problems"]
    signals = result["signals"]
    assert {signal["kind"] for signal in signals} <= {"not_used"}
    return [name for signal in signals for name in signal["labels"]]


@pytest.mark.parametrize(
    ("intent", "code", "expected"),
    [
        ("oldest age", "visits['price'].max()", ["age"]),
        ("Age of the oldest?", "visits['price'].max()", ["age"]),
        ("mean unit_price", "visits['age'].mean()", ["unit price"]),
        ("share of /login", "visits['path'].value_counts()", ["/login"]),
        ("mean age in the eye clinic", "visits['age'].mean()", ["eye clinic"]),
        ("北京的平均价格", "visits['price'].mean()", ["北京"]),
        ("按城市统计", "visits['price'].sum()", ["城市"]),
    ],
)
def test_a_name_of_the_request_that_the_code_does_not_use(intent, code, expected):
    assert unused(intent, code) == expected


@pytest.mark.parametrize(
    ("intent", "code"),
    [
        ("oldest age", "visits['age'].max()"),
        ("oldest age", "visits.sort_values('age').tail(1)"),
        ("mean unit price", "visits['unit price'].mean()"),
        ("average", "visits['price'].mean()"),
        ("aged", "visits['price'].mean()"),
        ("rows without age", "visits[['price', 'path']]"),
        ("all columns except the price", "visits[['age', 'path']]"),
        ("除了城市以外的列", "visits[['age', 'path']]"),
        ("names of the visitors", "visits.index"),
        ("Ann's name", "visits[visits['name'] == 'Ann']"),
        ("the ward", "visits['path']"),  # another variable has this name
        ("oldest age", "print(3)"),  # of another DataFrame, or of none
        ("add the column total", "visits['total'] = visits['price'] * 2"),
    ],
)
def test_a_name_that_is_used_or_uncertain_is_no_signal(intent, code):
    assert unused(intent, code) == []


def test_what_the_cell_had_can_be_removed():
    own_code = "visits[visits['path'] == '/login']['age']"
    assert unused("drop the filter on /login", "visits['age']", own_code) == []


FAILED = "total = visits['ages'].sum() / limit\nvisits['城市'].unique()"


@pytest.mark.parametrize(
    ("code", "is_unrelated"),
    [
        ("print(sum(range(3)))", True),
        ("data = pd.DataFrame({'other': [1]})\ndata['other'].mean()", True),
        ("visits.age.sum()", False),
        ("x = [limit, 2]", False),
        ("f = pd.read_csv('a.csv')\nf['城市'].nunique()", False),
    ],
)
def test_another_attempt_that_uses_nothing_of_the_failed_code(code, is_unrelated):
    space = {"pd": pd, "limit": 3, "_1": 2, "visits": pd.DataFrame({"age": [1], "城市": ["北京"]})}
    result = check_suggestion(code, space, mode="repair", original=FAILED)
    assert ("unrelated" in [item["kind"] for item in result["signals"]]) == is_unrelated
    for mode, original in (("", FAILED), ("repair", "print(_1)")):
        signals = check_suggestion(code, space, mode=mode, original=original)["signals"]
        assert "unrelated" not in [item["kind"] for item in signals]
