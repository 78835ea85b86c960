"""An endless response is aborted before it fills the memory."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from langchain_core.messages import HumanMessage

from aiserver import errors
from aiserver.llm.base import ModelInfo
from aiserver.llm.remote.model import RemoteModel
from aiserver.llm.remote.response_limits import MAX_BODY, MAX_LINE
from aiserver.llm.streaming import Limits

from ..scripted_wires import WIRES, BadServer, Waits, given

BLOCK = 1 << 16
ENDLESS = 2 * MAX_BODY  # what it would send if nobody stopped it
ON_THE_WAY = 12 << 20  # bytes that may lie in the sockets' buffers


class Endless(BadServer):
    """A broken or hostile server: sends ``head``, then ``block`` until the client disconnects."""

    def __init__(self, head: str, block: bytes) -> None:
        super().__init__(self._send)
        self.head, self.block, self.sent = head, block, 0
        self.url = f"http://127.0.0.1:{self.port}"

    def _send(self, connection: socket.socket, closed: threading.Event) -> None:
        connection.sendall(f"HTTP/1.1 {self.head}\r\n\r\n".encode())
        while self.sent < ENDLESS:
            connection.sendall(self.block)
            self.sent += len(self.block)


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Endless]:
    server = Endless(*request.param)
    with server:
        yield server


async def ask(provider: str, url: str) -> list[str]:
    path = "" if provider in ("ollama", "anthropic", "google_genai") else "/v1"
    limits = Limits(60, 1000, True)
    info = ModelInfo(f"{provider}:some", "some", False)
    access = given(url + path)
    model = RemoteModel(info, {}, limits, access=access, max_tokens=9, sleep=Waits())
    try:
        return [d.text async for d in model.stream([HumanMessage("x")], language="python")]
    finally:
        await model.close()


STREAM = "200 OK\r\nContent-Type: text/event-stream"
A_LINE_WITHOUT_END = (STREAM, b"data: x" + b"x" * BLOCK)
AN_ERROR_WITHOUT_END = ("500 No\r\nContent-Type: application/json", b"x" * BLOCK)
LINES_WITHOUT_END = ("400 No\r\nContent-Type: text/plain", (b"x" * 99 + b"\n") * 600)


@pytest.mark.parametrize("provider", WIRES)
@pytest.mark.parametrize("server", [A_LINE_WITHOUT_END, AN_ERROR_WITHOUT_END], indirect=True)
async def test_an_endless_line_is_aborted(server: Endless, provider: str):
    """P17: with one clear sentence, after a megabyte; it is asked thrice at most (P31)."""
    with pytest.raises(errors.ModelError):
        await ask(provider, server.url)
    assert server.sent < 3 * (MAX_LINE + ON_THE_WAY)


@pytest.mark.parametrize("server", [LINES_WITHOUT_END], indirect=True)
async def test_an_endless_body_of_lines_is_aborted(server: Endless):
    """P17"""
    with pytest.raises(errors.ModelError):
        await ask("openai", server.url)
    assert MAX_BODY <= server.sent < MAX_BODY + ON_THE_WAY


AN_ANSWER = b"""data: {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}

data: [DONE]

""".replace(b",\n", b", ")


@pytest.mark.parametrize("server", [(STREAM, AN_ANSWER)], indirect=True)
async def test_no_compression_is_asked_for(server: Endless):
    """P17: a small body can be a large one."""
    assert "x" in await ask("openai", server.url)
    assert "accept-encoding: identity" in server.asked.lower()
