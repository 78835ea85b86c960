"""P40: no line is a person's unless that person's input or act wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiserver.models import NotebookLogEntry
from aiserver.replay import blame, report

from .session_builder import NOW, SessionBuilder, create_timeline

FIRST_STEPS = Path(__file__).parents[2] / "examples/first-steps.ipynb"
AGENT = {"kind": "agent", "name": "jupyter-mcp-server"}
FORMATTER = {"kind": "program", "name": "jupyterlab_code_formatter"}


def authors(builder: SessionBuilder, **options: Any) -> list[str]:
    """The kind and name of each line's author."""
    origins = blame(builder.session(), **options)
    return [
        "existing" if origin.is_existing else f"{origin.author} {origin.name or ''}".strip()
        for origin in origins
    ]


def shares(*builders: SessionBuilder) -> dict[str, Any]:
    order = {"cell_ids": [builder.cell_id for builder in builders], "types": {}}
    cells = {builder.cell_id: builder.seq - 1 for builder in builders}
    rows = [("cell_order", order), ("changed", {"cells": cells, "id": "one"})]
    log = [
        NotebookLogEntry(seq=seq, type=type_, timestamp=NOW, data=data)
        for seq, (type_, data) in enumerate(rows, 1)
    ]
    sessions = {builder.cell_id: builder.session() for builder in builders}
    total: dict[str, Any] = report(create_timeline(sessions.values(), log), sessions)["total"]
    return total


def test_each_contributor_has_its_own_lines() -> None:
    """P40"""
    builder = SessionBuilder()
    builder.event("edit", source="a = 1", data={"trigger": "first"})
    builder.event("edit", source="a = 1\nb = 2")
    builder.event("edit", source="a = 1\nb = 2\nc=3", contributor=AGENT)
    builder.event("edit", source="a = 1\nb = 2\nc=3\nd = 4")
    builder.event("edit", source="a = 1\nb = 2\nc = 3\nd = 4", contributor=FORMATTER)
    assert authors(builder) == [
        "existing",
        "person",
        "program jupyterlab_code_formatter",
        "person",
    ]
    assert authors(builder, step=3)[2] == "agent jupyter-mcp-server"
    assert shares(builder) == {
        "lines": 4,
        "byModel": 0,
        "byPerson": 2,
        "byAgent": 0,
        "byProgram": 1,
        "byUnknown": 0,
        "existing": 1,
        "turns": 0,
        "models": {},
        "names": {"jupyterlab_code_formatter": 1},
    }


def test_a_new_notebook_with_text_is_not_by_hand() -> None:
    """P40: the guided notebook was 84 % by hand before anybody had typed a key."""
    builders = []
    for cell in json.loads(FIRST_STEPS.read_text("utf-8"))["cells"]:
        builder = SessionBuilder(cell["id"])
        source = "".join(cell["source"])
        if cell["id"] == "cell-ask":
            builder.accepted_turn(source, f"{source}\nimport pandas as pd")
        else:
            builder.event("edit", source=source, data={"trigger": "first"})
        builders.append(builder)
    total = shares(*builders)
    assert total["byPerson"] == 0
    assert total["byModel"] == 1
    assert total["existing"] == total["lines"] - 1 > 20


def test_a_change_that_no_record_explains_is_unknown() -> None:
    """P40: between two turns, before a rejection, and in what the cell holds now."""
    builder = SessionBuilder()
    builder.turn("old", "old\nnew")
    builder.accepted_turn("old\nother", "old\nother\nthird")
    assert authors(builder) == ["existing", "unknown", "model"]
    builder.event("reject", turn_id=builder.turn("old\nother\nthird", "x"), source="old\nthird\n4")
    assert authors(builder) == ["existing", "model", "unknown"]
    assert authors(builder, source="old\nthird\n4\n5")[-1] == "unknown"


def test_an_initial_observation_of_a_recorded_cell_is_an_unknown_change() -> None:
    """P40: the file was changed while the notebook was closed."""
    builder = SessionBuilder()
    builder.event("edit", source="mine")
    builder.event("edit", source="mine\nnot mine", data={"trigger": "first"})
    assert authors(builder) == ["person", "unknown"]
    assert [step.kind for step in builder.replay()] == ["edit", "edit"]


