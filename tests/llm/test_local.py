"""The embedded model's process and its client, with the scripted model in the child's place."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from aiserver import errors
from aiserver.llm.base import ModelInfo
from aiserver.llm.streaming import Limits
from aiserver.plugins.local_models import server as local_server
from aiserver.plugins.local_models.model import LocalModel, ends_in_repetition
from aiserver.plugins.local_models.process import LocalProcess

ASK = [HumanMessage("SAY: x = 1")]
INFO = ModelInfo("local:fake", "fake", True)
CHILD = (sys.executable, "-m", "tests.llm.fake_child")


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A fake model file, whose words control the fake child."""
    path = tmp_path / "model.gguf"
    path.write_text("serve")
    return path


@pytest.fixture(name="model")
def model_fixture(weights: Path, jp_asyncio_loop: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    process = LocalProcess(weights, threads=1, context=4096, memory=10**9, command=CHILD)
    model = LocalModel(INFO, process, Limits(30, 10_000, requires_finish_reason=True))
    yield model
    jp_asyncio_loop.run_until_complete(model.close())


def starts(weights: Path) -> int:
    path = weights.with_suffix(".starts")
    return len(path.read_text().split()) if path.exists() else 0


async def take(model: LocalModel, messages: Any = ASK) -> str:
    return "".join([delta.text async for delta in model.stream(messages, language="python")])


async def child(model: LocalModel, method: str, path: str, body: Any = None) -> Any:
    """Speak to the scripted model in the child."""
    address = await model.process.address()
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        return (await client.request(method, address.url + path, json=body)).json()


async def until_outcome(model: LocalModel, outcome: str) -> None:
    for _ in range(500):
        if (await child(model, "GET", "/requests"))[-1]["outcome"] == outcome:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"no request ended as {outcome}")


async def test_the_child_starts_at_the_first_need_and_once(model, weights):
    assert model.process.pid is None
    assert starts(weights) == 0
    answers = await asyncio.gather(*(take(model) for _ in range(5)))
    assert answers == ["```python\nx = 1\n```\n"] * 5
    assert starts(weights) == 1


async def test_asks_for_one_fenced_block_at_temperature_zero(model):
    await take(model)
    request = (await child(model, "GET", "/requests"))[0]
    body = request["body"]
    assert body["temperature"] == 0
    assert body["cache_prompt"] is True
    assert body["max_tokens"] == 1024
    assert body["grammar"].startswith('root ::= "```python"')
    key = (await model.process.address()).key
    assert request["authorization"] == f"Bearer {key}"
    assert len(key) > 30
    assert key not in repr(await model.process.address())


async def test_a_full_prompt_may_be_answered_in_words(model):
    """Its rules allow an explanation, so the answer isn't restricted to a block of code."""
    model.style = "full"
    await take(model)
    body = (await child(model, "GET", "/requests"))[0]["body"]
    assert "grammar" not in body
    assert body["cache_prompt"] is True


async def test_another_attempt_is_sampled(model):
    """The answer at temperature 0 would be the same again."""
    await take(model)
    async for _ in model.stream(ASK, language="python", is_retry=True):
        pass
    await take(model)
    bodies = [request["body"] for request in await child(model, "GET", "/requests")]
    assert [body["temperature"] for body in bodies] == [0, 0.7, 0]
    first, again, _ = ({**body, "temperature": None} for body in bodies)
    assert first == again


async def test_the_key_is_on_no_command_line(model):
    """P8"""
    key = (await model.process.address()).key
    pid = model.process.pid
    if Path(f"/proc/{pid}/cmdline").exists():
        assert key.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()
        assert key.encode() not in Path(f"/proc/{pid}/environ").read_bytes()


async def test_tokens_are_counted_by_the_model(model):
    assert await model.count_tokens(["", "abcd", "abcde"]) == [0, 1, 2]


async def test_a_killed_child_is_restarted(model, weights):
    await take(model)
    os.kill(model.process.pid, signal.SIGKILL)
    assert await take(model) == "```python\nx = 1\n```\n"
    assert starts(weights) == 2


async def test_a_child_that_dies_during_an_answer_is_reported(model):
    await child(model, "POST", "/script", [{"text": "one two", "hold_after": 1}])
    with pytest.raises(errors.AnswerBrokenOff):
        async for delta in model.stream(ASK, language="python"):
            assert delta.text == "one"
            os.kill(model.process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("wish", "kind"),
    [
        ("refuse not_found", errors.NoModel),
        ("refuse not_a_model", errors.ModelError),
        ("refuse not_installed", errors.ModelPackageMissing),
        ("refuse not_loaded", errors.ModelUnavailable),
        ("die", errors.ModelUnavailable),
    ],
)
async def test_a_failed_start_is_reported_to_all_callers_and_retried(model, weights, wish, kind):
    weights.write_text(wish)
    results = await asyncio.gather(take(model), take(model), return_exceptions=True)
    assert [type(result) for result in results] == [kind, kind]
    assert str(weights) not in str(results[0])
    weights.write_text("serve")
    assert await take(model)


