"""Servers that imitate each provider's own API, which a scripted OpenAI server can't.

    with WireServer("anthropic") as server: server.answers.append(Answer(pieces=["x = ", "1"]))

Each replaces a paid service (Ollama: one that needs gigabytes). Their responses follow the
providers' published API references. ``server.requests`` has the received requests.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiserver.llm.policy import Access

KEY = "canary-key-7c1f"


class Waits(list[float]):
    """Records the requested waits without waiting."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def given(address: str | None = None, key: str | None = KEY) -> Callable[[], Awaitable[Access]]:
    """Access as the connections give it."""

    async def access() -> Access:
        return Access(address, key)

    return access


class BadServer:
    """A listening socket that answers each connection with ``behave``, until it is closed."""

    def __init__(self, behave: Callable[[socket.socket, threading.Event], None]) -> None:
        self._behave = behave
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.asked = ""
        self.port = self._listener.getsockname()[1]
        self.closed = threading.Event()
        self.connections = 0

    def __enter__(self) -> BadServer:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closed.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while not self.closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            self.asked = connection.recv(65536).decode("latin-1")
            self._behave(connection, self.closed)


@dataclass
class Answer:
    """The response to the next request: pieces of text and token counts, or an HTTP error."""

    pieces: list[str] = field(default_factory=list)
    thoughts: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "an error of the provider's own"
    cut_after: int | None = None  # number of frames before the connection is closed
    reason: str | None = None  # the provider's reason for the end; default: complete


USAGE = (7, 3)  # input and output tokens


def _sse(data: Any, event: str | None = None) -> bytes:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(data)}\n\n".encode()


