"""Select sessions by a notebook's file or id, a cell's id, or both."""

from __future__ import annotations

from pathlib import Path

from ...errors import NotFound, SettingError
from ...models import SessionKey, SessionSummary
from .import_sessions import notebook_id_of
from .stores import Place

_LEAST = 4  # minimum length of an id's prefix


async def find_keys(
    place: Place, notebook: str | None = None, cell: str | None = None
) -> list[SessionKey]:
    """Return the keys of the sessions of a notebook (file or id) and a cell, if given."""
    notebook_id = _notebook_id(notebook) if notebook else None
    rows = await list_rows(place)
    found = [
        key
        for key, row in rows
        if notebook_id in (None, row.notebook_id) and cell in (None, row.cell_id)
    ]
    if not found and (notebook or cell):
        raise NotFound(
            "No history with that name. Run “jupyter aiserver sessions list” to see all histories."
        )
    return found


async def select_keys(place: Place, name: str) -> list[SessionKey]:
    """Return the sessions of a notebook's file or id, a cell's id, or ``NOTEBOOK/CELL``.

    A unique prefix of an id is enough. Raises NotFound, SettingError.
    """
    if name.endswith(".ipynb"):
        return await find_keys(place, name)
    rows = await list_rows(place)
    notebook, slash, cell = name.partition("/")
    if slash:
        found = [key for key, row in rows if (row.notebook_id, row.cell_id) == (notebook, cell)]
    else:
        found = [key for key, row in rows if name in (row.notebook_id, row.cell_id)]
    if not found and len(name) >= _LEAST:
        begins = [(key, row) for key, row in rows if _begins(row, name)]
        ids = {
            row.cell_id if row.cell_id.startswith(name) else row.notebook_id for _, row in begins
        }
        if len(ids) > 1:
            raise SettingError(f"“{name}” matches {len(ids)} IDs. Enter more characters.")
        found = [key for key, _ in begins]
    if not found:
        raise NotFound(
            f"No history found for “{name}”. Run “jupyter aiserver sessions list” to see all "
            "histories."
        )
    return found


async def list_rows(place: Place) -> list[tuple[SessionKey, SessionSummary]]:
    """Return all sessions of the selected owners, with their summaries."""
    found = []
    for owner in place.owners:
        rows, _ = await place.store.list_sessions(owner=owner)
        found += [(SessionKey(row.notebook_id, row.cell_id, owner), row) for row in rows]
    return found


def _begins(row: SessionSummary, name: str) -> bool:
    return row.cell_id.startswith(name) or row.notebook_id.startswith(name)


def _notebook_id(name: str) -> str:
    return notebook_id_of(name) if name.endswith(".ipynb") or Path(name).is_file() else name
