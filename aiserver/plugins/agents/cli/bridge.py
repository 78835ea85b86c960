"""Pass messages between an agent, which uses standard input and output, and a Jupyter server.

Many agents start the servers of the Model Context Protocol (MCP) as child processes and exchange
JSON-RPC messages with them, one a line. AI Server's is at ``aiserver/mcp`` of a Jupyter server.

Invariants:

- Only complete messages are written to standard output, and none contains a token.
- Each request gets one answer; a notification gets none. If no server can be chosen or reached, the
  answer is an error with a sentence for people.
- A slow request doesn't delay others: at most 16 are under way, and notifications have a thread of
  their own. Only ``initialize``, which decides the headers of later messages, is waited for.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, TypeGuard

from ....running_servers.client import LOST, NO_API, Server, ServerError, error_of, read_lines
from .server_choice import NoServer, ServerChoice

_MAX_THREADS = 16
# Seconds without a byte after which a server counts as lost. It may wait for running cells.
_SILENCE_TIMEOUT = 600.0
_END_TIMEOUT = 5.0  # seconds for the answers that are under way when the input ends

_PARSE_ERROR, _INVALID_REQUEST, _SERVER_ERROR = -32700, -32600, -32000
_VERSION = "io.modelcontextprotocol/protocolVersion"  # in the messages of newer clients


def run(url: str | None, path: str = "aiserver/mcp") -> int:
    """Pass messages to a path of a server until standard input ends; return the exit status."""
    # Only messages may be written to standard output, whatever a library prints.
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end at once, whatever is under way
    Bridge(ServerChoice(url), target, path).run(sys.stdin.buffer)
    return 0


class Bridge:
    """Passes the messages of one agent to a server, and its answers back to ``target``."""

    def __init__(self, choice: ServerChoice, target: BinaryIO, path: str) -> None:
        self._choice, self._target, self._path = choice, target, path
        self._write_lock, self._session_lock = threading.Lock(), threading.Lock()
        self._initialize = b""  # the request, while no server has answered it
        self._headers: dict[str, str] = {}  # of later messages

    def run(self, source: BinaryIO) -> None:
        """Pass all messages of ``source``, and wait a short time for their last answers."""
        timer = threading.Timer(_END_TIMEOUT, os._exit, (0,))
        with ThreadPoolExecutor(_MAX_THREADS) as requests, ThreadPoolExecutor(1) as notifications:
            for line in filter(bytes.strip, source):
                try:
                    message = json.loads(line)
                except (ValueError, RecursionError):
                    self._write(_error(_PARSE_ERROR, "The message isn’t valid JSON."))
                    continue
                if not isinstance(message, dict):
                    self._write(_error(_INVALID_REQUEST, "The message isn’t a JSON-RPC message."))
                    continue
                executor = requests if "id" in message else notifications
                task = executor.submit(self._pass, line, message)
                if message.get("method") == "initialize":
                    task.result()
            timer.start()
        timer.cancel()

    def _pass(self, line: bytes, message: dict[str, Any]) -> None:
        """Pass one message to the server, and write the answer to a request."""
        try:
            answer = self._answer(line, message) or _error(_SERVER_ERROR, LOST)
        except (NoServer, ServerError) as exc:
            answer = _error(_SERVER_ERROR, str(exc))
        except Exception as exc:  # each request gets an answer, whatever fails here
            answer = _error(_SERVER_ERROR, f"{type(exc).__name__}: {LOST}")
        if "id" in message and "method" in message:
            self._write(answer | {"id": message["id"]})  # an error can lack it

    def _answer(self, line: bytes, message: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer of a server. Raises NoServer, ServerError."""
        with self._session_lock:
            is_initialize = message.get("method") == "initialize"
            if is_initialize:
                self._initialize = line
            server = self._choice.find()
            # If no server was running at the start, the first one that is gets the introduction.
            answer = self._introduce(server) if self._initialize else None
            if is_initialize:
                return answer
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        version = meta.get(_VERSION) if isinstance(meta, dict) else None
        headers = {"Mcp-Protocol-Version": version} if _is_header(version) else {}
        return self._exchange(server, line, self._headers | headers)[0]

    def _introduce(self, server: Server) -> dict[str, Any] | None:
        """Send the ``initialize`` request, and keep the headers that follow from the answer."""
        answer, session = self._exchange(server, self._initialize, {})
        if answer and isinstance(result := answer.get("result"), dict):
            version = result.get("protocolVersion")
            headers = {"Mcp-Session-Id": session, "Mcp-Protocol-Version": version}
            self._headers = {name: text for name, text in headers.items() if _is_header(text)}
            self._initialize = b""
        return answer

    def _exchange(
        self, server: Server, line: bytes, headers: dict[str, str]
    ) -> tuple[dict[str, Any] | None, str | None]:
        """Send a message; return the answer, if any, and the session. Raises ServerError."""
        with server.exchange(self._path, line, headers, _SILENCE_TIMEOUT) as response:
            data = b"".join(read_lines(response))
            try:
                answer = json.loads(data) if data else None
            except (ValueError, RecursionError):
                answer = None
            if isinstance(answer, dict) and "jsonrpc" in answer:  # also an error
                return answer, response.getheader("Mcp-Session-Id")
            if not 200 <= response.status < 300:
                raise error_of(response, data)
            if data:
                raise ServerError(LOST if data.startswith(b"{") else NO_API)
            return None, None

    def _write(self, message: dict[str, Any]) -> None:
        try:
            with self._write_lock:
                self._target.write(json.dumps(message).encode() + b"\n")
                self._target.flush()
        except OSError:  # the agent has ended
            os._exit(0)


def _error(code: int, sentence: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": sentence}}


def _is_header(text: object) -> TypeGuard[str]:
    """Return whether a header can have a text: with others, it would be another header."""
    return isinstance(text, str) and text != "" and text.isascii() and text.isprintable()
