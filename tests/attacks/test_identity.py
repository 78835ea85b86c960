"""P9: an answer belongs to the user who requested it, and nobody else pays for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jupyter_server.auth.identity import IdentityProvider, User

from ..conftest import SSE, request
from ..handlers.test_generate import running


class Named(IdentityProvider):
    """Identifies users by name, like JupyterHub's provider, but by a header."""

    def get_user(self, handler: Any) -> User | None:
        name = handler.request.headers.get("X-Test-User")
        handler._token_authenticated = True
        return User(username=name) if name else None


NAMED = {
    "jpserver_extensions": {"aiserver": True},
    "identity_provider_class": f"{__name__}.Named",
}
named = pytest.mark.parametrize("server_config", [{"ServerApp": NAMED}])
ANNA, BEN = {"X-Test-User": "anna"}, {"X-Test-User": "ben"}


@named
async def test_users_cannot_stop_the_answers_of_others(call, scripted, extension, server_config):
    """P9"""
    task = await running(call, scripted, **SSE, **ANNA)
    (generation_id,) = extension.assistant._running
    refused = await call("DELETE", f"generate/{generation_id}", headers=BEN)
    assert (refused.status, refused.data["code"]) == (403, "not_yours")
    assert not task.done() and scripted.requests[-1]["outcome"] == "running"
    assert (await call("DELETE", f"generate/{generation_id}", headers=ANNA)).status == 204
    assert (await task).events[-1][0] == "cancelled"


@named
async def test_the_record_names_the_user(call, scripted, server_config):
    """P9: if user names are authenticated."""
    for person in (ANNA, BEN):
        await call("POST", "generate", request(), headers=person)
    stored = (await call("GET", "sessions/nb/c1", headers=ANNA)).data
    assert [turn["user"] for turn in stored["interactions"]] == ["anna", "ben"]


async def test_browsers_that_know_the_token_are_one_person(call, scripted, extension, jp_fetch):
    """P9: Jupyter gives each a random name; none is recorded, and each can stop answers."""
    task = await running(call, scripted)
    (generation_id,) = extension.assistant._running
    assert (await call("DELETE", f"generate/{generation_id}")).status == 204
    turn = (await task).events[-1][1]["interaction"]
    assert "user" not in turn
    names = {json.loads((await jp_fetch("api", "me")).body)["identity"]["username"] for _ in "ab"}
    assert len(names) == 2, "the names are not random"


SPENDING = [
    ("generate", request()),
    ("generate/preview", {"notebookId": "nb", "cellId": "c1"}),
    ("models/warm-up", {"notebookId": "nb", "cellId": "c1"}),
    (
        "analyze-dataframe",
        request(dataframes=[{"name": "df", "rowCount": 1, "columnCount": 0}]),
    ),
]


@pytest.mark.parametrize(
    "server_config",
    [
        {"ServerApp": NAMED, "AIServer": {"owner": "anna"}},
        {"ServerApp": NAMED, "AIServer": {"owner": "anna", "others_may_ask": True}},
    ],
    ids=["owner alone", "others, too"],
)
async def test_others_cannot_use_the_keys_of_the_owner(call, scripted, extension, server_config):
    """P9: on a user's JupyterHub server, others can only send requests if that is allowed."""
    allowed = extension.others_may_ask
    for path, body in SPENDING:
        reply = await call("POST", path, body, headers=BEN)
        if allowed:
            assert reply.status in (200, 202), path
        else:
            assert (reply.status, reply.data["code"]) == (403, "not_owner"), path
    assert bool(scripted.requests) is allowed
    assert (await call("GET", "sessions?notebookId=nb", headers=BEN)).status == 200
    assert (await call("POST", "generate", request(cellId="c2"), headers=ANNA)).status == 200


@pytest.mark.parametrize(
    "server_config",
    [
        {"ServerApp": NAMED, "AIServer": {"owner": "anna"}},
        {"ServerApp": NAMED, "AIServer": {"owner": "anna", "others_may_ask": True}},
        {"ServerApp": NAMED, "AIServer": {"owner": "anna", "others_may_delete": True}},
    ],
    ids=["owner alone", "others ask", "others delete"],
)
async def test_guests_cannot_delete_the_owners_histories(call, scripted, extension):
    """P9: unless the server's configuration allows it."""
    await call("POST", "generate", request(), headers=ANNA)
    reply = await call("DELETE", "sessions/nb/c1", headers=BEN)
    if extension.others_may_delete:
        assert reply.status == 204
        return
    assert (reply.status, reply.data["code"]) == (403, "not_owner")
    assert "delete" in reply.data["message"]
    assert (await call("GET", "sessions/nb/c1", headers=BEN)).status == 200
    assert (await call("DELETE", "sessions/nb/c1", headers=ANNA)).status == 204


@pytest.mark.parametrize(
    "server_config",
    [
        {"ServerApp": NAMED, "AIServer": {"owner": "anna", "others_may_ask": True}},
        {"ServerApp": NAMED},  # a server of several people, without an owner
    ],
)
async def test_the_answers_of_others_are_not_offered(call, scripted, server_config):
    """P9"""
    asked = {"intent": "a bar plot of df", "notebookId": "nb2"}
    for cell, user, is_offered in (("c1", BEN, False), ("c2", ANNA, True)):
        scripted.script({"text": "```python\ndf.plot.bar()\n```"})
        await call("POST", "generate", request("bar plot of df", cellId=cell), headers=user)
        event = {"type": "accept", "turnId": 1, "source": "df.plot.bar()"}
        await call("POST", f"sessions/nb/{cell}/events", [event], headers=user)
        reply = await call("POST", "memory/past-answer", asked, headers=ANNA)
        assert bool(reply.data["answer"]) is is_offered
    assert reply.data["answer"]["cell_id"] == "c2"


def test_jupyterhub_names_the_owner_of_the_server(
    monkeypatch, jp_configurable_serverapp, jp_asyncio_loop
):
    """P9: without any configuration."""
    monkeypatch.setenv("JUPYTERHUB_USER", "anna")
    app = jp_configurable_serverapp(config={"ServerApp": NAMED})
    extension = app.extension_manager.extension_points["aiserver"].app
    assert extension.load().owner == "anna"
    jp_asyncio_loop.run_until_complete(extension.stop_extension())
