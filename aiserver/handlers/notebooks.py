"""``notebooks``: assign an id to the notebook at a path, or find the id that it has."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
import json
import logging
from pathlib import Path
from typing import Annotated, Any
from weakref import WeakValueDictionary

from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.filemanager import FileContentsManager
from pydantic import Field
from tornado import web

from .. import durable
from ..errors import NotFound, StorageError, UserText
from ..models import Id
from ..notebooks.identity import TEXT_SUFFIXES, NotebookIdentity, NotebookRegistry
from ..notebooks.other_roots import OtherRoots, name_under
from ..requests import MAX_CELLS, Body
from ..sessions.base import SessionManager
from ..sessions.file.directory import home_folder
from ..sessions.file.manager import FileSessionManager
from .base import AIServerHandler, guarded


class NotebookBody(Body):
    """A notebook's path, its id (if it has one) and its cells."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    notebook_id: Id | None = None
    cell_ids: Annotated[list[Id], Field(max_length=MAX_CELLS)]


class NotebooksHandler(AIServerHandler):
    """Finds or assigns the id of a notebook, by its path, cells, and the id in it."""

    @guarded("write")
    async def post(self) -> NotebookIdentity:
        """Answer with the notebook's id and, if it is a copy, the id of the original notebook."""
        body = self.body(NotebookBody)
        return await self.services.notebooks.identify(body.path, body.notebook_id, body.cell_ids)


def notebook_registry(
    store: SessionManager, contents_manager: Any, log: logging.Logger, owner: str
) -> NotebookRegistry:
    """Create the registry; with the file store, it also copies histories from other roots."""
    if not isinstance(store, FileSessionManager):
        return NotebookRegistry(store, Contents(contents_manager), owner=owner)
    contents = Contents(contents_manager, Path(store.root))
    served_folder = Path(store.start_dir).absolute()
    other_roots = OtherRoots(store, served_folder, contents.folder, log, owner=owner)
    return NotebookRegistry(store, contents, other_roots, owner=owner)


def served_folder(contents_manager: Any) -> Path | None:
    """Return the folder that Jupyter serves; None if notebooks aren't files."""
    has_files = isinstance(contents_manager, FileContentsManager)
    return Path(contents_manager.root_dir).absolute() if has_files else None


async def read_notebook(contents_manager: Any, path: str) -> dict[str, Any] | None:
    """Return the model of a notebook in the contents API; None if it can't be read."""
    try:
        model = await ensure_async(contents_manager.get(path, content=True, type="notebook"))
        return dict(model) if isinstance(model["content"], dict) else None
    except (web.HTTPError, OSError, ValueError, KeyError, TypeError):
        return None


def is_open_together(server: Any, path: str) -> bool:
    """Return whether people have a notebook open together, by jupyter-collaboration."""
    if not server.extension_manager.linked_extensions.get("jupyter_server_ydoc", False):
        return False
    try:
        file_id = server.web_app.settings["file_id_manager"].get_id(path)
        apps = server.extension_manager.extension_apps["jupyter_server_ydoc"]
        rooms = [app.ywebsocket_server.rooms.get(f"json:notebook:{file_id}") for app in apps]
        return any(room.ready for room in rooms if room is not None)
    except Exception:  # another version
        return True


class NotebookContents:
    """Reads and writes notebooks by Jupyter's contents manager.

    While a notebook is read or written, others can't save it, unless the contents manager isn't
    asynchronous: Jupyter takes a file that is being written for a damaged one, and replaces it by
    an older version.
    """

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._root = served_folder(manager)
        self._locks = WeakValueDictionary[str, asyncio.Lock]()
        self._save = manager.save
        if inspect.iscoroutinefunction(manager.save):

            @functools.wraps(manager.save)
            async def save(model: Any, path: str = "") -> Any:
                async with self.lock(path):
                    return await self._save(model, path)

            manager.save = save

    def lock(self, path: str) -> asyncio.Lock:
        """Return the lock that must be held while a notebook is read and written."""
        return self._locks.setdefault(self.name(path) or path, asyncio.Lock())

    def name(self, path: str) -> str | None:
        """Return the only path of a notebook, whatever links lead to it; None for an odd one."""
        path = path.strip("/")
        if any(part in ("", ".", "..") for part in path.split("/")) or "\0" in path:
            return None
        if self._root is None:
            return path
        root = self._root.resolve()
        try:
            return (root / path).resolve().relative_to(root).as_posix()
        except (OSError, ValueError, RuntimeError):
            return path

    async def read(self, path: str) -> dict[str, Any]:
        """Return the model of a notebook, with its content. Raises NotFound."""
        async with self.lock(path):
            return await self.read_locked(path)

    async def read_locked(self, path: str, earlier: dict[str, Any] | None = None) -> dict[str, Any]:
        """Do the same as ``read``, while the lock is held.

        ``earlier`` is the model of an earlier reading, which is returned if the file is still the
        same: reading takes longer than writing.
        """
        digest = await asyncio.to_thread(self._digest, path)
        if earlier is not None and digest is not None and earlier["digest"] == digest:
            return earlier
        model = await read_notebook(self._manager, path)
        if model is None or model.get("size") == 0:  # its cells are only in the history
            raise NotFound(UserText("There is no such notebook, or it can’t be read."))
        return model | {"digest": digest}

    def _digest(self, path: str) -> bytes | None:
        """Return the SHA-256 of a notebook's file; None if it isn't one, or can't be read."""
        try:
            file = self._root and durable.read_file(self._root / path.strip("/"))
        except (OSError, ValueError, durable.NotRegularFile):
            return None
        return hashlib.sha256(file[0]).digest() if file else None

    async def write(self, path: str, content: dict[str, Any]) -> None:
        """Write a notebook, whose lock is held. Raises StorageError."""
        model = {"type": "notebook", "format": "json", "content": content}
        try:
            await ensure_async(self._save(model, path))
        except (web.HTTPError, OSError) as error:
            raise StorageError from error


