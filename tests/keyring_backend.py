"""A keyring for tests that stores passwords in the file $TEST_KEYRING.

It is a backend of the package ``keyring``, selected by PYTHON_KEYRING_BACKEND. It needs no password
and encrypts nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class Keyring(KeyringBackend):
    """Passwords in a JSON file."""

    priority = 5

    def _read(self) -> dict[str, str]:
        path = Path(os.environ["TEST_KEYRING"])
        return json.loads(path.read_text()) if path.exists() else {}

    def _write(self, data: dict[str, str]) -> None:
        Path(os.environ["TEST_KEYRING"]).write_text(json.dumps(data))

    def get_password(self, service: str, username: str) -> str | None:
        return self._read().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write(self._read() | {f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        data = self._read()
        if data.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError
        self._write(data)


class Locked(Keyring):
    """A keyring that can't be opened."""

    def get_password(self, service: str, username: str) -> str | None:
        raise RuntimeError(f"locked: {service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError(f"locked: {password}")
