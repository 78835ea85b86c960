"""A scripted OpenAI-compatible server on loopback, used by all tests that need no real model.

    python -m tests.scripted_model --port 0       prints its URL as the first line
    with ScriptedModel() as model: ...            the same inside a test

It answers ``POST /v1/chat/completions`` (streaming and not), ``GET /v1/models``, ``GET /health``,
``POST /tokenize`` (one token for four characters), and llama.cpp's ``POST /completion`` (streaming
only, with the keys ``chunks``, ``hold_after``, ``status`` and ``finish`` of an answer). It is
controlled in process or over HTTP:

- ``POST /script`` with a list of answers, or ``model.script(...)``: the next requests get them,
  in order. An answer is an object; all keys are optional:

      text or chunks   the answer, split into words, or in the given chunks
      delay            seconds before each chunk
      hold_after       after this many chunks wait for ``POST /release`` (or ``model.release()``)
      cut_after        after this many chunks close the connection without an end
      status           an HTTP error (with ``retry_after`` in seconds, ``message`` as its raw text)
      hang             doesn't answer until the client disconnects
      garbage          bytes that are no valid response
      cut_at           close the connection after this many bytes of the stream
      content_type     another content type, with ``text`` as the complete body
      finish           the reason for the end ("stop"), or several; null omits it
      endless          repeat the chunks until the client disconnects
      usage            token counts (default: the number of words)

- ``GET /requests`` or ``model.requests``: every chat request, oldest first, as
  ``{"path", "body", "authorization", "outcome", "sent"}``; ``outcome`` is ``running``, ``whole``,
  ``cut``, ``error`` or ``gone`` (the client disconnected), ``sent`` counts the chunks.
- ``DELETE /requests`` or ``model.clear()`` forgets requests and script.

Without a script, a line ``SAY: text`` in the last user message (``\\n`` for a new line) is answered
with that text in a Python fence. Otherwise the answer is a block with the message's last line as a
comment, and a ``print`` of it. The same request always gets the same answer.
"""

from __future__ import annotations

import argparse
import json
import re
import select
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "scripted"
_used_ports: set[int] = set()  # the ports of the scripted models of this process


class ScriptedModel:
    """The server, which runs in its own thread. A context manager."""

    def __init__(self, port: int = 0) -> None:
        self._changed = threading.Condition()
        self._script: list[dict[str, Any]] = []
        self._releases = 0
        self.stopping = False
        self.requests: list[dict[str, Any]] = []
        owner = self

        class Handler(_Handler):
            model = owner

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        while not port and self._http.server_port in _used_ports:
            # Providers' packages cache a client for each address, which belongs to an event loop.
            self._http.server_close()
            self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        _used_ports.add(self._http.server_port)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The URL without a path: ``http://127.0.0.1:port``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The ``base_url`` for OpenAI clients."""
        return f"{self.url}/v1"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        with self._changed:
            self.stopping = True
            self._changed.notify_all()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def script(self, *answers: dict[str, Any]) -> None:
        """Answer the next requests with these answers, in order."""
        with self._changed:
            self._script.extend(answers)

    def clear(self) -> None:
        """Remove the script and all requests that have ended."""
        with self._changed:
            self._script.clear()
            self.requests[:] = [item for item in self.requests if item["outcome"] == "running"]

    def release(self) -> None:
        """Continue a paused answer."""
        with self._changed:
            self._releases += 1
            self._changed.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout: float = 30) -> None:
        """Wait until a condition on ``requests`` holds. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(condition, timeout):
                raise TimeoutError(f"not reached; requests: {self.requests}")

    def begin(self, path: str, body: dict[str, Any], authorization: str) -> tuple[dict, dict]:
        """Record a request; return its record and its answer."""
        record: dict[str, Any] = {"path": path, "body": body, "authorization": authorization}
        record |= {"outcome": "running", "sent": 0}
        with self._changed:
            answer = self._script.pop(0) if self._script else {"text": default_answer(body)}
            self.requests.append(record)
            self._changed.notify_all()
        return record, answer

    def note(self, record: dict[str, Any], **fields: Any) -> None:
        """Change a request's record, and notify waiting threads."""
        with self._changed:
            record.update(fields)
            self._changed.notify_all()

    def wait_release(self, gone: Callable[[], bool]) -> None:
        """Wait for one ``release``, or until the client disconnects."""
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._releases or self.stopping, 0.02):
                    self._releases = max(0, self._releases - 1)
                    return
            if gone():
                raise ConnectionError


