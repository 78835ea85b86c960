"""Select sessions by a notebook's file or id, a cell's id, or both."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ...errors import NotFound, SettingError
from ...models import SessionKey, SessionSummary
from .import_sessions import notebook_id_of
from .stores import StoreContext

Row = tuple[SessionKey, SessionSummary]

_MIN_PREFIX = 4  # minimum length of an id's prefix


async def select(context: StoreContext, name: str | None = None) -> list[Row]:
    """Return the sessions of a notebook's file or id, a cell's id, or ``NOTEBOOK/CELL``.

    Without a name, all sessions. A unique prefix of an id is enough. Raises NotFound, SettingError.
    """
    rows: list[Row] = []
    for owner in context.owners:
        summaries, _ = await context.store.list_sessions(owner=owner)
        rows += [(SessionKey(row.notebook_id, row.cell_id, owner), row) for row in summaries]
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
    """Return whether a name is a notebook's file, not its id."""
    return name.endswith(".ipynb") or Path(name).is_file()


def find_id(ids: Collection[str], name: str) -> str | None:
    """Return the id that is ``name`` or begins with it. Raises SettingError if several do."""
    if name in ids:
        return name
    matches = [id_ for id_ in ids if id_.startswith(name)]
    if len(matches) > 1:
        raise SettingError(f"“{name}” matches {len(matches)} IDs. Enter more characters.")
    return matches[0] if matches else None
