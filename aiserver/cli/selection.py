"""Select sessions by a notebook's file, by its id, a cell's, or both."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from pathlib import Path

from ..errors import NotFound, SettingError, StorageError
from ..models import SessionKey, SessionSummary
from ..notebooks.notebook_index import NotebookIndex
from ..notebooks.other_roots import name_under
from ..replay import replay, with_requests
from .files import is_file, notebook_id_of
from .stores import StoreContext
from .terminal import make_safe

SelectedSession = tuple[SessionKey, SessionSummary]
"""The key and summary of a selected session."""

_MIN_PREFIX = 4  # the fewest characters of a shortened id


async def select(
    context: StoreContext, name: str | None = None, *, with_origins: bool = False
) -> list[SelectedSession]:
    """Return keys and summaries of the sessions that ``name`` selects, by default of all.

    ``name`` is a notebook's file or id, a cell's id, or ``NOTEBOOK/CELL``. A single id may be
    shortened to at least 4 characters, if no other begins with them. Raises NotFound, SettingError.
    """
    rows: list[SelectedSession] = []
    for owner in context.owners:
        summaries, _ = await context.store.list_sessions(owner=owner)
        rows += [
            (SessionKey(summary.notebook_id, summary.cell_id, owner), summary)
            for summary in summaries
        ]
    if not name:
        return rows
    selected_ids: Collection[str | None] = [name]
    if is_file(name):
        selected_ids = await find_notebooks(context, name)
        selected_ids = selected_ids if with_origins else selected_ids[:1]
    elif len(name) >= _MIN_PREFIX:
        ids = {id_ for key, _ in rows for id_ in (key.notebook_id, key.cell_id)}
        selected_ids = [find_id(ids, name)]
    selected = [
        (key, summary)
        for key, summary in rows
        if not {key.notebook_id, key.cell_id}.isdisjoint(selected_ids)
        or name == f"{key.notebook_id}/{key.cell_id}"
    ]
    check_cell_of_one([key for key, _ in selected if key.notebook_id not in selected_ids])
    if not selected:
        raise NotFound(
            f"No history found for “{name}”. Run “jupyter aiserver sessions list” to see all "
            "histories."
        )
    return selected


def check_cell_of_one(keys: Iterable[SessionKey]) -> None:
    """Raise SettingError if a cell's id is in several notebooks, such as copies."""
    names = sorted({f"{key.notebook_id}/{key.cell_id}" for key in keys})
    if len(names) > 1:
        raise SettingError(
            f"{len(names)} notebooks have a cell with this ID. Enter one of: {', '.join(names)}"
        )


async def count_requests(
    context: StoreContext, rows: Iterable[SelectedSession]
) -> list[SelectedSession]:
    """Return the rows with the number of requests instead of turns."""
    counted = []
    for key, summary in rows:
        with contextlib.suppress(StorageError):
            if session := await context.store.load_if_exists(key):
                summary = with_requests(summary, replay(session))
        counted.append((key, summary))
    return counted


async def find_notebooks(context: StoreContext, name: str) -> list[str]:
    """Return the id of the notebook in a file, and those that it had there before.

    A copy, or a file that git has put back, contains another one's id until it was opened and
    saved. Raises SettingError for such an id, or none.
    """
    notebook_id = notebook_id_of(name)
    path = path_in(context.configuration.root_dir, name)
    for owner in context.owners:
        registry = context.notebooks(owner)
        ids = await registry.find(path, notebook_id)
        if not ids:
            original = make_safe((await registry.paths([notebook_id]))[notebook_id] or notebook_id)
            raise SettingError(
                f"“{name}” is a copy of “{original}”. First, open it in JupyterLab and save it."
            )
        if ids != [notebook_id]:
            return ids
    return [notebook_id]


async def find_recorded_at(context: StoreContext, name: str) -> str:
    """Return the only notebook with sessions that was last recorded at a path.

    The file may be damaged or deleted. Raises NotFound, SettingError.
    """
    index = NotebookIndex(context.store, context.owner)
    await index.refresh()
    ids = [
        id_
        for id_ in index.find_at(path_in(context.names_root, name))
        if await context.store.session_marks(id_, owner=context.owner)
    ]
    if not ids:
        raise NotFound(
            f"No history of a notebook at “{name}” in {context.name}. If it was at another path, "
            "enter its ID: “jupyter aiserver sessions list” shows the IDs."
        )
    if len(ids) > 1:
        raise SettingError(
            f"{len(ids)} notebooks were recorded at “{name}”. Enter the ID of one of them instead, "
            f"the last used one is first: {', '.join(ids)}"
        )
    return ids[0]


def path_in(folder: Path, name: str) -> str:
    """Return a file's path in the contents API of a server that serves ``folder``."""
    return name_under(folder.resolve(), Path(name).resolve())


def find_id(ids: Collection[str], name: str) -> str | None:
    """Return the id ``name``, or else the only one that begins with it, or None.

    Raises SettingError if several do.
    """
    if name in ids:
        return name
    matches = [id_ for id_ in ids if id_.startswith(name)]
    if len(matches) > 1:
        raise SettingError(f"“{name}” matches {len(matches)} IDs. Enter more characters.")
    return matches[0] if matches else None