async def test_a_child_that_cannot_be_started_is_reported(weights):
    process = LocalProcess(
        weights, threads=1, context=9, memory=10**9, command=["no such program here"]
    )
    with pytest.raises(errors.ModelUnavailable):
        await process.address()
    await process.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no sessions")
async def test_ctrl_c_does_not_reach_the_child(model):
    """A terminal sends it to its whole session, and the person may still say no."""
    await model.process.address()
    assert os.getsid(model.process.pid) != os.getsid(0)


async def test_a_waiter_that_gives_up_does_not_stop_the_start(model, weights):
    first = asyncio.create_task(take(model))
    await asyncio.sleep(0)
    first.cancel()
    assert await take(model)
    assert starts(weights) == 1


async def test_closing_ends_the_child(model):
    await take(model)
    pid = model.process.pid
    await model.close()
    assert model.process.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert await take(model)  # and it can be used again


async def test_the_child_ends_with_a_parent_that_was_killed(weights):
    script = (
        "import asyncio, sys, time\n"
        "from pathlib import Path\n"
        "from aiserver.plugins.local_models.process import LocalProcess\n"
        "async def main():\n"
        f"    process = LocalProcess(Path({str(weights)!r}), threads=1, context=9, memory=1,"
        f" command={CHILD!r})\n"
        "    await process.address()\n"
        "    print(process.pid, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    pid = int(await parent.stdout.readline())
    os.kill(pid, 0)
    parent.kill()
    await parent.wait()
    for _ in range(500):
        if not _runs(pid):
            break
        await asyncio.sleep(0.02)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")  # a zombie that nobody has waited for is no longer running
    with contextlib.suppress(OSError):
        return status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


async def test_warming_up_reads_the_prompt(model):
    await model.warm_up([SystemMessage("rules"), HumanMessage("x = 1")])
    body = (await child(model, "GET", "/requests"))[0]["body"]
    assert body["max_tokens"] == 1
    assert [message["content"] for message in body["messages"]] == ["rules", "x = 1"]


async def until_outcome_exists(model: LocalModel) -> None:
    for _ in range(500):
        if await child(model, "GET", "/requests"):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("no request came")


async def test_giving_up_a_warm_up_frees_the_model(model):
    await child(model, "POST", "/script", [{"hang": True}])
    warming = asyncio.create_task(model.warm_up(ASK))
    await until_outcome_exists(model)
    warming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await warming
    await until_outcome(model, "gone")


async def test_closing_the_stream_stops_the_model(model):
    """P30"""
    await child(model, "POST", "/script", [{"text": "one two", "hold_after": 1}])
    async with contextlib.aclosing(model.stream(ASK, language="python")) as stream:
        await anext(stream)
    await until_outcome(model, "gone")


async def test_a_model_that_repeats_itself_is_stopped(model):
    """P17: long before the limit of an answer, with an error that explains it."""
    await child(model, "POST", "/script", [{"text": "print(x.mean())\n", "endless": True}])
    with pytest.raises(errors.BadAnswer, match="repeating itself"):
        await take(model)
    await until_outcome(model, "gone")


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("", False),
        ("x" * 599, False),
        ("x" * 600, True),
        ("start " + "a, b, c, " * 100, True),
        ("print(a)\nprint(b)\n" * 40, True),
        ("\n".join(f"x{n} = {n}" for n in range(300)), False),
        ("x = 1\n" * 300 + "\n".join(f"y{n} = {n}" for n in range(100)), False),
    ],
)
def test_repeats_itself(text, loop):
    assert ends_in_repetition(text) is loop


@pytest.mark.parametrize(
    "token", ["<|im_end|>", "<|im_start|>", "<|eot_id|>", "<｜User｜>", "<end_of_turn>", "</s>"]
)
async def test_text_cannot_impersonate_another_role(model, token):
    """P14: a control token of a chat template inside a cell is broken up, all else is kept."""
    text = f"x = '<b>'  # a | b{token}\nprint(x)"
    await take(model, [SystemMessage("rules"), HumanMessage(text)])
    sent = (await child(model, "GET", "/requests"))[0]["body"]["messages"][1]["content"]
    assert sent == text.replace(token, f"{token[0]} {token[1:]}")


async def test_no_proxy_is_used(model, monkeypatch):
    """P4"""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    assert await take(model)
    assert await model.count_tokens(["abcd"]) == [1]


def test_the_real_child_refuses_a_file_that_is_not_a_model(tmp_path):
    """The child itself, without weights: its protocol, and that it ends with its input."""
    path = tmp_path / "text.gguf"
    path.write_text("no model")
    for model, code in ((path, "not_a_model"), (tmp_path / "none.gguf", "not_found")):
        settings = {"model": str(model), "key": "k", "threads": 1, "context": 64}
        command = [sys.executable, local_server.__file__]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            run.stdin.write(json.dumps(settings).encode() + b"\n")
            run.stdin.flush()
            assert json.loads(run.stdout.readline()) == {"error": code}


def test_the_real_child_ends_with_its_input():
    run = subprocess.run([sys.executable, local_server.__file__], input=b"", timeout=60)
    assert run.returncode == 0
