"""Give the cells of a notebook that is read from its file the ids of their histories.

Invariants: the file isn't written, and a damaged one is copied before others can write it. Two
pages that read the same file get the same ids. A recorded cell keeps its id. A cell that may be
another one than the recorded cell with its id gets a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import json
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import durable
from ..errors import StorageError
from ..models import is_id
from ..redact import redact
from ..requests import MAX_SOURCE
from ..sessions.record.codec import has_markers
from .cell_match import FileCell, RecognisedCells, is_positional, normalized
from .identity import NotebookRegistry

_MAX_SECONDS = 10  # by which opening a notebook may be delayed
_KEY = "aiserver"  # the key of AI Server's data in a notebook's metadata


def restore_on_reading(
    manager: Any,
    registry: NotebookRegistry,
    log: logging.Logger,
    *,
    folder: Path | None = None,
    is_open: Callable[[str], bool] = lambda path: False,
) -> None:
    """Restore the ids in all notebooks that a contents manager reads from now on.

    If that fails, or if the manager isn't asynchronous, unlike the session store, ids that another
    cell may have are replaced. An empty or damaged file, in ``folder``, of a notebook with a
    history is an empty notebook, unless people have it open together: jupyter-collaboration would
    replace everybody's cells by none, and it writes the file again.
    """
    read = manager.get

    @functools.wraps(read)
    async def get(*args: Any, **kwargs: Any) -> Any:
        try:
            model = await read(*args, **kwargs)
        except Exception:  # Jupyter's error is the one that people should see
            empty = await _empty_notebook(read, registry, folder, is_open, *args, **kwargs)
            if empty is None:
                raise
            return empty
        try:
            if _is_notebook(model):
                restoring = restore_ids(registry, model["path"], model["content"])
                await asyncio.wait_for(restoring, _MAX_SECONDS)
        except Exception:  # the notebook must be opened, whatever it is
            log.warning("The ids of a notebook's cells were not compared.", exc_info=True)
            await asyncio.to_thread(replace_positional_ids, model["content"])
        return model

    @functools.wraps(read)
    def get_at_once(*args: Any, **kwargs: Any) -> Any:
        model = read(*args, **kwargs)
        if _is_notebook(model):
            replace_positional_ids(model["content"])
        return model

    manager.get = get if inspect.iscoroutinefunction(read) else get_at_once


async def _empty_notebook(
    read: Any,
    registry: NotebookRegistry,
    folder: Path | None,
    is_open: Callable[[str], bool],
    path: str,
    content: bool = True,
    *args: Any,
    **kwargs: Any,
) -> dict[str, Any] | None:
    """Return an empty notebook with its id, if the file of one with a history has lost its cells.

    So the notebook can be opened, and the page offers to bring its cells back.
    """
    with contextlib.suppress(Exception):
        model = await read(path, False, *args, **kwargs) if content else {}
        notebook_id = await registry.id_at(path) if model.get("type") == "notebook" else None
        if notebook_id is None or is_open(path):
            return None
        is_empty = model.get("size") == 0
        if is_empty or (
            folder and await asyncio.to_thread(_copy_damaged, folder / path.strip("/"))
        ):
            metadata = {_KEY: {"notebook_id": notebook_id}}
            empty = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": []}
            return {**model, "size": 0, "format": "json", "content": empty}
    return None


def _copy_damaged(file: Path) -> bool:
    """Return whether a file isn't JSON. If so, copy it: the next save replaces it."""
    read = durable.read_file(file)
    data = read[0] if read else b""
    try:
        is_json = isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        is_json = False
    if is_json or has_markers(data):  # a person resolves a conflict
        return False
    durable.copy_to_quarantine(file.parent, file.name, data, ".invalid-")
    return True


def replace_positional_ids(notebook: dict[str, Any]) -> None:
    """Replace the ids that another cell may have."""
    if _minor_version(notebook) < 5 or not any(map(is_positional, _ids(notebook))):
        return  # reading the cells may take seconds
    new_ids = _new_ids(notebook, RecognisedCells(own_id(notebook) or "", {}, set()))
    for cell, id_, new_id in zip(notebook["cells"], _ids(notebook), new_ids, strict=True):
        if is_positional(id_):
            cell["id"] = new_id


def _is_notebook(model: Any) -> bool:
    return (
        isinstance(model, dict)
        and model.get("type") == "notebook"
        and isinstance(model.get("path"), str)
        and isinstance(model.get("content"), dict)
        and is_valid(model["content"])
    )


async def restore_ids(registry: NotebookRegistry, path: str, notebook: dict[str, Any]) -> None:
    """Restore the ids in a notebook. Raises StorageError."""
    if not is_valid(notebook):
        return
    with contextlib.suppress(StorageError):  # then the histories in this root have to suffice
        await registry.copy_from_other_roots(path, own_id(notebook))
    recognised = await recognise_cells(registry, path, notebook)
    if recognised is None:
        if own_id(notebook):  # its histories may come later, as by `git pull`
            await asyncio.to_thread(replace_positional_ids, notebook)
        return
    # Without a history, a number can't be another cell's.
    if recognised.matches or (recognised.recorded and any(_ids(notebook))):
        _set_ids(notebook, await asyncio.to_thread(_new_ids, notebook, recognised))
        notebook["metadata"].setdefault(_KEY, {})  # so that the page uses no ids of other tools
    own = own_metadata(notebook)
    if recognised.matches and own.get("notebook_id") != recognised.notebook_id:
        notebook["metadata"][_KEY] = own | {"notebook_id": recognised.notebook_id}


