"""The split of the items, and the selection of a run."""

from __future__ import annotations

import pytest

from benchmarks.suite.collection import all_items, excluded, select
from benchmarks.suite.items import Item

HOLDOUT = ["numpy_exercises/8", "pandas_puzzles/14", "dabench/0"]
USED = ["pandas_puzzles/4", "numpy_exercises/3", "pandas_exercises/fictional_army/3", "dabench/5"]


@pytest.mark.parametrize("item_id", HOLDOUT)
def test_holdout_items_never_change(item_id: str) -> None:
    assert Item(item_id, "").is_holdout
    assert Item(f"{item_id}@zh", "").is_holdout


@pytest.mark.parametrize("item_id", USED)
def test_other_items_never_change(item_id: str) -> None:
    assert not Item(item_id, "").is_holdout


def test_a_third_is_the_holdout() -> None:
    count = sum(Item(f"set/{number}", "").is_holdout for number in range(3000))
    assert 900 < count < 1100


def test_holdout_items_are_never_selected_by_default() -> None:
    used, holdout = select(False), select(True)
    assert used and holdout
    assert not any(item.is_holdout for item in used)
    assert all(item.is_holdout for item in holdout)


def test_the_sets_alternate_and_can_be_chosen() -> None:
    assert len({item.set for item in select(False)[:2]}) == 2
    assert {item.set for item in select(False, ("dabench",))} == {"dabench"}


def test_items_have_unique_ids_and_one_rule() -> None:
    items = list(all_items(excluded()))
    assert len({item.id for item in items}) == len(items)
    assert all(item.solution or item.labels for item in items)
    assert not {item.problem for item in items} & set(excluded())


def test_the_set_of_a_translation_is_a_set_of_its_own() -> None:
    item = Item("pandas_exercises/02-euro12/4@zh", "")
    assert (item.set, item.problem) == ("pandas_exercises@zh", "pandas_exercises/02-euro12/4")
