"""P28: cells are recognised after tools rewrote their notebook, and never mixed."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiserver.gc_pause import pause_gc
from aiserver.notebooks.cell_match import (
    FileCell,
    is_positional,
    is_random,
    match_cells,
    normalized,
)

from ..effort import at_most

A, B, C, D = "aaaa1111", "bbbb2222", "cccc3333", "dddd4444"
RECORDED = {A: ["a = 1"], B: ["b = 2"], C: ["c = 3"]}
KAGGLE_START = "b1076dfc-b9ad-4769-8c92-a6c4dae69d19"
LONG = "total = sales.groupby('region')['price'].sum()\ntotal.plot.bar(title='Total')"


def matched(
    cells: Sequence[tuple[str, str]],
    recorded: Mapping[str, Sequence[str]] = RECORDED,
    orders: Sequence[Sequence[str]] | None = None,
    *,
    trusts_ids: bool = True,
) -> dict[int, str]:
    """Return the ids of the recorded cells by the indices of the file's cells."""
    orders = [list(recorded)] if orders is None else orders
    file = [FileCell(*cell) for cell in cells]
    matches = match_cells(file, recorded, orders, trusts_ids=trusts_ids)
    return {index: match.id for index, match in matches.items()}


def numbered(*sources: str) -> list[tuple[str, str]]:
    return [(str(place), source) for place, source in enumerate(sources)]


@pytest.mark.parametrize(
    "id_",
    ["0", "12", "initial_id", "cell-3", "cell_12", "id-0", "cell", "c1", "step-1", KAGGLE_START],
)
def test_ids_that_any_cell_may_have(id_: str) -> None:
    assert is_positional(id_)
    assert not is_random(id_)


@given(st.randoms(use_true_random=False))
def test_the_ids_of_jupyter_and_vs_code_are_random(rng: random.Random) -> None:
    id_ = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    assert is_random(id_)
    assert is_random(id_[:8])
    assert not is_random("load-data")


def test_a_cell_with_its_own_id_is_recognised_whatever_it_contains() -> None:
    """A tool that keeps ids would have kept that of the second cell, too: it is a new one."""
    assert matched([(A, "other = 1"), ("eeee5555", "b = 2")]) == {0: A}
    assert matched([(A, "other = 1"), ("0", "b = 2")]) == {0: A, 1: B}


def test_a_cell_with_its_own_id_is_no_deleted_one() -> None:
    """P28: only the double that a failed comparison has recorded is."""
    double, pasted = str(uuid.uuid5(uuid.NAMESPACE_URL, "x")), "eeee5555"
    recorded = {A: ["a = 1"], D: [LONG, ""], double: [LONG, ""]}
    orders = [[A, double], [A, D]]
    assert matched([(A, "a = 1"), (double, LONG)], recorded, orders) == {0: A, 1: D}
    other = recorded | {double: [LONG, "sales.plot('year', 'income')", ""]}
    assert matched([(A, "a = 1"), (double, LONG)], other, orders) == {0: A, 1: double}
    own = recorded | {pasted: []}
    assert matched([(A, "a = 1"), (pasted, LONG)], own, [[A, pasted], *orders]) == {0: A, 1: pasted}


def test_an_id_that_was_chosen_requires_a_recorded_content() -> None:
    """marimo and agents give the same names to cells of several notebooks."""
    recorded = {"load": ["sales = load('sales.csv')"], "plot": [LONG]}
    cells = [("load", "weather = fetch('weather.csv')"), ("plot", LONG)]
    assert matched(cells, recorded, trusts_ids=False) == {1: "plot"}
    shifted = [("load", "# Sales"), ("plot", "sales = load('sales.csv')"), ("end", LONG)]
    assert matched(shifted, recorded) == {1: "load", 2: "plot"}, "an agent has named them anew"
    shifted[1] = ("plot", "sales = load('other.csv')")
    assert matched(shifted, recorded) == {2: "plot"}
    assert matched([("load", "new = 1"), ("plot", "new = 2")], recorded) == {0: "load", 1: "plot"}


