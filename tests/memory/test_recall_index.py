"""Ranking entries by words, and by both rankings together."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.plugins.search import entry_index as index_module
from aiserver.plugins.search.entry_index import EntryIndex, Row, WordIndex

from ..effort import at_most

WORDS = st.text(string.ascii_lowercase, min_size=3, max_size=8)
DATES = st.sampled_from(["", "2025-03-01", "2026-01-31", "2026-11-27"])
SHARED = ("amount", "in", "cents", "订单", "金额", "單位", "is", "the", "table", "key")
TEXTS = st.lists(st.sampled_from(SHARED), max_size=8)
ROWS = st.lists(st.tuples(TEXTS.map(" ".join), DATES), max_size=12)


def index_of(*rows: Row, package=None) -> EntryIndex:
    index = EntryIndex()
    index.replace(rows, package)
    return index


def rank(request: str, *rows: Row, code: str = "", limit: int = 100) -> list[Row]:
    return [rows[number] for number in index_of(*rows).rank(request, code, limit)]


def best(request: str, *texts: str, code: str = "") -> str:
    return rank(request, *((text, "") for text in texts), code=code)[0][0]


@given(st.lists(WORDS, min_size=2, max_size=6), st.integers(2, 30), st.randoms())
def test_an_entry_with_a_rare_word_of_the_request_is_first(
    common: list[str], count: int, rng: random.Random
) -> None:
    rows = [(" ".join(rng.sample(common, len(common))), "2026-11-27") for _ in range(count)]
    rare = (f"{common[0]} ZQXJ_KVWQ", "2020-01-01")
    request = f"{' '.join(common)} zqxj"
    assert rank(request, *rows, rare)[0] == rare
    assert rank(" ".join(common), *rows, rare, code="df['zqxj_kvwq']")[0] == rare


@given(ROWS, st.randoms())
def test_the_order_of_the_entries_does_not_matter(rows: list[Row], rng: random.Random) -> None:
    shuffled = rng.sample(rows, len(rows))
    for request in ("amounts in the 订单 table", "單位 keys", "", "…"):
        assert rank(request, *rows) == rank(request, *shuffled)


@given(ROWS, st.integers(0, 14))
def test_every_entry_is_ranked_once_up_to_the_limit(rows: list[Row], limit: int) -> None:
    ranked = rank("the amount", *rows, limit=limit)
    assert len(ranked) == min(limit, len(rows))
    assert all(ranked.count(row) <= rows.count(row) for row in rows)


def test_equal_entries_and_those_without_a_match_are_sorted_by_date() -> None:
    dates = ["2025-03-01", "", "2026-11-27", "2026-01-31"]
    newest = sorted(dates, reverse=True)
    assert [row[1] for row in rank("cents", *(("in cents", date) for date in dates))] == newest
    rows = [(f"text {number}", date) for number, date in enumerate(dates)]
    assert [row[1] for row in rank("nothing of it", *rows)] == newest
    assert [row[1] for row in rank("", *rows)] == newest


def test_without_entries_there_is_no_result() -> None:
    assert index_of().rank("a request", "", 10) == []
    assert EntryIndex().rank("a request", "", 10) == []
    assert EntryIndex().embed(1.0) == 0


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("sum the line totals", "line_total is in cents"),
        ("sum lineTotal", "line_total is in cents"),
        ("the sum of LINE_TOTAL", "line_total is in cents"),
        ("plotted queries", "plot each query"),
        ("計算訂單的金額", "订单金额的单位是分"),
        ("订单金额求和", "訂單金額以分為單位"),
        ("面積怎麼換算", "面积单位"),
    ],
)
def test_spellings_of_a_word_match(request_: str, text: str) -> None:
    others = ("the team meets on Mondays", "每周一开会", "colours of the palette")
    assert best(request_, *others, text) == text


def test_the_code_of_the_cell_counts() -> None:
    texts = ("store_id has leading zeros", "titles in bold")
    assert best("fix it", *texts, code="df['store_id'].astype(int)") == texts[0]


def test_a_very_long_entry_costs_little() -> None:
    with at_most(12_500_000):
        scores = WordIndex(["x" * 5_000_000, "数据 " * 1_000_000, "the data"]).scores("数据 data")
        assert set(scores) == {1, 2}


def test_hostile_texts_are_ranked() -> None:
    rows = [
        ("\x00", "x"),
        ("\ud800 half", ""),
        ("", "2026"),
        ("🏳️‍🌈 flag", "9999-99-99"),
        (")(*[", ""),
    ]
    assert sorted(rank("flag \udfff \x00 half)(*", *rows)) == sorted(rows)


class Directions:
    """Replaces the package: each text has the direction of its last character."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        monkeypatch.setattr(index_module, "vectors", self._vectors)

    def _vectors(self, texts: list[str], package: str) -> object:
        import numpy as np

        self.texts += texts
        axes = {"<": (1, 0), "^": (0, 1), "/": (0.6, 0.8)}
        return np.array([axes[text[-1]] for text in texts], np.float16)


def test_both_rankings_count(monkeypatch: pytest.MonkeyPatch) -> None:
    Directions(monkeypatch)
    rows = [
        ("neither <", "2026-01-03"),
        ("cents /", "2026-01-01"),
        ("similar ^", "2026-01-02"),
        ("old <", ""),
    ]
    index = index_of(*rows, package="wordllama")
    # Without embeddings, by words alone; with them, the entry that both rank high is before.
    assert index.rank("cents ^", "", 4)[0] == 1
    assert index.embed(1.0) == 0
    assert index.rank("cents ^", "", 4) == [1, 2, 0, 3]
    assert index.rank("nothing ^", "", 2) == [2, 1]


def test_embeddings_are_computed_once_and_dropped_with_their_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = Directions(monkeypatch)
    index = index_of(*[(f"{number} <", "") for number in range(9)], package="wordllama")
    remaining = [index.embed(0.0) for _ in range(4)]
    assert remaining == sorted(remaining, reverse=True) and remaining[0] > 0 == remaining[-1]
    assert len(package.texts) == 9
    index.replace([("0 <", ""), ("0 <", ""), ("new ^", "")], "wordllama")
    assert index.embed(1.0) == 0
    assert package.texts[9:] == ["new ^"]
    index.replace([("1 <", "")], "wordllama")
    index.embed(1.0)
    assert package.texts[10:] == ["1 <"]
