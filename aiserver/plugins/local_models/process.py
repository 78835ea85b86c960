"""Start, monitor and end a local model's child process.

Invariants:

- The child starts on first use, once for several callers, and again after it has ended.
- If a caller that waits is cancelled, the start continues.
- The key for requests to the child exists only in the memory of both processes and in their pipe.
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

# Run by its path, so that no file in the working folder is imported instead of a module.
_COMMAND = (sys.executable, str(Path(__file__).with_name("server.py")))

_NOT_STARTED = UserText(
    "The local model could not be started. It needs about %1 GB of free memory; "
    "“jupyter aiserver model status” checks its file."
)


@dataclass(frozen=True)
class Address:
    """The URL of the server in a running child, and the key for requests to it."""

    url: str
    key: str = field(repr=False)


class LocalProcess:
    """A child process that runs the model in the file ``model``.

    ``context`` is for prompt and answer together, in tokens, ``memory`` an estimate in bytes. With
    -1 ``gpu_layers``, llama.cpp decides.
    """

    def __init__(
        self,
        model: Path,
        *,
        threads: int,
        context: int,
        memory: int,
        gpu_layers: int = -1,
        command: Sequence[str] = _COMMAND,
    ) -> None:
        self.memory = memory
        self._settings = {
            "model": str(model),
            "threads": threads,
            "context": context,
            "gpu_layers": gpu_layers,
        }
        self._command = tuple(command)
        self._child: Child | None = None
        self._start_task: asyncio.Task[Address] | None = None

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    @property
    def is_running(self) -> bool:
        return self.pid is not None or (
            self._start_task is not None and not self._start_task.done()
        )

    async def address(self) -> Address:
        """Return the child's address; start the child if needed. Raises ModelError."""
        task = self._start_task
        # No child was started, the last start failed, or the child has ended.
        if task is None or (task.done() and (task.cancelled() or task.exception() or not self.pid)):
            task = self._start_task = asyncio.create_task(asyncio.to_thread(self._start))
            task.add_done_callback(_mark_retrieved)
        return await asyncio.shield(task)

    async def has_ended(self, within: float = 1.0) -> bool:
        """Return whether no child runs, or it ends within ``within`` seconds."""
        child = self._child
        return child is None or await asyncio.to_thread(child.has_ended, within)

    async def close(self) -> None:
        """End the child, also one that is starting."""
        task, self._start_task = self._start_task, None
        child = self._child
        if child is not None:
            await asyncio.to_thread(child.end)
        if task is not None:
            with contextlib.suppress(ModelError, asyncio.CancelledError):
                await task
            # The task may have created another child meanwhile.
            if self._child is not None and self._child is not child:
                await asyncio.to_thread(self._child.end)

    def _start(self) -> Address:
        """Start a child, and return its address once the model is loaded. Runs in a thread."""
        if self._child is not None:
            self._child.end()
        key = secrets.token_urlsafe(32)
        try:
            self._child = child = Child(self._command)
        except OSError as error:
            raise ModelUnavailable(self._not_started) from error
        try:
            child.requests.write(json.dumps({**self._settings, "key": key}).encode() + b"\n")
            child.requests.flush()
            response = json.loads(child.answers.readline() or b"{}")
        except (OSError, ValueError) as error:
            child.end()
            raise ModelUnavailable(self._not_started) from error
        if "url" in response:
            return Address(response["url"], key)
        child.end()
        raise self._start_error(response.get("error"))

    @property
    def _not_started(self) -> UserText:
        return _NOT_STARTED.fill(f"{self.memory / 1e9:.1f}")

    def _start_error(self, code: str | None) -> ModelError:
        if code == "not_installed":
            return ModelPackageMissing(None, "pip install 'aiserver[local]'")
        if code == "not_found":
            return NoModel(NoModel.file_missing)
        if code == "not_a_model":
            return ModelError(ModelError.no_gguf)
        return ModelUnavailable(self._not_started)


def _mark_retrieved(task: asyncio.Task[Address]) -> None:
    if not task.cancelled():
        task.exception()
