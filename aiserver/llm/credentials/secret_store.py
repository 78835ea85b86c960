"""Store keys in the system's keyring, or else in a file of mode 0600.

Invariants:

- A stored key is only passed to the code that sends requests to its provider: never put into
  ``os.environ``, which kernels inherit, a log or an error.
- If the keyring doesn't respond in time, perhaps because nobody sees its dialog, a key is stored in
  the file, and removed from the keyring if that stores it later.
- ``remove`` either deletes a key or raises an exception.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from ...errors import StorageError, UserText
from .private_file import PrivateFile

KeyStore = Literal["keyring", "file"]
Result = TypeVar("Result")

SERVICE = "aiserver"  # in the keyring
PATIENCE = 15.0  # seconds; the user may have to unlock the keyring
_NOT_REMOVED = UserText(
    "The key could not be removed from the server’s keychain. Unlock the keychain, then try again."
)


class SecretStore:
    """Stores one key for each provider ``name``."""

    def __init__(self, folder: Path) -> None:
        # Jupyter doesn't serve files whose names begin with a dot.
        self._file = PrivateFile(folder / ".keys.json")

    async def get(self, name: str, store: KeyStore) -> str | None:
        key: Any = None
        if store == "file":
            key = (await asyncio.to_thread(self._file.read)).get(name)
        else:
            with contextlib.suppress(_KeyringFailed):
                key = await _run_with_timeout(lambda: _keyring().get_password(SERVICE, name))
        return key if isinstance(key, str) and key else None

    async def put(self, name: str, key: str) -> KeyStore:
        try:
            await _run_with_timeout(
                lambda: _put_in_keyring(name, key), undo=lambda: _remove_from_keyring(name, key)
            )
        except _KeyringFailed:
            await asyncio.to_thread(self._put_in_file, name, key)
            return "file"
        await asyncio.to_thread(self._remove_from_file, name)
        return "keyring"

    async def remove(self, name: str, store: KeyStore) -> None:
        if store == "file":
            await asyncio.to_thread(self._remove_from_file, name)
            return
        try:
            await _run_with_timeout(lambda: _remove_from_keyring(name))
        except _KeyringFailed as failure:
            raise StorageError(_NOT_REMOVED) from failure

    async def remove_from_all(self, name: str, store: KeyStore) -> None:
        """Remove a key, and a copy that a failed change may have left in the other store.

        Raises StorageError if ``store`` still has the key.
        """
        other_store: KeyStore = "file" if store == "keyring" else "keyring"
        await self.remove(name, store)
        with contextlib.suppress(StorageError):
            await self.remove(name, other_store)

    def _put_in_file(self, name: str, key: str) -> None:
        with self._file.change() as data:
            data[name] = key

    def _remove_from_file(self, name: str) -> None:
        if self._file.path.exists():
            with self._file.change() as data:
                data.pop(name, None)


class _KeyringFailed(Exception):
    """There is no keyring, or it failed or didn't respond in time."""


def _keyring() -> Any:
    """Return the system's keyring. Raises LookupError without a secure one."""
    import keyring

    backend = keyring.get_keyring()
    if backend.priority < 1:  # the backend stores nothing, or plain text
        raise LookupError
    return backend


def _put_in_keyring(name: str, key: str) -> None:
    backend = _keyring()
    backend.set_password(SERVICE, name, key)
    if backend.get_password(SERVICE, name) != key:
        raise LookupError


def _remove_from_keyring(name: str, key: str | None = None) -> None:
    backend = _keyring()
    stored = backend.get_password(SERVICE, name)
    if stored is None or key not in (None, stored):
        return
    backend.delete_password(SERVICE, name)
    if backend.get_password(SERVICE, name) is not None:
        raise LookupError


async def _run_with_timeout(
    call: Callable[[], Result], undo: Callable[[], None] = lambda: None
) -> Result:
    """Return the result of ``call``; call ``undo`` if it succeeds too late. Raises _KeyringFailed.

    It runs in a daemon thread, because one of asyncio's would delay the server's shutdown.
    """
    future: concurrent.futures.Future[Result] = concurrent.futures.Future()

    def run() -> None:
        try:
            result = call()
        except Exception:  # backends raise any exceptions, whose texts may contain the key
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
        if not future.cancel():  # the call has just ended
            return future.result()
        raise _KeyringFailed from None
