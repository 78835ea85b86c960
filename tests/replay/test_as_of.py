"""The notebook at any moment is the notebook as it was: compared with a simulated page's saves."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import nbformat
import pytest

from aiserver.replay import Timeline

from .notebook_page import Page, Row, rows
from .session_builder import create_timeline

OPERATIONS = 70
DAY = timedelta(days=1)


def timeline_of(page: Page) -> Timeline:
    return create_timeline(page.server.sessions.values(), page.server.log)


def reconstructed(timeline: Timeline, moment: int) -> list[Row]:
    return [(cell.cell_id, cell.type, cell.source) for cell in timeline.at(moment).cells]


@pytest.mark.parametrize("skew", [timedelta(0), DAY], ids=["right clocks", "clocks a day off"])
@pytest.mark.parametrize("seed", range(25))
def test_the_notebook_of_each_save_is_reconstructed(seed: int, skew: timedelta) -> None:
    """P26: after each of many operations, whatever the clocks say; deleted cells included."""
    page = Page(Random(seed), skew)
    operations = [page.act() for _ in range(OPERATIONS)]
    timeline = timeline_of(page)
    assert len(timeline.saves) == len(page.saves) == OPERATIONS
    for number, (moment, saved) in enumerate(zip(timeline.saves, page.saves, strict=True)):
        nbformat.validate(saved.notebook)
        where = f"save {number}, after {operations[: number + 1][-5:]}"
        assert reconstructed(timeline, moment) == saved.rows(), where
        assert timeline.moments[moment].saved
        deleted = {cell.cell_id: cell.source for cell in timeline.at(moment).deleted}
        assert deleted == saved.deleted, where


@pytest.mark.parametrize("seed", range(25, 30))
def test_later_operations_do_not_change_earlier_moments(seed: int) -> None:
    page = Page(Random(seed), DAY)
    previous: list[list[Row]] = []
    for _ in range(OPERATIONS):
        page.act()
        timeline = timeline_of(page)
        now = [reconstructed(timeline, moment) for moment in timeline.saves]
        assert now[:-1] == previous
        previous = now
        assert previous[-1] == rows(page.saves[-1].notebook)
