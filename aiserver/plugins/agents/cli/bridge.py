"""Pass messages between an agent, which uses standard input and output, and a Jupyter server.

Many agents start the servers of the Model Context Protocol (MCP) as child processes and exchange
JSON-RPC messages with them, one a line. AI Server's is at ``aiserver/mcp`` of a Jupyter server.

Invariants:

- Only complete messages are written to standard output, and none contains a token.
- Each request gets one answer; a notification gets none. If no server can be chosen or reached, the
  answer is an error with a sentence for people.
- A slow request doesn't delay others: at most 16 are under way, and notifications have a thread of
  their own. Only ``initialize``, which decides the headers of later messages, is waited for.

Imports the standard library and ``running_servers`` only.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

from ....running_servers.client import Server, ServerError, error_of, read_lines
from .server_choice import NoServer, ServerChoice

PATH = "aiserver/mcp"
MAX_THREADS = 16
# Seconds without a byte after which a server counts as lost. It may wait for running cells.
_SILENCE_TIMEOUT = 600.0
_END_TIMEOUT = 5.0  # seconds for the answers that are under way when the input ends

_PARSE_ERROR, _INVALID_REQUEST, _SERVER_ERROR = -32700, -32600, -32000
_VERSION = "io.modelcontextprotocol/protocolVersion"  # in the messages of newer clients
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_LOST = "The connection to the Jupyter server was lost before the answer was complete."
_NO_MCP = (
    "The Jupyter server has no tools for agents. Install or update AI Server there, then restart "
    "the server."
)


def run(url: str | None) -> int:
    """Pass messages until standard input ends; return the exit status."""
    # Only messages may be written to standard output, whatever a library prints.
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Bridge(ServerChoice(url), target).run(sys.stdin.buffer)
    # Threads that wait for a server must not keep the process.
    os._exit(0)


class Bridge:
    """Passes the messages of one agent to a server, and its answers back to ``target``."""

    def __init__(self, choice: ServerChoice, target: BinaryIO) -> None:
        self._choice = choice
        self._target = target
        self._write_lock = threading.Lock()
        self._session = _Session()
        self._session_lock = threading.Lock()

    def run(self, source: BinaryIO) -> None:
        """Pass all messages of ``source``, and wait a short time for their last answers."""
        requests, notifications = _Workers(MAX_THREADS), _Workers(1)
        for line in source:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                self._write_error(None, _PARSE_ERROR, "The message isn’t valid JSON.")
                continue
            if not isinstance(message, dict | list) or not message:
                self._write_error(None, _INVALID_REQUEST, "The message isn’t a JSON-RPC message.")
                continue
            method = message.get("method") if isinstance(message, dict) else None
            workers = requests if _request_ids(message) else notifications
            task = workers.start(self._pass, line.strip(), message)
            if method in ("initialize", "notifications/initialized"):
                task.wait()
        until = time.monotonic() + _END_TIMEOUT
        for workers in (notifications, requests):
            workers.join(until)

    def _pass(self, line: bytes, message: Any) -> None:
        """Pass one message, or a batch of them, to the server, and write what it answers."""
        unanswered = _request_ids(message)
        try:
            for answer in self._answers(line, message):
                if unanswered:
                    answer = _with_id(answer, unanswered[0])
                    unanswered = _without_answered(unanswered, answer)
                    self._write(answer)
            error = _LOST
        except (NoServer, ServerError) as exc:
            error = str(exc)
        except Exception as exc:  # each request gets an answer, whatever fails here
            error = f"The message couldn’t be passed on ({type(exc).__name__})."
        for request_id in unanswered:
            self._write_error(request_id, _SERVER_ERROR, error)

    def _answers(self, line: bytes, message: Any) -> Iterator[bytes]:
        """Yield the messages that a server answers with. Raises NoServer, ServerError."""
        is_initialize = isinstance(message, dict) and message.get("method") == "initialize"
        with self._session_lock:
            if is_initialize:
                self._session = _Session(line)
            server = self._choice.find()
            # If no server was running at the start, the first one that is gets the introduction.
            if not is_initialize and self._session.is_unanswered:
                for request in (self._session.initialize, _INITIALIZED):
                    for answer in _exchange(server, request, self._session.headers(), self._note):
                        self._session.note_answer(answer)
        headers = self._session.headers(message)
        note = self._note if is_initialize else _ignore
        for answer in _exchange(server, line, headers, note):
            if is_initialize:
                self._session.note_answer(answer)
            yield answer

    def _note(self, answer: http.client.HTTPResponse) -> None:
        self._session.id = answer.getheader("Mcp-Session-Id") or self._session.id

    def _write_error(self, request_id: Any, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        body = {"jsonrpc": "2.0", "id": request_id, "error": error}
        self._write(json.dumps(body).encode())

    def _write(self, message: bytes) -> None:
        """Write a message as one line."""
        # In JSON, line breaks are only between values.
        data = message.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
        try:
            with self._write_lock:
                self._target.write(data)
                self._target.flush()
        except OSError:  # the agent has ended
            os._exit(0)


class _Session:
    """The ``initialize`` request, and the headers that later messages have by its answer."""

    def __init__(self, initialize: bytes = b"") -> None:
        self.initialize = initialize
        self.id = ""
        self._version = ""

    @property
    def is_unanswered(self) -> bool:
        return bool(self.initialize) and not self._version

    def note_answer(self, answer: bytes) -> None:
        result = json.loads(answer).get("result")
        if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
            self._version = result["protocolVersion"]

    def headers(self, message: Any = None) -> dict[str, str]:
        """Return the headers for a message."""
        version = self._version
        params = message.get("params") if isinstance(message, dict) else None
        meta = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(meta, dict) and isinstance(meta.get(_VERSION), str):
            version = meta[_VERSION]
        values = {"Mcp-Session-Id": self.id, "Mcp-Protocol-Version": version}
        # A header with other characters would be another header, or an error.
        usable = {name: value for name, value in values.items() if value and value.isascii()}
        return {name: value for name, value in usable.items() if value.isprintable()}


def _exchange(
    server: Server,
    line: bytes,
    headers: Mapping[str, str],
    note: Callable[[http.client.HTTPResponse], None],
) -> Iterator[bytes]:
    """Send a message; yield the messages of the answer. Raises ServerError."""
    headers = {"Accept": "application/json, text/event-stream", **headers}
    with server.exchange(PATH, line, headers, _SILENCE_TIMEOUT) as answer:
        note(answer)
        if answer.getheader("Content-Type", "").startswith("text/event-stream"):
            yield from _events(read_lines(answer))
            return
        data = b"".join(read_lines(answer))
        if _is_message(data):  # also an error, whatever its HTTP status
            yield data
        elif not 200 <= answer.status < 300:
            has_no_mcp = answer.status in (404, 405)
            raise ServerError(_NO_MCP) if has_no_mcp else error_of(answer, data)
        elif data.strip():
            raise ServerError(_LOST if data.lstrip()[:1] in b"{[" else _NO_MCP)


def _events(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the messages of an event stream."""
    data: list[bytes] = []
    for line in lines:
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:])
        elif not line:
            if _is_message(message := b"\n".join(data)):
                yield message
            data = []


