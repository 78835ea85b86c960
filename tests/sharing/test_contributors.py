"""P40: exports distinguish agents, programs and existing content from edits by hand."""

from __future__ import annotations

import json

import pytest

from aiserver.notebooks.history import History
from aiserver.plugins.export.annotated import annotate
from aiserver.plugins.export.narrative import narrative
from aiserver.plugins.export.page_data import AUTHORS, page_data

from ..replay.session_builder import SessionBuilder, create_timeline, log


@pytest.fixture
def history() -> History:
    """A cell with existing content, edited by an agent, a formatter, the disk and a person."""
    builder = SessionBuilder("a")
    builder.event("edit", source="a = 1", data={"trigger": "first"})
    agent = {"kind": "agent", "name": "jupyter-mcp-server"}
    builder.event("edit", source="a = 1\nb=2", contributor=agent)
    formatter = {"kind": "program", "name": "jupyterlab_code_formatter"}
    command = {"command": "jupyterlab_code_formatter:format"}
    builder.event("edit", source="a = 1\nb = 2", contributor=formatter, data=command)
    disk = {"kind": "unknown", "name": "file on disk"}
    builder.event("edit", source="a = 1\nb = 2\nc = 3", contributor=disk)
    builder.event("edit", source="a = 1\nb = 2\nc = 3\nd = 4", contributor={"kind": "person"})
    session = builder.session()
    order = ("cell_order", {"cell_ids": ["a"], "types": {"a": "code"}})
    lines = log(order, ("changed", {"cells": {"a": 5}, "id": "one"}))
    return History("nb", {"a": session}, lines, create_timeline([session], lines), "1")


def test_text_exports_name_the_contributors(history: History) -> None:
    """P40"""
    shares = "4 lines: 0 by AI (0%); 1 by hand; 1 by programs; 1 of unknown origin; 1 existing"
    for text in (narrative(history, "a.ipynb"), json.dumps(annotate(history, "a.ipynb", None))):
        assert shares in text
        for title in (
            "Existing content",
            "Edited by jupyter-mcp-server",
            "Formatted by jupyterlab",
            "Changed on disk",
            "Edited by hand",
        ):
            assert title in text.replace("\\\\", "").replace("\\", "")


def test_each_format_has_all_answers_to_a_request() -> None:
    """P49: with the labels of their models, and their explanations."""
    builder = SessionBuilder("a")
    for code, model, why in (("first = 1", "openai:gpt-5", "one"), ("", "openai:o3", "in words")):
        answer = {"suggestion": code, "explanation": why, "status": "success"}
        builder.turn("", code, model=model, ai_response=answer)
    builder.accepted_turn("", "last = 1", model="openai:gpt-5")
    session = builder.session()
    history = History("nb", {"a": session}, [], create_timeline([session], []), "1")
    exported = page_data(history, "a.ipynb", {})
    (step,) = exported["cells"][0]["steps"]
    assert [attempt["model"] for attempt in step["attempts"]] == [
        "gpt-5 (OpenAI)",
        "o3 (OpenAI)",
        "gpt-5 (OpenAI)",
    ]
    for text in (narrative(history, "a.ipynb"), json.dumps(annotate(history, "a.ipynb", None))):
        parts = ("last = 1", "> why", "first = 1", "> one", "o3 (OpenAI)", "> in words")
        positions = [text.find(part) for part in parts]
        assert positions == sorted(positions) and positions[0] > 0


def test_the_page_has_the_contributor_of_each_line(history: History) -> None:
    """P40"""
    steps = page_data(history, "a.ipynb", {})["cells"][0]["steps"]
    authors = [AUTHORS[run[2]] for run in steps[-1]["by"] for _ in range(run[0])]
    assert authors == ["existing", "program", "unknown", "person"]
    assert [(step["author"], step.get("name")) for step in steps] == [
        ("unknown", None),
        ("agent", "jupyter-mcp-server"),
        ("program", "jupyterlab_code_formatter"),
        ("unknown", "file on disk"),
        ("person", None),
    ]
    assert steps[0]["kind"] == "start"
    assert steps[2]["data"] == {"command": "jupyterlab_code_formatter:format"}
