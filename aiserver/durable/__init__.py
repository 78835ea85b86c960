"""Durable files: written whole or not at all, private, and never through a link.

Invariants:

- When ``replace_file`` or ``append_file`` returns, the bytes survive a power cut; when it raises,
  the old content is unchanged (a log may end in a torn line).
- A reader sees the old or the new content of a replaced file, never a part of it.
- Folders are created with mode 0700 and files with 0600, whatever the umask, except public files.
- A symbolic link is never followed at the last component of a path; anything that isn't a regular
  file raises ``NotRegularFile``. Reading creates nothing.

``files`` reads, replaces, appends and removes files · ``folders`` creates and checks folders ·
``quarantine`` preserves unusable files · ``locking`` admits one writer at a time, with
``lock_files`` where the system has no locks · ``disks`` detects network file systems ·
``platform`` covers differences between systems · ``errors`` translates the system's errors.
"""

from __future__ import annotations

from .errors import storage_error_class, translate_os_errors
from .files import (
    NotRegularFile,
    Stamp,
    append_file,
    commit_file,
    read_file,
    remove,
    replace_file,
    temp_target,
)
from .folders import Access, check_folder, ensure_folder, get_access, restrict_access
from .locking import NO_FLOCK, has_system_locks, lock_file
from .platform import flush_folder
from .quarantine import QUARANTINE_SUFFIX, copy_to_quarantine, move_to_quarantine

__all__ = [
    "NO_FLOCK",
    "QUARANTINE_SUFFIX",
    "Access",
    "NotRegularFile",
    "Stamp",
    "append_file",
    "check_folder",
    "commit_file",
    "copy_to_quarantine",
    "ensure_folder",
    "flush_folder",
    "get_access",
    "has_system_locks",
    "lock_file",
    "move_to_quarantine",
    "read_file",
    "remove",
    "replace_file",
    "restrict_access",
    "storage_error_class",
    "temp_target",
    "translate_os_errors",
]
