"""Check that the store is available, and that histories and settings can be saved safely.

The checks create and delete temporary files in the folders of the sessions and the settings, or in
their nearest existing parents. They don't change histories, and don't read keys.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from ...durable import (
    NO_LOCKS_NOTICE,
    OPEN_NOTICE,
    QUARANTINE_SUFFIX,
    SHARED_NOTICE,
    SINGLE_SERVER_ADVICE,
    get_access,
    has_system_locks,
    network_disk_warning,
    replace_file,
    translate_os_errors,
)
from ...errors import AIServerError
from ...sessions.base import SessionManager
from ...sessions.factory import hide_password
from ...sessions.file.directory import FOLDER, LOCKS, NOTEBOOKS, ShardLocks
from ...sessions.file.manager import FileSessionManager
from ...sessions.file.verify import copied_notebook_id, is_copy, may_be_session
from ...sessions.record.codec import has_markers
from ...sessions.record.filenames import log_notebook_id
from .base import Finding, note, ok, problem

_START_SIZE = 4096  # bytes at the beginning of a session's file, which contain the ids
LOW_SPACE = 100 * 1024 * 1024  # the doctor warns if fewer bytes are free
_STORE_FIX = "Check AIServer.session_manager, the login, and that the database is running."


async def check_store(store: SessionManager) -> list[Finding]:
    """Check the store, and close it. Findings contain no passwords."""
    try:
        if isinstance(store, FileSessionManager):
            return check_storage(Path(store.root))
        location = f"Histories are saved in {hide_password(store.url) or type(store).__name__}"
        try:
            notices = await store.start()
            is_writable = await store.writable()
        except AIServerError as error:
            return [problem(f"{location}, which is not available: {error.message}", _STORE_FIX)]
        findings = [ok(location), *(note(notice) for notice in notices)]
        if not is_writable:
            findings.append(problem("The store is read-only.", _STORE_FIX))
        return findings
    finally:
        await store.close()


def check_storage(root: Path) -> list[Finding]:
    """Check the folder of histories in ``root``, which may not exist yet."""
    folder = root / FOLDER
    if not root.is_dir():
        state = "is not a folder" if root.exists() else "does not exist"
        return [problem(f"The history folder {state}: {root}", _root_fix(root))]
    return [
        _report_location(folder),
        *_check_duplicates(folder),
        *_check_git_conflicts(folder),
        *_check_permissions(folder),
        _check_writing(root),
        _check_free_space(root),
        *_check_network_disk(root),
        *_check_system_locks(root),
    ]


def check_settings(folder: Path) -> list[Finding]:
    """Check the folder of settings and keys, which may not exist yet."""
    existing_folder = folder
    while not existing_folder.exists() and existing_folder != existing_folder.parent:
        existing_folder = existing_folder.parent
    fix = f"chmod u+rwx {existing_folder}, or set ModelRegistry.data_dir to another folder."
    if not existing_folder.is_dir():
        text = f"Can't save settings and keys in {folder}: {existing_folder} is not a folder."
        return [
            problem(
                text, f"mv {existing_folder} {existing_folder}.old, or set ModelRegistry.data_dir."
            )
        ]
    try:
        with tempfile.TemporaryDirectory(dir=existing_folder):
            pass
    except OSError:
        text = f"Can't save settings and keys in {folder}: it is not writable."
        return [problem(text, fix)]
    verb = "are" if existing_folder == folder else "will be"
    return [ok(f"Settings and keys {verb} saved in {folder}")]


def _root_fix(root: Path) -> str:
    create = "" if root.exists() else f"mkdir -p {root}, or "
    return f"{create}set FileSessionManager.root (or ServerApp.root_dir) to an existing folder."


def _report_location(folder: Path) -> Finding:
    if not folder.is_dir():
        return ok(f"Histories will be saved in {folder}")
    names = [path.name for path in folder.iterdir()]
    damaged = [name for name in names if QUARANTINE_SUFFIX in name]
    text = f"{sum(name.endswith('.json') for name in names):,} cells have a history in {folder}"
    if damaged:
        return note(
            f"{text}; {len(damaged)} damaged files were set aside there.",
            f"Inspect {folder / sorted(damaged)[0]}, or restore the file from a backup.",
        )
    return ok(text)


def _check_duplicates(folder: Path) -> list[Finding]:
    logs = folder / NOTEBOOKS
    session_names, log_names = _names_in(folder), _names_in(logs)
    duplicates = [name for name in session_names if is_copy(name, _read_start(folder / name))]
    notebook_ids = {id_ for name in log_names if (id_ := log_notebook_id(name))}
    duplicates += [
        f"{NOTEBOOKS}/{name}"
        for name in log_names
        if copied_notebook_id(name, notebook_ids, lambda each: _read_start(logs / each))
    ]
    if not duplicates:
        return []
    text = (
        f"{len(duplicates)} duplicate history files, probably from cloud sync, are ignored: "
        f"{duplicates[0]}"
    )
    fix = "To merge them into the histories, run: jupyter aiserver sessions repair"
    return [note(text, fix)]


def _check_git_conflicts(folder: Path) -> list[Finding]:
    if not any((parent / ".git").exists() for parent in folder.absolute().parents):
        return []
    files = [folder / name for name in _names_in(folder) if may_be_session(name)]
    files += list((folder / NOTEBOOKS).glob("*.jsonl"))
    unmerged = [file.name for file in files if has_markers(_read_start(file, -1))]
    if not unmerged:
        return []
    text = f"{len(unmerged)} histories contain git conflict markers: {unmerged[0]}"
    return [note(text, "Before you commit, merge both sides with: jupyter aiserver git install")]


def _names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _read_start(file: Path, size: int = _START_SIZE) -> bytes:
    if not file.is_file():  # a pipe would block
        return b""
    try:
        with file.open("rb") as content:
            return content.read(size)
    except OSError:
        return b""


def _check_permissions(folder: Path) -> list[Finding]:
    if folder.is_symlink():
        text = f"{folder} is a symbolic link, which is not followed."
        return [problem(text, "Replace it with the folder itself, or set FileSessionManager.root.")]
    if folder.exists() and not folder.is_dir():
        text = f"{folder} is a file; the history folder should be there."
        return [problem(text, f"mv {folder} {folder}.old")]
    access = get_access(folder) if folder.is_dir() else "private"
    if access == "shared":
        return [note(SHARED_NOTICE, f"If this is not intended: chmod -R go= {folder}")]
    if access == "open":
        return [
            note(
                OPEN_NOTICE, f"The server fixes this when it starts; or run: chmod -R go= {folder}"
            )
        ]
    if access == "foreign":
        fix = f"The folder belongs to another account, which can run: chmod -R go= {folder}"
        return [note(OPEN_NOTICE, fix)]
    return []


def _check_writing(root: Path) -> Finding:
    fix = "Check the folder's permissions, or set FileSessionManager.root to another folder."
    folder = root / FOLDER
    try:
        with (
            translate_os_errors(),
            tempfile.TemporaryDirectory(dir=folder if folder.is_dir() else root) as name,
            ShardLocks(Path(name), timeout=5).lock("doctor"),
        ):
            replace_file(Path(name), "doctor.json", b"{}\n")
    except (AIServerError, OSError) as error:
        reason = (
            error.message if isinstance(error, AIServerError) else "The folder could not be locked."
        )
        return problem(f"Can't save histories in {root}. {reason}", fix)
    return ok("The history folder is writable and supports locks.")


def _check_free_space(root: Path) -> Finding:
    free = shutil.disk_usage(root).free
    text = f"{free / 1e9:.1f} GB free there."
    fix = "Free up some space: nothing is saved when the disk is full."
    return ok(text) if free > LOW_SPACE else note(text, fix)


def _check_network_disk(root: Path) -> list[Finding]:
    warning = network_disk_warning(root)
    return [note(warning, SINGLE_SERVER_ADVICE)] if warning else []


def _check_system_locks(root: Path) -> list[Finding]:
    locks = root / FOLDER / LOCKS
    if has_system_locks(locks if locks.is_dir() else root):
        return []
    return [note(NO_LOCKS_NOTICE, f"No action is needed. {SINGLE_SERVER_ADVICE}")]
