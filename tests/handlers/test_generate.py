"""Generate code over HTTP: the answer, its record, and every way to end."""

from __future__ import annotations

import asyncio
import json

import pytest

from aiserver.errors import StorageFull
from aiserver.generation.generation import QUEUE_SIZE
from aiserver.models import AIResponse, NewTurn, SessionKey, UserRequest, utc_now
from aiserver.requests import GenerateBody

from ..conftest import API_KEY, SSE, Call, request

CODE = "```python\nimport pandas as pd\ndf = pd.read_csv('data.csv')\n```\nIt reads the file."
SOURCE = "import pandas as pd\ndf = pd.read_csv('data.csv')"


async def running(call: Call, scripted, body=None, **headers):
    """Start a generation that pauses after its first chunk; return its task."""
    scripted.script({"text": CODE, "hold_after": 2})
    task = asyncio.create_task(call("POST", "generate", body or request(), headers=headers or SSE))
    await until(lambda: task.done() or (scripted.requests and scripted.requests[-1]["sent"] == 2))
    if task.done():
        raise AssertionError(task.result())
    return task


async def until(condition, seconds: float = 20) -> None:
    """Wait for a condition. Raises TimeoutError."""

    async def poll() -> None:
        while not condition():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(poll(), seconds)


async def test_json_answer_is_the_saved_turn(call, scripted):
    scripted.script({"text": CODE})
    answer = await call("POST", "generate", request("读取 data.csv"))
    assert answer.status == 200
    assert answer.headers["ETag"] == '"1"'
    turn = answer.data
    assert turn["turn_id"] == 1 and turn["seq"] == 1
    assert turn["user_request"] == {
        "intent": "读取 data.csv",
        "current_code": "",
        "language": "python",
    }
    assert turn["ai_response"] == {
        "suggestion": SOURCE,
        "explanation": "It reads the file.",
        "status": "success",
        "error": None,
    }
    assert turn["model"] == "openai:scripted"
    stored = await call("GET", "sessions/nb/c1")
    assert stored.data["interactions"] == [turn]


async def test_a_stream_has_a_start_tokens_and_one_end(call, scripted):
    scripted.script({"text": CODE})
    answer = await call("POST", "generate", request(), headers=SSE)
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    names = [name for name, _ in answer.events]
    assert names[0] == "start" and names[-1] == "done"
    assert set(names[1:-1]) == {"token"}
    start = answer.events[0][1]
    assert start["turnId"] == 1 and len(start["generationId"]) == 32
    assert start["model"]["id"] == "openai:scripted"
    tokens = [data for name, data in answer.events if name == "token"]
    code = "".join(token["text"] for token in tokens if token["part"] == "code")
    done = answer.events[-1][1]
    assert done["interaction"]["ai_response"]["suggestion"] == code.strip("\n") == SOURCE
    assert done["revision"] == 1


@pytest.mark.parametrize("left", [-1, 0, 1])
async def test_a_slow_reader_gets_all_events(extension, scripted, left):
    """P32: even if the queue of tokens is full when the model ends."""
    lines = [f"x{number} = 1\n" for number in range(QUEUE_SIZE + left)]
    scripted.script({"chunks": ["```python\n", *lines, "```"]})
    body = GenerateBody(notebook_id="nb", cell_id="c1", intent="x")
    generation = await extension.assistant.generate(SessionKey("nb", "c1"), body)
    code = ""
    async for token in generation.tokens():
        if not code:
            await asyncio.wait({generation.outcome}, timeout=0.5)
        code += token.text
    assert code == (await generation.outcome).interaction.ai_response.suggestion


async def test_tokens_are_sent_immediately(jp_fetch, extension, scripted):
    scripted.script({"text": CODE, "hold_after": 4})
    seen = bytearray()
    task = asyncio.ensure_future(
        jp_fetch(
            "aiserver",
            "generate",
            method="POST",
            body=json.dumps(request()),
            headers=dict(SSE),
            streaming_callback=seen.extend,
        )
    )
    await until(lambda: b"import" in seen)
    assert b"event: done" not in seen and not task.done()
    scripted.release()
    await task
    assert b"event: done" in seen


