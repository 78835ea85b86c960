"""Proposals from corrections, through the HTTP API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from aiserver.handlers.base import AIServerHandler

from ..conftest import request

PLOT, SEABORN = "df.plot(x=1)", "sns.lineplot(df, x=1)"
ENABLED = {"jpserver_extensions": {"aiserver": True}}


async def correct(
    call: Any,
    scripted: Any,
    extension: Any,
    cell: str,
    edited_by: Callable[[], None] = lambda: None,
) -> None:
    """Accept an answer in a cell, change it as the page records it, and wait until it is read.

    ``edited_by`` is called between the answer and the change.
    """
    scripted.script({"text": f"```python\n{PLOT}\n```"})
    turn = (await call("POST", "generate", request("plot it", cellId=cell))).data
    edited_by()
    accept = {"type": "accept", "turnId": turn["turn_id"], "source": PLOT}
    await call("POST", f"sessions/nb/{cell}/events", [accept])
    edit = {"type": "edit", "source": SEABORN, "contributor": {"kind": "person"}}
    changes = {"id": f"batch-{cell}", "cells": [{"cellId": cell, "events": [edit]}]}
    assert (await call("POST", "notebooks/nb/changes", changes)).status == 201
    await settle(extension)


async def settle(extension: Any) -> None:
    """Wait until nothing is counted any more."""
    watcher = extension.load().corrections
    while watcher._task is not None:
        await asyncio.wait([watcher._task])


@pytest.fixture
def name_of_user(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that sets the name of the user who sends the next requests."""

    def set_name(name: str) -> None:
        monkeypatch.setattr(AIServerHandler, "user_name", name)

    return set_name


@pytest.fixture
def quick(extension: Any) -> Any:
    """Return the extension, which reads cells without a pause."""
    extension.load().corrections.pause = 0.0
    return extension


async def test_a_correction_that_is_repeated_waits_for_the_person(call, scripted, quick):
    """P45: it becomes an entry only when it is confirmed. No model is asked about it."""
    for cell in ("c1", "c2", "c3"):
        assert (await call("GET", "memory/pending")).data == {"proposals": []}
        await correct(call, scripted, quick, cell)
    [proposal] = (await call("GET", "memory/pending")).data["proposals"]
    assert proposal["text"] == "Use seaborn.lineplot() instead of .plot()."
    assert (proposal["origin"], proposal["answer_count"]) == ("correction", 3)
    assert proposal["source"] == {"notebook_id": "nb", "cell_id": "c3", "turn_id": 1}
    assert len(scripted.requests) == 3
    assert (await call("GET", "memory")).data["entries"] == []
    await call("POST", f"memory/pending/{proposal['id']}/confirm", {})
    await call("POST", "generate", request("plot it again", cellId="c4"))
    assert "Use seaborn.lineplot()" in str(scripted.requests[-1]["body"])


@pytest.mark.parametrize(
    "server_config",
    [
        {"ServerApp": ENABLED, "AIServer": {"features": {"memory": "forbidden"}}},
        {"ServerApp": ENABLED, "AIServer": {"propose_corrections": False}},
    ],
)
async def test_an_administrator_can_turn_it_off(call, scripted, quick, server_config, jp_data_dir):
    for cell in ("c1", "c2", "c3"):
        await correct(call, scripted, quick, cell)
    assert not list(jp_data_dir.rglob("corrections.json"))


@pytest.mark.parametrize(
    "server_config",
    [
        {
            "ServerApp": ENABLED,
            "AIServer": {"owner": "somebody-else", "others_may_ask": True},
        }
    ],
)
async def test_edits_of_guests_do_not_count(call, scripted, quick, server_config):
    """P4: a guest can't put a text into the owner's list."""
    for cell in ("c1", "c2", "c3"):
        await correct(call, scripted, quick, cell)
    assert await quick.memories.manager.pending() == []


@pytest.mark.parametrize(
    "server_config",
    [
        {"ServerApp": ENABLED, "AIServer": {"owner": "ada"}},
        {"ServerApp": ENABLED, "AIServer": {"owner": ""}},
    ],
)
async def test_answers_to_a_person_with_a_name_count(call, scripted, quick, name_of_user):
    """With and without JupyterHub."""
    name_of_user("ada")
    for cell in ("c1", "c2", "c3"):
        assert await quick.memories.manager.pending() == []
        await correct(call, scripted, quick, cell)
    assert len(await quick.memories.manager.pending()) == 1


@pytest.mark.parametrize("server_config", [{"ServerApp": ENABLED, "AIServer": {"owner": ""}}])
async def test_answers_to_a_colleague_do_not_count(call, scripted, quick, name_of_user):
    for cell in ("c1", "c2", "c3"):
        name_of_user("ada")
        await correct(call, scripted, quick, cell, edited_by=partial(name_of_user, "bob"))
    assert await quick.memories.manager.pending() == []


async def test_a_change_that_is_recorded_again_is_counted_once(call, scripted, quick):
    """P23"""
    await correct(call, scripted, quick, "c1")
    await correct(call, scripted, quick, "c2")
    edit = {"type": "edit", "source": SEABORN, "contributor": {"kind": "person"}}
    changes = {"id": "batch-c2", "cells": [{"cellId": "c2", "events": [edit]}]}
    for _ in range(2):
        await call("POST", "notebooks/nb/changes", changes)
        await settle(quick)
    assert (await call("GET", "memory/pending")).data == {"proposals": []}
