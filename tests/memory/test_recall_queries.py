"""The entries and queries of ``benchmarks/data/memory`` are consistent."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="numpy is not installed")

from benchmarks.memory_recall import LANGUAGES, by_index, entries, index_of, queries

ENTRIES, QUERIES = entries(), queries()


def test_each_query_names_one_to_three_entries_that_exist() -> None:
    ids = [entry.id for entry in ENTRIES]
    assert len(set(ids)) == len(ids) >= 520
    assert len({query.request for query in QUERIES}) == len(QUERIES) >= 130
    for query in QUERIES:
        assert query.language in LANGUAGES
        assert 1 <= len(set(query.entries)) == len(query.entries) <= 3
        assert set(query.entries) <= set(ids), query.request


def test_each_language_has_a_holdout() -> None:
    for language in LANGUAGES:
        holdout = [query.is_holdout for query in QUERIES if query.language == language]
        assert 0.25 <= sum(holdout) / len(holdout) <= 0.5


def test_names_of_columns_and_tables_are_recalled() -> None:
    rank = by_index(index_of(ENTRIES, None))
    selected = [query for query in QUERIES if query.kind == "name"]
    recalled = [
        bool(set(query.entries) & {ENTRIES[number].id for number in rank(query)[:3]})
        for query in selected
    ]
    assert sum(recalled) / len(recalled) > 0.8