def test_an_imported_edit_has_an_unknown_author() -> None:
    """P40: the program that it was imported from does not say who made it."""
    builder = SessionBuilder()
    builder.event("edit", source="a", data={"imported": {"format": "verdant"}})
    assert authors(builder) == ["unknown"]


def test_a_cell_that_an_agent_adds_is_the_agents_from_its_first_line() -> None:
    """P40"""
    builder = SessionBuilder()
    builder.event("edit", source="a\nb", data={"trigger": "first"}, contributor=AGENT)
    (step,) = builder.replay()
    assert (step.kind, step.author, step.name) == ("edit", "agent", AGENT["name"])
    assert step.to_wire()["name"] == AGENT["name"]
    assert authors(builder) == ["agent jupyter-mcp-server"] * 2


@pytest.mark.parametrize("kind", ["robot", "a_later_kind"])
def test_a_kind_of_a_later_version_is_unknown_and_stays_as_it_is(kind: str) -> None:
    builder = SessionBuilder()
    contributor = {"kind": kind, "name": "R2", "more": 1}
    builder.event("edit", source="a", contributor=contributor)
    session = builder.session()
    assert authors(builder) == ["unknown R2"]
    assert session.to_dict()["events"][0]["contributor"] == contributor


def test_a_line_by_others_that_comes_back_is_not_the_persons() -> None:
    """P40: a page without it overwrote it with older text; or it was undone."""
    builder = SessionBuilder()
    builder.accepted_turn("", "by_model = 1")
    builder.event("edit", source="by_model = 1\nby_agent = 2", contributor=AGENT)
    older = {"trigger": "save", "again": True}
    builder.event("edit", source="", data=older, contributor={"kind": "unknown"})
    builder.event("edit", source="by_model = 1\nby_agent = 2\nmine = 3")
    assert authors(builder) == ["model", "agent jupyter-mcp-server", "person"]


def test_short_lines_come_back_after_another_pages_older_text() -> None:
    """P40"""
    builder = SessionBuilder()
    builder.accepted_turn("", "f(\n)\ny=2\n# 平均")
    older = {"trigger": "save", "again": True}
    builder.event("edit", source="", data=older, contributor={"kind": "unknown"})
    builder.event("edit", source="f(\n)\ny=2\n# 平均\nmine = 3")
    assert authors(builder) == ["model", "model", "model", "model", "person"]


def test_an_additional_copy_of_a_line_is_the_persons() -> None:
    """P40"""
    builder = SessionBuilder()
    builder.accepted_turn("", "print(df.head())\nprint(df.tail())")
    builder.event("edit", source="print(df.head())\nprint(df.tail())\nmine = 1\nprint(df.head())")
    assert authors(builder) == ["model", "model", "person", "person"]


def test_a_repeated_line_that_is_moved_keeps_its_author() -> None:
    """P40"""
    builder = SessionBuilder()
    builder.accepted_turn("", "a = load()\nshow(a.head())\nb = fit(a)\nshow(a.head())")
    builder.event("edit", source="show(a.head())\nshow(a.head())\na = load()\nb = fit(a)")
    assert authors(builder) == ["model"] * 4


def test_the_same_line_in_both_parts_of_a_merged_cell_has_the_author_of_each() -> None:
    """P40"""
    first, second, merged = SessionBuilder("one"), SessionBuilder("two"), SessionBuilder("both")
    first.accepted_turn("", "import numpy as np\nnp.zeros(1)")
    second.event("edit", source="import numpy as np\nnp.ones(2)", contributor=AGENT)
    second.event("edit", source="left by a window that knew less", contributor={"kind": "unknown"})
    text = "import numpy as np\nnp.zeros(1)\n\nimport numpy as np\nnp.ones(2)"
    merged.event("merge", source=text, data={"parents": ["one", "two"]})
    others = {builder.cell_id: builder.session() for builder in (first, second)}
    agent = "agent jupyter-mcp-server"
    assert authors(merged, session_by_cell=others) == ["model", "model", "person", agent, agent]
