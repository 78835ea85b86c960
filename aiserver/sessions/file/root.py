"""Find the root: the folder that contains ``.aiserver_sessions``, or the root of a memory.

Invariants: histories stay visible if Jupyter is started in another folder of the project. The
search for a root goes upwards, but only within the home folder, the git repository or the server's
root directory. In a folder above these, such as ``/tmp``, another user may have put histories.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ...errors import SettingError

FOLDER = ".aiserver_sessions"


def path_from_url(url: str) -> Path:
    """Return the folder of a ``file:`` URL. Raises SettingError for any other URL."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not parts.path:
        raise SettingError(f"“{url}” is not a local folder. Use file:///path/to/folder.")
    return Path(url2pathname(parts.path)).expanduser()


def find_root(start: Path) -> Path:
    """Return the nearest folder, from ``start`` upwards, that contains ``.aiserver_sessions``.

    The search ends at the top of the git repository or at the home folder, whichever comes first.
    If ``start`` is neither in a repository nor in the home folder, only ``start`` itself is
    searched. If no folder is found, return ``start``.
    """
    return find_folder(start, FOLDER) or start.absolute()


def find_folder(start: Path, name: str) -> Path | None:
    """Return the nearest folder that contains the folder ``name``, or None.

    The search is that of ``find_root``.
    """
    start = start.absolute()
    folders = _folders_up_to_project(start) or [start]
    return next((folder for folder in folders if _has_folder(folder, name)), None)


def find_other_roots(folder: Path, root: Path, served: Path) -> list[Path]:
    """Return all roots except ``root`` that may contain sessions of a notebook, nearest first.

    ``folder`` is the notebook's folder, and ``root`` is the root that this server uses. A server
    that was started in another folder may have stored the notebook's sessions in another root. The
    search goes from the notebook's folder upwards:

    - up to the home folder, if the notebook is inside it;
    - otherwise up to the top of the git repository, if the notebook is in a repository;
    - otherwise up to ``served``, the root directory of the Jupyter server. If the notebook isn't in
      this directory, only the notebook's own folder is searched.
    """
    folder, home = folder.absolute(), _home()
    if home is not None and folder.is_relative_to(home):
        folders = _folders_up_to(folder, home)
    else:
        folders = _folders_up_to_project(folder) or _folders_up_to(folder, served) or [folder]
    return [
        candidate
        for candidate in folders
        if _has_folder(candidate, FOLDER) and candidate.resolve() != root.resolve()
    ]


def _folders_up_to_project(start: Path) -> list[Path]:
    """Return the folders from ``start`` up to the top of its git repository or the home folder.

    Return an empty list if ``start`` is neither in a repository nor in the home folder.
    """
    home = _home()
    folders: list[Path] = []
    for folder in (start, *start.parents):
        folders.append(folder)
        if folder == home or (folder / ".git").exists():
            return folders
    return []


def _folders_up_to(start: Path, top: Path) -> list[Path]:
    """Return the folders from ``start`` up to ``top``; none if ``start`` isn't below ``top``."""
    return [folder for folder in (start, *start.parents) if folder.is_relative_to(top)]


def _has_folder(folder: Path, name: str) -> bool:
    path = folder / name
    try:
        return path.is_dir() and not path.is_symlink()
    except OSError:  # this process may not read the folder
        return False


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # an account without a home folder, as in some containers
        return None
