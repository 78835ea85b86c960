"""A proxy between a store and its database that can break the connection at any time."""

from __future__ import annotations

import contextlib
import socket
import threading
from urllib.parse import urlsplit, urlunsplit

AFTER, BEFORE = "after", "before"


class Wire:
    """Forwards messages to a server. A context manager.

    ``cut = (word, BEFORE)`` breaks the connection when the store sends the next message that
    contains the word; ``AFTER`` forwards the message and breaks the connection before the response.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname and parts.port
        self._server = (parts.hostname, parts.port)
        self._parts = parts
        self.cut: tuple[bytes, str] | None = None
        self.cuts = 0
        self._listener: socket.socket | None = None
        self._port = 0
        self._open: set[socket.socket] = set()

    @property
    def url(self) -> str:
        """The server's URL through this proxy."""
        account, at, _ = self._parts.netloc.rpartition("@")
        return urlunsplit(self._parts._replace(netloc=f"{account}{at}127.0.0.1:{self._port}"))

    def __enter__(self) -> Wire:
        self.mend()
        return self

    def __exit__(self, *_: object) -> None:
        self.sever()

    def mend(self) -> None:
        """Accept connections again."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def sever(self) -> None:
        """Reject all connections."""
        listener, self._listener = self._listener, None
        if listener:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for connection in list(self._open):
            self._end(connection)

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                store, _ = listener.accept()
                server = socket.create_connection(self._server)
                self._open |= {store, server}
                doomed = threading.Event()
                for way in (self._ask, self._answer):
                    threading.Thread(target=way, args=(store, server, doomed), daemon=True).start()

    def _ask(self, store: socket.socket, server: socket.socket, doomed: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := store.recv(65536):
                if self.cut and self.cut[0] in data:
                    (_, when), self.cut = self.cut, None
                    self.cuts += 1
                    if when == BEFORE:
                        break
                    doomed.set()
                server.sendall(data)
        if not doomed.is_set():
            self._end(store), self._end(server)

    def _answer(self, store: socket.socket, server: socket.socket, doomed: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if doomed.is_set():
                    break
                store.sendall(data)
        self._end(store), self._end(server)

    def _end(self, connection: socket.socket) -> None:
        self._open.discard(connection)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