def test_in_a_pair_a_random_id_requires_a_content() -> None:
    """Jupytext gives the ids of changed cells by their order."""
    recorded = {A: ["a = 1"], B: [LONG], C: ["c = 3"]}
    changed = LONG.replace("sum", "mean")
    pair = [(A, "a = 1"), (B, "new = sales.head(7)"), ("ffff6666", changed), (C, "c = 3")]
    assert matched(pair, recorded, trusts_ids=False) == {0: A, 3: C}
    pair[2] = ("ffff6666", LONG)
    assert matched(pair, recorded, trusts_ids=False) == {0: A, 2: B, 3: C}
    pair[1:3] = [(B, changed)]
    assert matched(pair, recorded, trusts_ids=False) == {0: A, 1: B, 2: C}


def test_a_newest_content_is_stronger_than_an_earlier_one() -> None:
    """Whatever their order is: below, a cell has a text that another one had before."""
    recorded = {A: [LONG, "df.head(20).T.describe()"], B: ["b = 2"]}
    file = numbered(LONG, "df.head(20).T.describe()", "b = 2")
    assert matched(file, recorded) == {0: A, 2: B}
    assert matched(file[::-1], recorded)[2] == A


def test_a_newest_content_of_two_cells_is_a_sign_only_in_its_place() -> None:
    """P28: both branches have a cell with it, and the versions fit the file equally well."""
    sales, costs = "sales = load('sales.csv')", "costs = load('costs.csv')"
    recorded = {A: [sales], B: [LONG], C: [costs], D: [LONG]}
    cells = numbered(sales, LONG, costs)
    assert matched(cells, recorded, [[A, C, D], [A, B, C]]) == {0: A, 2: C}
    assert matched(cells, recorded, [[A, B, C], [A, C, D]]) == {0: A, 1: B, 2: C}


def test_a_missing_cell_is_found_by_its_newest_content() -> None:
    """Another editor gives a cell that is cut and pasted a new id."""
    recorded = {A: ["a = 1"], B: [LONG, "old = load('sales.csv')"]}
    assert matched([("eeee5555", LONG), (A, "a = 1")], recorded) == {0: B, 1: A}
    assert matched([("eeee5555", "old = load('sales.csv')"), (A, "a = 1")], recorded) == {1: A}


def test_a_neighbor_without_history_proves_no_place() -> None:
    changed = LONG.replace("sum", "mean")
    assert matched(numbered("# Title", changed), {B: [LONG]}, [["plot-a", B]]) == {}
    assert matched(numbered(changed), {B: [LONG]}) == {}


def test_numbered_cells_are_recognised_by_content_and_a_new_one_is_unknown() -> None:
    recorded = RECORDED | {"0": ["a = 1 + 1"]}
    cells = numbered("top = 0", "a = 1", "b = 2", "c = 3")
    assert matched(cells, recorded) == {1: A, 2: B, 3: C}


def test_a_cell_is_recognised_by_an_earlier_content() -> None:
    recorded = {B: ["x = 2", LONG], A: ["z = 1", LONG + " * 2"]}
    assert matched(numbered(LONG, LONG + " * 2"), recorded) == {0: B, 1: A}
    assert matched(numbered(LONG, "y = 1"), recorded | {A: ["z = 1", "y = 1"]}) == {0: B}
    recorded = {B: ["x = 2", LONG], A: [LONG, "y = 1"]}
    assert matched(numbered("x = 2", LONG), recorded) == {0: B, 1: A}
    assert matched(numbered(LONG, "y = 1"), recorded) == {0: A}  # A was moved


def test_equal_cells_are_distinguished_by_their_order() -> None:
    recorded = {A: ["a = 1"], "p": ["x"], B: ["b = 2"], "q": ["x"], C: ["c = 3"]}
    assert matched(numbered("a = 1", "b = 2", "x", "c = 3"), recorded)[2] == "q"
    assert matched(numbered("x", "new"), recorded) == {}
    pair = {A: ["a = 1"], "p": ["x"], "q": ["x"], C: ["c = 3"]}
    cells = numbered("a = 1", "x", "x", "c = 3")
    assert matched(cells, pair) == {0: A, 3: C}  # they may have changed places
    assert matched(cells, pair | {"q": ["y"]}) == {0: A, 3: C}


def test_an_earlier_content_is_no_sign_if_the_newest_is_in_the_file() -> None:
    """The cell was copied and moved, and a new cell is in its place."""
    recorded = {A: [LONG, "x = 1"], B: [LONG], C: ["c = load('another.csv')"]}
    cells = numbered(LONG, "c = load('another.csv')", LONG, "x = 1")
    assert matched(cells, recorded, [[C, A], [A, C, B]]) == {1: C}


