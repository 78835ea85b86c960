"""Create the store that a setting chooses: by its short name, its URL or its class.

Invariants: only the chosen store's module is imported. No error or log contains the password of a
URL. The name of an entry point is the short name of the store and the scheme of its URLs.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from ..errors import SettingError
from .base import SessionManager

ENTRY_POINT_GROUP = "aiserver.session_managers"
OWN_PACKAGE = "aiserver."
# The pip extras of stores, by scheme. The SQL store reports missing drivers itself.
PIP_EXTRAS = {"redis": "redis", "rediss": "redis"}
_URL = re.compile(r"([a-z][a-z0-9.-]*)(\+[a-z0-9_.-]+)?:(?://)?.*", re.IGNORECASE | re.DOTALL)
_PASSWORD = re.compile(r"(://[^/@:]*):.*@", re.DOTALL)


def create_session_manager(choice: str | type[SessionManager], **traits: Any) -> SessionManager:
    """Create a store from the name of its entry point, its URL, its class or the path of its class.

    Raises SettingError if there is no such store, or if a package that it needs is missing.
    """
    if not isinstance(choice, str):
        return choice(**traits)
    url = _URL.fullmatch(choice)
    store_class = _load_entry_point(url[1].lower() if url else choice)
    if store_class is None and not url and "." in choice:
        store_class = _import_class(choice)
    if store_class is None:
        names = ", ".join(sorted({entry.name for entry in entry_points(group=ENTRY_POINT_GROUP)}))
        raise SettingError(f"Unknown session store “{hide_password(choice)}”. Available: {names}.")
    return store_class(url=choice if url else "", **traits)


def hide_password(choice: str) -> str:
    """Replace a URL's password with “…”."""
    return _PASSWORD.sub(r"\1:…@", choice)


def _load_entry_point(name: str) -> type[SessionManager] | None:
    # AI Server's own entries come first: no other package can override them.
    entries = sorted(
        entry_points(group=ENTRY_POINT_GROUP, name=name),
        key=lambda entry: not entry.module.startswith(OWN_PACKAGE),
    )
    if not entries:
        return None
    try:
        return _check_class(entries[0].load(), name)
    except ModuleNotFoundError as error:
        extra = PIP_EXTRAS.get(name)
        hint = f" Install it: pip install 'aiserver[{extra}]'" if extra else ""
        raise SettingError(
            f"“{name}” needs the package “{error.name}”, which is not installed.{hint}"
        ) from error


def _import_class(path: str) -> type[SessionManager] | None:
    module, _, name = path.rpartition(".")
    try:
        return _check_class(getattr(import_module(module), name, None), path)
    except ModuleNotFoundError as error:
        if module == error.name or module.startswith(f"{error.name}."):
            return None
        raise  # the class's module exists, but one that it imports is missing


def _check_class(value: Any, name: str) -> type[SessionManager]:
    if not (isinstance(value, type) and issubclass(value, SessionManager)):
        raise SettingError(f"“{name}” is not a SessionManager.")
    return value
