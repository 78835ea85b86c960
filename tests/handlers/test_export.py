"""Export a replay as one file, over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import request
from .test_rules_files import NoFiles


async def _history(call, scripted) -> None:
    scripted.script({"text": "```python\na = 1\n```"})
    await call("POST", "notebooks", {"path": "sub/a.ipynb", "notebookId": "nb", "cellIds": ["c1"]})
    await call("POST", "generate", request("make one"))
    await call("POST", "sessions/nb/c1/events", [{"type": "accept", "turnId": 1}])


def _save(root: str, name: str, notebook_id: str) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "kept\n"}
    cell = {"cell_type": "code", "id": "c1", "metadata": {}, "execution_count": 1}
    content = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"aiserver": {"notebook_id": notebook_id}},
        "cells": [{**cell, "outputs": [output], "source": "a = 1"}],
    }
    file = Path(root, name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("body", "name", "start"),
    [
        ({}, "a-replay.html", "<!doctype html>"),
        ({"format": "html"}, "a-replay.html", "<!doctype html>"),
        ({"format": "md"}, "a-replay.md", "# How a.ipynb was made"),
        ({"format": "ipynb"}, "a-replay.ipynb", "{"),
    ],
)
async def test_each_format_is_text_in_json(call, scripted, body, name, start):
    """P10: a page is never served as HTML."""
    await _history(call, scripted)
    reply = await call("POST", "notebooks/nb/export", body)
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("application/json")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.data["name"] == name and reply.data["content"].startswith(start)
    assert "make one" in reply.data["content"]


async def test_name_and_outputs_come_from_the_notebook_file(call, scripted, jp_root_dir):
    await _history(call, scripted)
    _save(jp_root_dir, "sub/b.ipynb", "nb")
    body = {"format": "ipynb", "path": "sub/b.ipynb"}
    reply = await call("POST", "notebooks/nb/export", body)
    assert reply.data["name"] == "b-replay.ipynb" and "kept" in reply.data["content"]
    by_url = await call("GET", "notebooks/nb/export?format=ipynb&path=sub/b.ipynb")
    assert by_url.data["name"] == reply.data["name"] and "kept" in by_url.data["content"]


@pytest.mark.parametrize("path", ["sub/other.ipynb", "none.ipynb", "../b.ipynb", "sub", "\0"])
async def test_other_files_are_not_read(call, scripted, jp_root_dir, path):
    """P5, P10: only this notebook, and no file outside of the served folder."""
    await _history(call, scripted)
    _save(jp_root_dir, "sub/other.ipynb", "another")
    _save(jp_root_dir, "../b.ipynb", "nb")
    body = {"format": "ipynb", "path": path}
    reply = await call("POST", "notebooks/nb/export", body)
    assert reply.status == 200
    assert reply.data["name"] == "a-replay.ipynb" and "kept" not in reply.data["content"]


@pytest.mark.parametrize("server_config", [{"ServerApp": {"authorizer_class": NoFiles}}])
async def test_users_who_may_not_read_files_get_no_outputs(
    call, scripted, jp_root_dir, server_config
):
    """P2"""
    await _history(call, scripted)
    _save(jp_root_dir, "sub/b.ipynb", "nb")
    body = {"format": "ipynb", "path": "sub/b.ipynb"}
    reply = await call("POST", "notebooks/nb/export", body)
    assert reply.status == 200 and "kept" not in reply.data["content"]


async def test_unknown_notebooks_and_formats_are_errors(call, scripted):
    await _history(call, scripted)
    assert (await call("GET", "notebooks/none/export")).status == 404
    assert (await call("GET", "notebooks/no~id/export")).status == 400
    for reply in (
        await call("GET", "notebooks/nb/export?format=pdf"),
        await call("POST", "notebooks/nb/export", {"format": "pdf"}),
    ):
        assert reply.status == 400 and reply.data["message"].startswith("format: ")
