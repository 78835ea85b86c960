"""Cells, files and errors that a request mentions, through the HTTP API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..conftest import request

CANARY, SECRET = "canary-output-9a1", "sk-proj-Abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
CODE = {"text": "```python\nx = 1\n```"}


def cell(**more: Any) -> dict[str, Any]:
    return {
        "kind": "cell",
        "name": "@cell3",
        "cellId": "c3",
        "source": f"total = 3  # {SECRET}",
        "output": CANARY,
        **more,
    }


def file(path: str, **more: Any) -> dict[str, Any]:
    return {"kind": "file", "name": f"@{path}", "file": path, **more}


def body(*mentions: dict[str, Any]) -> dict[str, Any]:
    names = " ".join(mention["name"] for mention in mentions)
    return request(f"as in {names}", notebookPath="sub/n.ipynb", context={"mentions": mentions})


def write_files(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "说明.md").write_text(f"{CANARY} 用蓝色", "gb18030")
    (root / "sub" / "sales.csv").write_text(f"city,n\n{CANARY},1\n")


def sent(scripted: Any) -> str:
    return scripted.requests[-1]["body"]["messages"][-1]["content"]


@pytest.mark.parametrize("shared", [False, True])
async def test_a_remote_model_gets_an_output_only_if_the_person_has_chosen_it(
    call, scripted, remote_model, jp_root_dir, shared
):
    """P15, P5: the code of the cell is sent, without secrets; the preview is what is sent."""
    write_files(jp_root_dir)
    scripted.script(CODE)
    asked = body(
        cell(shared=shared, error="NameError: y"),
        file("说明.md", shared=shared),
        file("sales.csv", shared=shared),
    )
    preview = (await call("POST", "generate/preview", asked)).data
    turn = (await call("POST", "generate", asked)).data
    text = sent(scripted)
    assert preview["messages"][-1]["text"] == text
    assert "total = 3" in text and SECRET not in text and "NameError: y" in text
    assert text.count(CANARY) == (2 if shared else 0)
    assert ("用蓝色" in text) == shared
    # The values of a data file are never sent, only the names of its columns.
    assert "'city'" in json.dumps(scripted.requests[-1]["body"], ensure_ascii=False)
    kinds = [(item["kind"], item.get("name")) for item in turn["context"]]
    assert ("mention", "@cell3") in kinds and ("mention", "@说明.md") in kinds
    assert ("file", "sales.csv") in kinds and ("mention", "@sales.csv") not in kinds
    stored = (jp_root_dir / ".aiserver_sessions" / "nb_c1.json").read_text("utf-8")
    assert CANARY not in stored


async def test_a_notebooks_text_is_that_of_its_cells(call, scripted, remote_model, jp_root_dir):
    """P16: the passwords in them are hidden as in the cells above, and no output is sent."""
    password = "hunter2x9q"
    sources = {"markdown": f"The password is {password}", "code": f'x = 1\npassword = "{password}"'}
    cells = [
        {"cell_type": kind, "source": source.splitlines(keepends=True), "outputs": [CANARY]}
        for kind, source in sources.items()
    ]
    (jp_root_dir / "sub").mkdir()
    (jp_root_dir / "sub" / "other.ipynb").write_text(json.dumps({"cells": cells}))
    scripted.script(CODE)
    await call("POST", "generate", body(file("other.ipynb", shared=True)))
    text = sent(scripted)
    assert "x = 1" in text and text.count("‹redacted:password") == 2
    assert password not in text and CANARY not in text


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("intent", ["/explain @output", "shorter, like @output"])
async def test_the_output_of_the_cell_itself_is_sent_only_if_the_person_has_chosen_it(
    call, scripted, remote_model, shared, intent
):
    """P15: the preview is what is sent."""
    scripted.script(CODE)
    mention = {"kind": "cell", "name": "@output", "output": f"mean 42.5 {CANARY}"}
    asked = body({**mention, "shared": shared}) | {"intent": intent}
    preview = (await call("POST", "generate/preview", asked)).data
    await call("POST", "generate", asked)
    assert preview["messages"][-1]["text"] == sent(scripted)
    assert ("what the cell's output shows" in sent(scripted)) == intent.startswith("/explain")
    everything = json.dumps(scripted.requests[-1]["body"], ensure_ascii=False)
    assert everything.count(f"mean 42.5 {CANARY}") == (1 if shared else 0)


VALUE = {"kind": "variable", "name": "@config", "output": f"{{'a': '{CANARY}', 'b': '{SECRET}'}}"}


@pytest.mark.parametrize("shared", [False, True])
async def test_a_remote_model_gets_a_value_only_if_the_person_has_chosen_it(
    call, scripted, remote_model, shared
):
    """P15, P16: without secrets; the preview is what is sent."""
    scripted.script(CODE)
    variables = [{"name": "config", "kind": "dict of 2 str to str"}]
    asked = body({**VALUE, "shared": shared})
    asked["context"]["variables"] = variables
    preview = (await call("POST", "generate/preview", asked)).data
    turn = (await call("POST", "generate", asked)).data
    text = sent(scripted)
    assert preview["messages"][-1]["text"] == text
    everything = json.dumps(scripted.requests[-1]["body"], ensure_ascii=False)
    assert everything.count(CANARY) == (1 if shared else 0) and SECRET not in everything
    assert (f"\nconfig = {{'a': '{CANARY}', 'b': '‹redacted:" in text) == shared
    assert "config: dict of 2 str to str" in text
    items = [item.get("name") for item in turn["context"] if item["kind"] == "mention"]
    assert items == (["@config"] if shared else [])
    assert [item["name"] for item in preview["items"] if item["kind"] == "mention"] == items


async def test_a_value_is_recognised_as_a_secret_by_its_variable(call, scripted, remote_model):
    """P16: the name of the variable counts."""
    scripted.script(CODE)
    value = {"kind": "variable", "name": "@db_password", "output": "'hunter2-canary'"}
    await call("POST", "generate", body({**value, "shared": True}))
    assert "hunter2" not in json.dumps(scripted.requests[-1]["body"])


async def test_an_error_is_mentioned_with_its_text(call, scripted, remote_model):
    scripted.script(CODE)
    error = {"kind": "error", "name": "@error", "source": "----> 1 df['prise']\nKeyError: 'prise'"}
    await call("POST", "generate", body(error))
    assert "\n@error:\n----> 1 df['prise']\nKeyError: 'prise'\n" in sent(scripted)


PAST_ANSWER = {
    "kind": "past_answer",
    "name": "sales.ipynb",
    "source": f"df.plot.bar()  # {SECRET}",
    "request": f"bar plot of df, key {SECRET}",
}


async def test_a_past_answer_is_sent_without_secrets_and_is_in_the_receipt(
    call, scripted, remote_model
):
    """P15, P43: the preview is what is sent."""
    scripted.script(CODE)
    asked = request("bar plot of prices", context={"mentions": [PAST_ANSWER]})
    preview = (await call("POST", "generate/preview", asked)).data
    turn = (await call("POST", "generate", asked)).data
    text = sent(scripted)
    assert preview["messages"][-1]["text"] == text
    assert "Example from sales.ipynb, for 'bar plot of df" in text and "df.plot.bar()" in text
    assert SECRET not in text
    [item] = [item for item in preview["items"] if item["kind"] == "past_answer"]
    assert (item["name"], item["included"]) == ("sales.ipynb", True)
    [stored] = [item for item in turn["context"] if item["kind"] == "past_answer"]
    assert stored == {"kind": "past_answer", "name": "sales.ipynb", "tokens": item["tokens"]}


@pytest.mark.parametrize(("count", "status"), [(20, 200), (21, 400)])
async def test_an_example_is_sent_with_as_many_mentions_as_usual(call, scripted, count, status):
    mentions = [
        {"kind": "variable", "name": f"@v{number}", "output": f"{number}"}
        for number in range(count)
    ]
    reply = await call("POST", "generate/preview", body(PAST_ANSWER, *mentions))
    assert reply.status == status
    if status == 200:
        assert all(f"@v{number}" in reply.data["messages"][-1]["text"] for number in range(count))