def test_a_short_cell_that_has_moved_is_unknown() -> None:
    recorded = {A: ["x = 1"], B: [LONG], C: ["c = 3"]}
    assert matched(numbered("x = 1", LONG, "c = 3"), recorded) == {0: A, 1: B, 2: C}
    assert matched(numbered(LONG, "x = 1", "c = 3"), recorded) == {0: B, 2: C}
    assert matched(numbered("c = 3", "x = 1"), recorded) == {}


def test_a_copy_from_another_editor_leaves_both_cells_unknown() -> None:
    recorded = {A: ["a = 1"], "p": ["x"], C: ["c = 3"]}
    cells = numbered("a = 1", "x", "new", "x", "c = 3")
    assert matched(cells, recorded) == {0: A, 4: C}


def test_a_short_content_is_no_sign_in_a_cell_with_the_random_id_of_another() -> None:
    """On another branch, a cell had the content that another one has here."""
    recorded = {A: [LONG], B: ["x = 2"], C: ["x = 1"], D: [LONG + "\nplt.show()"]}
    cells = [(A, LONG), (B, "x = 1"), (D, LONG + "\nplt.show()")]
    assert matched(cells, recorded, trusts_ids=False) == {0: A, 2: D}
    cells[1] = ("1", "x = 1")
    assert matched(cells, recorded, trusts_ids=False) == {0: A, 1: C, 2: D}


def test_the_short_content_of_a_removed_cell_is_no_sign() -> None:
    recorded = RECORDED | {D: ["df.head()"], "eeee5555": [LONG]}
    cells = numbered("a = 1", "df.head()", "b = 2", "c = 3", LONG)
    assert matched(cells, recorded, [[A, B, C]]) == {0: A, 2: B, 3: C, 4: "eeee5555"}


def test_a_changed_cell_is_recognised_between_its_neighbors_only() -> None:
    recorded = {A: ["a = 1"], B: [LONG], C: ["c = 3"]}
    changed = LONG.replace("sum", "mean")
    assert matched(numbered("a = 1", changed, "c = 3"), recorded)[1] == B
    assert 2 not in matched(numbered("a = 1", "c = 3", changed), recorded)
    assert matched(numbered("a = 1", changed, changed + "()", "c = 3"), recorded) == {0: A, 3: C}
    assert 1 not in matched(numbered("a = 1", "import os", "c = 3"), recorded)
    # A tool that keeps ids would have kept this one.
    assert matched([(A, "a = 1"), ("ffff6666", changed), (C, "c = 3")], recorded) == {0: A, 2: C}


def test_a_similar_cell_must_be_the_most_similar_one() -> None:
    plots = [f"plt.plot(df['year'], df['{name}'], label='{name}')\nplt.show()" for name in "pqr"]
    recorded = {A: ["a = 1"], "p": [plots[0]], "q": [plots[1]], C: ["c = 3"]}
    moved = numbered("a = 1", plots[1] + ";more", plots[0] + ";more", "c = 3")
    assert matched(moved, recorded) == {0: A, 3: C}


def test_a_similar_cell_of_another_branch_may_be_the_recorded_one() -> None:
    plots = [LONG.replace("price", name) for name in ("price", "salary")]
    recorded = {A: ["a = 1"], B: [plots[1]], C: ["c = 3"], D: [plots[0]]}
    cells = numbered("a = 1", plots[0].replace("Total", "Sum"), "c = 3")
    assert matched(cells, recorded, [[A, B, C]]) == {0: A, 2: C}


def test_a_version_with_copies_explains_no_more_than_one_without() -> None:
    recorded = RECORDED | {D: ["b = 2"]}
    orders = [[A, C, B], [D, A, B, C]]
    assert matched(numbered("a = 1", "c = 3", "b = 2"), recorded, orders) == {0: A, 1: C, 2: B}


def test_empty_cells_are_not_recognised_by_their_content() -> None:
    assert matched(numbered("", ""), {A: [], B: ["x"]}) == {}
    # But in the same place between two cells, if it was empty there.
    recorded = {A: ["a = 1"], B: ["", "x"], C: ["c = 3"]}
    assert matched(numbered("a = 1", "", "c = 3"), recorded) == {0: A, 1: B, 2: C}
    assert matched(numbered("a = 1", "", "c = 3"), recorded | {B: ["x"]}) == {0: A, 2: C}
    assert matched([(A, ""), ("eeee5555", ""), (C, "")], recorded) == {0: A, 2: C}


