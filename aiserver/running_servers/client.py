"""Call the HTTP API of one Jupyter server.

Invariants (P4, P8): a request goes to the server's own address and nowhere else, because redirects
are errors and the environment's proxies aren't used. The token is sent only in the header
``Authorization``: no URL, exception or ``repr`` contains it.
"""

from __future__ import annotations

import http.client
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

CONNECT_TIMEOUT = 10.0  # seconds
# Seconds without a byte after which a server counts as lost. It sends a comment every 5 seconds.
SILENCE_TIMEOUT = 60.0
MAX_ANSWER = 100_000_000  # bytes; notebooks with many pictures can be large


class ServerError(Exception):
    """The server can't be reached or rejects a request. The message is a sentence for people."""

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.status = sentence, status


_UNREACHABLE = "The Jupyter server can’t be reached. Check that it is running, then try again."
_LOGIN = (
    "The Jupyter server requires a login. Set the environment variables AISERVER_URL and "
    "AISERVER_TOKEN to its address and token, then try again."
)
_REDIRECT = "The Jupyter server’s address is wrong: it leads to another address."
NO_API = "The Jupyter server has no AI Server. Install it there, then restart the server."
LOST = "The connection to the Jupyter server was lost before the answer was complete."
_REFUSED = "The Jupyter server rejected the request."


@dataclass(frozen=True)
class Server:
    """A Jupyter server: its URL with the base URL, and its token, which may be empty."""

    url: str
    token: str = field(default="", repr=False)
    root_dir: str = ""
    """The folder that it serves; empty if that isn't known."""
    pid: int | None = None

    def get(self, path: str, /, **query: str) -> Any:
        """Return the JSON at a path such as ``api/sessions``. Raises ServerError."""
        arguments = "&".join(f"{name}={quote(value)}" for name, value in query.items())
        with self._request("GET", path + (f"?{arguments}" if arguments else "")) as answer:
            return _parse(answer)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send JSON to a path and return the JSON of the answer. Raises ServerError."""
        with self._request("POST", path, body) as answer:
            return _parse(answer)

    @contextmanager
    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[Iterator[bytes]]:
        """Send JSON; yield the lines of the answer. At the end, close the connection.

        Raises ServerError, also while the lines are read.
        """
        with self._request("POST", path, body, accept="text/event-stream") as answer:
            yield read_lines(answer)

    @contextmanager
    def exchange(
        self, path: str, data: bytes, headers: Mapping[str, str], silence: float
    ) -> Iterator[http.client.HTTPResponse]:
        """Send the bytes of a JSON text with more headers; yield the answer, whatever its status.

        ``silence`` is the number of seconds without a byte after which the server counts as lost.
        Raises ServerError.
        """
        with self._open("POST", path, data, self._headers("") | dict(headers), silence) as answer:
            yield answer

    @contextmanager
    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        accept: str = "application/json",
    ) -> Iterator[http.client.HTTPResponse]:
        data = None if body is None else _encode(body)
        with self._open(method, path, data, self._headers(accept), SILENCE_TIMEOUT) as answer:
            if not 200 <= answer.status < 300:
                raise error_of(answer)
            yield answer

    @contextmanager
    def _open(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], silence: float
    ) -> Iterator[http.client.HTTPResponse]:
        parts = urlsplit(self.url)
        is_secure = parts.scheme == "https"
        create = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServerError("The Jupyter server’s address must begin with http:// or https://.")
        connection = create(parts.hostname, parts.port, timeout=CONNECT_TIMEOUT)
        try:
            try:
                connection.connect()
                connection.sock.settimeout(silence)
                connection.request(method, f"{parts.path.rstrip('/')}/{path}", data, headers)
                answer = connection.getresponse()
            except (OSError, http.client.HTTPException, ValueError):
                raise ServerError(_UNREACHABLE) from None
            try:
                yield answer
            finally:
                answer.close()  # the answer keeps the connection open, too
        finally:
            connection.close()

    def _headers(self, accept: str) -> dict[str, str]:
        headers = {"Accept": accept, "Content-Type": "application/json"}
        if self.token:
            return headers | {"Authorization": f"token {self.token}"}
        # Without a login, Jupyter still wants proof that the request doesn't come from a web page
        # of another origin: the same value in a cookie and in a header.
        proof = secrets.token_hex(16)
        return headers | {"Cookie": f"_xsrf={proof}", "X-XSRFToken": proof}


def _encode(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def _parse(answer: http.client.HTTPResponse) -> Any:
    try:
        return json.loads(answer.read(MAX_ANSWER))
    except (OSError, http.client.HTTPException):
        raise ServerError(_UNREACHABLE) from None
    except ValueError:
        raise ServerError(NO_API) from None


def read_lines(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yield the lines of an answer. Raises ServerError if the connection is lost."""
    try:
        yield from answer
    except (OSError, http.client.HTTPException):
        raise ServerError(LOST) from None


def error_of(answer: http.client.HTTPResponse, data: bytes | None = None) -> ServerError:
    """Return the error of a response. AI Server and Jupyter send a sentence for people.

    ``data`` is the body, if it has been read.
    """
    status = answer.status
    if 300 <= status < 400:
        # Jupyter redirects to its login page.
        is_login = "/login" in (answer.getheader("Location") or "")
        return ServerError(_LOGIN if is_login else _REDIRECT, status)
    try:
        fields = json.loads(answer.read(1_000_000) if data is None else data)
        code, message = fields.get("code"), fields.get("message")
    except (OSError, http.client.HTTPException, ValueError, AttributeError):
        code = message = None
    if status == 401 or (status == 403 and code in (None, "forbidden", "unauthenticated")):
        return ServerError(_LOGIN, status)
    if code is None and status in (404, 405):
        return ServerError(NO_API, status)
    return ServerError(message if code and isinstance(message, str) else _REFUSED, status)