def openai(answer: Answer) -> Iterator[bytes]:
    """OpenAI's chat completions, also used for DeepSeek."""
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def choice(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return _sse(head | {"choices": choices})

    yield choice({"role": "assistant", "content": ""})
    if answer.thoughts:
        yield choice({"content": None, "reasoning_content": answer.thoughts})
    for piece in answer.pieces:
        yield choice({"content": piece})
    yield choice({"content": ""}, answer.reason or "stop")
    read, written = USAGE
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    yield _sse(head | {"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def mistral(answer: Answer) -> Iterator[bytes]:
    """Like OpenAI's, but with the usage in the last choice, and thoughts as a part."""
    first, *frames, end, usage, done = openai(replace(answer, thoughts=""))
    yield first
    if answer.thoughts:
        part = {"type": "thinking", "thinking": [{"type": "text", "text": answer.thoughts}]}
        frame = json.loads(first[6:])
        frame["choices"][0]["delta"]["content"] = [part]
        yield _sse(frame)
    yield from frames
    last = json.loads(end[6:]) | {"usage": json.loads(usage[6:])["usage"]}
    yield _sse(last)
    yield done


def anthropic(answer: Answer) -> Iterator[bytes]:
    """Anthropic's messages."""
    read, written = USAGE
    message: dict[str, Any] = {"id": "x", "type": "message", "role": "assistant", "model": "m"}
    message |= {"content": []}
    message |= {"stop_reason": None, "usage": {"input_tokens": read, "output_tokens": 1}}
    yield _sse({"type": "message_start", "message": message}, "message_start")
    if answer.thoughts:
        thinking = {"type": "thinking", "thinking": "", "signature": ""}
        start = {"type": "content_block_start", "index": 0, "content_block": thinking}
        yield _sse(start, "content_block_start")
        delta = {"type": "thinking_delta", "thinking": answer.thoughts}
        data = {"type": "content_block_delta", "index": 0, "delta": delta}
        yield _sse(data, "content_block_delta")
        yield _sse({"type": "content_block_stop", "index": 0}, "content_block_stop")
    block = {"type": "text", "text": ""}
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    yield _sse(start, "content_block_start")
    for piece in answer.pieces:
        delta = {"type": "text_delta", "text": piece}
        data = {"type": "content_block_delta", "index": 0, "delta": delta}
        yield _sse(data, "content_block_delta")
    yield _sse({"type": "content_block_stop", "index": 0}, "content_block_stop")
    end = {"stop_reason": answer.reason or "end_turn", "stop_sequence": None}
    data = {"type": "message_delta", "delta": end, "usage": {}}
    data["usage"] = {"input_tokens": read, "output_tokens": written}  # for the complete message
    yield _sse(data, "message_delta")
    yield _sse({"type": "message_stop"}, "message_stop")


def google(answer: Answer) -> Iterator[bytes]:
    """Google's streamGenerateContent."""
    read, written = USAGE
    if answer.thoughts:
        parts = [{"text": answer.thoughts, "thought": True}]
        yield _sse({"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}]})
    for number, piece in enumerate(answer.pieces, 1):
        candidate: dict[str, Any] = {"content": {"parts": [{"text": piece}], "role": "model"}}
        usage = {"promptTokenCount": read}
        if number == len(answer.pieces):
            candidate["finishReason"] = answer.reason or "STOP"
            usage |= {"candidatesTokenCount": written, "totalTokenCount": read + written}
        yield _sse({"candidates": [candidate | {"index": 0}], "usageMetadata": usage})


def ollama(answer: Answer) -> Iterator[bytes]:
    """Ollama's chat: one JSON object per line."""
    head = {"model": "m", "created_at": "2026-01-27T10:00:00Z"}
    if answer.thoughts:
        message = {"role": "assistant", "content": "", "thinking": answer.thoughts}
        yield json.dumps(head | {"message": message, "done": False}).encode() + b"\n"
    for piece in answer.pieces:
        message = {"role": "assistant", "content": piece}
        yield json.dumps(head | {"message": message, "done": False}).encode() + b"\n"
    read, written = USAGE
    end = {"message": {"role": "assistant", "content": ""}, "done": True}
    end |= {"done_reason": answer.reason or "stop"}
    end |= {"prompt_eval_count": read, "eval_count": written}
    yield json.dumps(head | end).encode() + b"\n"


# How each provider streams and reports errors.
WIRES = {
    "openai": openai,
    "openai_compatible": openai,
    "deepseek": openai,
    "mistralai": mistral,
    "anthropic": anthropic,
    "google_genai": google,
    "ollama": ollama,
}


def _error(provider: str, answer: Answer) -> Any:
    if provider == "anthropic":
        error = {"type": "some_error", "message": answer.message}
        return {"type": "error", "error": error}
    if provider == "google_genai":
        return {"error": {"code": answer.status, "message": answer.message, "status": "X"}}
    if provider == "mistralai":
        return {"object": "error", "message": answer.message, "type": "x", "code": "1"}
    if provider == "ollama":
        return {"error": answer.message}
    return {"error": {"message": answer.message, "type": "x", "code": None}}


# Paths of the lists of models that differ from OpenAI's.
LISTS = {"google_genai": "/v1beta/models", "ollama": "/api/tags"}


class WireServer(ThreadingHTTPServer):
    """A provider's server on loopback."""

    daemon_threads = True

    def __init__(self, provider: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.provider = provider
        self.answers: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.listed = ["other", "m-2026"]

    @property
    def address(self) -> str:
        """The ``base_url`` for the provider's class."""
        path = "" if self.provider in ("anthropic", "google_genai", "ollama") else "/v1"
        return f"http://127.0.0.1:{self.server_port}{path}"

    def __enter__(self) -> WireServer:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc: Any) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: WireServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # like real servers; otherwise small writes are delayed

    def do_GET(self) -> None:
        """Return the list of models, or a scripted answer."""
        provider, names = self.server.provider, self.server.listed
        self.server.requests.append({"path": self.path, "headers": dict(self.headers)})
        body: Any = {"data": [{"id": name} for name in names]}
        if provider == "google_genai":
            body = {"models": [{"name": f"models/{name}"} for name in names]}
        elif provider == "ollama":
            body = {"models": [{"name": name} for name in names]}
        status, headers = 200, {}
        if self.server.answers:
            answer = self.server.answers.pop(0)
            status, headers, body = answer.status, answer.headers, _error(provider, answer)
        elif self.path.partition("?")[0] != LISTS.get(provider, "/v1/models"):
            status = 404
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append(
            {"path": self.path, "headers": dict(self.headers), "body": json.loads(raw)}
        )
        answer = self.server.answers.pop(0)
        if answer.status != 200:
            body = json.dumps(_error(self.server.provider, answer)).encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        lines = self.server.provider == "ollama"
        self.send_header("Content-Type", "application/x-ndjson" if lines else "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for count, frame in enumerate(WIRES[self.server.provider](answer)):
            if count == answer.cut_after:
                self.close_connection = True
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *args: object) -> None:
        pass
