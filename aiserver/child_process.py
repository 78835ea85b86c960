"""Child processes that serve their parent through its pipes, and go when it goes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import IO, BinaryIO

_PATIENCE = 2  # seconds that a child has to go by itself


class Child:
    """One process, with a pipe to it and one from it. Raises OSError if it can't be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
            start_new_session=True,  # Ctrl+C only asks Jupyter whether to stop
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self.requests: IO[bytes] = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout

    @property
    def pid(self) -> int | None:
        """Its id, while it runs."""
        return self._process.pid if self._process.poll() is None else None

    def has_ended(self, within: float) -> bool:
        """Whether it is gone, or goes within so many seconds."""
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """Stop it at once. Whoever waits at its pipes gets an error or their end."""
        self._process.kill()

    def end(self) -> None:
        """Have it go: it is told by the end of its pipe, and killed if it doesn't listen."""
        with contextlib.suppress(OSError):
            self.requests.close()
        if not self.has_ended(_PATIENCE):
            self._process.kill()
            self._process.wait()
        self.answers.close()


def command_of(module: str) -> tuple[str, ...]:
    """The command that runs a module's ``main`` in a child.

    Nothing of the working folder is on its import path: a user's files may bear any name, also
    that of a module which the child needs.
    """
    code = "import sys; sys.path[:] = filter(None, sys.path)"
    return sys.executable, "-c", f"{code}; from {module} import main; main()"


def serve_parent(serve: Callable[[BinaryIO, BinaryIO], None]) -> None:
    """In a child: call ``serve`` with its requests and its answers, until the parent is gone."""
    with contextlib.suppress(AttributeError, OSError):  # Windows knows no niceness
        os.nice(5)  # others of this machine come first
    # What a library prints must not get between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(BrokenPipeError, EOFError):
        serve(sys.stdin.buffer, answers)
