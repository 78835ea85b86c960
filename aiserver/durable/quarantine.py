"""What can't be used is kept under another name, with its bytes.

What must hold: nothing that was set aside before is replaced, and no bytes are gone in between.
"""

from __future__ import annotations

import os
from pathlib import Path

from .files import NotRegularFile, read_file, replace_file
from .platform import flush_folder, patiently

QUARANTINE_SUFFIX = ".corrupt-"


def move_to_quarantine(folder: Path, name: str, of: str = "") -> str:
    """Rename what lies under ``name`` (a link itself, not its target); return the new name.

    ``of``: the file beside whose name it is kept, if that is another. The caller holds that name's
    lock, so that nothing set aside before is replaced.
    """
    new_name, _ = _asides(folder, of or name)
    patiently(lambda: (folder / name).rename(folder / new_name))
    flush_folder(folder)
    return new_name


def copy_to_quarantine(folder: Path, name: str, data: bytes, mark: str = QUARANTINE_SUFFIX) -> str:
    """Keep a file's bytes under another name, too; return that name.

    The file itself stays until it is replaced, so at no moment is it missing. Where replacing it
    then failed, the next try finds its bytes kept already.
    """
    new_name, last = _asides(folder, name, mark)
    if last and _holds(folder / last, data):
        return last
    try:
        os.link(folder / name, folder / new_name, follow_symlinks=False)
        flush_folder(folder)
    except (OSError, NotImplementedError):  # a disk without hard links
        replace_file(folder, new_name, data)
    return new_name


def _asides(folder: Path, name: str, mark: str = QUARANTINE_SUFFIX) -> tuple[str, str | None]:
    """The next free name to set a file aside under, and the one before it, if there is one."""
    last, number = None, 1
    while os.path.lexists(folder / (free := f"{name}{mark}{number}")):
        last, number = free, number + 1
    return free, last


def _holds(path: Path, data: bytes) -> bool:
    try:
        found = read_file(path)
    except (OSError, NotRegularFile):
        return False
    return found is not None and found[0] == data