class _Handler(BaseHTTPRequestHandler):
    model: ScriptedModel
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # like real servers; otherwise small writes are delayed

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/requests":
            self._json(self.model.requests)
        elif self.path == "/v1/models":
            self._json({"object": "list", "data": [{"id": NAME, "object": "model"}]})
        elif self.path == "/health":
            self._json({"status": "ok"})
        else:
            self._json({"error": {"message": "no such path"}}, 404)

    def do_DELETE(self) -> None:
        self.model.clear()
        self._json({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(raw or b"null")
        if self.path == "/script":
            self.model.script(*body)
            self._json({})
        elif self.path == "/release":
            self.model.release()
            self._json({})
        elif self.path == "/tokenize":
            self._json({"tokens": list(range(-(-len(body["content"]) // 4)))})
        elif self.path in ("/v1/chat/completions", "/completion"):
            self._chat(body)
        else:
            self._json({"error": {"message": "no such path"}}, 404)

    def _chat(self, body: dict[str, Any]) -> None:
        record, answer = self.model.begin(self.path, body, self.headers.get("Authorization", ""))
        try:
            outcome = self._answer(record, answer, body)
        except OSError:
            outcome, self.close_connection = "gone", True
        self.model.note(record, outcome=outcome)

    def _answer(self, record: dict[str, Any], answer: dict[str, Any], body: dict[str, Any]) -> str:
        if "status" in answer:
            error = {"message": answer.get("message", "scripted error"), "type": "scripted"}
            headers = {}
            if "retry_after" in answer:
                headers["Retry-After"] = str(answer["retry_after"])
            self._json({"error": error}, answer["status"], headers)
            return "error"
        if answer.get("hang"):
            while not self._gone() and not self.model.stopping:
                time.sleep(0.02)
            raise ConnectionError
        chunks = answer.get("chunks") or re.findall(r"\s*\S+\s*?|\s+", answer.get("text", ""))
        if self.path == "/completion":
            return self._complete(record, answer, chunks)
        usage = answer.get("usage") or _usage(body, chunks)
        if answer.get("garbage"):
            self._head("text/event-stream")
            self._write(b'data: {"choices": [ \x00\xff not json\n\n')
            self._write(b"")
            return "whole"
        if "content_type" in answer:
            self._head(answer["content_type"])
            self._write(answer["text"].encode())
            self._write(b"")
            return "whole"
        if not body.get("stream"):
            message = {"role": "assistant", "content": "".join(chunks)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._json(_frame("chat.completion", [choice], usage))
            return "whole"
        self._head("text/event-stream")
        if "cut_at" in answer:
            self._write(stream_of(chunks, usage)[: answer["cut_at"]] or b" ")
            self.close_connection = True
            return "cut"
        self._event(_choice({"role": "assistant", "content": ""}))
        while True:
            for count, chunk in enumerate(chunks):
                if count == answer.get("cut_after"):
                    self.close_connection = True
                    return "cut"
                if count == answer.get("hold_after"):
                    self.model.wait_release(self._gone)
                time.sleep(answer.get("delay", 0))
                if self._gone():
                    raise ConnectionError
                self._event(_choice({"content": chunk}))
                self.model.note(record, sent=record["sent"] + 1)
            if not answer.get("endless"):
                break
        finish = answer.get("finish", "stop")
        for reason in finish if isinstance(finish, list) else [finish]:
            self._event(_choice({}, reason))
        if (body.get("stream_options") or {}).get("include_usage"):
            self._event(_frame("chat.completion.chunk", [], usage))
        self._write(b"data: [DONE]\n\n")
        self._write(b"")
        return "whole"

    def _complete(self, record: dict[str, Any], answer: dict[str, Any], chunks: list[str]) -> str:
        self._head("text/event-stream")
        for count, chunk in enumerate(chunks):
            if count == answer.get("hold_after"):
                self.model.wait_release(self._gone)
            self._event({"content": chunk, "stop": False})
            self.model.note(record, sent=record["sent"] + 1)
        self._event({"content": "", "stop": True, "stop_type": answer.get("finish", "eos")})
        self._write(b"")
        return "whole"

    def _gone(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, 2)  # 2: MSG_PEEK

    def _json(self, data: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def _head(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _event(self, data: Any) -> None:
        self._write(
            b"data: "
            + json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")
            + b"\n\n"
        )

    def _write(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def stream_of(chunks: list[str], usage: dict[str, int]) -> bytes:
    """Return the bytes of a complete streamed answer."""
    frames = [_choice({"role": "assistant", "content": ""})]
    frames += [_choice({"content": chunk}) for chunk in chunks]
    frames += [_choice({}, "stop"), _frame("chat.completion.chunk", [], usage)]
    events = [b"data: " + json.dumps(item, ensure_ascii=False).encode() for item in frames]
    return b"\n\n".join([*events, b"data: [DONE]", b""])


def default_answer(body: dict[str, Any]) -> str:
    """Return the answer to an unscripted request."""
    text = ""
    for message in body.get("messages", []):
        if message.get("role") == "user":
            content = message.get("content") or ""
            text = (
                content
                if isinstance(content, str)
                else "".join(part.get("text", "") for part in content)
            )
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["nothing"]
    texts = [line[4:].strip() for line in lines if line.startswith("SAY:")]
    code = texts[-1].replace("\\n", "\n") if texts else f"# {lines[-1]}\nprint({lines[-1]!r})"
    return f"```python\n{code}\n```\n"


def _usage(body: dict[str, Any], chunks: list[str]) -> dict[str, int]:
    words = sum(len(str(item.get("content")).split()) for item in body.get("messages", []))
    return {
        "prompt_tokens": words,
        "completion_tokens": len(chunks),
        "total_tokens": words + len(chunks),
    }


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return _frame("chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": finish}])


def _frame(kind: str, choices: list[Any], usage: dict[str, int] | None = None) -> dict[str, Any]:
    frame = {"id": "scripted", "object": kind, "created": 0, "model": NAME, "choices": choices}
    return frame if usage is None else frame | {"usage": usage}


def main() -> None:
    """Serve until the process is stopped."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    with ScriptedModel(parser.parse_args().port) as model:
        print(model.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
