"""Read and write private files durably, so that a failed write never destroys the old content.

Invariants:

- When ``replace_file`` or ``append_file`` returns, the new bytes survive a power cut.
- When ``replace_file`` raises an error, the file has either its old or its new content, and that
  content is complete. When ``append_file`` raises an error, the old bytes are unchanged, but an
  incomplete line may follow them.
- While a file is replaced, a reader sees either the old or the new content, never a mixture.
- Folders are created with mode 0700 and files with mode 0600, whatever the umask is. Only a file
  that is replaced with ``public=True`` gets the usual mode, which depends on the umask. If a
  group shares the folder (setgid and group-writable), it may read and write the ``shareable`` files
  and inner folders that are created in it, the logs and the locks.
- If the last component of a path is a symbolic link, the link is not followed, except on Windows
  (see ``SAFE_FLAGS``). ``read_file`` and ``append_file`` raise ``NotRegularFile`` for a path that
  isn't a regular file. Reading never creates a file or a folder.
"""

from __future__ import annotations

from .files import (
    NotRegularFile,
    Stamp,
    append_file,
    commit_file,
    open_zip_member,
    read_file,
    remove,
    replace_file,
    temp_target,
)
from .folders import Access, check_folder, ensure_folder, get_access, restrict_access
from .locking import has_system_locks, lock_file
from .platform import flush_folder, group_access, storage_error_class, translate_os_errors
from .quarantine import QUARANTINE_SUFFIX, copy_to_quarantine, move_to_quarantine

__all__ = [
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
    "group_access",
    "has_system_locks",
    "lock_file",
    "move_to_quarantine",
    "open_zip_member",
    "read_file",
    "remove",
    "replace_file",
    "restrict_access",
    "storage_error_class",
    "temp_target",
    "translate_os_errors",
]