def _is_message(data: bytes) -> bool:
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return False
    messages = message if isinstance(message, list) else [message]
    return bool(messages) and all(
        isinstance(message, dict) and "jsonrpc" in message for message in messages
    )


def _request_ids(message: Any) -> list[Any]:
    """Return the ids of the requests in a message: one, none, or those of a batch."""
    messages = message if isinstance(message, list) else [message]
    return [
        message["id"]
        for message in messages
        if isinstance(message, dict) and "method" in message and "id" in message
    ]


def _with_id(data: bytes, request_id: Any) -> bytes:
    """Return an answer with the id of its request, which errors of HTTP may lack."""
    answer = json.loads(data)
    if isinstance(answer, dict) and "error" in answer and answer.get("id") is None:
        return json.dumps(answer | {"id": request_id}).encode()
    return data


def _without_answered(request_ids: list[Any], data: bytes) -> list[Any]:
    """Return the ids that a message of the server doesn't answer."""
    message = json.loads(data)
    messages = message if isinstance(message, list) else [message]
    answered = [message.get("id") for message in messages if "method" not in message]
    return [request_id for request_id in request_ids if request_id not in answered]


def _ignore(_: http.client.HTTPResponse) -> None:
    """Do nothing."""


class _Workers:
    """Calls functions in at most ``limit`` threads, which don't keep the process from ending."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._tasks: queue.SimpleQueue[tuple[threading.Event, Callable[..., None], Any]] = (
            queue.SimpleQueue()
        )
        self._open: list[threading.Event] = []
        self._count = 0

    def start(self, function: Callable[..., None], *arguments: Any) -> threading.Event:
        """Call a function in a thread; return an event that is set when it has returned."""
        done = threading.Event()
        self._open = [event for event in self._open if not event.is_set()] + [done]
        self._tasks.put((done, function, arguments))
        if self._count < min(self._limit, len(self._open)):
            self._count += 1
            threading.Thread(target=self._work, daemon=True).start()
        return done

    def join(self, until: float) -> None:
        """Wait for all functions, at most until a time of ``time.monotonic``."""
        for event in self._open:
            event.wait(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        while True:
            done, function, arguments = self._tasks.get()
            try:
                function(*arguments)
            finally:
                done.set()
