"""Servers that accept less than OpenAI's API: a request is changed once, and answered.

The servers are played, in the words of the real ones.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from aiserver import errors
from aiserver.llm.base import Delta, ModelInfo
from aiserver.llm.remote.adapt import Adaptation
from aiserver.llm.remote.model import RemoteModel
from aiserver.llm.streaming import Limits

from ..effort import at_most
from ..scripted_wires import Waits, given

Body = dict[str, Any]
Reply = tuple[int, str, bytes]

MESSAGES: list[BaseMessage] = [
    SystemMessage("rules"),
    HumanMessage("hello"),
    HumanMessage("write x = 1"),
]
COMPLETION = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "x = 1"},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10},
}


def chunk(delta: Body, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    fields = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps(fields | {"choices": [choice]}).encode() + b"\n\n"


STREAM = chunk({"content": "x = 1"}) + chunk({}, "stop") + b"data: [DONE]\n\n"


def answer(data: bytes = STREAM) -> Reply:
    return 200, "text/event-stream", data


def refusal(status: int, message: str, **fields: Any) -> Reply:
    error = {"message": message, "type": "invalid_request_error"} | fields
    return status, "application/json", json.dumps({"error": error}).encode()


class Server:
    """A server that answers with ``reply(body, path)``, and keeps the requests."""

    def __init__(self) -> None:
        self.reply: Callable[[Body, str], Reply] = lambda body, path: answer()
        self.headers: dict[str, str] = {}
        self.bodies: list[Body] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.bodies.append(body)
                status, kind, data = owner.reply(body, self.path)
                self.send_response(status)
                for name, value in ({"Content-Type": kind} | owner.headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        self.models: list[RemoteModel] = []
        self.use_path("/v1")
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def _model(self, path: str, options: dict[str, Any]) -> RemoteModel:
        return RemoteModel(
            ModelInfo("openai_compatible:m", "m", False),
            options,
            Limits(20, 10_000, True),
            access=given(self.address + path),
            max_tokens=8192,
            sleep=Waits(),
        )

    def use_path(self, path: str, options: dict[str, Any] | None = None) -> None:
        self.models.append(self._model(path, options or {}))

    @property
    def model(self) -> RemoteModel:
        return self.models[-1]

    async def ask(self, messages: Sequence[BaseMessage] = MESSAGES) -> list[Delta]:
        return [delta async for delta in self.model.stream(messages, language="python")]

    async def text(self) -> str:
        return "".join(delta.text for delta in await self.ask())


@pytest.fixture
def server(jp_asyncio_loop: Any) -> Iterator[Server]:
    server = Server()
    yield server
    for model in server.models:
        jp_asyncio_loop.run_until_complete(model.close())
    server.http.shutdown()
    server.http.server_close()


def unless(condition: Callable[[Body], bool], refused: Reply) -> Callable[[Body, str], Reply]:
    return lambda body, path: answer() if condition(body) else refused


VLLM = (
    "This model's maximum context length is {0} tokens. However, you requested 8192 output tokens "
    "and your prompt contains at least 40 input tokens, for a total of at least 8232 tokens."
)
REFUSALS = {
    "context of 8192": unless(
        lambda body: body["max_tokens"] <= 8192 - 40, refusal(400, VLLM.format(8192))
    ),
    "context of 4096": unless(
        lambda body: body["max_tokens"] <= 4096 - 40, refusal(400, VLLM.format(4096))
    ),
    "llama.cpp's context": unless(
        lambda body: body["max_tokens"] <= 4096 - 40,
        refusal(400, "request exceeds the available context size", n_prompt_tokens=40, n_ctx=4096),
    ),
    "max_tokens": unless(
        lambda body: "max_tokens" not in body and body["max_completion_tokens"] == 8192,
        refusal(400, "Unsupported parameter: 'max_tokens' is not supported with this model."),
    ),
    "stream_options": unless(
        lambda body: "stream_options" not in body,
        (
            422,
            "application/json",
            b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"]}]}',
        ),
    ),
    "temperature": unless(
        lambda body: "temperature" not in body,
        refusal(400, "Unsupported value: 'temperature' does not support 0 with this model."),
    ),
    "system role": unless(
        lambda body: body["messages"][0]["role"] == "user",
        refusal(400, "System role not supported"),
    ),
    "system role, as an internal error": unless(
        lambda body: body["messages"][0]["role"] == "user",
        refusal(500, "Jinja Exception: System role not supported"),
    ),
    "alternating roles": unless(
        lambda body: [message["role"] for message in body["messages"]] == ["user"],
        refusal(400, "Conversation roles must alternate user/assistant/user/assistant/..."),
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_request_is_changed_once_and_the_change_is_remembered(
    server: Server, name: str
) -> None:
    server.reply = REFUSALS[name]
    server.use_path("/v1", {"temperature": 0})
    assert await server.text() == "x = 1"
    assert len(server.bodies) == 2
    texts = "\n\n".join(message["content"] for message in server.bodies[1]["messages"])
    assert texts == "rules\n\nhello\n\nwrite x = 1", "nothing of the prompt is lost"
    assert await server.text() == "x = 1"
    assert len(server.bodies) == 3


def test_an_error_that_repeats_the_request_is_read_in_linear_time() -> None:
    """P17"""
    for word in ("temperature ", "stream ", "unsupported ", "context length "):
        with at_most(20_000_000):
            Adaptation().learn(word * 10_000)


async def test_a_server_that_cannot_stream_is_asked_without(server: Server) -> None:
    refused = refusal(400, "Unsupported value: 'stream' does not support true with this model.")
    completion = (200, "application/json", json.dumps(COMPLETION).encode())
    server.reply = lambda body, path: refused if body.get("stream") else completion
    deltas = await server.ask()
    assert "".join(delta.text for delta in deltas) == "x = 1"
    assert deltas[-1].usage == {"input_tokens": 5, "output_tokens": 5, "total_tokens": 10}
    assert await server.text() == "x = 1"
    assert len(server.bodies) == 3


async def test_an_answer_that_came_is_not_asked_for_again(server: Server) -> None:
    """P31: a server may ignore that a stream is asked for."""
    server.reply = lambda body, path: (200, "application/json", json.dumps(COMPLETION).encode())
    deltas = await server.ask()
    assert "".join(delta.text for delta in deltas) == "x = 1"
    assert deltas[-1].usage == {"input_tokens": 5, "output_tokens": 5, "total_tokens": 10}
    assert len(server.bodies) == 1


LM_STUDIO = b'{"error": "Unexpected endpoint or method. (POST /chat/completions)"}'


@pytest.mark.parametrize(
    "refused",
    [
        (200, "application/json", LM_STUDIO),
        (404, "application/json", b'{"detail": "Not Found"}'),
    ],
)
async def test_an_address_without_v1_is_completed(server: Server, refused: Reply) -> None:
    server.use_path("")
    server.reply = lambda body, path: answer() if path == "/v1/chat/completions" else refused
    assert await server.text() == "x = 1"
    assert await server.text() == "x = 1"
    assert len(server.bodies) == 3
    server.use_path("/other")
    with pytest.raises(errors.ModelError):
        await server.text()
    assert len(server.bodies) <= 5


async def test_a_prompt_that_is_longer_than_the_context_is_sent_once(server: Server) -> None:
    server.reply = lambda body, path: refusal(
        400, "This model's maximum context length is 512 tokens. Your messages resulted in 900."
    )
    with pytest.raises(errors.PromptTooLong):
        await server.ask([HumanMessage("long " * 400)])
    assert len(server.bodies) == 1
    assert server.model.prompt_tokens < 512, "the next prompt fits"


async def test_the_listed_context_limits_the_first_request(server: Server) -> None:
    server.model.use_listed_context(2048)
    assert server.model.prompt_tokens == 2048 * 2 // 3
    assert await server.text() == "x = 1"
    (body,) = server.bodies
    assert 1024 < body["max_tokens"] < 2048
    server.model.use_listed_context(4096)  # the server was started again, with more memory
    assert server.model.prompt_tokens == 4096 * 2 // 3
    await server.text()
    assert 2048 < server.bodies[-1]["max_tokens"] < 4096


async def test_an_error_may_name_a_smaller_context_than_the_list(server: Server) -> None:
    server.reply = unless(
        lambda body: body["max_tokens"] < 1024,
        refusal(400, "This model's maximum context length is 1024 tokens."),
    )
    for _ in range(2):
        server.model.use_listed_context(131_072)
        assert await server.text() == "x = 1"
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("options", "prompt_tokens", "max_tokens"),
    [
        ({"max_tokens": 500}, 1365, 500),
        ({"max_tokens": 5000}, 1365, 1952),
        ({"profile": {"max_input_tokens": 6000}}, 4000, 5904),
        ({"profile": {"max_input_tokens": 1000}}, 666, 904),
    ],
)
async def test_a_setting_comes_before_the_list(
    server: Server, options: dict[str, Any], prompt_tokens: int, max_tokens: int
) -> None:
    server.use_path("/v1", options)
    server.model.use_listed_context(2048)
    assert server.model.prompt_tokens == prompt_tokens
    await server.text()
    assert server.bodies[-1]["max_tokens"] == max_tokens


def test_ollamas_prompts_fit_into_the_configured_context() -> None:
    info, limits = ModelInfo("ollama:m", "m", True), Limits(20, 10_000)

    for options, prompt_tokens in (({}, 4096), ({"num_ctx": 2048}, 1024)):
        model = RemoteModel(info, options, limits, access=given())
        assert model.prompt_tokens == prompt_tokens


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_thoughts_in_a_field_are_no_text(server: Server, field: str) -> None:
    thoughts = chunk({"content": None, field: "hm"})
    server.reply = lambda body, path: answer(thoughts + STREAM)
    deltas = await server.ask()
    assert "".join(delta.text for delta in deltas) == "x = 1"
    assert "".join(delta.thoughts or "" for delta in deltas) == "hm"


async def test_a_compressed_answer_is_read(server: Server) -> None:
    server.headers = {"Content-Encoding": "gzip"}
    server.reply = lambda body, path: answer(gzip.compress(STREAM))
    assert await server.text() == "x = 1"


async def test_a_small_compressed_answer_that_is_huge_is_refused(server: Server) -> None:
    """P17"""
    server.headers = {"Content-Encoding": "gzip"}
    server.reply = lambda body, path: answer(gzip.compress(b"data: " + b"x" * (1 << 24)))
    with pytest.raises(errors.ModelError):
        await server.text()


@pytest.mark.parametrize(
    ("refused", "kind", "words"),
    [
        (refusal(400, "Budget has been exceeded! Max budget: 0.5"), errors.ModelNoCredit, "credit"),
        (refusal(400, "No models loaded. Please load one."), errors.ModelFailed, "Load one"),
        (
            refusal(500, "model requires more system memory (8.0 GiB) than is available"),
            errors.ModelFailed,
            "too little memory",
        ),
        (refusal(503, "Loading model"), errors.ModelUnavailable, "still loading"),
        (refusal(404, "The model `m` does not exist."), errors.ModelUnknown, "no model"),
        (
            refusal(400, "Unsupported value: 'temperature' does not support 0."),
            errors.RequestRefused,
            "temperature",
        ),
        (refusal(400, "No."), errors.RequestRefused, "Try another model"),
    ],
)
async def test_each_refusal_has_its_own_sentence(
    server: Server, refused: Reply, kind: type[errors.ModelError], words: str
) -> None:
    server.reply = lambda body, path: refused
    with pytest.raises(kind) as caught:
        await server.text()
    assert words in caught.value.message
