"""Older turns are summarised in the background, through the HTTP API and on the model's wire."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from aiserver.generation.past_turns import HISTORY_TURNS
from aiserver.models import NewTurn, SessionKey

from ..conftest import request

KEY = SessionKey("nb", "c1")
CODE = {"text": "```python\nx = 1\n```"}
SUMMARY = "- the colour is #336699\n- 结果保留两位小数"
TURNS = HISTORY_TURNS + 10
SECRET = "sk-proj-Ab3dE6gH9jK2mN5pQ8sT1vW4"


async def seed(extension: Any, count: int = TURNS, **fields: Any) -> None:
    for number in range(1, count + 1):
        turn = {
            "timestamp": f"2026-01-27T10:00:00.{number % 1000:03}Z",
            "user_request": {"intent": f"wish {number}.", "current_code": f"x = {number - 1}"},
            "ai_response": {"suggestion": f"x = {number}", "status": "success"},
        }
        await extension.sessions.save_interaction(KEY, NewTurn.model_validate(turn | fields))


async def summaries(extension: Any) -> list[dict[str, Any]]:
    session = await extension.sessions.load_session(KEY)
    return [event.data for event in session.events or [] if event.type == "condensed_turns"]


async def until_summarised(extension: Any, count: int) -> list[dict[str, Any]]:
    for _ in range(500):
        if len(stored := await summaries(extension)) >= count:
            return stored
        await asyncio.sleep(0.01)
    raise AssertionError("no summary was stored")


async def until_requested(scripted: Any, count: int) -> None:
    for _ in range(500):
        if len(scripted.requests) >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("no request was sent")


def sent_messages(scripted: Any, index: int = -1) -> list[dict[str, str]]:
    messages = scripted.requests[index]["body"]["messages"]
    return [{"role": item["role"], "content": item["content"]} for item in messages]


async def preview_messages(call: Any, body: dict[str, Any]) -> tuple[list[dict[str, str]], Any]:
    data = (await call("POST", "generate/preview", body)).data
    messages = [{"role": m["role"], "content": m["text"]} for m in data["messages"]]
    return messages, data["items"]


async def test_older_turns_are_summarised_and_sent_with_the_next_request(
    call, scripted, remote_model, extension
):
    """P43, P15: the preview, the receipt, the stored prompt and the bytes on the wire agree."""
    await seed(extension)
    asked = request("next", source=f"x = {TURNS}")
    scripted.script(CODE, {"text": SUMMARY}, CODE)
    await call("POST", "generate", asked)
    [stored] = await until_summarised(extension, 1)

    # The request for the summary contains the turns that were left out, and some more.
    system, human = sent_messages(scripted)
    assert "Write at most 12 short lines" in system["content"]
    wishes = [int(number) for number in re.findall(r"wish (\d+)\.", human["content"])]
    assert wishes == list(range(1, TURNS - HISTORY_TURNS + 1 + HISTORY_TURNS // 2))
    assert stored["text"] == SUMMARY
    assert stored["turns"] == len(wishes)
    assert stored["usage"]["output_tokens"] > 0

    asked = request("once more", source=f"x = {TURNS}")
    messages, items = await preview_messages(call, asked)
    reply = await call("POST", "generate", asked)
    assert sent_messages(scripted) == messages
    first = messages[1]["content"]
    assert re.match(
        r"<summary-of-older-requests (\w{6})>\n" + re.escape(SUMMARY) + r"\n</summary", first
    )
    text = "".join(message["content"] for message in messages)
    assert "wish 11." not in text and "wish 12." in text and "wish 60." in text
    [item] = [item for item in items if item["kind"] == "summary"]
    assert item["included"] and item["tokens"] > 0 and item["count"] == len(wishes)
    stored_items = [item for item in reply.data["context"] if item["kind"] == "summary"]
    assert stored_items == [
        {"kind": "summary", "tokens": item["tokens"], "count": len(wishes)},
    ]
    blob = json.loads(await extension.sessions.get_blob(reply.data["prompt"]))
    assert [message["text"] for message in blob["messages"]] == [m["content"] for m in messages]
    # All turns are still stored, and nothing else was requested: the summary still suffices.
    session = await extension.sessions.load_session(KEY)
    assert len(session.interactions) == TURNS + 2
    assert len(scripted.requests) == 3


@pytest.mark.parametrize("option", ["condensesTurns", "few turns"])
async def test_nothing_is_summarised_without_the_option_or_without_need(
    call, scripted, extension, option
):
    more = {"condensesTurns": False} if option == "condensesTurns" else {}
    await seed(extension, HISTORY_TURNS if option == "few turns" else TURNS)
    scripted.script(CODE)
    await call("POST", "generate", request("next", **more))
    await asyncio.sleep(0.1)
    assert len(scripted.requests) == 1
    assert await summaries(extension) == []


async def test_the_option_also_excludes_an_existing_summary(call, scripted, extension):
    await seed(extension)
    scripted.script(CODE, {"text": SUMMARY})
    await call("POST", "generate", request("next"))
    await until_summarised(extension, 1)
    _, items = await preview_messages(call, request("x"))
    assert "summary" in [item["kind"] for item in items]
    _, items = await preview_messages(call, request("x", condensesTurns=False))
    assert "summary" not in [item["kind"] for item in items]


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 500},
        {"status": 429, "retry_after": 20},
        {"text": "```python\nx = 1\n```"},
        {"text": " "},
        {"text": "- the colour", "finish": "length"},
        {"chunks": ["- the ", "colour"], "cut_after": 1},
    ],
)
async def test_a_failure_is_logged_and_tried_again_after_the_next_turn(
    call, scripted, remote_model, extension, caplog, answer
):
    """P8: the log contains nothing of the turns."""
    await seed(extension)
    caplog.set_level("INFO")
    # A server's error is retried twice before it counts as a failure.
    scripted.script(CODE, *[answer] * (3 if answer.get("status") == 500 else 1))
    await call("POST", "generate", request("next"))
    for _ in range(800):
        if "could not be summarised" in caplog.text:
            break
        await asyncio.sleep(0.01)
    assert "could not be summarised" in caplog.text
    assert "wish" not in caplog.text and "colour" not in caplog.text
    assert await summaries(extension) == []
    scripted.clear()
    scripted.script(CODE, {"text": SUMMARY})
    await call("POST", "generate", request("again"))
    await until_summarised(extension, 1)


async def test_a_deleted_history_stays_deleted(call, scripted, extension):
    """A summary that is being made isn't stored after its turns were deleted."""
    await seed(extension)
    scripted.script(CODE, {"text": SUMMARY, "hold_after": 1})
    await call("POST", "generate", request("next"))
    await until_requested(scripted, 2)
    assert await extension.sessions.delete(KEY)
    scripted.release()
    for _ in range(200):
        if not extension.assistant.background._tasks:
            break
        await asyncio.sleep(0.01)
    assert await extension.sessions.load_if_exists(KEY) is None


