"""Select sessions by a notebook's file or id, a cell's id, or both."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ...errors import NotFound, SettingError
from ...models import SessionKey, SessionSummary
from .import_sessions import notebook_id_of
from .stores import StoreContext

Row = tuple[SessionKey, SessionSummary]
"""The key and summary of a selected session."""

_MIN_PREFIX = 4  # fewer characters of an id are not enough to select it


async def select(context: StoreContext, name: str | None = None) -> list[Row]:
    """Return the keys and summaries of the sessions that ``name`` selects.

    ``name`` is a notebook's file or id, a cell's id, or both ids as ``NOTEBOOK/CELL``. If only one
    id begins with it, the first characters of an id are enough. Without a name, all sessions are
    returned. Raises NotFound, SettingError.
    """
    rows: list[Row] = []
    for owner in context.owners:
        summaries, _ = await context.store.list_sessions(owner=owner)
        rows += [(SessionKey(each.notebook_id, each.cell_id, owner), each) for each in summaries]
    if not name:
        return rows
    id_: str | None = name
    if is_file(name):
        id_ = notebook_id_of(name)
    elif len(name) >= _MIN_PREFIX:
        ids = {id_ for key, _ in rows for id_ in (key.notebook_id, key.cell_id)}
        id_ = find_id(ids, name)
    selected = [
        (key, row)
        for key, row in rows
        if id_ in (key.notebook_id, key.cell_id) or name == f"{key.notebook_id}/{key.cell_id}"
    ]
    if not selected:
        raise NotFound(
            f"No history found for “{name}”. Run “jupyter aiserver sessions list” to see all "
            "histories."
        )
    return selected


def is_file(name: str) -> bool:
    """Return whether a name refers to a notebook's file instead of its id."""
    return name.endswith(".ipynb") or Path(name).is_file()


def find_id(ids: Collection[str], name: str) -> str | None:
    """Return the id that equals ``name``, or else the only id that begins with ``name``.

    Return None if there is no such id. Raises SettingError if several ids begin with ``name``.
    """
    if name in ids:
        return name
    matches = [id_ for id_ in ids if id_.startswith(name)]
    if len(matches) > 1:
        raise SettingError(f"“{name}” matches {len(matches)} IDs. Enter more characters.")
    return matches[0] if matches else None
