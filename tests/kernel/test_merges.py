"""Signals of merges that multiply or lose rows, and of sums over repeated rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aiserver.kernel.check import check_suggestion

from ..effort import at_most


def kernel() -> dict[str, Any]:
    days = pd.to_datetime(["2024-01-01", "2024-01-01", "2024-01-02"])
    return {
        "pd": pd,
        "orders": pd.DataFrame({"order": [1, 2, 3], "city": ["a", "a", "b"], "sum": [5, 6, 7]}),
        "items": pd.DataFrame({"order": [1, 1, 2, 3], "qty": [1, 2, 3, 4], "price": [1, 2, 3, 4]}),
        "shops": pd.DataFrame({"city": ["a", "a", "b"], "day": days, "open": [1, 2, 3]}),
        "visits": pd.DataFrame({"day": days, "city": ["a", "a", "b"], "count": [1, 2, 3]}),
        "cities": pd.DataFrame({"city": ["a", "b"], "people": [10, 20]}),
        "towns": pd.DataFrame({"town": ["a", None], "people": [10, 20]}),
        "many": pd.DataFrame({"city": ["a", "b", "x", "y"] * 10, "qty": range(40)}),
        "gaps": pd.DataFrame({"city": [None, None, "b"], "x": [1, 2, 3]}),
    }


def signals(code: str) -> list[dict[str, Any]]:
    result = check_suggestion(code, kernel())
    assert not result["problems"]
    return result["signals"]


MULTIPLIED = [
    "orders.merge(shops, on='city')",
    "orders.merge(shops)",
    "pd.merge(orders, shops, on='city', how='left')",
    "pd.merge(orders, shops, how='outer', left_on='city', right_on='city')",
    "found = orders.sort_values('sum').merge(shops[['city', 'open']], on=['city'])",
    "shops.merge(visits, on=['day', 'city'])",
    "shops.merge(visits, on='day')",
    "gaps.merge(gaps, on='city')",
    "orders.join(shops.set_index('city'), on='city')",
    "orders.set_index('city').join(shops.set_index('city'))",
    "orders.merge(shops.set_index('city'), left_on='city', right_index=True)",
]


@pytest.mark.parametrize("code", MULTIPLIED)
def test_a_merge_that_multiplies_rows(code):
    [signal] = signals(code)
    assert (signal["kind"], signal["before"], signal["after"]) == ("multiplied", 3, 5)
    assert signal["line"] == 1


def test_rows_are_those_of_pandas():
    [signal] = signals("orders.merge(shops, on='city')")
    space = kernel()
    assert len(space["orders"].merge(space["shops"], on="city")) == signal["after"]
    assert signal["labels"] == ["city"]


@pytest.mark.parametrize(
    "code",
    ["many.merge(cities, on='city')", "cities.merge(many)", "pd.merge(many[['city']], cities)"],
)
def test_an_inner_merge_that_loses_rows(code):
    [signal] = signals(code)
    expected = {"kind": "lost", "name": "many", "before": 40, "after": 20}
    assert expected.items() <= signal.items()


TWICE = [
    "m['sum'].sum()",
    "orders.set_index('order').join(items.set_index('order'))['sum'].sum()",
    "m['sum'].mean()",
    "m.groupby('city')['sum'].sum()",
    "m.groupby('city')['sum'].agg('sum')",
    "m.groupby(['city', 'order'])[['sum', 'qty']].mean()",
    "m = m.sort_values('qty')\nm[m['qty'] > 1]['sum'].sum()",
]


@pytest.mark.parametrize("code", TWICE)
def test_a_sum_over_rows_that_a_merge_repeats(code):
    [signal] = signals(f"m = orders.merge(items, on='order')\n{code}")
    assert (signal["kind"], signal["labels"]) == ("counted_twice", ["sum"])


RIGHT = [
    # one to many, and many to one
    "orders.merge(items, on='order')",
    "items.merge(orders, on='order', how='left')",
    "orders.merge(cities)",
    "many.merge(cities, on='city', how='left')",
    "cities.merge(many, on='city', how='right')",
    "many.merge(cities, on='city', how='inner')",
    # all rows of the many
    "pd.merge(items, orders, on='order').groupby('city')['qty'].sum()",
    "items.merge(orders, on='order')['qty'].sum()",
    # other values, or each row once
    "m = orders.merge(items, on='order')\nm['all'] = m['qty'] * m['price']\nm['all'].sum()",
    "m = orders.merge(items, on='order')\nm['sum'] = m['sum'] / m['qty']\nm['sum'].sum()",
    "m = orders.merge(items, on='order')\nm.sum = m['qty']\nm['sum'].sum()",
    "m = orders.merge(items, on='order').drop_duplicates('order')\nm['sum'].sum()",
    "m = orders.merge(items, on='order')\nm.groupby('city')['sum'].max()",
    "m = orders.merge(items, on='order')\nm.groupby('qty')['sum'].mean()",
    "m = orders.merge(items, on='order')\nm['order'].nunique()",
    "totals = items.groupby('order')['qty'].sum().reset_index()\n"
    "orders.merge(totals, on='order')['sum'].sum()",
    "orders.join(cities.set_index('city'), on='city')",
    "orders.set_index('order').join(cities, how='inner')",
    "orders.join(shops['open'])",
    # not certain
    "orders[orders['sum'] > 5].merge(shops, on='city')",
    "orders['city'] = orders['city'].str.upper()\norders.merge(shops, on='city')",
    "if len(orders) > 5:\n    orders.merge(shops, on='city')",
    "orders.merge(shops.drop_duplicates('city'), on='city')",
    "orders.merge(shops, on='city', validate='m:m')",
    "orders.merge(shops, how='cross')",
    "orders.merge(shops, left_index=True, right_index=True)",
    "gaps.merge(towns, left_on='city', right_on='town', how='left')",
]


@pytest.mark.parametrize("code", RIGHT)
def test_ordinary_merges_have_no_signal(code):
    assert signals(code) == []


def test_counting_is_bounded():
    keys = [f"key {n % 9000}" for n in range(24_000)]
    frame = pd.DataFrame({"key": keys, "n": np.arange(24_000)})
    large = pd.concat([frame] * 3)
    variables = {"frame": frame, "large": large}
    with at_most(3_000_000):
        result = check_suggestion("frame.merge(frame, on='key')", variables)
        assert [signal["kind"] for signal in result["signals"]] == ["multiplied"]
        assert not check_suggestion("frame.merge(large, on='key')", variables)["signals"]


class Odd(str):
    def __eq__(self, other: object) -> bool:
        raise AssertionError("The person's code ran.")

    __hash__ = str.__hash__


def test_objects_are_not_compared():
    odd = pd.DataFrame({"key": pd.Series([Odd("a"), Odd("a")], dtype=object), "n": [1, 2]})
    assert not check_suggestion("odd.merge(odd, on='key')", {"odd": odd})["signals"]


def keys() -> dict[str, Any]:
    return {
        "pd": pd,
        "orders": pd.DataFrame({"order": [7, 8, 9, 10], "客户": [3, 1, 2, 3], "sum": [5, 6, 7, 8]}),
        "people": pd.DataFrame({"id": [1, 2, 3, 4, 4], "name": ["a", "b", "c", "a", "a"]}),
        "twins": pd.DataFrame({"id": [1, 2, 3], "number": [3, 2, 1]}),
        "few": pd.DataFrame({"id": [1, 2], "name": ["a", "b"]}),
        "towns": pd.DataFrame({"id": [81, 82, 83], "name": ["x", "y", "z"]}),
    }


@pytest.mark.parametrize(
    ("code", "corrected"),
    [
        ("orders.merge(people, on='客户')", "left_on='客户', right_on='id'"),
        ("orders.merge(people, how='left', on=['id'])", "left_on='客户', right_on='id'"),
        ("pd.merge(people, orders, on='客户')", "left_on='id', right_on='客户'"),
        ("people.merge(orders[['客户', 'sum']], on='id')", "left_on='id', right_on='客户'"),
    ],
)
def test_a_key_with_another_name_on_the_other_side(code, corrected):
    with pytest.raises(KeyError):
        exec(code, keys())
    [problem] = check_suggestion(code, keys())["problems"]
    assert problem["correction"] == corrected
    before, after = code[: problem["column"]], code[problem["end_column"] :]
    result = eval(before + corrected + after, keys())
    assert len(result) == 4
    assert check_suggestion(before + corrected + after, keys())["problems"] == []


@pytest.mark.parametrize("other", ["twins", "few", "towns"])
def test_keys_without_one_certain_other_name(other):
    problems = check_suggestion(f"orders.merge({other}, on='客户')", keys())["problems"]
    assert [problem["kind"] for problem in problems] == ["missing_column"]
    assert not problems[0]["correction"]