async def test_secrets_reach_neither_the_model_nor_the_store(
    call, scripted, remote_model, extension, jp_root_dir
):
    """P16: not even if an old turn contains a secret, or if the model writes it."""
    await seed(extension)
    session = await extension.sessions.load_session(KEY)
    old = session.interactions[0]
    old.user_request.intent = f'wish 1. with api_key="{SECRET}"'
    old.ai_response.suggestion = f'password = "hunter2-{SECRET[-6:]}"'
    await extension.sessions.delete(KEY)
    await extension.sessions.merge_copy(KEY, session)  # like a file that another tool has written
    scripted.script(CODE, {"text": f"- use {SECRET}\n- password='hunter2-secret'"})
    await call("POST", "generate", request("next"))
    [stored] = await until_summarised(extension, 1)
    sent = json.dumps(scripted.requests)
    assert "wish 1." in sent and "wish 35." in sent
    assert SECRET not in sent and "hunter2" not in sent
    assert SECRET not in stored["text"] and "hunter2" not in stored["text"]
    assert "redacted" in stored["text"]


async def test_the_replay_has_no_step_for_a_summary(call, scripted, extension):
    await seed(extension)
    scripted.script(CODE, {"text": SUMMARY})
    await call("POST", "generate", request("next"))
    before = (await call("GET", "sessions/nb/c1/replay")).data["steps"]
    await until_summarised(extension, 1)
    after = (await call("GET", "sessions/nb/c1/replay")).data["steps"]
    assert [step["seq"] for step in after] == [step["seq"] for step in before]
    assert SUMMARY not in json.dumps(after, ensure_ascii=False)
