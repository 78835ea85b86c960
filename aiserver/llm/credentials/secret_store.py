"""Where keys are kept: the system's keyring where there is one, else a file of mode 0600.

What must hold (P8): a key is handed to nobody but the provider's class; it is never in
``os.environ``, which kernels inherit, in no log and in no error. A keyring that hangs (a dialogue
that nobody sees) is given up after some seconds, and the file takes its place; what it does later
is undone. A key counts as forgotten only when it is gone.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from ...errors import StorageError
from .private_file import PrivateFile

Place = Literal["keyring", "file"]
Result = TypeVar("Result")

SERVICE = "aiserver"  # what the keyring lists our keys under
PATIENCE = 15.0  # seconds, for somebody may have to unlock it
_KEPT = (
    "The key could not be removed from the server’s keychain. Unlock the keychain, then try again."
)


class SecretStore:
    """Keys by the name of their provider. The file lies in ``folder``."""

    def __init__(self, folder: Path) -> None:
        # A hidden name, so that Jupyter serves it to nobody even where its root holds the folder.
        self._file = PrivateFile(folder / ".keys.json")

    async def get(self, name: str, place: Place) -> str | None:
        """The key, or None if it can't be had."""
        found: Any = None
        if place == "file":
            found = (await asyncio.to_thread(self._file.read)).get(name)
        else:
            with contextlib.suppress(_KeyringFailed):
                found = await _patiently(lambda: _keyring().get_password(SERVICE, name))
        return found if isinstance(found, str) and found else None

    async def put(self, name: str, key: str) -> Place:
        """Keep a key; say where. Raises StorageError."""
        try:
            await _patiently(lambda: _keep(name, key), undo=lambda: _remove(name, key))
        except _KeyringFailed:
            await asyncio.to_thread(self._put_in_file, name, key)
            return "file"
        await asyncio.to_thread(self._forget_in_file, name)
        return "keyring"

    async def remove(self, name: str, place: Place) -> None:
        """Forget a key. Raises StorageError unless it is gone."""
        if place == "file":
            await asyncio.to_thread(self._forget_in_file, name)
            return
        try:
            await _patiently(lambda: _remove(name))
        except _KeyringFailed as failure:
            raise StorageError(_KEPT) from failure

    async def remove_everywhere(self, name: str, place: Place) -> None:
        """Forget a key that is in ``place``, and what an earlier failure may have left in the
        other one, as far as that can be had. Raises StorageError unless ``place`` is rid of it."""
        other: Place = "file" if place == "keyring" else "keyring"
        await self.remove(name, place)
        with contextlib.suppress(StorageError):
            await self.remove(name, other)

    def sweep(self) -> None:
        """Remove what a killed writer left. Raises StorageError."""
        self._file.sweep()

    def _put_in_file(self, name: str, key: str) -> None:
        with self._file.change() as data:
            data[name] = key

    def _forget_in_file(self, name: str) -> None:
        if self._file.has_traces():
            with self._file.change() as data:
                data.pop(name, None)


class _KeyringFailed(Exception):
    """There is no keyring, or it refused, or gave no sign of life."""


def _keyring() -> Any:
    """The system's keyring. Raises LookupError if there is none that keeps secrets."""
    import keyring

    backend = keyring.get_keyring()
    if backend.priority < 1:  # keyring's own mark of those that keep nothing, or in plain text
        raise LookupError
    return backend


def _keep(name: str, key: str) -> None:
    """Put a key into the keyring. Raises anything if it isn't in there afterwards."""
    backend = _keyring()
    backend.set_password(SERVICE, name, key)
    if backend.get_password(SERVICE, name) != key:
        raise LookupError


def _remove(name: str, key: str | None = None) -> None:
    """Take a key (if given, only this one) out. Raises anything if it is still there afterwards."""
    backend = _keyring()
    found = backend.get_password(SERVICE, name)
    if found is None or key not in (None, found):
        return
    backend.delete_password(SERVICE, name)
    if backend.get_password(SERVICE, name) is not None:
        raise LookupError


def _nothing() -> None:
    pass


async def _patiently(call: Callable[[], Result], undo: Callable[[], None] = _nothing) -> Result:
    """The call's result; what it does after it was given up is undone.

    Raises _KeyringFailed if it fails or takes too long. Its thread can't hold the server's end up,
    as one of asyncio's own would.
    """
    future: concurrent.futures.Future[Result] = concurrent.futures.Future()

    def run() -> None:
        try:
            result = call()
        except Exception:  # backends raise what they like, and its text may hold what was given
            if future.set_running_or_notify_cancel():
                future.set_exception(_KeyringFailed())
            return
        if future.set_running_or_notify_cancel():
            future.set_result(result)
        else:
            with contextlib.suppress(Exception):
                undo()

    threading.Thread(target=run, daemon=True, name="aiserver-keyring").start()
    try:
        return await asyncio.wait_for(asyncio.wrap_future(future), PATIENCE)
    except (TimeoutError, asyncio.TimeoutError):
        if not future.cancel():  # it came at the last moment, and won't be undone
            return future.result()
        raise _KeyringFailed from None
