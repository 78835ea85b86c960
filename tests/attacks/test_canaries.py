"""P8, P4: secret strings are sent everywhere, and must not appear in the server's log (with
``--debug``), in its responses or on disk."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from ..conftest import API_KEY, SSE, request
from .conftest import LiveServer

INTENT, SOURCE, CELL = "canary-intent-7a1", "canary_source_7a2 = 1", "canary_cell_7a3 = 1"
ANSWER, RAW, COLUMN = "canary_answer_7a4 = 1", "canary-provider-text-7a5", "canary-column-7a6"
EVENT, PATH, FIELD = "canary-event-7a7", "canary-folder-7a8", "canary_field_7a9"
WORDS = "canary-words-7b0"
CONTENTS = [INTENT, SOURCE, CELL, ANSWER, RAW, COLUMN, EVENT, PATH, FIELD, WORDS, API_KEY]


def body(**more: Any) -> dict[str, Any]:
    context = {"cells": [{"cellType": "code", "source": CELL}]}
    path = f"{PATH}/a.ipynb"
    return request(INTENT, source=SOURCE, context=context, notebookPath=path) | more


FRAME = {
    "name": "df",
    "rowCount": 1,
    "columnCount": 1,
    "columns": [{"name": COLUMN, "dtype": "object"}],
}
CODE = {"text": f"```python\n{ANSWER}\n```"}
ENDINGS: list[dict[str, Any]] = [
    CODE,
    {"status": 400, "message": RAW},
    {"status": 401, "message": f"{RAW} {API_KEY}"},
    {"status": 404, "message": RAW},
    {"chunks": ["```python\n", ANSWER, RAW], "cut_after": 2},
    {"garbage": True},
    {"text": RAW},
]


@pytest.fixture(scope="module")
def answers(live: LiveServer) -> list[httpx.Response]:
    """Send one of each valid and invalid request."""
    replies = []
    with live.client() as client:
        for number, ending in enumerate(ENDINGS):
            for headers in (SSE, {}):
                live.model.script(ending)
                sent = body(cellId=f"c{number}")
                replies.append(client.post("aiserver/generate", json=sent, headers=headers))
        live.model.script(CODE)
        replies.append(client.post("aiserver/analyze-dataframe", json=body(dataframes=[FRAME])))
        replies.append(client.post("aiserver/generate/preview", json=body()))
        wrong: Any
        for wrong in (
            body(**{FIELD: 1}),
            body(**{FIELD * 100: 1}),
            body(source=[SOURCE]),
            body(model=f"nonsense:{FIELD}"),
            body(mode=FIELD.upper()),
            body(notebookId=f"../{PATH}"),
            [INTENT],
        ):
            replies.append(client.post("aiserver/generate", json=wrong))
        replies.append(client.post("aiserver/generate", content=f'{{"{INTENT}'))
        for events in (
            [{"type": "edit", "source": SOURCE, "data": {"text": EVENT}}],
            [{"type": EVENT}],
            [{"type": "edit", "timestamp": EVENT}],
        ):
            replies.append(client.post("aiserver/sessions/nb/c0/events", json=events))
        folder = live.root / ".aiserver_sessions"
        path = folder / "nb_c1.json"
        path.write_bytes(path.read_bytes()[:-5])
        (folder / "nb_c2.json").write_bytes(INTENT.encode())
        for address in ("c0", "c1", "c2", "c0/replay", "c1/replay", "c2/replay", PATH):
            replies.append(client.get(f"aiserver/sessions/nb/{address}"))
        notebook = {"path": f"{PATH}/a.ipynb", "cellIds": ["c0"]}
        replies.append(client.post("aiserver/notebooks", json=notebook))
        replies.append(client.get("aiserver/sessions?notebookId=nb"))
        for sent in ({"query": WORDS}, {"query": WORDS, "limit": 99}):
            replies.append(client.post("aiserver/search", json=sent))
        exported = {"format": "ipynb", "path": f"{PATH}/a.ipynb"}
        replies.append(client.post("aiserver/notebooks/nb/export", json=exported))
        replies.append(client.get("aiserver/models"))
        replies.append(client.get("aiserver/health"))
    return replies


def test_the_log_contains_no_contents(live: LiveServer, answers: list[httpx.Response]) -> None:
    """P8: even with ``--debug`` and for every outcome; each generation has one line."""
    log = live.log
    ours = [line for line in log.splitlines() if "AIServer] generation id=" in line]
    assert len(ours) >= 2 * len(ENDINGS)
    assert all("status=" in line and "ms=" in line for line in ours)
    assert " D " in log or "[D " in log, "the server runs without --debug"
    # Jupyter itself logs the URLs of requests, which may contain an invalid id.
    mine = [line for line in log.splitlines() if f"/sessions/nb/{PATH}" not in line]
    for canary in CONTENTS:
        assert not [line for line in mine if canary in line], canary


def test_the_token_is_in_no_log(live: LiveServer, answers: list[httpx.Response]) -> None:
    """P4, P8: except the first lines, in which Jupyter prints the URL for the login."""
    lines = [line for line in live.log.splitlines() if "/?token=" not in line]
    assert len(lines) > 50
    assert not [line for line in lines if live.token in line or API_KEY in line]


def test_responses_contain_no_key_path_or_raw_text(
    live: LiveServer, answers: list[httpx.Response]
) -> None:
    """P8: messages are never the provider's, and don't repeat the name of an unknown field."""
    statuses = {reply.status_code for reply in answers}
    assert {200, 201, 400, 503} <= statuses and 500 not in statuses
    for reply in answers:
        text = reply.text
        for canary in (API_KEY, live.token, str(live.root), "Traceback"):
            assert canary not in text, (reply.request.url, canary)
        if RAW in text:  # the model's own text, which is an answer and not an error
            assert ENDINGS[-1]["text"] in text or ANSWER in text
        if reply.status_code >= 400:
            assert set(json.loads(text)) <= {"code", "message", "text", "requestId", "install"}
            for canary in (INTENT, SOURCE, EVENT, PATH, FIELD * 2):
                assert canary not in text
            assert len(text) < 800  # message and text


def test_the_server_still_works_afterwards(live: LiveServer, answers: list[Any]) -> None:
    """P29: none of the requests caused an internal error."""
    assert "failed (request" not in live.log
    assert " failed: " not in "\n".join(x for x in live.log.splitlines() if "AIServer]" in x)
    with live.client() as client:
        store = client.get("aiserver/health").json()["store"]
        assert (store["writable"], store["notices"]) == (True, [])


def test_a_bug_is_logged_without_its_message(
    extension: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """P8: the log has its location, but not the exception's text."""
    from aiserver.safe_traceback import outline_of

    try:
        try:
            json.loads(INTENT)
        except ValueError as inner:
            raise KeyError(API_KEY) from inner
    except KeyError as fault:
        text = outline_of(fault)
    assert "KeyError at" in text and "JSONDecodeError at json/decoder.py" in text
    assert "test_canaries.py" in text and INTENT not in text and API_KEY not in text


async def test_an_internal_error_is_500_with_an_id(
    call: Any, extension: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """P8: the message has no details; the log has the id, the class and the location."""

    async def broken(*args: object, **more: object) -> None:
        raise KeyError(f"{API_KEY} {INTENT}")

    monkeypatch.setattr(extension.sessions, "load_raw", broken)
    reply = await call("GET", "sessions/nb/c1")
    assert reply.status == 500 and reply.data["code"] == "error"
    [record] = [r for r in caplog.records if "failed (request" in r.getMessage()]
    assert reply.data["requestId"] in record.getMessage()
    assert "KeyError at" in record.getMessage() and not record.exc_info
    assert API_KEY not in caplog.text and API_KEY not in json.dumps(reply.data)
