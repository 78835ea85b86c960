"""The sets: scaffolds are removed, and what the code needs is in the cells above."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.suite import fetch, sources
from benchmarks.suite.collection import SETS
from benchmarks.suite.fetch import WrongChecksum
from benchmarks.suite.items import Item
from benchmarks.suite.sets import chinese, everyday
from benchmarks.suite.sources import Source, sha256


def test_chinese_wordings_replace_the_request_only() -> None:
    wordings = chinese.wordings()
    assert len(wordings) >= 60
    item_id = "pandas_exercises/fictional_army/5"
    [item] = chinese.translated([Item(item_id, "Print", ("x",)), Item("none/1", "y")])
    assert item == Item(f"{item_id}@zh", wordings[item_id], ("x",))
    assert {item.partition("/")[0] + "@zh" for item in wordings} <= set(SETS)


def test_everyday_requests_have_a_third_in_the_holdout() -> None:
    items = list(everyday.items(()))
    assert len({item.id for item in items}) == 60
    chinese_items = [item for item in items if re.search("[一-鿿]", item.request)]
    assert len(chinese_items) == 30
    assert sum(item.is_holdout for item in items) == 20
    assert sum(item.is_holdout for item in chinese_items) == 10
    for item in items:
        for code in (*item.cells, item.solution):
            ast.parse(code or "")


def test_every_source_has_a_licence_and_sums() -> None:
    for source in sources.sources().values():
        assert source.licence
        is_pinned = len(source.revision) == 40
        assert all((total is not None) == is_pinned for total in source.files.values())
        assert source.address("a b.csv").endswith(f"{source.revision}/a%20b.csv")


def test_only_files_with_the_right_sum_are_fetched(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(sources, "FETCHED", tmp_path / "fetched")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "a.csv").write_text("a\n1\n")
    total = sha256(b"a\n1\n")
    right = Source("s", "owner/repo", "main", "MIT", {"a.csv": total, "b.csv": total})
    assert fetch.fetch(right, "a.csv", tmp_path, {})
    assert right.path("a.csv").read_text() == "a\n1\n"
    assert not fetch.fetch(right, "b.csv", tmp_path, {})
    unrecorded = Source("t", "owner/repo", "main", "MIT", {"a.csv": None})
    with pytest.raises(WrongChecksum, match=total):
        fetch.fetch(unrecorded, "a.csv", tmp_path, {})
    assert not unrecorded.path("a.csv").exists()
    assert fetch.fetch(unrecorded, "a.csv", tmp_path, {"a.csv": total})


def test_excluded_items_have_reasons() -> None:
    folder = Path(sources.__file__).parent
    reasons = json.loads((folder / "excluded.json").read_text("utf-8"))
    assert all(item.count("/") and reason for item, reason in reasons.items())
