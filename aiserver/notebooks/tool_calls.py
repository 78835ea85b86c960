"""Name the agent that changed a notebook by a tool of another server in this process.

Such a tool changes the shared document, the page or the file. The page sees the change, but not
whose it is.

Invariant: a name is never guessed. A change is named only if a single agent has called a tool with
the notebook's path and the cell's ID or new source.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..models import Contributor, NewEvent
from .disk_writers import FILE_ON_DISK

UNNAMED = frozenset({"Jupyter server", FILE_ON_DISK, "jupyterlab-ai-commands"})
"""The names that pages record for changes by such tools."""

_SECONDS_AFTER_END = 60.0  # until the page has sent the change
_MAX_CALLS = 100


@dataclass
class _Call:
    agent: Contributor
    data: dict[str, Any]
    arguments: frozenset[str]
    ended: float | None = None

    def is_recent(self) -> bool:
        return self.ended is None or time.monotonic() - self.ended < _SECONDS_AFTER_END

    def names(self, file: str, folder: str) -> bool:
        """Return whether an argument is the path of the file."""
        paths = {path for path in self.arguments if path.endswith(".ipynb")}
        paths |= {unquote(path) for path in paths}
        return any(_normal(folder, path) == file for path in paths)


def _normal(folder: str, path: str) -> str:
    return os.path.normpath(Path(folder, path))


_calls: deque[_Call] = deque(maxlen=_MAX_CALLS)


@contextmanager
def noted(
    agent: Contributor, tool: str, arguments: Mapping[str, object], via: str
) -> Iterator[None]:
    """Note an agent's call of a tool while it runs, and for a minute afterwards.

    ``via`` is the name of the tool's server.
    """
    texts = frozenset(value for value in arguments.values() if isinstance(value, str))
    call = _Call(agent, {"tool": tool, "via": via}, texts)
    _calls.append(call)
    try:
        yield
    finally:
        call.ended = time.monotonic()


def name_callers(folder: str, path: str, events: Iterable[tuple[str, NewEvent]]) -> None:
    """Name the agent in those of the events whose caller is certain.

    ``path`` is the notebook's path in ``folder``, and the events are pairs with their cells' IDs.
    """
    file = _normal(folder, path)
    calls = [call for call in _calls if call.is_recent() and call.names(file, folder)]
    for cell_id, event in events:
        texts = {cell_id, event.source}
        causes = [call for call in calls if texts & call.arguments]
        if causes and all(call.agent == causes[0].agent for call in causes):
            event.contributor = causes[-1].agent
            event.data = {**(event.data or {}), **causes[-1].data}
