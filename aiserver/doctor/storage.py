"""Can histories and settings be kept? Where they are, and whether writing there is safe.

It writes one small file into a temporary folder beside the sessions, makes one beside the settings,
and removes both again; nothing of a history or a key is touched or read.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from ..durable import ASIDE, access_of, has_system_locks, replace_file, translated
from ..errors import AIServerError
from ..sessions.conflicts import has_marks
from ..sessions.copies import copied_log, copied_sessions, is_copy, may_be_session
from ..sessions.disks import ALONE, NO_LOCKS, OPEN, SHARED, network_disk
from ..sessions.filenames import log_notebook_id
from ..sessions.locks import ShardLocks
from ..sessions.place import LOCKS, NOTEBOOKS
from ..sessions.root import FOLDER
from .base import Finding, note, ok, problem

_START = 4096  # bytes of a session file in which it says which cell's it is
LITTLE = 100 * 1024 * 1024  # bytes free under which a person should know


def check_storage(root: Path) -> list[Finding]:
    """The folder that holds, or will hold, ``.aiserver_sessions``."""
    place = root / FOLDER
    if not root.is_dir():
        what = "is no folder" if root.exists() else "is not there"
        return [problem(f"The folder for the histories {what}: {root}", _named(root))]
    return [
        _where(place),
        *_copies(place),
        *_conflicts(place),
        *_rights(place),
        _writes(root),
        _room(root),
        *_network(root),
        *_locks(root),
    ]


def check_settings(folder: Path) -> list[Finding]:
    """The folder of the person's choices and keys, which is made when it is first needed."""
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    mend = f"chmod u+rwx {there}, or set ModelRegistry.data_dir to another folder."
    if not there.is_dir():
        text = f"Choices and keys can't be kept in {folder}: {there} is no folder."
        return [problem(text, f"mv {there} {there}.old, or set ModelRegistry.data_dir.")]
    try:
        with tempfile.TemporaryDirectory(dir=there):
            pass
    except OSError:
        text = f"Choices and keys can't be kept in {folder}: nothing can be written there."
        return [problem(text, mend)]
    return [ok(f"Choices and keys {'are' if there == folder else 'will be'} kept in {folder}")]


def _named(root: Path) -> str:
    """How a folder that was named by mistake, or not made yet, is mended."""
    make = "" if root.exists() else f"mkdir -p {root}, or "
    return f"{make}set FileSessionManager.root (or ServerApp.root_dir) to a folder that is there."


def _where(place: Path) -> Finding:
    if not place.is_dir():
        return ok(f"Histories will be kept in {place}")
    names = [path.name for path in place.iterdir()]
    damaged = [name for name in names if ASIDE in name]
    text = f"{sum(name.endswith('.json') for name in names):,} cells have a history in {place}"
    if damaged:
        return note(
            f"{text}; {len(damaged)} damaged files were set aside there, with their bytes kept.",
            f"Look at {place / sorted(damaged)[0]}, or bring the file back from a backup.",
        )
    return ok(text)


def _copies(place: Path) -> list[Finding]:
    """What a cloud sync or a restore left there under names that are nobody's."""
    sessions, logs = _names(place), _names(place / NOTEBOOKS)
    found = [name for name in copied_sessions(sessions) if is_copy(name, _start(place / name))]
    known = {one for name in logs if (one := log_notebook_id(name))}
    copies = [f"{NOTEBOOKS}/{name}" for name in logs if copied_log(name, known)]
    found += [name for name in copies if b'"seq"' in _start(place / name)]
    if not found:
        return []
    text = (
        f"{len(found)} copies of histories, as a cloud sync leaves them, are not shown: {found[0]}"
    )
    return [note(text, "Unite them with the histories: jupyter aiserver sessions repair")]


def _conflicts(place: Path) -> list[Finding]:
    """Files in which git left a conflict; only where git may have been at work."""
    if not any((folder / ".git").exists() for folder in place.absolute().parents):
        return []
    files = [place / name for name in _names(place) if may_be_session(name)]
    files += list((place / NOTEBOOKS).glob("*.jsonl"))
    found = [file.name for file in files if has_marks(_start(file, -1))]
    if not found:
        return []
    text = f"A merge left its conflict marks in {len(found)} histories: {found[0]}"
    mend = "Both sides are read. Write them as one: jupyter aiserver sessions repair"
    return [note(text, f"{mend}; for the next merge: jupyter aiserver git install")]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _start(file: Path, size: int = _START) -> bytes:
    try:
        with file.open("rb") as content:
            return content.read(size)
    except OSError:
        return b""


def _rights(place: Path) -> list[Finding]:
    if place.is_symlink():
        text = f"{place} is a link, which is never followed."
        return [problem(text, "Put the folder itself there, or set FileSessionManager.root.")]
    if place.exists() and not place.is_dir():
        text = f"{place} is a file, where the folder of the histories should be."
        return [problem(text, f"mv {place} {place}.old")]
    access = access_of(place) if place.is_dir() else "private"
    if access == "shared":
        return [note(SHARED, f"If that is not meant: chmod -R go= {place}")]
    if access == "open":
        return [note(OPEN, f"The server shuts them out when it starts; or: chmod -R go= {place}")]
    if access == "foreign":
        return [note(OPEN, f"It is another account's folder, which can: chmod -R go= {place}")]
    return []


def _writes(root: Path) -> Finding:
    """A real save, with its lock, in a folder that is gone afterwards."""
    mend = "Check who may write there, or set FileSessionManager.root to another folder."
    place = root / FOLDER
    try:
        with (
            translated(),
            tempfile.TemporaryDirectory(dir=place if place.is_dir() else root) as name,
            ShardLocks(Path(name), timeout=5).hold("doctor"),
        ):
            replace_file(Path(name), "doctor.json", b"{}\n")
    except (AIServerError, OSError) as error:
        what = error.message if isinstance(error, AIServerError) else "No lock could be taken."
        return problem(f"Nothing can be kept in {root}. {what}", mend)
    return ok("A history can be written, flushed and locked there.")


def _room(root: Path) -> Finding:
    free = shutil.disk_usage(root).free
    text = f"{free / 1e9:.1f} GB are free there."
    return ok(text) if free > LITTLE else note(text, "Free some space: a full disk keeps nothing.")


def _network(root: Path) -> list[Finding]:
    """Whether the folder lies on another machine."""
    disk = network_disk(root)
    return [note(disk.warning, ALONE)] if disk else []


def _locks(root: Path) -> list[Finding]:
    """Whether lock files stand in for the system's locks."""
    locks = root / FOLDER / LOCKS
    if has_system_locks(locks if locks.is_dir() else root):
        return []
    return [note(NO_LOCKS, f"Nothing needs to be done. {ALONE}")]
