"""How each provider is reached: its key, where that comes from, and its address.

What a person saved comes first, then what the administrator configured, then the environment.
What must hold:

- A key goes to no address that it was not meant for: with an address that a person saved goes the
  key saved with it and no other, and a key saved without one goes where the provider is for all.
- Looking (``of``) reads no key and so never makes a keyring ask for its password.
- What is kept here is no secret; keys are in the ``SecretStore``.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from ...errors import InvalidRequest, ModelKeyMissing, ModelNotAllowed, NotFound, StorageError
from ..catalog import ollama
from ..policy import Access, ModelPolicy
from ..providers import PROVIDERS, Provider, is_loopback
from .private_file import PrivateFile
from .secret_store import SecretStore

KeySource = Literal["environment", "keyring", "file", "config"]
_PLACES = ("keyring", "file")
_NO_ADDRESS = "address: required, such as http://127.0.0.1:8000/v1"
_SETTLED = (
    "The administrator of this server has fixed this provider’s base URL, so it can’t be changed."
)


@dataclass(frozen=True)
class Connection:
    """``source`` says where the key is, if there is one; ``saved`` whether a person named the
    address; ``on_this_machine`` whether what is sent there stays here."""

    provider: Provider
    source: KeySource | None
    address: str | None
    saved: bool = False
    on_this_machine: bool = False

    @property
    def on_loopback(self) -> bool:
        """Whether the address is this machine's own, which says nothing of what listens there."""
        return self.address is not None and is_loopback(self.address)

    @property
    def usable(self) -> bool:
        """Whether it has what it takes to ask a model."""
        key = self.source is not None or not self.provider.needs_key or self.on_loopback
        return key and self.address is not None