async def test_the_second_request_contains_the_first_turn(call, scripted):
    """It has the first intent and suggestion and the edited code, and no code of other cells."""
    scripted.script(
        {"text": CODE}, {"text": "```python\nother = 'of cell two'\n```"}, {"text": CODE}
    )
    await call("POST", "generate", request("读取 data.csv 并显示前5行"))
    await call("POST", "generate", request("the second cell's secret", cellId="c2"))
    edited = SOURCE + "\ndf.head()  # by hand"
    await call("POST", "generate", request("只读取 'price' 列", source=edited))
    wire = scripted.requests[-1]["body"]["messages"]
    text = "\n".join(message["content"] for message in wire)
    assert "读取 data.csv 并显示前5行" in text
    assert any(SOURCE in m["content"] for m in wire if m["role"] == "assistant")
    assert "df.head()  # by hand" in text
    assert wire[-1]["role"] == "user" and "只读取 'price' 列" in wire[-1]["content"]
    assert "of cell two" not in text and "the second cell's secret" not in text
    assert API_KEY not in json.dumps(wire)


async def test_a_branch_sends_only_the_turns_that_led_to_it(call, scripted):
    """P15, P43: the preview shows exactly what is sent."""
    answers = "first = 1", "left = 2", "branch = 3"
    scripted.script(*({"text": f"```python\n{answer}\n```"} for answer in answers))
    await call("POST", "generate", request("the first wish"))
    await call("POST", "generate", request("the wish that was left", source=answers[0]))
    body = request("another way", source=answers[0], parentTurnId=1)
    shown = (await call("POST", "generate/preview", body)).data["messages"]
    await call("POST", "generate", body)
    sent = [message["content"] for message in scripted.requests[-1]["body"]["messages"]]
    assert [message["text"] for message in shown] == sent
    text = "\n".join(sent)
    assert "the first wish" in text and "first = 1" in text
    assert "the wish that was left" not in text and "left = 2" not in text


async def test_starting_afresh_sends_no_history_and_keeps_it_stored(call, scripted):
    scripted.script({"text": CODE}, {"text": CODE})
    await call("POST", "generate", request("the first wish"))
    reset = await call("POST", "sessions/nb/c1/events", [{"type": "context_reset"}])
    assert reset.status == 201
    await call("POST", "generate", request("a new wish", source=SOURCE))
    assert "the first wish" not in json.dumps(scripted.requests[-1]["body"])
    stored = (await call("GET", "sessions/nb/c1")).data
    assert [t["user_request"]["intent"] for t in stored["interactions"]] == [
        "the first wish",
        "a new wish",
    ]


async def test_a_failed_turn_keeps_its_partial_answer_and_is_not_sent_again(call, scripted):
    scripted.script(
        {"chunks": ["```python\n", "half = 1\n", "more"], "cut_after": 2}, {"text": CODE}
    )
    reply = await call("POST", "generate", request("the wish that failed"))
    assert reply.status == 200
    assert reply.data["ai_response"]["suggestion"].strip() == "half = 1"
    await call("POST", "generate", request("again"))
    wire = json.dumps(scripted.requests[-1]["body"])
    assert "the wish that failed" not in wire and "half = 1" not in wire


async def test_a_turn_that_cannot_be_saved_is_returned_and_logged(
    call, scripted, extension, monkeypatch, caplog
):
    """P20 (server part): the answer is streamed, and the last event says why it isn't saved."""

    async def full(*args: object) -> None:
        raise StorageFull

    monkeypatch.setattr(extension.sessions, "save_interaction", full)
    scripted.script({"text": CODE}, {"text": CODE})
    reply = await call("POST", "generate", request(), headers=SSE)
    tokens = [data["text"] for name, data in reply.events if data.get("part") == "code"]
    assert "".join(tokens).strip("\n") == SOURCE
    assert [name for name, _ in reply.events][-1] == "error"
    assert reply.events[-1][1]["code"] == "storage_full"
    # Only the server knows whether the streamed text is complete.
    assert reply.events[-1][1]["unsaved"]["ai_response"]["suggestion"] == SOURCE
    assert reply.events[-1][1]["unsaved"]["ai_response"]["status"] == "success"
    assert "could not be saved: storage_full" in caplog.text
    reply = await call("POST", "generate", request())
    assert (reply.status, reply.data["code"]) == (507, "storage_full")
    assert reply.data["unsaved"]["ai_response"]["suggestion"] == SOURCE, "the answer is lost"