async def recognise_cells(
    registry: NotebookRegistry, path: str, notebook: dict[str, Any]
) -> RecognisedCells | None:
    """Return which recorded cells those of a notebook are, or None. Raises StorageError."""
    if not is_valid(notebook):
        return None
    cells = await asyncio.to_thread(_read_cells, notebook)
    jupytext = notebook["metadata"].get("jupytext")
    is_pair = isinstance(jupytext, dict) and "," in str(jupytext.get("formats"))
    return await registry.recognise(
        path,
        own_id(notebook),
        cells,
        keeps_ids=path.endswith(".ipynb") and not is_pair,
        paired_paths=_paired_paths(path, notebook["metadata"]),
    )


def _paired_paths(path: str, metadata: dict[str, Any]) -> list[str]:
    """Return the paths of the files of a pair; none without jupytext."""
    try:
        formats = metadata["jupytext"]["formats"]
        from jupytext.formats import long_form_multiple_formats
        from jupytext.paired_paths import find_base_path_and_format, paired_paths

        formats = long_form_multiple_formats(formats, metadata)
        _, own_format = find_base_path_and_format(path, formats)
        return [other for other, _ in paired_paths(path, own_format, formats)]
    except Exception:  # not paired, or at another path
        return []


def _new_ids(notebook: dict[str, Any], recognised: RecognisedCells) -> list[str]:
    taken = set(recognised.recorded) | {match.id for match in recognised.matches.values()}
    new_ids: list[str] = []
    for index, (cell_id, cell) in enumerate(zip(_ids(notebook), notebook["cells"], strict=True)):
        match = recognised.matches.get(index)
        id_ = match.id if match else cell_id
        if match is None:
            count = 0
            # A name still means this cell after its content has changed.
            is_named = cell_id and not is_positional(cell_id)
            source = ""
            while not id_ or id_ in taken or is_positional(id_):
                count += 1
                source = source or ("" if is_named else _recorded_source(cell))
                name = f"{recognised.notebook_id}\n{cell_id}\n{source}\n{count}"
                name = name.encode("utf-8", "backslashreplace").decode()
                id_ = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
            taken.add(id_)
        new_ids.append(id_)
    return new_ids


def _set_ids(notebook: dict[str, Any], ids: Sequence[str]) -> None:
    for cell, id_ in zip(notebook["cells"], ids, strict=True):
        cell["id"] = id_
    notebook["nbformat_minor"] = max(5, _minor_version(notebook))


def _read_cells(notebook: dict[str, Any]) -> list[FileCell]:
    sources = map(_recorded_source, notebook["cells"])
    return list(map(FileCell, _ids(notebook), sources))


def _recorded_source(cell: Mapping[str, Any]) -> str:
    """Return a cell's source as it would be recorded, without secrets.

    A source that is too long to be recorded matches none, and redacting it takes seconds.
    """
    source = cell_source(cell)
    return normalized(redact(source) if len(source) <= MAX_SOURCE else source[:MAX_SOURCE])


def _ids(notebook: dict[str, Any]) -> list[str]:
    cells = notebook["cells"]
    if _minor_version(notebook) >= 5:
        return [_valid_id(cell.get("id")) for cell in cells]
    ids = [_tool_id(cell.get("metadata")) for cell in cells]
    counts = Counter(ids)
    return [id_ if counts[id_] == 1 else "" for id_ in ids]


def _tool_id(metadata: Any) -> str:
    """Return the id of Colab, Databricks or Kaggle, as ``src/cells/cellIds.ts`` does."""
    metadata = metadata if isinstance(metadata, dict) else {}
    databricks = metadata.get("application/vnd.databricks.v1+cell")
    nuid = databricks.get("nuid") if isinstance(databricks, dict) else None
    ids = (metadata.get("id"), nuid, metadata.get("_cell_guid"))
    return next(filter(None, map(_valid_id, ids)), "")


def _valid_id(value: object) -> str:
    return value if isinstance(value, str) and is_id(value) else ""


def cell_source(cell: Mapping[str, Any]) -> str:
    """Return a cell's source, which is a text or a list of lines."""
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _minor_version(notebook: dict[str, Any]) -> int:
    minor = notebook.get("nbformat_minor")
    return minor if isinstance(minor, int) else 0


def own_metadata(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return AI Server's metadata in a notebook."""
    metadata = notebook.get("metadata")
    own = metadata.get(_KEY) if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) else {}


def own_id(notebook: Mapping[str, Any]) -> str | None:
    """Return the id in a notebook."""
    return _valid_id(own_metadata(notebook).get("notebook_id")) or None


def is_valid(notebook: dict[str, Any]) -> bool:
    """Return whether a notebook has the format 4 with a list of cells."""
    cells = notebook.get("cells")
    return (
        notebook.get("nbformat") == 4
        and isinstance(notebook.get("metadata"), dict)
        and isinstance(cells, list)
        and all(isinstance(cell, dict) for cell in cells)
    )
