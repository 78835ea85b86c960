"""The story's row of cells, held against the timeline over random operations."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from aiserver.notebooks.history import History
from aiserver.replay import Timeline
from aiserver.sharing.page_data import page_data

from ..replay.notebook_page import Page


@pytest.mark.parametrize("seed", range(6))
def test_each_moment_can_be_read_off_the_story(seed: int) -> None:
    """Rows, types, deleted cells and sources, as the page's script puts them together."""
    page = Page(Random(seed))
    for _ in range(90):
        page.act()
    sessions = dict(page.server.sessions)
    timeline = Timeline(list(sessions.values()), page.server.log)
    told = page_data(History("nb", sessions, page.server.log, timeline, "1"), "a.ipynb", {})
    row: list[Any] = []
    left: list[int] = []
    orders, gone = list(told["orders"]), list(told["gone"])
    newest: dict[int, int] = {}
    assert len(timeline.moments) > 30
    for moment in timeline.moments:
        while orders and orders[0][0] == moment.number:
            _, start, cut, put = orders.pop(0)
            row = row[:start] + put + row[start + cut :]
        while gone and gone[0][0] == moment.number:
            _, start, cut, put = gone.pop(0)
            left = left[:start] + put + left[start + cut :]
        newest.update(told["moments"][moment.number]["steps"])
        then = timeline.at(moment.number)
        assert [told["cells"][cell]["id"] for cell in left] == [c.cell_id for c in then.deleted]
        seen = [
            (told["cells"][cell]["id"], type_, held(told, cell, newest.get(cell, -1)))
            for cell, type_ in row
        ]
        assert seen == [(cell.cell_id, cell.type, cell.source) for cell in then.cells]
    assert not orders and not gone


def held(told: dict[str, Any], cell: int, step: int) -> str:
    for one in reversed(told["cells"][cell]["steps"][: step + 1]):
        if one["applied"]:
            return str(told["texts"][one["code"]])
    return str(told["texts"][told["cells"][cell]["first"]]) if step < 0 else ""
