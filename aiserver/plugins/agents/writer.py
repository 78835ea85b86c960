"""Read and change notebooks where they are: in the page that has them open, or else in the file.

Invariants: there is one writer. If a page has the notebook open, only the page changes it, and
records what was changed; a page that doesn't answer is an error. Only if none has it open, the file
is changed, and the server records the change. In both cases a cell is changed only if its source is
the one that the agent saw.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from ... import durable
from ...errors import NotFound, UserText
from ...models import Contributor, NewEvent, SessionKey, is_id, utc_now
from ...notebooks.change_log import Batch, CellChange, ChangeRecorder
from ...notebooks.identity import NotebookRegistry
from ...notebooks.restored_ids import cell_source, is_valid, own_id, own_metadata, restore_ids
from .operations import (
    Delete,
    Edit,
    Insert,
    Locked,
    Move,
    NotChanged,
    Operation,
    Stale,
    apply_operations,
    cells_that_stay,
)
from .pages import Pages
from .protocol import Agent


@dataclass(frozen=True)
class Notebook:
    """A notebook as it is now. ``cells`` are those of nbformat, with ids.

    ``notebook_id`` is empty if it has none: nothing of it is recorded.
    """

    path: str
    notebook_id: str
    cells: list[dict[str, Any]]
    is_open: bool
    language: str = "python"
    model: dict[str, Any] | None = field(default=None, compare=False, repr=False)
    """The model of the file in the contents API, if the notebook was just read."""

    def find(self, cell_id: str) -> dict[str, Any]:
        """Return a cell. Raises NotFound."""
        for cell in self.cells:
            if cell["id"] == cell_id:
                return cell
        raise NotFound(UserText("There is no such cell in this notebook."))

    @property
    def ids(self) -> list[str]:
        """The ids of the cells, in order."""
        return [str(cell["id"]) for cell in self.cells]


@dataclass(frozen=True)
class Author:
    """The author of a change. ``data`` has the intent, the tool and the call."""

    agent: Agent | None
    """None for a person."""
    run: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    structure: Literal["split", "merge"] | None = None
    """Set if the operations together split or merge cells (see ``parts_of``)."""

    @property
    def contributor(self) -> Contributor:
        """The contributor of the events."""
        if self.agent is None:
            return Contributor(kind="person")
        more = {"version": self.agent.version} if self.agent.version else {}
        return Contributor(kind="agent", name=self.agent.name, **more)

    def to_wire(self) -> dict[str, Any]:
        """Return the author as the page gets it."""
        more = {"run": self.run, "structure": self.structure}
        more = {key: value for key, value in more.items() if value}
        return {"contributor": self.contributor.to_dict(), "data": dict(self.data), **more}


_REASONS = {
    "read_only": "The notebook or the cell is read-only, so nothing was changed.",
    "gone": "The notebook has just been closed. Nothing was changed; try again.",
}
_UNREADABLE = UserText("There is no such notebook, or it can’t be read.")
_BUSY = "The page can’t record changes of the notebook now, so nothing was changed. Try again."


class Contents(Protocol):
    """The files of notebooks."""

    def name(self, path: str) -> str | None:
        """Return the only path of a notebook; None if a path is odd."""

    def lock(self, path: str) -> asyncio.Lock:
        """Return the lock that must be held while a notebook is read and written."""

    async def read(self, path: str) -> dict[str, Any]:
        """Return the model of a notebook, with its content. Raises NotFound."""

    async def read_locked(self, path: str, earlier: dict[str, Any] | None = None) -> dict[str, Any]:
        """Do the same as ``read``, while the lock is held; ``earlier`` is an earlier reading."""

    async def write(self, path: str, content: dict[str, Any]) -> None:
        """Write a notebook. Raises StorageError."""


class NotebookWriter:
    """Reads and changes notebooks."""

    def __init__(
        self,
        contents: Contents,
        pages: Pages,
        notebooks: NotebookRegistry,
        changes: ChangeRecorder,
        owner: str,
    ) -> None:
        self._contents, self._pages, self._notebooks = contents, pages, notebooks
        self._changes, self._owner = changes, owner

    async def read(self, path: str) -> Notebook:
        """Return a notebook as it is now. Raises NotFound, NoAnswer, StorageError."""
        path = self.name(path)
        model = await self._contents.read(path)
        answer = await self._pages.ask(path, {"type": "read"})
        return replace(await self._notebook(path, model["content"], answer), model=model)

    async def _notebook(
        self, path: str, content: Mapping[str, Any], answer: Mapping[str, Any] | None
    ) -> Notebook:
        """Return a notebook of a file, with the cells of the page that has it open, if any."""
        cells = _valid_cells(answer["cells"] if answer else content.get("cells"))
        metadata = _dict(content.get("metadata"))
        notebook_id = (answer or {}).get("notebookId")
        if not isinstance(notebook_id, str) or not is_id(notebook_id):
            notebook_id = own_id(content)
        ids = [cell["id"] for cell in cells]
        notebook_id = notebook_id or await self._notebooks.find_id(path, ids) or ""
        language = _dict(metadata.get("kernelspec")).get("language")
        language = language or _dict(metadata.get("language_info")).get("name") or "python"
        return Notebook(path, notebook_id, cells, answer is not None, str(language))

    async def versions(self, path: str, before: bytes, after: bytes) -> tuple[Notebook, Notebook]:
        """Return the notebook in a file before and after a write. Raises NotFound, StorageError.

        The file may have been created: ``before`` is empty then.
        """
        path = self.name(path)
        before = before or b'{"nbformat": 4, "metadata": {}, "cells": []}'
        old, new = [await asyncio.to_thread(_content, data) for data in (before, after)]
        pairs = await asyncio.to_thread(cells_that_stay, old["cells"], new["cells"])
        await restore_ids(self._notebooks, path, old)
        await restore_ids(self._notebooks, path, new)
        first, second = [await self._notebook(path, content, None) for content in (old, new)]
        if second.notebook_id in ("", first.notebook_id) or not first.notebook_id:
            # What was recorded may say nothing about one of the two: for example, if the notebook
            # is unknown, or contains little text.
            _share_ids(first.cells, second.cells, pairs)
        return first, replace(second, notebook_id=second.notebook_id or first.notebook_id)

    def name(self, path: str) -> str:
        """Return the only path of a notebook. Raises NotFound."""
        name = self._contents.name(path)
        if name is None:
            raise NotFound(UserText("There is no such notebook."))
        return name

    async def identify(self, notebook: Notebook) -> Notebook:
        """Return the notebook with its id, which it gets if it has none. Raises StorageError."""
        id_ = notebook.notebook_id or None
        identity = await self._notebooks.identify(notebook.path, id_, notebook.ids)
        return replace(notebook, notebook_id=identity.notebook_id)

    async def apply(
        self, notebook: Notebook, operations: Sequence[Operation], author: Author
    ) -> Notebook:
        """Apply operations, all or none, and return the notebook as it is afterwards.

        Raises Stale, NotChanged, NoAnswer, NotFound, StorageError.
        """
        message = {
            "type": "apply",
            "operations": [operation.model_dump() for operation in operations],
            "author": author.to_wire(),
        }
        answer = await self._pages.ask(notebook.path, message)
        if answer is None:
            return await self._write(notebook, operations, author)
        if answer.get("type") == "refused":
            if answer.get("code") == "stale":
                raise Stale({cell["id"]: cell.get("source") for cell in answer.get("cells", ())})
            raise NotChanged(_REASONS.get(str(answer.get("code")), _BUSY))
        return await self.read(notebook.path)

    async def prepare(self, notebook: Notebook) -> None:
        """Save the id of a notebook that no page has open, and record all its cells as they are.

        A page does the same before the first request: so the ids of the cells stay, whatever other
        programs do. Raises NotFound, StorageError.
        """
        async with self._contents.lock(notebook.path):
            model = await self._contents.read_locked(notebook.path)
            content = model["content"]
            if own_id(content) != notebook.notebook_id and model.get("writable") is not False:
                await self._save(notebook, content, _valid_cells(content.get("cells")))
        await self.record_all(notebook, notebook.cells)

    async def record_all(self, notebook: Notebook, cells: Sequence[Mapping[str, Any]]) -> None:
        """Record what all these cells of a notebook contain. Raises StorageError."""
        now = utc_now()
        changes = [
            CellChange(self._key(notebook, cell["id"]), [_first_event(cell, now)]) for cell in cells
        ]
        batch = Batch(uuid.uuid4().hex, now, changes, _order(cells))
        await self._changes.record(notebook.notebook_id, batch)

    async def _write(
        self, notebook: Notebook, operations: Sequence[Operation], author: Author
    ) -> Notebook:
        async with self._contents.lock(notebook.path):
            model = await self._contents.read_locked(notebook.path, notebook.model)
            content = model["content"]
            if model.get("writable") is False:
                raise NotChanged(_REASONS["read_only"])
            before = _valid_cells(content.get("cells"))
            cells = [dict(cell) for cell in before]
            try:
                apply_operations(cells, operations)
            except Locked as error:
                raise NotChanged(_REASONS["read_only"]) from error
            await self._save(notebook, content, cells)
            await self.record(notebook, before, operations, author, cells)
        return Notebook(notebook.path, notebook.notebook_id, cells, False, notebook.language)

    async def _save(
        self, notebook: Notebook, content: dict[str, Any], cells: list[dict[str, Any]]
    ) -> None:
        """Write a notebook with these cells and its id. Raises StorageError."""
        content["cells"] = cells
        minor = content.get("nbformat_minor")
        content["nbformat_minor"] = max(5, minor if isinstance(minor, int) else 5)
        own = own_metadata(content) | {"notebook_id": notebook.notebook_id}
        # A NotebookNode copies what is put into it.
        content["metadata"] = _dict(content.get("metadata")) | {"aiserver": own}
        await self._contents.write(notebook.path, content)

    async def record(
        self,
        notebook: Notebook,
        before: Sequence[Mapping[str, Any]],
        operations: Sequence[Operation],
        author: Author,
        cells: Sequence[Mapping[str, Any]],
    ) -> None:
        """Record what was changed in the file, after what each cell contained before.

        ``before`` and ``cells`` are the notebook's cells before and after. Raises StorageError.
        """
        now = utc_now()
        old = {cell["id"]: cell for cell in before}
        events: dict[str, list[NewEvent]] = {}
        ids = [operation.cell for operation in operations]
        keys = [self._key(notebook, cell_id) for cell_id in ids]
        for operation in operations:
            own = events.setdefault(operation.cell, [])
            if not own and operation.cell in old and not isinstance(operation, Move):
                own.append(_first_event(old[operation.cell], now))
            if (event := _event(operation, author, now, ids)) is not None:
                own.append(event)
        changes = [CellChange(self._key(notebook, id_), own) for id_, own in events.items()]
        if author.structure == "split":  # the last one is the cell
            changes = [*(replace(cell, fork_of=keys[-1]) for cell in changes[:-1]), changes[-1]]
        elif author.structure == "merge":  # the first one is the new cell
            changes[0] = replace(changes[0], parents=keys[1:])
        batch = Batch(uuid.uuid4().hex, now, changes, _order(cells), saved=True)
        await self._changes.record(notebook.notebook_id, batch)

    def _key(self, notebook: Notebook, cell_id: str) -> SessionKey:
        return SessionKey(notebook.notebook_id, str(cell_id), self._owner)


def _first_event(cell: Mapping[str, Any], now: str) -> NewEvent:
    """Return the event that records what a cell contains."""
    data = {"trigger": "first"}
    return NewEvent(type="edit", timestamp=now, source=cell_source(cell), data=data)


def _order(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(str(cell["id"]), str(cell["cell_type"])) for cell in cells]


def _event(operation: Operation, author: Author, now: str, ids: Sequence[str]) -> NewEvent | None:
    """Return the event of an operation; the order alone tells that a cell was moved.

    ``ids`` are the cells of all operations.
    """
    if isinstance(operation, Move):
        return None
    data = dict(author.data)
    if isinstance(operation, Edit | Delete):
        data["base"] = operation.base
    fields: dict[str, Any] = {
        "timestamp": now,
        "contributor": author.contributor,
        "data": data,
        "id": str(uuid.uuid4()),
    }
    if author.run:
        fields["run"] = author.run
    if isinstance(operation, Insert):
        data["inserted"] = True
    if author.structure == "split":
        data |= {"pieces": list(ids), "from": ids[-1]}
    elif author.structure == "merge":
        is_new = isinstance(operation, Insert)
        data |= {"parents": list(ids[1:])} if is_new else {"into": ids[0]}
    if isinstance(operation, Delete):
        return NewEvent(type=author.structure or "delete", **fields)
    return NewEvent(type=author.structure or "edit", source=operation.source, **fields)


def read_file(file: Path) -> bytes:
    """Return the bytes of a file; none if there is no such file. Raises NotFound."""
    try:
        content = durable.read_file(file)
    except (OSError, durable.NotRegularFile) as error:
        raise NotFound(_UNREADABLE) from error
    return content[0] if content else b""


def _content(data: bytes) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotFound(_UNREADABLE) from error
    if not isinstance(content, dict) or not is_valid(content):
        raise NotFound(_UNREADABLE)
    return content


def _share_ids(
    before: Sequence[Mapping[str, Any]], after: Sequence[dict[str, Any]], pairs: Mapping[int, int]
) -> None:
    """Give the cells after a write the ids of those before it, and no other cell such an id."""
    taken = {before[index]["id"] for index in pairs.values()}
    for index, cell in enumerate(after):
        if index in pairs:
            cell["id"] = before[pairs[index]]["id"]
        elif cell["id"] in taken:
            cell["id"] = str(uuid.uuid4())


def _dict(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _valid_cells(cells: object) -> list[dict[str, Any]]:
    """Return the cells with ids. A cell without one gets the same one until it is changed."""
    valid: list[dict[str, Any]] = []
    for index, cell in enumerate(cells if isinstance(cells, list) else ()):
        if isinstance(cell, dict):
            name = f"{index}\n{cell_source(cell)}".encode("utf-8", "backslashreplace").decode()
            id_ = cell.get("id") or uuid.uuid5(uuid.NAMESPACE_URL, name)
            type_ = cell.get("cell_type")
            type_or_raw = type_ if type_ in ("code", "markdown", "raw") else "raw"
            valid.append({**cell, "id": str(id_), "cell_type": type_or_raw})
    return valid
