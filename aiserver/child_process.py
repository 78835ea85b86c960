"""Child processes that receive requests and send answers through pipes.

A child process ends when its parent ends.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO

_END_TIMEOUT = 2  # seconds, after which the child is killed


class ChildEnded(Exception):
    """The child process has ended."""


class Child:
    """A child process, with pipes for requests and answers.

    The constructor raises OSError if it can't be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
            # Ctrl+C must not end the child: the server runs until the user confirms.
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self.requests: IO[bytes] = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process.poll() is None else None

    def call(self, request: object) -> Any:
        """Send a request, and return the answer.

        Raises ChildEnded if the child ends before it has sent a complete answer.
        """
        try:
            send(self.requests, request)
            return receive(self.answers)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise ChildEnded from error

    def has_ended(self, within: float) -> bool:
        """Wait at most ``within`` seconds for the process to end; return whether it has ended."""
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """Kill the process. A thread in ``call`` then gets ChildEnded."""
        self._process.kill()

    def end(self) -> None:
        """Close the child's input, so that it ends; kill it if that takes too long."""
        with contextlib.suppress(OSError):
            self.requests.close()
        if not self.has_ended(_END_TIMEOUT):
            self._process.kill()
            self._process.wait()
        self.answers.close()


def send(stream: IO[bytes], message: object) -> None:
    """Write a pickled message."""
    pickle.dump(message, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a pickled message. Raises EOFError at the end."""
    return pickle.load(stream)  # noqa: S301 - only our own processes write to the pipe


def command_of(module: str) -> tuple[str, ...]:
    """Return the command that runs a module's ``main`` in a child process.

    The working folder isn't on its import path, because a user's file may be called like a module.
    The folder of this package is, as in the parent.
    """
    root = str(Path(__file__).resolve().parents[1])
    path = f"sys.path[:] = filter(None, sys.path); sys.path[:0] = {{{root!r}}} - {{*sys.path}}"
    return sys.executable, "-c", f"import sys; {path}; from {module} import main; main()"


def serve_parent(serve: Callable[[BinaryIO, BinaryIO], None]) -> None:
    """In the child, call ``serve`` with the streams for requests and answers.

    Return when ``serve`` does, or when the parent closes a stream.
    """
    with contextlib.suppress(AttributeError, OSError):  # Windows has no ``nice``
        os.nice(5)  # run at a lower priority
    # A library's output must not be read as an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(BrokenPipeError, EOFError):
        serve(sys.stdin.buffer, answers)
