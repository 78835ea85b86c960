"""Check that no running Jupyter server has a notebook open before its file is written.

A page that has the notebook open may have changes that aren't saved. The server doesn't know them,
so the file is only written while no kernel of the notebook runs. A page without a kernel can't be
recognised; JupyterLab asks before it overwrites a file that was changed on disk.
"""

from __future__ import annotations

from pathlib import Path

from ...errors import SettingError
from ...running_servers.client import Server, ServerError
from ...running_servers.discovery import running_servers
from ..notebook_file import NotebookFile


def check_not_open(notebook: NotebookFile) -> None:
    """Raise SettingError if a running server of this user has the notebook open.

    A server that can't be asked, for example because it requires a password, is skipped.
    """
    for server in running_servers():
        if server.root_dir and any(_is_same(notebook, server, path) for path in _open(server)):
            raise SettingError(
                "The notebook is open in Jupyter, where it may have unsaved changes. Save it, shut "
                "down its kernel and close it, or ask in the notebook itself."
            )


def _open(server: Server) -> list[str]:
    """Return the paths of the notebooks that have a kernel."""
    try:
        sessions = server.get("api/sessions")
        return [str(session["path"]) for session in sessions if session["type"] == "notebook"]
    except (ServerError, KeyError, TypeError):
        return []


def _is_same(notebook: NotebookFile, server: Server, path: str) -> bool:
    # jupyter-collaboration puts the name of a drive before the path.
    return notebook.is_file(Path(server.root_dir) / path.removeprefix("RTC:"))
