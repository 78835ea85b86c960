"""Exports as Markdown and as a notebook: complete, valid, and without active content."""

from __future__ import annotations

import json
import re
from typing import Any

import nbformat
import pytest
from markdown_it import MarkdownIt

from aiserver.plugins.export.annotated import annotate
from aiserver.plugins.export.narrative import narrative
from aiserver.replay import report

from .demo import BARS, BY_HAND, FIXED, HOSTILE, PLOT, notebook
from .test_page import demo, verdant

SAFE = {"text", "text_special", "softbreak", "hardbreak", "code_inline"}


def test_markdown_contains_each_step_and_no_other_elements() -> None:
    """P11, P12"""
    _, history = demo()
    markdown = narrative(history, f"{HOSTILE}.ipynb")
    tokens = MarkdownIt("commonmark").parse(markdown)
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
    assert any('-monthly.plot(title="Revenue")\n+ax = ' in fence for fence in fences)
    assert "67%" in markdown and "gpt-5 (OpenAI) 1" in markdown


def test_markdown_contains_the_diff_of_each_version() -> None:
    """Each diff applies to the version before."""
    _, history = demo()
    steps = history.timeline.steps("plot")
    markdown = narrative(history, "a")
    for before, after in ((FIXED, BARS), (BARS, BY_HAND)):
        lines = set(after.split("\n")) - set(before.split("\n"))
        assert all(f"\n+{line}\n" in markdown for line in lines)
    assert [step.index for step in steps] == list(range(len(steps)))


def validated(data: dict[str, Any]) -> Any:
    read = nbformat.reads(json.dumps(data), as_version=4)
    nbformat.validate(read)
    return read


def test_the_notebook_is_valid_and_its_cells_are_unchanged() -> None:
    """P28: it has no notebook id, because it is another notebook."""
    _, history = demo()
    file = notebook()
    before = json.dumps(file)
    exported = annotate(history, "sales.ipynb", file)
    read = validated(exported)
    assert json.dumps(file) == before
    assert "aiserver" not in read.metadata and read.metadata.kernelspec.name == "python3"
    own = [cell for cell in exported["cells"] if not cell["id"].startswith("story-")]
    assert own == file["cells"]
    assert exported == annotate(history, "sales.ipynb", file)


def test_old_versions_are_not_runnable_cells() -> None:
    """P13: the only code cells are the notebook's own, so “Run all” runs only them."""
    _, history = demo()
    read = validated(annotate(history, "sales.ipynb", notebook()))
    assert [cell.id for cell in read.cells if cell.cell_type == "code"] == ["load", "plot", "evil"]
    is_story = [cell.id.startswith("story-") for cell in read.cells]
    # The header, each of the four cells followed by its story, and the deleted cell.
    assert is_story == [True, *[False, True] * 4, True]
    plot = next(cell.source for cell in read.cells if "Plot revenue by month" in cell.source)
    assert PLOT in plot and "explode()" in plot and "rejected" in plot
    assert "scratch = 1" in read.cells[-1].source


def test_contents_of_sessions_are_not_html_in_the_notebook() -> None:
    """P11: a story contains no HTML elements except its own <details>."""
    _, history = demo()
    read = validated(annotate(history, HOSTILE, notebook()))
    allowed = re.compile(r"</?(details|summary)>")
    for cell in read.cells:
        if not cell.id.startswith("story-"):
            continue
        tokens = MarkdownIt("commonmark").parse(cell.source)
        blocks = [token.content for token in tokens if token.type == "html_block"]
        for block in blocks:
            assert not re.search(r"<[^>]*>", allowed.sub("", block)), block
        assert {child.type for token in tokens for child in token.children or []} <= SAFE


def test_without_a_file_the_notebook_of_the_last_moment_is_exported() -> None:
    for _, history in (demo(), (None, verdant())):
        read = validated(annotate(history, "a.ipynb", None))
        last = history.timeline.last()
        assert last is not None
        own = [cell for cell in read.cells if not cell.id.startswith("story-")]
        assert [(cell.id, cell.cell_type, cell.source) for cell in own] == [
            (cell.cell_id, cell.type, cell.source) for cell in last.cells
        ]


@pytest.mark.parametrize(
    "invalid",
    [
        {"nbformat": 3, "worksheets": []},
        {"nbformat": 4, "cells": "none"},
        {"nbformat": 4, "cells": [None]},
        {},
    ],
)
def test_an_invalid_notebook_file_is_ignored(invalid: dict[str, Any]) -> None:
    _, history = demo()
    assert validated(annotate(history, "a", invalid)).cells


def test_cells_without_ids_get_ids() -> None:
    _, history = demo()
    file = notebook()
    file["nbformat_minor"] = 4
    for cell in file["cells"]:
        del cell["id"]
    file["cells"].append(dict(file["cells"][0], id="story-x"))
    file["cells"].append(dict(file["cells"][0], id="story-x"))
    read = validated(annotate(history, "a", file))
    assert len({cell.id for cell in read.cells}) == len(read.cells)


def test_real_histories_are_exported_in_each_format() -> None:
    history = verdant()
    shares = report(history.timeline, history.sessions)["total"]
    # Verdant doesn't record who wrote something (P40).
    assert shares["byModel"] == 0 and shares["byUnknown"] == shares["lines"] > 0
    markdown = narrative(history, "houses_kc.ipynb")
    tags = [token.tag for token in MarkdownIt("commonmark").parse(markdown) if token.nesting == 1]
    assert tags.count("h2") == len(history.sessions)
    validated(annotate(history, "houses_kc.ipynb", None))
