"""Which store it is to be: a name, an address or a class, from the one setting that says so.

What must hold: a store's module is imported only when it is chosen, and an address is never told
in an error or a log with its password. Other packages offer their stores under the entry point
``aiserver.session_managers``; an entry's name is what is put in front of ``://``.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from ..errors import SettingError
from .base import SessionManager

GROUP = "aiserver.session_managers"
OURS = "aiserver."
EXTRAS = {"redis": "redis", "rediss": "redis"}  # what SQL needs, it says itself
_ADDRESS = re.compile(r"([a-z][a-z0-9.-]*)(\+[a-z0-9_.-]+)?:(?://)?.*", re.IGNORECASE | re.DOTALL)
_PASSWORD = re.compile(r"(://[^/@:]*):.*@", re.DOTALL)


def create_session_manager(choice: str | type[SessionManager], **traits: Any) -> SessionManager:
    """A store: by the name it is offered under (``file``), its address, or its class.

    Raises SettingError if there is no such store, or a package that it needs is missing.
    """
    if not isinstance(choice, str):
        return choice(**traits)
    address = _ADDRESS.fullmatch(choice)
    kind = _offered(address[1].lower() if address else choice)
    if kind is None and not address and "." in choice:
        kind = _imported(choice)
    if kind is None:
        known = ", ".join(sorted({entry.name for entry in entry_points(group=GROUP)}))
        raise SettingError(f"Unknown session store “{hide_password(choice)}”. Available: {known}.")
    return kind(url=choice if address else "", **traits)


def hide_password(choice: str) -> str:
    """An address as it may be told: without the password in it."""
    return _PASSWORD.sub(r"\1:…@", choice)


def _offered(name: str) -> type[SessionManager] | None:
    # Ours first: no other package can take a name of ours over.
    entries = sorted(
        entry_points(group=GROUP, name=name), key=lambda entry: not entry.module.startswith(OURS)
    )
    if not entries:
        return None
    try:
        return _checked(entries[0].load(), name)
    except ModuleNotFoundError as error:
        raise SettingError(
            f"“{name}” needs the package “{error.name}”, which is not installed."
            + (f" Install it: pip install 'aiserver[{EXTRAS[name]}]'" if name in EXTRAS else "")
        ) from error


def _imported(path: str) -> type[SessionManager] | None:
    module, _, name = path.rpartition(".")
    try:
        return _checked(getattr(import_module(module), name, None), path)
    except ModuleNotFoundError as error:
        if module == error.name or module.startswith(f"{error.name}."):
            return None
        raise


def _checked(found: Any, name: str) -> type[SessionManager]:
    if not (isinstance(found, type) and issubclass(found, SessionManager)):
        raise SettingError(f"“{name}” is not a SessionManager.")
    return found
