"""The notebook at any moment is the notebook as it was: held against saves of a simulated page."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import nbformat
import pytest

from aiserver.replay import Timeline

from .notebook_page import Page, Row, rows

OPERATIONS = 70
DAY = timedelta(days=1)


def timeline(page: Page) -> Timeline:
    return Timeline(list(page.server.sessions.values()), page.server.log)


def reconstructed(found: Timeline, moment: int) -> list[Row]:
    return [(cell.cell_id, cell.type, cell.source) for cell in found.at(moment).cells]


@pytest.mark.parametrize("skew", [timedelta(0), DAY], ids=["right clocks", "clocks a day off"])
@pytest.mark.parametrize("seed", range(25))
def test_the_notebook_of_each_save_is_there_again(seed: int, skew: timedelta) -> None:
    """P26: after each of many operations, whatever the clocks say; deleted cells included."""
    page = Page(Random(seed), skew)
    done = [page.act() for _ in range(OPERATIONS)]
    found = timeline(page)
    assert len(found.saves) == len(page.saves) == OPERATIONS
    for number, (moment, saved) in enumerate(zip(found.saves, page.saves, strict=True)):
        nbformat.validate(saved.notebook)
        where = f"save {number}, after {done[: number + 1][-5:]}"
        assert reconstructed(found, moment) == saved.rows(), where
        assert found.moments[moment].saved
        gone = {cell.cell_id: cell.source for cell in found.at(moment).deleted}
        assert gone == saved.deleted, where


@pytest.mark.parametrize("seed", range(25, 30))
def test_what_a_notebook_was_does_not_change_by_what_comes_later(seed: int) -> None:
    page = Page(Random(seed), DAY)
    seen: list[list[Row]] = []
    for _ in range(OPERATIONS):
        page.act()
        found = timeline(page)
        now = [reconstructed(found, moment) for moment in found.saves]
        assert now[:-1] == seen
        seen = now
        assert seen[-1] == rows(page.saves[-1].notebook)
