"""``jupyter aiserver mcp``, as an agent starts it: a child process and an HTTP server."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TOKEN = "canary-token-5d20"
VERSION = "2025-06-18"
INITIALIZE = {
    "method": "initialize",
    "params": {"protocolVersion": VERSION, "clientInfo": {"name": "test", "version": "1"}},
}


class MCPServer(ThreadingHTTPServer):
    """An HTTP server that records requests and answers them; a tool's name says how."""

    daemon_threads = True

    def __init__(self, name: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.name = name
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.released, self.notified = threading.Event(), threading.Event()
        self.waiting = threading.Semaphore(0)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/base/"

    @property
    def methods(self) -> list[str]:
        return [message.get("method") for _, _, message in self.requests]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server: Any = self.server
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.requests.append((self.path, dict(self.headers), message))
        if "id" not in message:
            server.notified.set()
            self.answer(202, "")
        elif message["method"] == "initialize":
            body = json.dumps(reply(message, {"protocolVersion": VERSION}))
            self.answer(200, body, {"Mcp-Session-Id": f"session-{server.name}"})
        else:
            getattr(self, message["method"].replace("/", "_"))(message)

    def tools_list(self, message: Any) -> None:
        """Answer over several lines, with text that has line breaks."""
        server: Any = self.server
        self.answer(200, json.dumps(reply(message, {"by": server.name, "x": "a\n数"}), indent=2))

    def wait(self, message: Any) -> None:
        server: Any = self.server
        server.waiting.release()
        server.released.wait(30)
        self.answer(200, json.dumps(reply(message, {"late": True})))

    def bad_request(self, message: Any) -> None:
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32602, "message": "No."}}
        self.answer(400, json.dumps(error))

    def refuse(self, message: Any) -> None:
        self.answer(403, json.dumps({"code": "feature_forbidden", "message": "Not here."}))

    def page(self, message: Any) -> None:
        self.answer(200, "<html>")

    def cut(self, message: Any) -> None:
        self.answer(200, '{"jsonrpc": "2.0", ', {"Content-Length": "1000"})

    def missing(self, message: Any) -> None:
        self.answer(404, "<html>")

    def login(self, message: Any) -> None:
        self.answer(302, "", {"Location": f"/base/login?token={TOKEN}"})

    def answer(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
        data = body.encode()
        self.send_response(status)
        defaults = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        for name, value in (defaults | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def reply(message: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


@contextmanager
def serving(name: str = "") -> Iterator[MCPServer]:
    with MCPServer(name) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()


class Client:
    """An agent: it starts the bridge in a folder and exchanges messages with it."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.agents.command_line", "mcp", *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self.lines.put(line)

    def send(self, method: str, id_: Any = None, **fields: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method} | fields
        self.send_raw(json.dumps(message if id_ is None else message | {"id": id_}).encode())

    def send_raw(self, line: bytes) -> None:
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def receive(self) -> Any:
        line = self.lines.get(timeout=20)
        assert TOKEN.encode() not in line
        return json.loads(line)

    def ask(self, method: str, id_: Any = 1, **fields: Any) -> Any:
        self.send(method, id_, **fields)
        return self.receive()

    def error(self, method: str) -> str:
        """Send a request; return the message of the error."""
        answer = self.ask(method, 7)
        assert answer["id"] == 7 and answer["error"]["code"] == -32000
        return str(answer["error"]["message"])

    def end(self) -> tuple[int, str]:
        """Close standard input; return the exit status and standard error."""
        with self._process:
            self._process.stdin.close()
            status = self._process.wait(20)
            text = self._process.stderr.read().decode()
        assert TOKEN not in text and self.lines.empty()
        return status, text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, with no servers running."""
    (tmp_path / "runtime").mkdir()
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    work = tmp_path / "root" / "work"
    work.mkdir(parents=True)
    return work


@pytest.fixture
def server() -> Iterator[MCPServer]:
    with serving("one") as server:
        yield server


def announce(server: MCPServer, root: Path, pid: int) -> Path:
    """Write the runtime file of a server that serves a folder."""
    info = {
        "pid": pid,
        "port": server.server_port,
        "hostname": "127.0.0.1",
        "base_url": "/base/",
        "token": TOKEN,
        "root_dir": str(root),
    }
    path = Path(os.environ["JUPYTER_RUNTIME_DIR"], f"jpserver-{pid}.json")
    path.write_text(json.dumps(info))
    return path


def test_an_agent_can_ask_for_few_tools(folder: Path, server: MCPServer) -> None:
    announce(server, folder.parent, os.getpid())
    client = Client(folder, "--few-tools")
    client.ask("tools/list")
    assert [path for path, _, _ in server.requests] == ["/base/aiserver/mcp?tools=few"]


def test_messages_go_to_the_server_and_answers_come_back(folder: Path, server: MCPServer) -> None:
    """P8: the token is in one header."""
    announce(server, folder.parent, os.getpid())
    client = Client(folder)
    answer = client.ask("initialize", "i", **{"params": INITIALIZE["params"]})
    assert answer == {"jsonrpc": "2.0", "id": "i", "result": {"protocolVersion": VERSION}}
    client.send("notifications/initialized")
    assert server.notified.wait(20)
    listed = client.ask("tools/list", 2)
    assert listed["result"] == {"by": "one", "x": "a\n数"}
    assert client.end() == (0, "")

    assert server.methods == ["initialize", "notifications/initialized", "tools/list"]
    paths, headers, _ = zip(*server.requests, strict=True)
    assert set(paths) == {"/base/aiserver/mcp"}
    assert {each["Authorization"] for each in headers} == {f"token {TOKEN}"}
    sessions = [each.get("Mcp-Session-Id") for each in headers]
    assert sessions == [None, "session-one", "session-one"]
    versions = [each.get("Mcp-Protocol-Version") for each in headers]
    assert versions == [None, VERSION, VERSION]


def test_the_version_of_a_message_without_initialize_is_in_the_header(
    folder: Path, server: MCPServer
) -> None:
    announce(server, folder, os.getpid())
    client = Client(folder)
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    client.ask("tools/list", params={"_meta": meta})
    client.end()
    [(_, headers, _)] = server.requests
    assert headers["Mcp-Protocol-Version"] == "2026-07-28"


def test_a_slow_call_blocks_nothing(folder: Path, server: MCPServer) -> None:
    """Neither do more slow calls than there are threads block a notification."""
    announce(server, folder, os.getpid())
    client = Client(folder)
    client.send("wait", "slow")
    assert client.ask("tools/list", "quick")["id"] == "quick"
    for number in range(40):
        client.send("wait", number)
    client.send("notifications/cancelled")
    assert server.notified.wait(20)
    assert all(server.waiting.acquire(timeout=20) for _ in range(16))
    assert not server.waiting.acquire(blocking=False)
    server.released.set()
    ids = [client.receive()["id"] for _ in range(41)]
    assert {*ids} == {"slow", *range(40)}
    assert client.end() == (0, "")


def test_answers_that_are_under_way_at_the_end_are_written(folder: Path, server: MCPServer) -> None:
    announce(server, folder, os.getpid())
    command = [sys.executable, "-m", "tests.agents.command_line", "mcp"]
    lines = [{"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in range(30)]
    done = subprocess.run(
        command,
        input="\n".join(map(json.dumps, lines)),  # the last one without a line break
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert {json.loads(line)["id"] for line in done.stdout.splitlines()} == {*range(30)}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 200_000, -32700),
        (b'"text"', -32600),
        (b"7", -32600),
        (b"[]", -32600),
    ],
)
def test_broken_messages_are_answered_and_the_next_one_works(
    folder: Path, server: MCPServer, line: bytes, code: int
) -> None:
    announce(server, folder, os.getpid())
    client = Client(folder)
    client.send_raw(line)
    answer = client.receive()
    assert (answer["id"], answer["error"]["code"]) == (None, code)
    client.send_raw(b"")
    assert client.ask("tools/list")["result"]["by"] == "one"
    client.end()


def test_lone_surrogates_and_large_texts_arrive(folder: Path, server: MCPServer) -> None:
    announce(server, folder, os.getpid())
    client = Client(folder)
    text = "x" * 3_000_000
    client.send_raw(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","s":"\\ud800","t":"%s"}' % text.encode()
    )
    assert client.receive()["id"] == 1
    client.end()
    [(_, _, message)] = server.requests
    assert (message["s"], len(message["t"])) == ("\ud800", len(text))


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ("refuse", "Not here."),
        ("page", "has no AI Server"),
        ("missing", "has no AI Server"),
        ("cut", "was lost before the answer was complete"),
        ("login", "requires a login"),
    ],
)
def test_failures_of_the_server_are_sentences(
    folder: Path, server: MCPServer, method: str, sentence: str
) -> None:
    announce(server, folder, os.getpid())
    client = Client(folder)
    assert sentence in client.error(method)
    assert client.ask("tools/list")["result"]["by"] == "one"
    client.end()


def test_an_error_of_the_server_gets_the_id_of_its_request(folder: Path, server: MCPServer) -> None:
    announce(server, folder, os.getpid())
    client = Client(folder)
    answer = client.ask("bad_request", 5)
    assert (answer["id"], answer["error"]) == (5, {"code": -32602, "message": "No."})
    client.end()


def test_a_server_that_is_started_later_is_found(folder: Path, server: MCPServer) -> None:
    """It gets the introduction that no server has answered."""
    client = Client(folder)
    client.send("initialize", 1, **{"params": INITIALIZE["params"]})
    sentence = client.receive()["error"]["message"]
    assert f"No Jupyter server is running for the folder {folder}." in sentence
    client.send("notifications/initialized")  # no answer, no error
    assert "Start JupyterLab in this folder" in client.error("tools/list")
    file = announce(server, folder, os.getpid())
    assert client.ask("tools/list")["result"]["by"] == "one"
    assert server.methods == ["initialize", "tools/list"]
    assert server.requests[-1][1]["Mcp-Session-Id"] == "session-one"
    file.unlink()
    assert "No Jupyter server" in client.error("tools/list")
    assert client.end() == (0, "")


def test_a_server_that_has_crashed_cannot_be_reached(folder: Path) -> None:
    with serving() as server:
        announce(server, folder, os.getpid())
    client = Client(folder)
    assert "can’t be reached" in client.error("tools/list")
    client.end()


def test_the_nearest_server_is_chosen_and_stays(folder: Path, server: MCPServer) -> None:
    parent = os.getppid()
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with serving("near") as near, serving("far") as away, sleeper:
        announce(server, folder.parent, os.getpid())
        announce(away, folder.parent / "work2", sleeper.pid)
        client = Client(folder)
        assert client.ask("tools/list")["result"]["by"] == "one"
        announce(near, folder, parent)
        assert client.ask("tools/list")["result"]["by"] == "one"  # runs are in its memory
        client.end()
        client = Client(folder)
        assert client.ask("tools/list")["result"]["by"] == "near"
        client.end()


def test_several_servers_of_a_folder_are_named(folder: Path, server: MCPServer) -> None:
    with serving("two") as two:
        announce(server, folder, os.getpid())
        announce(two, folder, os.getppid())
        client = Client(folder)
        sentence = client.error("tools/list")
        assert server.url in sentence and two.url in sentence
        assert "--server" in sentence and "AISERVER_URL" in sentence
        client.end()
        # The token of the runtime file is used for the address that is chosen.
        address = two.url.replace("127.0.0.1", "localhost").rstrip("/")
        chosen = Client(folder, "--server", f"{address}?token=old")
        assert chosen.ask("tools/list")["result"]["by"] == "two"
        chosen.end()
        assert two.requests[0][1]["Authorization"] == f"token {TOKEN}"


def test_the_environment_overrides_the_runtime_files(folder: Path, server: MCPServer) -> None:
    with serving("two") as two:
        announce(server, folder, os.getpid())
        client = Client(folder, AISERVER_URL=two.url, AISERVER_TOKEN="other")
        assert client.ask("tools/list")["result"]["by"] == "two"
        client.end()
        # Its token isn't sent to another address.
        client = Client(folder, "--server", server.url, AISERVER_URL=two.url, AISERVER_TOKEN="x")
        assert client.ask("tools/list")["result"]["by"] == "one"
        client.end()
    assert two.requests[0][1]["Authorization"] == "token other"
    assert server.requests[0][1]["Authorization"] == f"token {TOKEN}"


def test_no_token_of_an_address_is_printed(folder: Path) -> None:
    """P8"""
    client = Client(folder, "--server", f"http://me:{TOKEN}@127.0.0.1:1/?token={TOKEN}")
    assert "can’t be reached" in client.error("tools/list")
    client.end()
