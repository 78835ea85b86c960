"""Where the histories lie: which folder holds ``.aiserver_sessions``.

What must hold: starting Jupyter in a folder below never hides a history, and nobody outside the
project or the home folder (say, in ``/tmp``) can plant one above us.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = ".aiserver_sessions"


def find_root(start: Path, home: Path | None = None) -> Path:
    """The nearest folder with ``.aiserver_sessions`` at or above ``start``, else ``start``.

    Looks up to the top of the git repository or to the home folder, whichever is nearer; where
    neither is above ``start``, only into ``start`` itself.
    """
    start = start.absolute()
    home = _home() if home is None else home
    climbed: list[Path] = []
    for folder in (start, *start.parents):
        climbed.append(folder)
        if folder == home or (folder / ".git").exists():
            break
    else:
        climbed = [start]
    for folder in climbed:
        sessions = folder / FOLDER
        if sessions.is_dir() and not sessions.is_symlink():
            return folder
    return start


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # an account without a home, as in some containers
        return None
