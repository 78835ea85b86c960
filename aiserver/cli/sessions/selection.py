"""Select sessions by a notebook's file or id, a cell's id, or both."""

from __future__ import annotations

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
    if _is_file(name):
        notebook_id = notebook_id_of(name)
        selected = [row for row in rows if row[0].notebook_id == notebook_id]
    else:
        selected = [
            (key, row)
            for key, row in rows
            if name in (key.notebook_id, key.cell_id, f"{key.notebook_id}/{key.cell_id}")
        ] or _with_prefix(rows, name)
    if not selected:
        raise NotFound(
            f"No history found for “{name}”. Run “jupyter aiserver sessions list” to see all "
            "histories."
        )
    return selected


def _is_file(name: str) -> bool:
    return name.endswith(".ipynb") or Path(name).is_file()


def _with_prefix(rows: list[Row], prefix: str) -> list[Row]:
    """Return the sessions of the only id with this prefix. Raises SettingError."""
    selected: list[Row] = []
    ids = set()
    for key, row in rows if len(prefix) >= _MIN_PREFIX else ():
        id_ = next((id_ for id_ in (key.cell_id, key.notebook_id) if id_.startswith(prefix)), None)
        if id_:
            ids.add(id_)
            selected.append((key, row))
    if len(ids) > 1:
        raise SettingError(f"“{prefix}” matches {len(ids)} IDs. Enter more characters.")
    return selected
