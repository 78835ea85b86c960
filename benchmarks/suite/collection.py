"""All items of the suite, without those that can't be judged.

``excluded.json`` has the ids that ``verify.py`` excludes, with the reasons: the solution fails with
the libraries of today, has no value that can be compared, or doesn't have the same value twice. The
others are excluded by hand, because their solution doesn't decide whether an answer is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from .items import Item
from .sets import (
    chinese,
    dabench,
    ds1000,
    everyday,
    numpy_exercises,
    pandas_exercises,
    pandas_puzzles,
)

EXCLUDED = Path(__file__).parent / "excluded.json"
FAILS = "fails"  # a solution; its code is also left out of the cells above later items
BY_HAND = "by hand"
_SETS = (pandas_exercises, pandas_puzzles, numpy_exercises, dabench, ds1000, everyday)
SETS = (*(module.NAME for module in _SETS), *(f"{module.NAME}@zh" for module in _SETS[:3]))


def excluded() -> dict[str, str]:
    """Return the reasons of excluded items by their ids."""
    return dict(json.loads(EXCLUDED.read_text("utf-8")))


def all_items(excluded_ids: dict[str, str]) -> Iterator[Item]:
    """Yield the items of all sets that were fetched, with those in other languages at the end."""
    failing = {item for item, reason in excluded_ids.items() if reason.startswith(FAILS)}
    items = [
        item
        for module in _SETS
        for item in module.items(failing)
        if item.problem not in excluded_ids
    ]
    yield from items
    yield from chinese.translated(items)


def select(holdout: bool, sets: tuple[str, ...] = ()) -> list[Item]:
    """Return the items held back, or else the others; of all sets, or of some.

    The sets alternate, so that a run that is stopped early has items of each.
    """
    by_set: dict[str, list[Item]] = {}
    for item in all_items(excluded()):
        if item.is_holdout == holdout and (not sets or item.set in sets):
            by_set.setdefault(item.set, []).append(item)
    longest = max(map(len, by_set.values()), default=0)
    return [items[at] for at in range(longest) for items in by_set.values() if at < len(items)]
