"""Markdown and notebook: the story told in them, and what must not happen to either."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import nbformat
import pytest
from markdown_it import MarkdownIt

from aiserver.errors import NotFound
from aiserver.notebooks.history import Histories
from aiserver.replay import report
from aiserver.sessions.memory import InMemorySessionManager
from aiserver.sharing.annotated import annotated
from aiserver.sharing.export import export, last_name
from aiserver.sharing.narrative import narrative

from .demo import BARS, BY_HAND, FIXED, HOSTILE, NOTEBOOK, PLOT, notebook
from .test_page import demo, verdant

SAFE = {"text", "text_special", "softbreak", "hardbreak", "code_inline"}


def test_markdown_tells_each_step_and_nothing_else_is_in_it() -> None:
    """P11, P12"""
    _, history = demo()
    told = narrative(history, f"{HOSTILE}.ipynb")
    tokens = MarkdownIt("commonmark").parse(told)
    kinds = {token.type for token in tokens}
    assert not {"html_block", "bullet_list_open", "table_open"} & kinds
    assert {child.type for token in tokens for child in token.children or []} <= SAFE
    headings = [
        tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"
    ]
    steps = sum(len(history.timeline.steps(cell)) for cell in history.sessions)
    cells = len(history.sessions)
    assert len(headings) == 1 + cells + steps
    fences = [token.content for token in tokens if token.type == "fence"]
    assert f"{PLOT}\n" in fences
    assert any('-monthly.plot(title="Revenue")\n+ax = ' in one for one in fences)
    assert "67%" in told and "openai:gpt-5 1" in told


def test_all_versions_can_be_read_off_the_markdown() -> None:
    """Each change, put on top of the one before, gives the next version."""
    _, history = demo()
    steps = history.timeline.steps("plot")
    told = narrative(history, "a")
    for before, after in ((FIXED, BARS), (BARS, BY_HAND)):
        lines = set(after.split("\n")) - set(before.split("\n"))
        assert all(f"\n+{line}\n" in told for line in lines)
    assert [step.index for step in steps] == list(range(len(steps)))


def valid(made: dict[str, Any]) -> Any:
    read = nbformat.reads(json.dumps(made), as_version=4)
    nbformat.validate(read)
    return read


def test_the_notebook_is_valid_and_its_own_cells_are_untouched() -> None:
    """P28: without our id it is another notebook; its cells and outputs differ by nothing."""
    _, history = demo()
    file = notebook()
    before = json.dumps(file)
    made = annotated(history, "sales.ipynb", file)
    read = valid(made)
    assert json.dumps(file) == before
    assert "aiserver" not in read.metadata and read.metadata.kernelspec.name == "python3"
    own = [cell for cell in made["cells"] if not cell["id"].startswith("story-")]
    assert own == file["cells"]
    assert made == annotated(history, "sales.ipynb", file)


def test_past_versions_are_to_read_and_never_to_run() -> None:
    """P13: the only code cells are the notebook's own, so “Run all” runs what it did."""
    _, history = demo()
    read = valid(annotated(history, "sales.ipynb", notebook()))
    assert [cell.id for cell in read.cells if cell.cell_type == "code"] == ["load", "plot", "evil"]
    by_place = [cell.id.startswith("story-") for cell in read.cells]
    # The head; the title, which once was longer, and its story; load and its; plot and its; evil
    # and its; the deleted cell.
    assert by_place == [True, *[False, True] * 4, True]
    plot = next(cell.source for cell in read.cells if "Plot revenue by month" in cell.source)
    assert PLOT in plot and "explode()" in plot and "rejected" in plot
    assert "scratch = 1" in read.cells[-1].source


def test_nothing_of_a_session_is_html_in_the_notebook() -> None:
    """P11: a story holds no element but its own fold."""
    _, history = demo()
    read = valid(annotated(history, HOSTILE, notebook()))
    allowed = re.compile(r"</?(details|summary)>")
    for cell in read.cells:
        if not cell.id.startswith("story-"):
            continue
        tokens = MarkdownIt("commonmark").parse(cell.source)
        blocks = [token.content for token in tokens if token.type == "html_block"]
        for block in blocks:
            assert not re.search(r"<[^>]*>", allowed.sub("", block)), block
        assert {child.type for token in tokens for child in token.children or []} <= SAFE


def test_without_its_file_the_notebook_is_the_one_of_the_last_moment() -> None:
    for _, history in (demo(), (None, verdant())):
        read = valid(annotated(history, "a.ipynb", None))
        last = history.timeline.last()
        assert last is not None
        own = [cell for cell in read.cells if not cell.id.startswith("story-")]
        assert [(cell.id, cell.cell_type, cell.source) for cell in own] == [
            (cell.cell_id, cell.type, cell.source) for cell in last.cells
        ]


@pytest.mark.parametrize(
    "spoilt",
    [
        {"nbformat": 3, "worksheets": []},
        {"nbformat": 4, "cells": "none"},
        {"nbformat": 4, "cells": [None]},
        {},
    ],
)
def test_a_file_that_is_no_notebook_is_left_out(spoilt: dict[str, Any]) -> None:
    _, history = demo()
    assert valid(annotated(history, "a", spoilt)).cells


def test_cells_without_ids_get_one() -> None:
    _, history = demo()
    file = notebook()
    file["nbformat_minor"] = 4
    for cell in file["cells"]:
        del cell["id"]
    file["cells"].append(dict(file["cells"][0], id="story-x"))
    file["cells"].append(dict(file["cells"][0], id="story-x"))
    read = valid(annotated(history, "a", file))
    assert len({cell.id for cell in read.cells}) == len(read.cells)


def test_real_histories_are_told_in_each_form() -> None:
    history = verdant()
    shares = report(history.timeline, history.sessions)["total"]
    # Verdant does not say who wrote what it recorded (P40).
    assert shares["byModel"] == 0 and shares["byUnknown"] == shares["lines"] > 0
    told = narrative(history, "houses_kc.ipynb")
    tags = [token.tag for token in MarkdownIt("commonmark").parse(told) if token.nesting == 1]
    assert tags.count("h2") == len(history.sessions)
    valid(annotated(history, "houses_kc.ipynb", None))


def test_of_nothing_there_is_no_export() -> None:
    async def work() -> None:
        store = InMemorySessionManager()
        history = await Histories(store).load("none")
        with pytest.raises(NotFound):
            await export(store, history, "md", "a.ipynb")

    asyncio.run(work())


def test_the_name_of_a_notebook_is_the_last_that_was_seen() -> None:
    _, history = demo()
    assert last_name(history) == "sales.ipynb"
    assert history.notebook_id == NOTEBOOK