class Contents:
    """Gives the notebook registry access to Jupyter's contents manager.

    The name of a notebook is the path of its file. If the file is inside ``root``, the root of the
    session store, the path is relative to ``root``, otherwise absolute. If the store has no root,
    such as a database, the home folder is used instead: it may serve several folders, and a hub's
    nodes have the same one. If notebooks aren't files, the name is the path in the contents API.
    """

    def __init__(self, manager: Any, root: Path | None = None) -> None:
        self._manager = manager
        self._served_folder = served_folder(manager)
        self._root = root.absolute() if root else None
        if root is None and self._served_folder and (home := home_folder()):
            # Resolved, because the current folder, which Jupyter serves, is without links.
            self._served_folder, self._root = self._served_folder.resolve(), home.resolve()

    def name(self, path: str) -> str:
        """Return the name of the notebook at a path of the contents API."""
        if self._served_folder is None or self._root is None:
            return path
        return name_under(self._root, self._served_folder / path)

    def folder(self, path: str) -> Path | None:
        """Return the folder of a notebook; None if it isn't a file, or its path contains ``..``."""
        if self._served_folder is None or ".." in Path(path).parts:
            return None
        return (self._served_folder / path).parent

    async def exists(self, name: str) -> bool:
        """Return whether the notebook exists; False if that can't be checked."""
        path = self.path(name)
        try:
            if path is None:
                suffixes = (".ipynb", *TEXT_SUFFIXES)
                is_safe = self._is_safe(name, suffixes)
                return is_safe and await asyncio.to_thread(self._file(name).is_file)
            return bool(await ensure_async(self._manager.file_exists(path)))
        except (web.HTTPError, OSError, ValueError):
            return False

    async def notebook_id(self, name: str) -> str | None:
        """Return the id in the notebook's metadata; None if it has none or can't be read."""
        path = self.path(name)
        try:
            if self._served_folder is not None and self._is_safe(name):
                metadata = await asyncio.to_thread(_metadata, self._file(name))
            elif path is None:
                return None
            else:  # notebooks aren't files, or it isn't safe to open a file of this name
                # As it is in the file: without the ids that ``restored_ids`` adds.
                read = getattr(self._manager.get, "__wrapped__", self._manager.get)
                model = await ensure_async(read(path, content=True, type="notebook"))
                metadata = model["content"]["metadata"]
            notebook_id = metadata["aiserver"]["notebook_id"]
        except (web.HTTPError, OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return notebook_id if isinstance(notebook_id, str) else None

    async def is_same(self, name: str, other: str) -> bool:
        """Return whether two names refer to the same file; False if that can't be checked."""
        if self._served_folder is None or not (self._is_safe(name) and self._is_safe(other)):
            return False
        try:
            return await asyncio.to_thread(self._file(name).samefile, self._file(other))
        except (OSError, ValueError):
            return False

    def _file(self, name: str) -> Path:
        return (self._root or self._served_folder or Path()) / name

    def path(self, name: str) -> str | None:
        """Return a notebook's path in the contents API; None if it is outside the served folder."""
        if self._served_folder is None or self._root is None:
            return name
        try:
            return self._file(name).relative_to(self._served_folder).as_posix()
        except ValueError:
            return None

    def _is_safe(self, name: str, suffixes: tuple[str, ...] = (".ipynb",)) -> bool:
        # The name can't be trusted: it comes from a log, which another person may have written and
        # put into a repository.
        return name.endswith(suffixes) and ".." not in Path(name).parts


def _metadata(file: Path) -> Any:
    if not file.is_file():  # a named pipe would block
        raise FileNotFoundError
    return json.loads(file.read_bytes())["metadata"]
