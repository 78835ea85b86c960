"""Call a Jupyter server (P4, P8): the token is in one header of requests to its address."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from aiserver.running_servers.client import Server, ServerError, read_lines

TOKEN = "canary-token-91b2"


class Recorder(ThreadingHTTPServer):
    """A server that records requests, and answers each path as ``ANSWERS`` says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/base/"


ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "json": (200, {}, b'{"x": "\xe6\x95\xb0"}'),
    "away": (302, {"Location": "http://127.0.0.1:1/steal"}, b""),
    "login": (302, {"Location": "/base/login?next=x"}, b""),
    "forbidden": (403, {}, b'{"message": "Forbidden"}'),
    "refused": (409, {}, json.dumps({"code": "busy", "message": "It is busy."}).encode()),
    "page": (200, {}, b"<html>"),
    "missing": (404, {}, b"<html>"),
    "other": (500, {}, b'{"message": "Traceback in /home/me"}'),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server: Any = self.server
        server.requests.append((self.path, dict(self.headers)))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, headers, body = ANSWERS[self.path.split("?")[0].rpartition("/")[2]]
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with Recorder() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_token_is_only_in_one_header(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No proxy of the environment gets it."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server = Server(recorder.url, TOKEN)
    assert server.get("json", path="数 &据") == {"x": "数"}
    assert server.post("json", {"text": "\ud800"}) == {"x": "数"}
    assert recorder.requests[0][0] == "/base/json?path=%E6%95%B0%20%26%E6%8D%AE"
    for path, headers in recorder.requests:
        assert headers.pop("Authorization") == f"token {TOKEN}"
        assert TOKEN not in path + str(headers)
    assert TOKEN not in repr(server) + str(server)


def test_without_a_token_the_same_proof_is_sent_twice(recorder: Recorder) -> None:
    """P3"""
    Server(recorder.url).get("json")
    [(_, headers)] = recorder.requests
    assert headers["Cookie"] == f"_xsrf={headers['X-XSRFToken']}" and "Authorization" not in headers


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("away", "leads to another address"),
        ("login", "requires a login"),
        ("forbidden", "requires a login"),
        ("refused", "It is busy."),
        ("page", "has no AI Server"),
        ("missing", "has no AI Server"),
        ("other", "rejected the request"),
    ],
)
def test_errors_are_sentences_without_the_token(
    recorder: Recorder, path: str, sentence: str
) -> None:
    """P8: redirects aren't followed."""
    with pytest.raises(ServerError, match=sentence) as caught:
        Server(recorder.url, TOKEN).post(path, {})
    text = "".join(traceback.format_exception(caught.value))
    assert TOKEN not in text and "Traceback in" not in str(caught.value)
    assert len(recorder.requests) == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "ftp://127.0.0.1/", "file:///etc", "x"])
def test_a_server_that_cannot_be_reached_is_an_error(url: str) -> None:
    with pytest.raises(ServerError) as caught:
        Server(url, TOKEN).get("json")
    assert TOKEN not in "".join(traceback.format_exception(caught.value))


def test_an_exchange_yields_answers_of_any_status(recorder: Recorder) -> None:
    with Server(recorder.url, TOKEN).exchange("refused", b"{}", {"X-More": "1"}, 10) as answer:
        assert answer.status == 409 and b"".join(read_lines(answer)) == ANSWERS["refused"][2]
    [(_, headers)] = recorder.requests
    assert headers["Authorization"] == f"token {TOKEN}" and headers["X-More"] == "1"