@pytest.mark.parametrize("name", ["x", "x{}"])
def test_thousands_of_short_cells_take_linear_time(name: str) -> None:
    sources = [name.format(place) for place in range(4_000)]
    recorded = {A: ["a = 1"], **{f"cell{n}x": [source] for n, source in enumerate(sources)}}
    with pause_gc(), at_most(steps=4_000_000):
        count = len(matched(numbered("a = 1", *sources), recorded))
    assert count == 1 + (name != "x") * 4_000


@given(st.text(max_size=40))
def test_normalizing_again_changes_nothing(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)


# What tools do to the ids of cells: they number them, or give them new ones, or keep them.
TOOLS: list[Callable[[list[tuple[str, str]]], list[tuple[str, str]]]] = [
    lambda cells: numbered(*[source for _, source in cells]),
    lambda cells: [(str(uuid.uuid4()), source) for _, source in cells],
    lambda cells: cells,
]


def test_500_walks_of_versions_and_tools_mix_nothing() -> None:
    """Cells are edited, added, removed, moved and copied; two branches are checked out in turn."""
    counts = [_walk(seed) for seed in range(500)]
    unchanged_count, recognised_count = map(sum, zip(*counts, strict=True))
    assert recognised_count >= 0.99 * unchanged_count, (recognised_count, unchanged_count)


def _walk(seed: int) -> tuple[int, int]:
    """Return how many unchanged cells with a content of their own there were and are recognised."""
    rng = random.Random(seed)
    branches = [[_new(rng) for _ in range(rng.randint(2, 8))]] * 2
    recorded: dict[str, list[str]] = {}
    orders: list[list[str]] = []
    unchanged_count = recognised_count = 0
    for _ in range(12):
        branch = rng.randrange(2)
        after = _changed(rng, branches[branch]) if orders else branches[branch]
        rewritten = rng.choice(TOOLS)(after)
        matches = matched(rewritten, recorded, orders)
        here = {id_ for id_, _ in after}
        texts = [text for _, text in after]
        recorded_texts = [text for old in recorded.values() for text in set(old)]
        for index, (true_id, source) in enumerate(after):
            id_ = matches.get(index)
            if id_ is not None and id_ != true_id and source not in recorded[id_]:
                # A copy may get the history of its original, as it does in JupyterLab. Otherwise,
                # only a cell that is gone can have moved here, and it had most of this text.
                assert id_ not in here, (seed, source)
                assert any(map(source.startswith, recorded[id_])), (seed, source)
            is_unique = texts.count(source) == recorded_texts.count(source) == 1
            if source in recorded.get(true_id, [])[:1] and is_unique:
                unchanged_count += 1
                recognised_count += id_ == true_id
        branches[branch] = after
        for id_, source in after:
            recorded[id_] = [source, *(old for old in recorded.get(id_, []) if old != source)]
        orders.insert(0, [id_ for id_, _ in after])
    return unchanged_count, recognised_count


def _new(rng: random.Random) -> tuple[str, str]:
    name = rng.choice(["sales", "total", "price", "region", "df", "model"])
    return uuid.UUID(int=rng.getrandbits(128)).hex[
        :8
    ], f"{name} = load('{rng.randrange(10**6)}.csv')"


def _changed(rng: random.Random, cells: list[tuple[str, str]]) -> list[tuple[str, str]]:
    cells = list(cells)
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(cells) + 1)
        change = rng.choice(["add", "remove", "edit", "move", "copy"])
        if change == "add":
            cells.insert(place, _new(rng))
        elif change == "copy" and cells:
            cells.insert(place, (_new(rng)[0], rng.choice(cells)[1]))
        elif change == "remove" and len(cells) > 1:
            del cells[place % len(cells)]
        elif change == "move":
            cells.insert(place % len(cells), cells.pop(rng.randrange(len(cells))))
        elif change == "edit" and cells:
            id_, source = cells[place % len(cells)]
            cells[place % len(cells)] = (id_, f"{source}.where({rng.randrange(10**6)})")
    return cells
