"""Where keys are kept: the system's keyring where there is one, else a file of mode 0600.

What must hold (P8): a key is handed to nobody but the provider's class; it is never in
``os.environ``, which kernels inherit, in no log and in no error. A keyring that hangs (a dialogue
that nobody sees) is given up after some seconds, and the file takes its place.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from .privatefile import PrivateFile

Place = Literal["keyring", "file"]
Result = TypeVar("Result")

SERVICE = "aiserver"  # what the keyring lists our keys under
PATIENCE = 15.0  # seconds, for somebody may have to unlock it


class SecretStore:
    """Keys by the name of their provider. The file lies in ``folder``."""

    def __init__(self, folder: Path) -> None:
        # A hidden name, so that Jupyter serves it to nobody even where its root holds the folder.
        self._file = PrivateFile(folder / ".keys.json")

    async def get(self, name: str, place: Place) -> str | None:
        """The key, or None if it can't be had."""
        if place == "file":
            found = (await asyncio.to_thread(self._file.read)).get(name)
        else:
            found = await _patiently(lambda: _keyring().get_password(SERVICE, name))
        return found if isinstance(found, str) and found else None

    async def put(self, name: str, key: str) -> Place:
        """Keep a key; say where. Raises StorageError."""
        if await _patiently(lambda: _kept_by_keyring(name, key)):
            await asyncio.to_thread(self._forget_in_file, name)
            return "keyring"
        await asyncio.to_thread(self._put_in_file, name, key)
        return "file"

    async def remove(self, name: str, place: Place) -> None:
        """Forget a key. Raises StorageError."""
        if place == "keyring":
            await _patiently(lambda: _keyring().delete_password(SERVICE, name))
        else:
            await asyncio.to_thread(self._forget_in_file, name)

    def _put_in_file(self, name: str, key: str) -> None:
        with self._file.change() as data:
            data[name] = key

    def _forget_in_file(self, name: str) -> None:
        if name in self._file.read():
            with self._file.change() as data:
                data.pop(name, None)


def _keyring() -> Any:
    """The system's keyring. Raises LookupError if there is none that keeps secrets."""
    import keyring

    backend = keyring.get_keyring()
    if backend.priority < 1:  # keyring's own mark of those that keep nothing, or in plain text
        raise LookupError
    return backend


def _kept_by_keyring(name: str, key: str) -> bool:
    backend = _keyring()
    backend.set_password(SERVICE, name, key)
    return bool(backend.get_password(SERVICE, name) == key)


async def _patiently(call: Callable[[], Result]) -> Result | None:
    """The call's result; None if it fails or takes too long. Its thread can't hold the server's
    end up, as one of asyncio's own would."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result | None] = loop.create_future()

    def settle(result: Result | None) -> None:
        if not future.done():
            future.set_result(result)

    def run() -> None:
        result: Result | None = None
        try:
            result = call()
        except Exception:  # backends raise what they like, and its text may hold what was given
            result = None
        try:
            loop.call_soon_threadsafe(settle, result)
        except RuntimeError:
            return  # the server has ended meanwhile

    threading.Thread(target=run, daemon=True, name="aiserver-keyring").start()
    try:
        return await asyncio.wait_for(future, PATIENCE)
    except (TimeoutError, asyncio.TimeoutError):
        return None