async def test_stop_ends_the_stream_and_saves_the_partial_answer(call, scripted, extension):
    task = await running(call, scripted)
    (generation_id,) = extension.assistant._running
    assert (await call("DELETE", f"generate/{generation_id}")).status == 204
    reply = await asyncio.wait_for(task, 5)
    assert reply.events[-1][0] == "cancelled"
    assert reply.events[-1][1]["interaction"]["ai_response"]["status"] == "cancelled"
    await until(lambda: scripted.requests[-1]["outcome"] == "gone", 5)
    turn = (await call("GET", "sessions/nb/c1")).data["interactions"][0]
    assert turn["ai_response"]["status"] == "cancelled"
    assert (await call("DELETE", f"generate/{generation_id}")).status == 404


async def test_a_disconnected_client_stops_the_model(
    call, scripted, extension, jp_http_port, jp_base_url, jp_auth_header
):
    """P30: within a second, even while the model sends nothing; the turn is recorded."""
    scripted.script({"text": CODE, "hold_after": 2})
    body = json.dumps(request()).encode()
    head = [f"POST {jp_base_url}aiserver/generate HTTP/1.1", f"Host: 127.0.0.1:{jp_http_port}"]
    headers = SSE | jp_auth_header | {"Content-Length": str(len(body))}
    head += [f"{name}: {value}" for name, value in headers.items()]
    _, writer = await asyncio.open_connection("127.0.0.1", jp_http_port)
    writer.write("\r\n".join([*head, "", ""]).encode() + body)
    await until(lambda: scripted.requests and scripted.requests[-1]["sent"] == 2)
    writer.close()
    await writer.wait_closed()
    await until(lambda: scripted.requests[-1]["outcome"] == "gone", 1.5)
    await until(lambda: not extension.assistant._running)
    turn = (await call("GET", "sessions/nb/c1")).data["interactions"][0]
    assert turn["ai_response"]["status"] == "cancelled"


async def test_a_second_generation_on_the_same_cell_is_rejected(call, scripted, extension):
    """P33: the second tab gets 409 with the id of the running generation."""
    task = await running(call, scripted)
    (generation_id,) = extension.assistant._running
    second = await call("POST", "generate", request("me too"))
    assert second.status == 409
    assert second.data["code"] == "generation_running"
    assert second.data["generationId"] == generation_id
    assert len(scripted.requests) == 1
    other_cell = await call("POST", "generate", request("elsewhere", cellId="c2"))
    assert other_cell.status == 200
    scripted.release()
    assert (await task).events[-1][0] == "done"
    assert (await call("POST", "generate", request("now"))).status == 200


async def test_stopping_the_server_saves_running_answers(call, scripted, extension):
    """P36 (server part): a running answer is saved as cancelled when the server stops."""
    task = await running(call, scripted)
    await extension.assistant.close()
    assert (await task).events[-1][0] == "cancelled"


async def test_dataframe_requests_are_turns_of_the_cell(call, scripted):
    scripted.script({"text": CODE}, {"text": CODE})
    frame = {
        "name": "df",
        "rowCount": 12345,
        "columnCount": 2,
        "columns": [{"name": "价格", "dtype": "float64"}, {"name": "city", "dtype": "object"}],
    }
    body = request("mean price by city", dataframes=[frame])
    assert (await call("POST", "analyze-dataframe", body)).data["mode"] == "analyze"
    assert "价格" in json.dumps(scripted.requests[0]["body"], ensure_ascii=False)
    await call("POST", "generate", request("as a bar chart", source=SOURCE))
    refined = json.dumps(scripted.requests[1]["body"], ensure_ascii=False)
    assert "mean price by city" in refined and "价格" in refined
    stored = (await call("GET", "sessions/nb/c1")).data
    assert [turn["mode"] for turn in stored["interactions"]] == ["analyze", "edit"]


