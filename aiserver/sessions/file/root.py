"""Where the histories lie: which folder holds ``.aiserver_sessions``.

What must hold: starting Jupyter in another folder never hides a history, and nobody outside the
project or the home folder (say, in ``/tmp``) can plant one above us.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ...errors import SettingError

FOLDER = ".aiserver_sessions"


def path_from_url(url: str) -> Path:
    """The folder that a ``file:`` address names. Raises SettingError for another address."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not parts.path:
        raise SettingError(f"“{url}” is not a local folder. Use file:///path/to/folder.")
    return Path(url2pathname(parts.path)).expanduser()


def find_root(start: Path, home: Path | None = None) -> Path:
    """The nearest folder with ``.aiserver_sessions`` at or above ``start``, else ``start``.

    Looks up to the top of the git repository or to the home folder, whichever is nearer; where
    neither is above ``start``, only into ``start`` itself.
    """
    start = start.absolute()
    folders = _climb(start, home) or [start]
    return next((folder for folder in folders if _holds_sessions(folder)), start)


def find_other_roots(
    folder: Path, root: Path, served: Path, home: Path | None = None
) -> list[Path]:
    """The folders other than ``root`` that may hold sessions of a notebook in ``folder``.

    A server that was started in any of them kept its sessions there: those from the notebook's
    own folder up to the home folder, the nearest first. Outside of it up to the git top, else as
    far up as what is ``served``.
    """
    folder = folder.absolute()
    home = _home() if home is None else home
    if home is not None and folder.is_relative_to(home):
        climbed = _up_to(folder, home)
    else:
        climbed = _climb(folder, home) or _up_to(folder, served) or [folder]
    return [one for one in climbed if _holds_sessions(one) and one.resolve() != root.resolve()]


def _climb(start: Path, home: Path | None) -> list[Path]:
    """From ``start`` up to the git top or the home folder; empty if neither is above."""
    home = _home() if home is None else home
    climbed: list[Path] = []
    for folder in (start, *start.parents):
        climbed.append(folder)
        if folder == home or (folder / ".git").exists():
            return climbed
    return []


def _up_to(start: Path, top: Path) -> list[Path]:
    return [folder for folder in (start, *start.parents) if folder.is_relative_to(top)]


def _holds_sessions(folder: Path) -> bool:
    sessions = folder / FOLDER
    try:
        return sessions.is_dir() and not sessions.is_symlink()
    except OSError:  # a folder that we may not look into
        return False


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # an account without a home, as in some containers
        return None
