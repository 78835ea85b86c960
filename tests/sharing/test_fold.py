"""The steps of a cell as the exported page lists them; ``fold.spec.ts`` tests the sidebar's."""

from __future__ import annotations

import random
from typing import cast

import pytest

from aiserver.replay import Step
from aiserver.replay.step import Kind
from aiserver.sharing.fold import fold


def create_steps(*steps: tuple[str, str] | tuple[str, str, object]) -> list[Step]:
    """Create steps from kinds and codes; the optional third item is the cell above."""
    result: list[Step] = []
    for index, (kind, code, *after) in enumerate(steps):
        result.append(
            Step(
                index=index,
                seq=index + 1,
                kind=cast("Kind", kind),
                author="person",
                timestamp="",
                before=result[-1].after if result else "",
                code=code,
                applied=kind != "open",
                data={"after": after[0]} if after else None,
            )
        )
    return result


def listed(*steps: tuple[str, str] | tuple[str, str, object]) -> list[tuple[int, list[int]]]:
    return [(row.step, row.runs) for row in fold(create_steps(*steps))]


def test_a_run_belongs_to_the_step_that_wrote_its_code() -> None:
    run, rerun = ("run", "a"), ("run", "b")
    assert listed(("edit", "a"), run, run, ("turn", "b"), rerun) == [(0, [1, 2]), (3, [4])]
    assert listed(("edit", "a"), ("move", "a"), run) == [(0, [2]), (1, [])]
    assert listed(("edit", "a"), ("open", "b"), run) == [(0, [2]), (1, [])]
    assert listed(run, run) == [(0, [0, 1])]


def test_a_cut_and_a_paste_in_another_position_are_one_move() -> None:
    cut, undone, paste = ("delete", "a", "x"), ("undelete", "a", "x"), ("undelete", "a", None)
    rows = fold(create_steps(("edit", "a"), cut, paste, ("run", "a")))
    assert [(row.step, row.cut, row.runs) for row in rows] == [(0, None, [3]), (2, 1, [])]
    assert listed(("edit", "a"), cut, undone) == [(0, []), (1, []), (2, [])]
    assert listed(("edit", "a"), ("delete", "a"), paste) == [(0, []), (1, []), (2, [])]


@pytest.mark.parametrize("seed", range(20))
def test_each_step_is_listed_once(seed: int) -> None:
    random_ = random.Random(seed)
    kinds = ["turn", "edit", "run", "delete", "undelete", "open", "move"]
    steps = [(random_.choice(kinds), random_.choice("ab"), random_.choice("xy")) for _ in range(60)]
    listed_steps = [
        index
        for row in fold(create_steps(*steps))
        for index in {row.step, *row.runs, *([] if row.cut is None else [row.cut])}
    ]
    assert sorted(listed_steps) == list(range(60))
