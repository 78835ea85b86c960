"""Find the session that a request belongs to.

- In a notebook of a Jupyter server, it is the cell's session. The server's list of kernels has the
  notebook's path, its file the id, and the execute request the cell's id. If the file has no id
  yet, the server assigns one by the ids of the cells, which the page gets, too.
- Elsewhere, such as in papermill, a script or a terminal, the IPython process has one session,
  whose cell id is random. The notebook id is derived from the path of the script, or else of the
  working folder, so that its sessions are found together.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...running_servers.client import Server, ServerError
from ...running_servers.discovery import configured_server, hub_server, running_servers

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KERNEL_FILE = re.compile(r"kernel-(.+)\.json")
_FILE = "ipython.ipynb"  # there is no such file: only its folder matters, for data files
_PROCESS_CELL_ID = f"session-{uuid.uuid4().hex}"
_ids_by_file: dict[tuple[str, str, object], str] = {}
"""The ids of notebooks that were found, by the server's URL, the path and the file's last change.

Another version of the file, for example after a checkout in git, may be another notebook."""


@dataclass(frozen=True)
class CellSession:
    """A request's session and server; None if no server runs."""

    server: Server | None
    notebook_id: str
    cell_id: str
    path: str | None
    """The path of the notebook in the contents API. Data files are searched in its folder."""
    source: str = ""
    is_cell: bool = False
    """Whether this is the session of a notebook's cell, with the source ``source``."""


def current_session(shell: Any) -> CellSession:
    """Return the session for a request in the running cell. Raises ServerError."""
    kernel_file = _kernel_file(shell)
    server = _find_server(kernel_file)
    request = _execute_request(shell)
    cell_id = str((request.get("metadata") or {}).get("cellId") or "")
    match = _KERNEL_FILE.fullmatch(kernel_file.name) if kernel_file else None
    if server is not None and match and _is_id(cell_id):
        path = _notebook_path(server, match[1])
        if path is not None:
            source = str((request.get("content") or {}).get("code") or "")
            notebook_id = _notebook_id(server, path, cell_id)
            return CellSession(server, notebook_id, cell_id, path, source, is_cell=True)
    return _process_session(shell, server)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _execute_request(shell: Any) -> dict[str, Any]:
    get_parent = getattr(shell, "get_parent", None)
    message = get_parent() if get_parent else getattr(shell, "parent_header", None)
    return message if isinstance(message, dict) else {}


def _kernel_file(shell: Any) -> Path | None:
    app = getattr(getattr(shell, "kernel", None), "parent", None)
    file = getattr(app, "abs_connection_file", None)
    return Path(file) if isinstance(file, str) and file else None


def _find_server(kernel_file: Path | None) -> Server | None:
    """Return the kernel's server, or one that serves the working folder."""
    if server := configured_server() or hub_server():
        return server
    # Connection files are next to their server's runtime file.
    servers = running_servers(*([kernel_file.parent] if kernel_file else []))
    parents = {os.environ.get("JPY_PARENT_PID"), str(os.getppid())}
    for server in servers:
        if str(server.pid) in parents:
            return server
    folder = Path.cwd()
    serving = [server for server in servers if _serves(server, folder)]
    return max(serving, key=lambda server: len(server.root_dir), default=None)


def _serves(server: Server, folder: Path) -> bool:
    return bool(server.root_dir) and folder.is_relative_to(Path(server.root_dir).resolve())


def _notebook_path(server: Server, kernel_id: str) -> str | None:
    sessions = server.get("api/sessions")
    for session in sessions if isinstance(sessions, list) else ():
        kernel = session.get("kernel") or {}
        if session.get("type") == "notebook" and kernel.get("id") == kernel_id:
            # jupyter-collaboration puts its drive before the path.
            return str(session["path"]).removeprefix("RTC:")
    return None


def _notebook_id(server: Server, path: str, cell_id: str) -> str:
    model = server.get(f"api/contents/{quote(path)}", content="0")
    key = (server.url, path, model.get("last_modified") if isinstance(model, dict) else None)
    if key not in _ids_by_file:
        _ids_by_file[key] = _register(server, path, cell_id)
    return _ids_by_file[key]


def _register(server: Server, path: str, cell_id: str) -> str:
    """Return the id that the server would give to a page."""
    model = server.get(f"api/contents/{quote(path)}", type="notebook", content="1")
    try:
        content = model["content"]
        data = content["metadata"].get("aiserver")
        ids = [cell.get("id") for cell in content["cells"]]
    except (KeyError, TypeError, AttributeError):
        raise ServerError("The notebook can’t be read.") from None
    stored_id = data.get("notebook_id") if isinstance(data, dict) else None
    notebook_id = stored_id if _is_id(stored_id) else None
    # The page may know a newer order than the file, so cells are only sent to find an id.
    cell_ids = [] if notebook_id else list(dict.fromkeys(filter(_is_id, [*ids, cell_id])))
    body = {"path": path, "notebookId": notebook_id, "cellIds": cell_ids}
    answer = server.post("aiserver/notebooks", body)
    return str(answer["notebookId"])


def _process_session(shell: Any, server: Server | None) -> CellSession:
    folder = Path.cwd()
    identity = os.fsencode(_script(shell) or folder)
    notebook_id = f"ipython-{hashlib.sha256(identity).hexdigest()[:32]}"
    path: str | None = _FILE
    if server is not None:
        root = Path(server.root_dir).resolve()
        path = (folder.relative_to(root) / _FILE).as_posix() if _serves(server, folder) else None
    return CellSession(server, notebook_id, _PROCESS_CELL_ID, path)


def _script(shell: Any) -> Path | None:
    name = shell.user_ns.get("__file__")
    return Path(name).resolve() if isinstance(name, str) and not hasattr(shell, "kernel") else None
