"""Compare the page's data with the timeline after random operations."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from aiserver.notebooks.history import History
from aiserver.plugins.export.page_data import page_data

from ..replay.notebook_page import Page
from ..replay.session_builder import create_timeline


@pytest.mark.parametrize("seed", range(3))
def test_each_moment_can_be_rebuilt_from_the_data(seed: int) -> None:
    """Rebuild rows, types, deleted cells and sources like the page's script."""
    page = Page(Random(seed))
    for _ in range(90):
        page.act()
    sessions = dict(page.server.sessions)
    timeline = create_timeline(sessions.values(), page.server.log)
    data = page_data(History("nb", sessions, page.server.log, timeline, "1"), "a.ipynb", {})
    row: list[Any] = []
    deleted: list[int] = []
    orders, deletions = list(data["orders"]), list(data["deleted"])
    newest: dict[int, int] = {}
    assert len(timeline.moments) > 30
    for moment in timeline.moments:
        while orders and orders[0][0] == moment.index:
            _, start, cut, put = orders.pop(0)
            row = row[:start] + put + row[start + cut :]
        while deletions and deletions[0][0] == moment.index:
            _, start, cut, put = deletions.pop(0)
            deleted = deleted[:start] + put + deleted[start + cut :]
        newest.update(data["moments"][moment.index]["steps"])
        snapshot = timeline.at(moment.index)
        assert [data["cells"][cell]["id"] for cell in deleted] == [
            c.cell_id for c in snapshot.deleted
        ]
        rebuilt = [
            (data["cells"][cell]["id"], type_, source_at(data, cell, newest.get(cell, -1)))
            for cell, type_ in row
        ]
        assert rebuilt == [(cell.cell_id, cell.type, cell.source) for cell in snapshot.cells]
    assert not orders and not deletions


def source_at(data: dict[str, Any], cell: int, step: int) -> str:
    for item in reversed(data["cells"][cell]["steps"][: step + 1]):
        if item["applied"]:
            return str(data["texts"][item["code"]])
    return str(data["texts"][data["cells"][cell]["first"]]) if step < 0 else ""
