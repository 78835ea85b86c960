"""The note of a notebook, through the HTTP API and in prompts."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from aiserver.errors import StorageFull
from aiserver.plugins.memory.plugin import MemoryPlugin

from ..conftest import request

CODE = {"text": "```python\nx = 1\n```"}
CELLS = [
    {"cellType": "markdown", "source": "# Sales canary-4711\n\nWhich shops grow?"},
    {"source": "import pandas as pd\npd.read_csv('sales.csv')"},
]
TEXT = "Sales canary-4711\nWhich shops grow?\nsales.csv"
PATH = "notebooks/nb/note"


WITH_NOTE = {"usesNote": True}


def sent(scripted: Any) -> str:
    return "\n".join(message["content"] for message in scripted.requests[-1]["body"]["messages"])


async def refuse(*_: Any, **__: Any) -> None:
    raise StorageFull


async def update(call: Any, **fields: Any) -> Any:
    return (await call("POST", PATH, {"cells": CELLS, **fields})).data


async def test_a_note_is_written_changed_switched_and_written_again(call):
    assert (await call("GET", PATH)).data == {"note": None, "being_worded": False}
    note = (await update(call))["note"]
    assert (note["text"], note["author"], note["used"]) == (TEXT, "outline", True)
    assert note["expires_at"] - note["written_at"] == 14 * 24 * 3600
    assert (await call("GET", PATH)).data["note"] == note
    change = {"text": "Mine", "expected": "older"}
    reply = await call("PATCH", PATH, change)
    assert (reply.status, reply.data["code"]) == (412, "memory_entry_changed")
    assert "This note" in reply.data["message"]
    reply = await call("PATCH", PATH, {**change, "expected": TEXT})
    mine = reply.data["note"]
    assert (mine["text"], mine["author"], mine["expires_at"]) == ("Mine", "person", None)
    assert (await update(call))["note"] == mine
    assert not (await call("PATCH", PATH, {"used": False})).data["note"]["used"]
    again = (await update(call, again=True))["note"]
    assert (again["text"], again["author"], again["used"]) == (TEXT, "outline", False)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": "The key is sk-proj-" + "a1B2" * 12}, 409),
        ({"text": "x" * 601}, 409),
        ({"text": " "}, 400),
        ({"used": True}, 404),
        ({"colour": 1}, 400),
        ({"text": "Mine"}, 200),
    ],
)
async def test_what_a_note_can_be_changed_to(call, body, status):
    """P16."""
    assert (await call("PATCH", PATH, body)).status == status


async def test_a_request_contains_the_note_of_its_notebook(call, scripted, remote_model):
    """P43: the preview, the receipt and the bytes on the wire agree; P14: between marks."""
    await update(call)
    body = request("plot it", context=WITH_NOTE)
    preview = (await call("POST", "generate/preview", body)).data
    scripted.script(CODE, CODE, CODE, CODE)
    turn = (await call("POST", "generate", body)).data
    text = sent(scripted)
    assert re.search(rf"<(note [0-9a-f]{{6}})>\nNotebook: {re.escape(TEXT)}\n</\1>", text)
    shown = "\n".join(message["text"] for message in preview["messages"])
    mark = re.compile("note [0-9a-f]{6}")
    assert mark.sub("", shown) == mark.sub("", text)
    assert [item["kind"] for item in turn["context"]].count("note") == 1
    assert "canary" not in str(turn)
    for other in (
        request("plot it", notebookId="nb2", context=WITH_NOTE),
        request("plot it"),
    ):
        await call("POST", "generate", other)
        assert "canary" not in sent(scripted)
    await call("PATCH", PATH, {"used": False})
    await call("POST", "generate", body)
    assert "canary" not in sent(scripted)


async def test_a_deleted_note_is_in_no_file_and_no_prompt(
    call, scripted, remote_model, jp_root_dir, jp_data_dir
):
    """P45: but a prompt with the same heading, without the note, stays."""
    heading = {"cellType": "markdown", "source": "# Sales canary-4711"}
    with_heading = request("plot it", context={"cells": [heading]})
    scripted.script(CODE, CODE, CODE)
    await update(call)
    turns = [
        (await call("POST", "generate", body)).data["turn_id"]
        for body in (request("plot it", context=WITH_NOTE), with_heading)
    ]
    assert (await call("DELETE", PATH)).data == {"deleted_prompts": 1}
    prompts = [
        (await call("GET", f"sessions/nb/c1/turns/{turn}/prompt")).data["messages"]
        for turn in turns
    ]
    assert prompts[0] is None and "canary-4711" in str(prompts[1])
    [document] = jp_data_dir.rglob("notes.json")
    assert b"canary" not in document.read_bytes()
    assert (await update(call))["note"]["text"] == ""
    await call("POST", "generate", request("plot it", context=WITH_NOTE))
    assert "canary" not in sent(scripted)
    assert (await update(call, again=True))["note"]["text"] == TEXT


async def test_deleting_a_notebooks_histories_erases_its_note_and_proposals(call, jp_data_dir):
    """P45: the note goes with the last history, a proposal with the one that it comes from."""
    await update(call)
    for cell_id in ("c1", "c2"):
        await call("POST", f"sessions/nb/{cell_id}/events", [{"type": "edit", "source": "x = 1"}])
    source = {"notebookId": "nb", "cellId": "c1", "turnId": 1}
    proposal = {"scope": "person", "text": "canary-12", "origin": "request", "source": source}
    assert (await call("POST", "memory/pending", proposal)).status == 201
    assert (await call("DELETE", "sessions/nb/c1")).status == 204
    assert (await call("GET", "memory/pending")).data == {"proposals": []}
    assert (await call("GET", PATH)).data["note"]["text"] == TEXT
    assert (await call("DELETE", "sessions/nb/c2")).status == 204
    stored = [file.read_bytes() for file in jp_data_dir.rglob("*.json")]
    assert b"canary" not in b"".join(stored)


@pytest.mark.parametrize("part", ["proposals.json", "blobs"])
async def test_a_history_is_deleted_even_if_something_of_it_stays(
    call, jp_data_dir, extension, caplog, monkeypatch, part
):
    """P8, P45: the answer is about the history, the rest is removed, and the log has no path."""
    await update(call)
    await call("POST", "sessions/nb/c1/events", [{"type": "edit", "source": "x = 1"}])
    if part == "blobs":
        monkeypatch.setattr("aiserver.handlers.sessions.delete_unused_blobs", refuse)
    else:
        [notes] = jp_data_dir.rglob("notes.json")
        notes.with_name(part).mkdir()
    assert (await call("DELETE", "sessions/nb/c1")).status == 204
    assert (await call("GET", "sessions/nb/c1")).status == 404
    assert (await call("GET", PATH)).data["note"] is None
    stays = "Something of a deleted history stays"
    assert (stays if part == "blobs" else "can't remove what it keeps") in caplog.text
    assert str(jp_data_dir) not in caplog.text


async def test_the_prompts_of_other_notebooks_stay(call, scripted, remote_model):
    """Their notes can begin with the same title and introduction."""
    scripted.script(CODE, CODE)
    longer = [*CELLS, {"source": "pd.read_csv('shops.csv')"}]
    await update(call)
    await call("POST", "notebooks/nb2/note", {"cells": longer})
    for notebook_id in ("nb", "nb2"):
        body = request("plot it", notebookId=notebook_id, context=WITH_NOTE)
        await call("POST", "generate", body)
        assert "canary" in sent(scripted)
    assert (await call("DELETE", PATH)).data == {"deleted_prompts": 1}
    other = (await call("GET", "sessions/nb2/c1/turns/1/prompt")).data["messages"]
    assert "canary-4711" in str(other)


async def test_undo_restores_the_author(call):
    note = (await update(call))["note"]
    await call("DELETE", PATH)
    body = {"text": TEXT, "expected": "", "undo": True}
    restored = (await call("PATCH", PATH, body)).data["note"]
    assert {**restored, "expires_at": 0} == {**note, "expires_at": 0} and restored["expires_at"]


async def test_damaged_notes_are_never_overwritten(call, scripted, remote_model, jp_data_dir):
    await update(call)
    [document] = jp_data_dir.rglob("notes.json")
    damaged = document.read_bytes()[:-20]
    document.write_bytes(damaged)
    for method, body in (("GET", None), ("POST", {"cells": CELLS}), ("DELETE", None)):
        reply = await call(method, PATH, body)
        assert (reply.status, reply.data["code"]) == (503, "memory_unreadable")
    scripted.script(CODE)
    assert (await call("POST", "generate", request("plot it", context=WITH_NOTE))).status == 200
    text = {"scope": "project", "text": "Amounts are in cents"}
    entry = (await call("POST", "memory", text)).data
    assert (await call("DELETE", f"memory/project/{entry['id']}")).status == 200, "and forgotten"
    assert document.read_bytes() == damaged


async def test_get_requests_change_no_note(call, jp_data_dir):
    """P3."""
    await update(call)
    [document] = jp_data_dir.rglob("notes.json")
    before = document.read_bytes(), document.stat().st_mtime_ns
    assert oct(document.stat().st_mode & 0o777) == "0o600"
    await call("GET", PATH)
    await call("POST", "generate/preview", request("plot it", context=WITH_NOTE))
    assert (document.read_bytes(), document.stat().st_mtime_ns) == before


def config(**settings: Any) -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"aiserver": True}}, "AIServer": settings}


@pytest.mark.parametrize(
    "server_config",
    [
        config(owner="somebody-else", others_may_ask=True),
        config(features={"memory": "forbidden"}),
    ],
)
async def test_guests_and_forbidden_features_get_no_note(
    call, server_config, scripted, remote_model, extension
):
    """P9: also not in the prompts of their requests."""
    from aiserver.plugins.memory.notes.outline import Outline

    await extension.plugins.get(MemoryPlugin).manager.notes.update(
        "nb", Outline("canary-4711 of the owner")
    )
    body: Any
    for method, body in (("GET", None), ("POST", {"cells": []}), ("PATCH", {}), ("DELETE", None)):
        assert (await call(method, PATH, body)).status == 403
    scripted.script(CODE)
    assert (await call("POST", "generate", request("plot it", context=WITH_NOTE))).status == 200
    assert "canary" not in sent(scripted)


async def until_worded(call: Any) -> dict[str, Any]:
    for _ in range(500):
        note: dict[str, Any] = (await call("GET", PATH)).data["note"]
        if note["author"] == "model":
            return note
        await asyncio.sleep(0.01)
    raise AssertionError("no model has worded the note")


async def until_idle(extension: Any) -> None:
    for _ in range(500):
        if not extension.assistant.background._tasks:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the background task doesn't end")


SECRET = "sk-proj-Ab3dE6gH9jK2mN5pQ8sT1vW4"
LOCAL = {"ModelRegistry": {"local_servers": ["http://127.0.0.1:*"]}}
with_local_model = pytest.mark.parametrize("server_config", [LOCAL])


@with_local_model
async def test_a_local_model_words_the_purpose(call, scripted, server_config):
    scripted.script({"text": "Finds the shops that grow fastest."})
    cells = [*CELLS, {"source": f"key = '{SECRET}'"}]
    result = await update(call, usesModel=True, cells=cells)
    assert result["being_worded"] and result["note"]["author"] == "outline"
    note = await until_worded(call)
    assert note["text"] == "Finds the shops that grow fastest.\nsales.csv"
    assert note["model"]
    assert TEXT in sent(scripted) and SECRET not in sent(scripted)
    assert await update(call, usesModel=True, cells=cells) == {"note": note, "being_worded": False}
    assert len(scripted.requests) == 1
    scripted.script({"text": "Finds out which shops grow."})
    result = await update(call, usesModel=True, cells=cells, again=True)
    assert result["being_worded"], "the person asks for it"
    assert (await until_worded(call))["text"].startswith("Finds out which shops grow.")


@with_local_model
@pytest.mark.parametrize(
    "answer",
    [
        "```python\nx = 1\n```",
        "x" * 1000,
        "找出增长的门店在哪里。",
        "Finds the orders of the customer 13812345678.",
    ],
)
async def test_a_bad_answer_leaves_the_outline(call, scripted, server_config, extension, answer):
    scripted.script({"text": answer})
    note = (await update(call, usesModel=True))["note"]
    await until_idle(extension)
    assert await update(call, usesModel=True) == {"note": note, "being_worded": False}
    assert len(scripted.requests) == 1, "the model isn't asked again for the same outline"


@with_local_model
async def test_a_request_cancels_the_wording(call, scripted, server_config, extension):
    scripted.script({"text": "Finds the shops.", "hang": True}, CODE)
    assert (await update(call, usesModel=True))["being_worded"]
    while not scripted.requests:
        await asyncio.sleep(0.01)
    await call("POST", "generate", request("plot it"))
    await until_idle(extension)
    assert (await call("GET", PATH)).data["note"]["author"] == "outline"


async def test_nothing_is_sent_to_a_remote_model(call, scripted, remote_model, extension):
    """P4."""
    assert not (await update(call, usesModel=True))["being_worded"]
    await update(call, usesModel=True, again=True)
    await until_idle(extension)
    assert scripted.requests == []


async def test_notes_of_sessions_are_never_read(call, scripted, remote_model, jp_root_dir):
    """The note contains nothing of the requests in cells: sessions stay isolated."""
    scripted.script({"text": "```python\nx = 'canary-in-a-session'\n```"})
    await call("POST", "generate", request("a secret wish of another cell"))
    note = (await update(call, again=True))["note"]
    assert note["text"] == TEXT
    assert "canary-in-a-session" in "".join(
        path.read_text("utf-8") for path in Path(jp_root_dir).rglob("*.json")
    )
