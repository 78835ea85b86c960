"""Store and look up the address and the key of each provider.

The user's saved settings come first, then the administrator's configuration, then the environment.
Invariants:

- A key is only sent to the address that it was entered for: an address that a user saved is only
  used with the key saved along with it, and a key saved without one only with the default address.
- ``Connections.get`` reads no key, so it never makes a keyring ask for its password.
- ``settings.json`` contains no secrets; keys are in the ``SecretStore``.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from ...errors import (
    InvalidField,
    ModelKeyMissing,
    ModelNotAllowed,
    NotFound,
    StorageError,
    UserText,
)
from ..policy import Access, ModelPolicy
from ..providers import PROVIDERS, Provider, is_loopback
from .private_file import PrivateFile
from .secret_store import SecretStore

KeySource = Literal["environment", "keyring", "file", "config"]
_KEY_STORES = ("keyring", "file")
_NO_ADDRESS = UserText("required, such as http://127.0.0.1:8000/v1")
_ADDRESS_FIXED = UserText(
    "The administrator of this server has fixed this provider’s base URL, so it can’t be changed."
)


@dataclass(frozen=True)
class Connection:
    """The connection to a provider.

    ``source`` says where the key is, if there is one; ``is_saved`` whether a user entered the
    address; ``on_this_machine`` whether text sent there stays on this machine.
    """

    provider: Provider
    source: KeySource | None
    address: str | None
    is_saved: bool = False
    on_this_machine: bool = False

    @property
    def on_loopback(self) -> bool:
        """Whether the address is a loopback address; a proxy or a tunnel may listen there."""
        return self.address is not None and is_loopback(self.address)

    @property
    def usable(self) -> bool:
        """Whether there are an address and, where needed, a key."""
        has_key = self.source is not None or not self.provider.needs_key or self.on_loopback
        return has_key and self.address is not None


class Connections:
    """The connections of the server's user, stored in ``folder``.

    ``policy`` returns the administrator's current settings.
    """

    def __init__(self, folder: Path, policy: Callable[[], ModelPolicy]) -> None:
        self._index = PrivateFile(folder / "settings.json")
        self._secrets = SecretStore(folder)
        self._policy = policy

    def get(self, name: str) -> Connection:
        """Return the connection to a supported provider."""
        provider = PROVIDERS[name]
        saved = self._allowed_entry(name)
        source: KeySource | None = saved.get("key") if saved.get("key") in _KEY_STORES else None
        policy = self._policy()

        def is_local(address: str | None) -> bool:
            return policy.is_local(name, address, saved.get("on_this_machine"))

        address: str | None = saved.get("address")
        if isinstance(address, str):
            return Connection(provider, source, address, True, is_local(address))
        configured = policy.access(name)
        if source is None and configured.key:
            source = "config"
        if source is None and provider.key_in_environment():
            source = "environment"
        address = configured.address or provider.default_address()
        return Connection(provider, source, address, False, is_local(address))

    async def access(self, name: str) -> Access:
        """Return key and address of a supported provider. Raises ModelKeyMissing."""
        connection = self.get(name)
        key = None
        if connection.source == "environment":
            key = connection.provider.key_in_environment()
        elif connection.source == "config":
            key = self._policy().access(name).key
        elif connection.source is not None:
            key = await self._secrets.get(name, connection.source)
            if key is None:
                label = connection.provider.label
                raise ModelKeyMissing(ModelKeyMissing.unreadable.fill(label))
        return Access(connection.address, key)

    async def access_with(self, name: str, key: str | None, address: str | None) -> Access:
        """Return key and address of a provider as if the user's input were saved.

        The saved key is only used if none was entered, and only with its own address.
        Raises InvalidRequest, NotFound, ModelNotAllowed, ModelKeyMissing.
        """
        provider = _provider(name)
        key, address = _validate_key(key), _validate_address(address)
        connection = self.get(name)
        if key is None and address in (None, connection.address):
            access = await self.access(name)
        else:
            self._check_allowed(name, address)
            default = self._policy().access(name).address or provider.default_address()
            access = Access(address or default, key)
        if access.address is None:
            raise InvalidField("address", _NO_ADDRESS)
        return access

    async def save(
        self, name: str, key: str | None, address: str | None, on_this_machine: bool = False
    ) -> None:
        """Save a connection. Raises InvalidRequest, NotFound, ModelNotAllowed, StorageError."""
        provider = _provider(name)
        key, address = _validate_key(key), _validate_address(address)
        self._check_allowed(name, address)
        if provider.needs_address and address is None:
            raise InvalidField("address", _NO_ADDRESS)
        if provider.needs_key and key is None and not (address and is_loopback(address)):
            raise InvalidField("key", UserText("required for %1", provider.label))
        previous = self._saved(name) or {}
        declared = self._declaration(name, address) if on_this_machine else {}
        key_store = await self._secrets.put(name, key) if key else None
        connection = {"key": key_store, "address": address} | declared
        await asyncio.to_thread(self._store, name, connection)
        if previous.get("key") in _KEY_STORES and previous["key"] != key_store:
            # A keyring that stays locked must not prevent a new key.
            with contextlib.suppress(StorageError):
                await self._secrets.remove(name, previous["key"])

    async def declare_local(self, name: str, on_this_machine: bool) -> None:
        """Store whether the server at the provider's address runs on this machine.

        Raises InvalidRequest, NotFound, StorageError.
        """
        _provider(name)
        saved = dict(self._saved(name) or {})
        saved.pop("on_this_machine", None)
        if on_this_machine:
            saved |= self._declaration(name, self.get(name).address)
        await asyncio.to_thread(self._store, name, saved or None)

    async def remove(self, name: str) -> None:
        """Undo ``save``. Raises NotFound, StorageError."""
        _provider(name)
        saved = self._saved(name)
        if saved is None:
            return
        if saved.get("key") in _KEY_STORES:
            await self._secrets.remove_from_all(name, saved["key"])
        await asyncio.to_thread(self._store, name, None)  # last: it records where the key is

    def sweep(self) -> None:
        """Remove temporary files of killed processes, which may contain keys.

        Raises StorageError.
        """
        self._index.sweep()

    @property
    def choice(self) -> str | None:
        """The id of the model that the user chose as the default."""
        model = self._index.read().get("model")
        return model if isinstance(model, str) and model else None

    def choose(self, model_id: str | None) -> None:
        """Store the default model, or remove the choice. Raises StorageError."""
        with self._index.change() as data:
            if model_id is None:
                data.pop("model", None)
            else:
                data["model"] = model_id

    def _declaration(self, name: str, address: str | None) -> dict[str, Any]:
        """Return the user's declaration that the server at this address is on this machine."""
        configured = self._policy().access(name).address
        address = address or configured or PROVIDERS[name].default_address()
        if address is None or not is_loopback(address):
            raise InvalidField(
                "onThisMachine",
                UserText("requires a local base URL such as http://127.0.0.1:8000/v1"),
            )
        return {"on_this_machine": address}

    def _check_allowed(self, name: str, address: str | None) -> None:
        if not self._policy().allows_connection(name, address):
            raise ModelNotAllowed(_ADDRESS_FIXED)

    def _allowed_entry(self, name: str) -> dict[str, Any]:
        """Return the saved settings, or {} if the administrator doesn't allow them any more."""
        saved = self._saved(name) or {}
        address = saved.get("address")
        return saved if self._policy().allows_connection(name, address) else {}

    def _saved(self, name: str) -> dict[str, Any] | None:
        providers = self._index.read().get("providers")
        saved = providers.get(name) if isinstance(providers, dict) else None
        return saved if isinstance(saved, dict) else None

    def _store(self, name: str, connection: dict[str, Any] | None) -> None:
        with self._index.change() as data:
            if not isinstance(data.get("providers"), dict):
                data["providers"] = {}
            data["providers"].pop(name, None)
            if connection is not None:
                data["providers"][name] = connection


def _provider(name: str) -> Provider:
    if name not in PROVIDERS:
        raise NotFound(UserText("There is no such provider. Choose one from the list."))
    return PROVIDERS[name]


def _validate_key(key: str | None) -> str | None:
    """Return the key as it is sent in a header. Raises InvalidRequest."""
    key = (key or "").strip() or None
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise InvalidField(
            "key", UserText("must contain only ASCII letters, digits and symbols, and no spaces")
        )
    return key


def _validate_address(address: str | None) -> str | None:
    """Return the normalized address, which contains no secrets. Raises InvalidRequest."""
    address = (address or "").strip().rstrip("/")
    if not address:
        return None
    invalid = InvalidField(
        "address", UserText("must look like https://host/path, without a user name or key")
    )
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises on an invalid port
    except ValueError as error:
        raise invalid from error
    is_plain = address.isascii() and address.isprintable() and " " not in address
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
        raise invalid
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise invalid
    return address
