"""Search over HTTP."""

from __future__ import annotations

import json

from ..conftest import request


async def create_notebook(call, jp_root_dir, name, cell, intent):
    """Create a notebook with one request; return its id."""
    reply = await call("POST", "notebooks", {"path": name, "cellIds": [cell]})
    notebook_id = reply.data["notebookId"]
    notebook = {
        "cells": [],
        "metadata": {"aiserver": {"notebook_id": notebook_id}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (jp_root_dir / name).write_text(json.dumps(notebook))
    await call("POST", "generate", request(intent, notebookId=notebook_id, cellId=cell))
    return notebook_id


async def test_results_have_their_step_and_file(call, jp_root_dir):
    first_id = await create_notebook(call, jp_root_dir, "here.ipynb", "c1", "读取数据文件")
    second_id = await create_notebook(call, jp_root_dir, "there.ipynb", "c2", "读取 data 文件")
    reply = await call("POST", "search", {"query": "数据文件"})
    while reply.data["unread"]:  # the response covers the indexed sessions only
        reply = await call("POST", "search", {"query": "数据文件"})
    assert reply.status == 200
    assert reply.data["total"] == 1
    (hit,) = reply.data["results"]
    assert hit["path"] == "here.ipynb" and hit["notebookId"] == first_id and hit["cellId"] == "c1"
    assert (hit["turnId"], hit["step"], hit["where"]) == (1, 0, "intent")
    assert hit["snippet"][-1] == {"text": "数据文件", "hit": True}
    assert (await call("POST", "search", {"query": "读取"})).data["total"] == 2
    only = (await call("POST", "search", {"query": "读取", "notebookId": second_id})).data
    assert [row["notebookId"] for row in only["results"]] == [second_id]
    (jp_root_dir / "there.ipynb").unlink()
    deleted = (await call("POST", "search", {"query": "读取", "notebookId": second_id})).data
    assert deleted["results"][0]["path"] is None


async def test_a_search_with_get_returns_the_same(call, jp_root_dir):
    """HTTP API: clients that send the query in the URL still work."""
    here = await create_notebook(call, jp_root_dir, "here.ipynb", "c1", "读取数据文件")
    asked = {"query": "读取", "notebookId": here, "limit": 5}
    by_body = await call("POST", "search", asked)
    while by_body.data["unread"]:
        by_body = await call("POST", "search", asked)
    by_url = await call("GET", f"search?q=读取&notebookId={here}&limit=5")
    assert by_url.data == by_body.data and by_url.data["total"] == 1


async def test_an_empty_query_finds_nothing(call):
    await call("POST", "generate", request("one"))
    for body in ({}, {"query": ""}, {"query": " "}):
        reply = await call("POST", "search", body)
        assert reply.status == 200 and reply.data["results"] == []
    assert (await call("GET", "search?q=%20")).data["results"] == []


async def test_errors_name_the_parameter(call):
    for query, name in {
        "q=x&by=magic": "by",
        "q=x&limit=51": "limit",
        "q=x&limit=0": "limit",
        "q=x&offset=-1": "offset",
        "q=x&notebookId=..%2F..%2Fetc": "notebookId",
        "q=" + "x" * 1001: "q",
    }.items():
        reply = await call("GET", f"search?{query}")
        assert reply.status == 400 and reply.data["message"].startswith(name + ":"), query
    for name, value in {
        "by": "magic",
        "limit": 51,
        "offset": -1,
        "notebookId": "../../etc",
        "query": "x" * 1001,
        "q": "x",
    }.items():
        reply = await call("POST", "search", {name: value})
        assert reply.status == 400 and reply.data["message"].startswith(name + ":"), name


async def test_search_by_meaning_reports_what_to_install(call):
    meaning = (await call("POST", "search", {"query": "x", "by": "meaning"})).data["meaning"]
    installed = meaning["available"]
    assert meaning["install"] == (None if installed else 'pip install "aiserver[semantic]"')
