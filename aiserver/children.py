"""Child processes that serve their parent through its pipes, and go when it goes."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Sequence
from typing import IO

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

    def end(self) -> None:
        """Have it go: it is told by the end of its pipe, and killed if it doesn't listen."""
        with contextlib.suppress(OSError):
            self.requests.close()
        if not self.has_ended(_PATIENCE):
            self._process.kill()
            self._process.wait()
        self.answers.close()
