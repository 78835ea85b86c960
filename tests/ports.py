"""Ports for test servers, reserved until the test is over.

Jupyter, JupyterHub and most databases can't report a port that the system chose for them, or
choose one and bind it seconds later; and a server that a test restarts must come back at the same
address. So the test binds a socket and doesn't listen on it. Linux never hands such a port to
another program, and lets a server that sets SO_REUSEADDR listen there, as all servers here do.
Until then a connection is refused. (Other systems may refuse the server; there the port is only
free when it's chosen.)

``python -m tests.ports 3`` reserves three for a test in another language, until its input ends.
"""

from __future__ import annotations

import socket
import sys
from contextlib import suppress


class ReservedPort:
    """A loopback port that no other program gets until ``release``."""

    def __init__(self) -> None:
        self._socket = _reusable_socket()
        self._socket.bind(("127.0.0.1", 0))
        self.number = int(self._socket.getsockname()[1])
        try:
            with _reusable_socket() as server:
                server.bind(("127.0.0.1", self.number))
                server.listen()
        except OSError:
            self.release()

    def __enter__(self) -> ReservedPort:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Give the port back to the system."""
        self._socket.close()


def _reusable_socket() -> socket.socket:
    result = socket.socket()
    result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return result


def last_lines(log: str, count: int = 100) -> str:
    """Return the end of a server's log, for the message of a failing test."""
    lines = log.splitlines()
    if len(lines) <= count:
        return log
    return "\n".join([f"({len(lines) - count} lines before these)", *lines[-count:]])


def main() -> None:
    """Reserve ports and print them, until standard input ends."""
    reserved = [ReservedPort() for _ in range(int(sys.argv[1]))]
    print("ports", *(port.number for port in reserved), flush=True)
    with suppress(KeyboardInterrupt):
        sys.stdin.read()


if __name__ == "__main__":
    main()
