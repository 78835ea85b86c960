"""``notebooks``: which id the notebook at a path must carry."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.filemanager import FileContentsManager
from tornado import web

from ..notebooks.identity import NotebookRegistry
from ..notebooks.other_roots import Elsewhere, name_under
from ..requests import NotebookBody
from ..sessions.base import SessionManager
from ..sessions.file.manager import FileSessionManager
from .base import AIServerHandler, guarded


class NotebooksHandler(AIServerHandler):
    """Knows notebooks by id, path and cells."""

    @guarded("write")
    async def post(self) -> None:
        """Answer with the id, and with the one it was copied from."""
        body = self.body(NotebookBody)
        found = await self.notebooks.identify(body.path, body.notebook_id, body.cell_ids)
        answer = {"notebookId": found.notebook_id}
        if found.forked_from:
            answer["forkedFrom"] = found.forked_from
        await self.finish(json.dumps(answer))


def notebook_registry(
    store: SessionManager, contents_manager: Any, log: logging.Logger, owner: str
) -> NotebookRegistry:
    """The registry of a server's notebooks, which finds their histories in other folders, too."""
    if not isinstance(store, FileSessionManager):
        return NotebookRegistry(store, Contents(contents_manager), owner=owner)
    contents = Contents(contents_manager, Path(store.root))
    served = Path(store.start_dir).absolute()
    elsewhere = Elsewhere(store, served, contents.folder, log, owner=owner)
    return NotebookRegistry(store, contents, elsewhere, owner=owner)


class Contents:
    """What the notebook registry needs to know of the server's files.

    A notebook's name is its path under ``root``, the folder that the sessions are kept in; of a
    store that is in no folder, or of notebooks that are no files, it is the path itself.
    """

    def __init__(self, manager: Any, root: Path | None = None) -> None:
        self._manager = manager
        is_files = isinstance(manager, FileContentsManager)
        self._served = Path(manager.root_dir).absolute() if is_files else None
        self._root = root.absolute() if root else None

    def name(self, path: str) -> str:
        """What the logs call the notebook at a path."""
        if self._served is None or self._root is None:
            return path
        return name_under(self._root, self._served / path)

    def folder(self, path: str) -> Path | None:
        """The folder of the notebook at a path, if it is a file."""
        if self._served is None or ".." in Path(path).parts:
            return None
        return (self._served / path).parent

    async def exists(self, name: str) -> bool:
        """Whether there is a notebook of that name. One that can't be looked at counts as none."""
        path = self.path(name)
        try:
            if path is None:
                return self._may_look(name) and await asyncio.to_thread(self._file(name).is_file)
            return bool(await ensure_async(self._manager.file_exists(path)))
        except (web.HTTPError, OSError, ValueError):
            return False

    async def notebook_id(self, name: str) -> str | None:
        """The id that it carries on disk, or None."""
        path = self.path(name)
        try:
            if self._served is not None and self._may_look(name):
                metadata = await asyncio.to_thread(_metadata, self._file(name))
            elif path is None:
                return None
            else:  # no file, or of a form that only Jupyter's extensions know
                model = await ensure_async(self._manager.get(path, content=True, type="notebook"))
                metadata = model["content"]["metadata"]
            found = metadata["aiserver"]["notebook_id"]
        except (web.HTTPError, OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return found if isinstance(found, str) else None

    async def is_same(self, name: str, other: str) -> bool:
        """Whether two names lead to one file."""
        if self._served is None or not (self._may_look(name) and self._may_look(other)):
            return False
        try:
            return await asyncio.to_thread(self._file(name).samefile, self._file(other))
        except (OSError, ValueError):
            return False

    def _file(self, name: str) -> Path:
        return (self._root or self._served or Path()) / name

    def path(self, name: str) -> str | None:
        """The path that the server knows it under; None if it is outside of what is served."""
        if self._served is None or self._root is None:
            return name
        try:
            return self._file(name).relative_to(self._served).as_posix()
        except ValueError:
            return None

    def _may_look(self, name: str) -> bool:
        # A log may come from another person, with a cloned repository.
        return name.endswith(".ipynb") and ".." not in Path(name).parts


def _metadata(file: Path) -> Any:
    return json.loads(file.read_bytes())["metadata"]
