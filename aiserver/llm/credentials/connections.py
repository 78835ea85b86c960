"""Store and look up the address and the key of each provider.

The user's saved settings have priority over the administrator's configuration, which has priority
over environment variables.

Invariants:

- A key is only sent to the address for which it was entered: a saved address has its own key, and a
  key saved without an address is for the configured or default one.
- ``Connections.get`` reads no stored key, so it never makes a keyring ask for its password.
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
from ..providers import PROVIDERS, SPACES, Provider, is_loopback
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
    """A connection. ``on_this_machine``: text that is sent there stays on this machine."""

    provider: Provider
    key_source: KeySource | None
    address: str | None
    is_address_saved: bool = False
    on_this_machine: bool = False

    @property
    def on_loopback(self) -> bool:
        """Whether it is a loopback address, whose server may forward text."""
        return self.address is not None and is_loopback(self.address)

    @property
    def has_default_address(self) -> bool:
        return self.address is not None and self.address == self.provider.address

    @property
    def usable(self) -> bool:
        """Whether there is an address, and a key if one is needed."""
        needs_key = self.provider.needs_key and not self.on_loopback
        has_needed_key = self.key_source is not None or not needs_key
        return has_needed_key and self.address is not None


class Connections:
    """The connections to providers, saved in ``folder``."""

    def __init__(self, folder: Path, policy: Callable[[], ModelPolicy]) -> None:
        self._settings_file = PrivateFile(folder / "settings.json")
        self._secrets = SecretStore(folder)
        self._policy = policy

    def get(self, name: str) -> Connection:
        """Return a connection, which may lack a key or address."""
        provider = PROVIDERS[name]
        saved = self._allowed_settings(name)
        # ``settings.json`` only says where the key is.
        key_store = saved.get("key")
        key_source: KeySource | None = key_store if key_store in _KEY_STORES else None
        policy = self._policy()

        def is_local(address: str | None) -> bool:
            return policy.is_local(name, address, saved.get("on_this_machine"))

        address: str | None = saved.get("address")
        if isinstance(address, str):
            return Connection(provider, key_source, address, True, is_local(address))
        configured = policy.access(name)
        if key_source is None and configured.key:
            key_source = "config"
        if key_source is None and provider.key_in_environment():
            key_source = "environment"
        address = configured.address or provider.default_address()
        return Connection(provider, key_source, address, False, is_local(address))

    async def access(self, name: str) -> Access:
        """Return the key and address of a supported provider. Raises ModelKeyMissing."""
        connection = self.get(name)
        key = None
        if connection.key_source == "environment":
            key = connection.provider.key_in_environment()
        elif connection.key_source == "config":
            key = self._policy().access(name).key
        elif connection.key_source is not None:
            key = await self._secrets.get(name, connection.key_source)
            if key is None:
                label = connection.provider.label
                raise ModelKeyMissing(ModelKeyMissing.unreadable.fill(label))
        return Access(connection.address, key)

    async def access_with(self, name: str, key: str | None, address: str | None) -> Access:
        """Return the key and address to use, given a form's values.

        The current key is only used if no key was entered and the address isn't changed. Raises
        InvalidRequest, NotFound, ModelNotAllowed, ModelKeyMissing.
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
        """Save a provider's key and address, and remove the previous key.

        Raises InvalidRequest, NotFound, ModelNotAllowed, StorageError.
        """
        provider = _provider(name)
        key, address = _validate_key(key), _validate_address(address)
        self._check_allowed(name, address)
        if provider.needs_address and address is None:
            raise InvalidField("address", _NO_ADDRESS)
        if provider.needs_key and key is None and not (address and is_loopback(address)):
            raise InvalidField("key", UserText("required for %1", provider.label))
        previous = self._saved_settings(name) or {}
        declaration = self._declaration(name, address) if on_this_machine else {}
        key_store = await self._secrets.put(name, key) if key else None
        settings = {"key": key_store, "address": address} | declaration
        await asyncio.to_thread(self._save_settings, name, settings)
        if previous.get("key") in _KEY_STORES and previous["key"] != key_store:
            # The keyring may be locked, but the new key has been saved.
            with contextlib.suppress(StorageError):
                await self._secrets.remove(name, previous["key"])

    async def declare_local(self, name: str, on_this_machine: bool) -> None:
        """Save whether the server runs on this machine, as the user declares."""
        _provider(name)
        saved = dict(self._saved_settings(name) or {})
        saved.pop("on_this_machine", None)
        if on_this_machine:
            saved |= self._declaration(name, self.get(name).address)
        await asyncio.to_thread(self._save_settings, name, saved or None)

    async def remove(self, name: str) -> None:
        """Remove a provider's saved key and address. Raises NotFound, StorageError."""
        _provider(name)
        saved = self._saved_settings(name)
        if saved is None:
            return
        if saved.get("key") in _KEY_STORES:
            await self._secrets.remove_from_all(name, saved["key"])
        # The settings are removed last, because they say where the key is.
        await asyncio.to_thread(self._save_settings, name, None)

    def sweep(self) -> None:
        self._settings_file.sweep()

    @property
    def choice(self) -> str | None:
        model = self._settings_file.read().get("model")
        return model if isinstance(model, str) and model else None

    def choose(self, model_id: str | None) -> None:
        with self._settings_file.change() as data:
            if model_id is None:
                data.pop("model", None)
            else:
                data["model"] = model_id

    def _declaration(self, name: str, address: str | None) -> dict[str, Any]:
        configured = self._policy().access(name).address
        address = address or configured or PROVIDERS[name].default_address()
        if address is None or not is_loopback(address):
            raise InvalidField(
                "onThisMachine",
                UserText("requires a local base URL such as http://127.0.0.1:8000/v1"),
            )
        return {"on_this_machine": address}

    def _check_allowed(self, name: str, address: str | None) -> None:
        policy = self._policy()
        if not policy.allows_connection(name, address):
            reason = _ADDRESS_FIXED if policy.allows_remote else ModelNotAllowed.only_local
            raise ModelNotAllowed(reason)

    def _allowed_settings(self, name: str) -> dict[str, Any]:
        saved = self._saved_settings(name) or {}
        address = saved.get("address")
        return saved if self._policy().allows_connection(name, address) else {}

    def _saved_settings(self, name: str) -> dict[str, Any] | None:
        providers = self._settings_file.read().get("providers")
        saved = providers.get(name) if isinstance(providers, dict) else None
        return saved if isinstance(saved, dict) else None

    def _save_settings(self, name: str, settings: dict[str, Any] | None) -> None:
        with self._settings_file.change() as data:
            if not isinstance(data.get("providers"), dict):
                data["providers"] = {}
            data["providers"].pop(name, None)
            if settings is not None:
                data["providers"][name] = settings


def _provider(name: str) -> Provider:
    if name not in PROVIDERS:
        raise NotFound(UserText("There is no such provider. Choose one from the list."))
    return PROVIDERS[name]


def _validate_key(key: str | None) -> str | None:
    key = (key or "").strip(SPACES) or None
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise InvalidField(
            "key", UserText("must contain only ASCII letters, digits and symbols, and no spaces")
        )
    return key


def _validate_address(address: str | None) -> str | None:
    """An address must not contain a secret."""
    address = (address or "").strip().rstrip("/")
    if not address:
        return None
    invalid_address = InvalidField(
        "address", UserText("must look like https://host/path, without a user name or key")
    )
    try:
        split = urlsplit(address)
        split.port  # noqa: B018 - raises on an invalid port
    except ValueError as error:
        raise invalid_address from error
    is_plain = address.isascii() and address.isprintable() and " " not in address
    if split.scheme not in ("http", "https") or not split.hostname or not is_plain:
        raise invalid_address
    if split.username is not None or split.password is not None or split.query or split.fragment:
        raise invalid_address
    return address