@pytest.mark.parametrize("server_config", [{"AIServer": {"model": "nonsense:none"}}])
async def test_an_unknown_provider_is_a_failed_turn(call, server_config):
    reply = await call("POST", "generate", request())
    assert reply.status == 200  # with a failed turn
    answer = reply.data["ai_response"]
    assert answer["status"] == "error" and "nonsense" in answer["error"]


async def test_what_the_page_attached_is_sent_without_values_to_a_remote_model(call, scripted):
    """P15: examples of values are for models on this computer; they are never stored."""
    column = {"name": "城市", "dtype": "object", "examples": ["Oslo-canary"]}
    context = {
        "dataframes": [
            {"name": "sales", "rowCount": 3, "columnCount": 1, "columns": [column]},
        ],
        "variables": [{"name": "rates", "kind": "dict of 3"}],
    }
    reply = await call("POST", "generate", request("plot it", context=context))
    sent = json.dumps(scripted.requests[-1]["body"]["messages"], ensure_ascii=False)
    assert "城市" in sent and "rates: dict of 3" in sent
    stored = (await call("GET", "sessions/nb/c1")).data["interactions"][0]
    assert stored["dataframes"][0]["columns"] == [{"name": "城市", "dtype": "object"}]
    assert "Oslo-canary" not in sent + json.dumps(stored, ensure_ascii=False) + str(reply.data)


async def test_dataframes_of_other_versions_are_no_error(call, scripted, extension):
    """P25: stored dataframes may have unknown or missing fields."""
    frame = {"name": "df", "row_count": 3, "column_count": 1, "mean_of_later": 7}
    frame["columns"] = [{"name": "price", "dtype": "int64"}]
    for frames, is_sent in (([frame], True), ([{"shape": [3, 1]}], False)):
        turn = NewTurn(
            timestamp=utc_now(),
            user_request=UserRequest(intent="earlier"),
            ai_response=AIResponse(suggestion="x", status="success"),
            dataframes=frames,
        )
        await extension.sessions.save_interaction(SessionKey("nb", "c1"), turn)
        scripted.script({"text": CODE})
        reply = await call("POST", "generate", request())
        assert reply.data["ai_response"]["status"] == "success"
        assert ("int64" in json.dumps(scripted.requests[-1]["body"])) is is_sent


async def test_no_request_is_sent_if_the_session_is_read_only(call, scripted, jp_root_dir):
    """P25: a session of a newer version is read-only, so the model is not asked."""
    await call("POST", "generate", request())
    [path] = (jp_root_dir / ".aiserver_sessions").glob("*.json")
    path.write_text(path.read_text().replace('"version": "1.0"', '"version": "2.0"'))
    reply = await call("POST", "generate", request("more"), headers=SSE)
    assert (reply.status, reply.data["code"]) == (409, "session_too_new")
    assert len(scripted.requests) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "notebookId"),
        (request(intent=" \n"), "intent"),
        (request(cellId="../../etc/passwd"), "cellId"),
        (request(source=7), "source"),
        (request(nonsense=1), "nonsense"),
    ],
)
async def test_an_invalid_body_is_400_with_the_field(call, scripted, body, field):
    reply = await call("POST", "generate", body)
    assert reply.status == 400
    assert reply.data["code"] == "invalid_request" and field in reply.data["message"]
    assert not scripted.requests


@pytest.mark.parametrize("raw", [b"", b"[1]", b'{"a": NaN}', b"\xff", b'"\\ud800"', b"[" * 100000])
async def test_invalid_json_is_400(call, raw):
    reply = await call("POST", "generate", raw=raw)
    assert reply.status == 400


async def test_a_large_body_is_413(call):
    reply = await call("POST", "generate", request(source="x" * 9_000_000))
    assert reply.status == 413