class Connections:
    """The connections of the server's person, kept in ``folder``.

    ``policy`` tells what the administrator set, now.
    """

    def __init__(self, folder: Path, policy: Callable[[], ModelPolicy]) -> None:
        self._index = PrivateFile(folder / "settings.json")
        self._secrets = SecretStore(folder)
        self._policy = policy

    def of(self, name: str) -> Connection:
        """The connection to a known provider."""
        provider = PROVIDERS[name]
        saved = self._admitted(name)
        place: KeySource | None = saved.get("key") if saved.get("key") in _PLACES else None
        policy = self._policy()

        def at(address: str | None) -> bool:
            return policy.is_local(name, address, saved.get("on_this_machine"))

        address: str | None = saved.get("address")
        if isinstance(address, str):
            return Connection(provider, place, address, True, at(address))
        configured = policy.access(name)
        source: KeySource | None = place
        if source is None and configured.key:
            source = "config"
        if source is None and provider.key_in_environment():
            source = "environment"
        address = configured.address or _usual_address(provider)
        return Connection(provider, source, address, False, at(address))

    async def access(self, name: str) -> Access:
        """Key and address of a known provider. Raises ModelKeyMissing."""
        connection = self.of(name)
        key = None
        if connection.source == "environment":
            key = connection.provider.key_in_environment()
        elif connection.source == "config":
            key = self._policy().access(name).key
        elif connection.source is not None:
            key = await self._secrets.get(name, connection.source)
            if key is None:
                raise ModelKeyMissing(
                    f"The API key for {connection.provider.label} could not be read. "
                    "Unlock the server’s keychain, or enter the key again."
                )
        return Access(connection.address, key)

    async def entered(self, name: str, key: str | None, address: str | None) -> Access:
        """How a provider would be reached with what a person entered, which isn't saved yet.

        The saved key goes along only where none was entered, and only to its own address.
        Raises InvalidRequest, NotFound, ModelNotAllowed, ModelKeyMissing.
        """
        provider = _known(name)
        key, address = _checked_key(key), _checked(address)
        connection = self.of(name)
        if key is None and address in (None, connection.address):
            access = await self.access(name)
        else:
            self._check_admitted(name, address)
            usual = self._policy().access(name).address or _usual_address(provider)
            access = Access(address or usual, key)
        if access.address is None:
            raise InvalidRequest(_NO_ADDRESS)
        return access

    async def save(
        self, name: str, key: str | None, address: str | None, on_this_machine: bool = False
    ) -> None:
        """Set a provider up. Raises InvalidRequest, NotFound, ModelNotAllowed, StorageError."""
        provider = _known(name)
        key, address = _checked_key(key), _checked(address)
        self._check_admitted(name, address)
        if provider.needs_address and address is None:
            raise InvalidRequest(_NO_ADDRESS)
        if provider.needs_key and key is None and not (address and is_loopback(address)):
            raise InvalidRequest(f"key: required for {provider.label}")
        before = self._saved(name) or {}
        declared = self._declared(name, address) if on_this_machine else {}
        place = await self._secrets.put(name, key) if key else None
        connection = {"key": place, "address": address} | declared
        await asyncio.to_thread(self._note, name, connection)
        if before.get("key") in _PLACES and before["key"] != place:
            # A keyring that is locked for good must not stand in the way of a new key.
            with contextlib.suppress(StorageError):
                await self._secrets.remove(name, before["key"])

    async def declare_local(self, name: str, on_this_machine: bool) -> None:
        """Note whether the server at the provider's address runs on this machine.

        Raises InvalidRequest, NotFound, StorageError.
        """
        _known(name)
        saved = dict(self._saved(name) or {})
        saved.pop("on_this_machine", None)
        if on_this_machine:
            saved |= self._declared(name, self.of(name).address)
        await asyncio.to_thread(self._note, name, saved or None)

    async def forget(self, name: str) -> None:
        """Undo ``save``. Raises NotFound, StorageError."""
        _known(name)
        saved = self._saved(name)
        if saved is None:
            return
        if saved.get("key") in _PLACES:
            await self._secrets.remove_everywhere(name, saved["key"])
        await asyncio.to_thread(self._note, name, None)  # last: it says where there is a key

    def sweep(self) -> None:
        """Remove what killed writers left, which may hold keys. Raises StorageError."""
        self._index.sweep()
        self._secrets.sweep()

    @property
    def choice(self) -> str | None:
        """The id of the model that the person chose as the default one."""
        model = self._index.read().get("model")
        return model if isinstance(model, str) and model else None

    def choose(self, model_id: str | None) -> None:
        """Keep the choice, or forget it. Raises StorageError."""
        with self._index.change() as data:
            if model_id is None:
                data.pop("model", None)
            else:
                data["model"] = model_id

    def _declared(self, name: str, address: str | None) -> dict[str, Any]:
        """The person's word that a server is on this machine. It holds for this address only."""
        address = address or self._policy().access(name).address or _usual_address(PROVIDERS[name])
        if address is None or not is_loopback(address):
            raise InvalidRequest(
                "onThisMachine: requires a local base URL such as http://127.0.0.1:8000/v1"
            )
        return {"on_this_machine": address}

    def _check_admitted(self, name: str, address: str | None) -> None:
        if not self._policy().admits(name, address):
            raise ModelNotAllowed(_SETTLED)

    def _admitted(self, name: str) -> dict[str, Any]:
        """What was saved, as far as the administrator leaves that to the person (still)."""
        saved = self._saved(name) or {}
        address = saved.get("address")
        return saved if self._policy().admits(name, address) else {}

    def _saved(self, name: str) -> dict[str, Any] | None:
        providers = self._index.read().get("providers")
        saved = providers.get(name) if isinstance(providers, dict) else None
        return saved if isinstance(saved, dict) else None

    def _note(self, name: str, connection: dict[str, Any] | None) -> None:
        with self._index.change() as data:
            if not isinstance(data.get("providers"), dict):
                data["providers"] = {}
            data["providers"].pop(name, None)
            if connection is not None:
                data["providers"][name] = connection


def _known(name: str) -> Provider:
    if name not in PROVIDERS:
        raise NotFound("There is no such provider. Choose one from the list.")
    return PROVIDERS[name]


def _usual_address(provider: Provider) -> str | None:
    return ollama.address() if provider.name == "ollama" else provider.usual_address()


def _checked_key(key: str | None) -> str | None:
    """A key as it can stand in a header. Raises InvalidRequest."""
    key = (key or "").strip() or None
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise InvalidRequest(
            "key: must contain only ASCII letters, digits and symbols, and no spaces"
        )
    return key


def _checked(address: str | None) -> str | None:
    """An address that can be shown and sent to. Raises InvalidRequest."""
    address = (address or "").strip().rstrip("/")
    if not address:
        return None
    wrong = InvalidRequest("address: must look like https://host/path, without a user name or key")
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises on one that is none
    except ValueError as error:
        raise wrong from error
    plain = address.isascii() and address.isprintable() and " " not in address
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
        raise wrong
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise wrong
    return address
