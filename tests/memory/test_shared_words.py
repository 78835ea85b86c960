"""Whether an entry can be about the subject of a request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.plugins.memory.recall import share_subject


@pytest.mark.parametrize(
    ("request_", "entry"),
    [
        ("plot the sales by month", "Plots are drawn with seaborn."),
        ("the mean of the order amounts", "Amounts are in cents"),
        ("sum up line totals", "line_total contains VAT"),
        ("export the customers to out.csv", "CSV files that we export have semicolons"),
        ("有多少 VIP 客户", "VIP 是订单超过四个的客户"),
        ("按周汇总 amt", "一周从星期日开始，按周汇总用 W-SAT。"),
        ("畫圖表標題", "圖表標題用中文"),
    ],
)
def test_entries_about_the_subject(request_: str, entry: str):
    assert share_subject(request_, entry)


@pytest.mark.parametrize(
    ("request_", "entry"),
    [
        ("return the first 3 rows of df", "Rows of sensors with flag = 1 are broken"),
        ("create a vector of size 10", "Plots are 10 by 4 inches; show their size"),
        ("print only the column veterans", "Column names are in lower case."),
        ("打印所有列名", "所有数据每天凌晨更新"),
        ("", "Use polars"),
        ("plot it", ""),
    ],
)
def test_entries_about_something_else(request_: str, entry: str):
    assert not share_subject(request_, entry)


@given(st.text(), st.text())
def test_the_order_of_the_texts_does_not_matter(first: str, second: str):
    assert share_subject(first, second) == share_subject(second, first)
