"""Functions and constants for tests of session managers: turns, events, log entries and keys."""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from ..models import AIResponse, NewEvent, NewLogEntry, NewTurn, SessionKey, UserRequest

KEY = SessionKey("6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11", "b7a1c2d3")
OTHER_CELL = SessionKey(KEY.notebook_id, "another")
NOTEBOOK = "0" * 8
NOON = "2026-01-27T12:00:00.000Z"
EXAMPLE_FILE = Path(__file__).with_name("session-1.0.json")

_keys = itertools.count(1)


def fresh_key() -> SessionKey:
    """Return a key that no other test uses."""
    return SessionKey(KEY.notebook_id, f"cell-{next(_keys)}")


def turn(intent: str = "读取 data.csv", code: str = "x = 1\n", **more: Any) -> NewTurn:
    """Return a new turn, as the server saves it after a generation.

    ``more`` may contain further fields of the turn, and the ``status`` of its answer.
    """
    status = more.pop("status", "success")
    return NewTurn(
        timestamp=more.pop("timestamp", NOON),
        user_request=UserRequest(intent=intent, current_code="", language="python"),
        ai_response=AIResponse(suggestion=code, explanation="", status=status, error=None),
        **more,
    )


def event(type_: str = "run", **more: Any) -> NewEvent:
    """Return a new event of a cell. ``more`` may contain further fields of the event."""
    return NewEvent(type=type_, timestamp=more.pop("timestamp", NOON), **more)


def log_entry(**data: Any) -> NewLogEntry:
    """Return a new entry of the type ``path_seen`` for a change log."""
    return NewLogEntry(type="path_seen", timestamp=NOON, data=data)


def in_loop(test: Callable[..., Coroutine[Any, Any, object]]) -> Callable[..., None]:
    """Wrap an async test in a function that runs the test in an event loop of its own.

    The plugin pytest-asyncio can't do this, because it conflicts with pytest-jupyter.
    """

    @functools.wraps(test)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return wrapper
