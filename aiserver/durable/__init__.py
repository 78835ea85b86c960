"""Durable, private files: each write is complete or has no effect, and no link is followed.

Invariants:

- When ``replace_file`` or ``append_file`` returns, the new bytes survive a power cut. When it
  raises an error, the old content is unchanged (but a log may end in an incomplete line).
- While a file is replaced, a reader sees either the old or the new content, never a mixture.
- Folders are created with mode 0700 and files with mode 0600, whatever the umask is. Only public
  files get the mode that the umask gives.
- If the last component of a path is a symbolic link, the link is never followed. Anything that
  isn't a regular file raises ``NotRegularFile``. Reading never creates a file or a folder.

The modules: ``files`` reads, replaces, appends to and removes files, and ``folders`` creates and
checks folders. ``quarantine`` preserves unusable files. ``locking`` admits one writer at a time,
with ``lock_files`` where the disk doesn't support the system's locks. ``disks`` detects network
file systems, ``platform`` hides differences between operating systems, and ``errors`` translates
their errors.
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
