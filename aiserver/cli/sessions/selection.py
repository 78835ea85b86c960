"""Select sessions by a notebook's file or id, a cell's id, or both."""

from __future__ import annotations

from pathlib import Path

from ...errors import NotFound, SettingError
from ...models import SessionKey, SessionSummary
from .import_sessions import notebook_id_of
from .stores import StoreContext

_MIN_PREFIX = 4  # minimum length of an id's prefix


async def find_keys(
    context: StoreContext, notebook: str | None = None, cell: str | None = None
) -> list[SessionKey]:
    """Return the keys of the sessions of a notebook (file or id) and a cell, if given."""
    notebook_id = _notebook_id(notebook) if notebook else None
    rows = await list_rows(context)
    keys = [
        key
        for key, row in rows
        if notebook_id in (None, row.notebook_id) and cell in (None, row.cell_id)
    ]
    if not keys and (notebook or cell):
        raise NotFound(
            "No history with that name. Run “jupyter aiserver sessions list” to see all histories."
        )
    return keys


async def select_keys(context: StoreContext, name: str) -> list[SessionKey]:
    """Return the sessions of a notebook's file or id, a cell's id, or ``NOTEBOOK/CELL``.

    A unique prefix of an id is enough. Raises NotFound, SettingError.
    """
    if name.endswith(".ipynb"):
        return await find_keys(context, name)
    rows = await list_rows(context)
    notebook, slash, cell = name.partition("/")
    if slash:
        keys = [key for key, row in rows if (row.notebook_id, row.cell_id) == (notebook, cell)]
    else:
        keys = [key for key, row in rows if name in (row.notebook_id, row.cell_id)]
    if not keys and len(name) >= _MIN_PREFIX:
        matches = [(key, row) for key, row in rows if _has_prefix(row, name)]
        ids = {
            row.cell_id if row.cell_id.startswith(name) else row.notebook_id for _, row in matches
        }
        if len(ids) > 1:
            raise SettingError(f"“{name}” matches {len(ids)} IDs. Enter more characters.")
        keys = [key for key, _ in matches]
    if not keys:
        raise NotFound(
            f"No history found for “{name}”. Run “jupyter aiserver sessions list” to see all "
            "histories."
        )
    return keys


async def list_rows(context: StoreContext) -> list[tuple[SessionKey, SessionSummary]]:
    """Return all sessions of the selected owners, with their summaries."""
    result = []
    for owner in context.owners:
        rows, _ = await context.store.list_sessions(owner=owner)
        result += [(SessionKey(row.notebook_id, row.cell_id, owner), row) for row in rows]
    return result


def _has_prefix(row: SessionSummary, name: str) -> bool:
    return row.cell_id.startswith(name) or row.notebook_id.startswith(name)


def _notebook_id(name: str) -> str:
    return notebook_id_of(name) if name.endswith(".ipynb") or Path(name).is_file() else name
