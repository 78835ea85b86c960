"""Files that survive: whole or not at all, private, and never through a link.

What must hold:

- When ``replace_file`` or ``append_file`` returns, the bytes survive the machine's death; when it
  raises, the old content is still there (a log may end in a torn line).
- A reader sees the old or the new content of a replaced file, never a part.
- Folders are made 0700 and files 0600, whatever the umask, but for what is for everybody.
- A symbolic link is never followed at the last step of a path; what isn't a regular file is
  reported as ``NotRegular``. Nothing is made by reading.

``files`` reads, replaces, appends, removes · ``aside`` keeps what can't be used · ``folders`` where
they lie · ``locking`` one writer at a time, ``claims`` where the system has no locks · ``systems``
what one system does otherwise than another · ``faults`` its errors.
"""

from __future__ import annotations

from .errors import translated, translation
from .files import (
    NotRegular,
    Stamp,
    append_file,
    read_file,
    remove,
    replace_file,
    settle_file,
    temp_target,
)
from .folders import Access, access_of, check_folder, ensure_folder, shut_out_others
from .locking import NO_FLOCK, has_system_locks, lock_file
from .platform import flush_folder
from .quarantine import ASIDE, keep_aside, set_aside

__all__ = [
    "ASIDE",
    "NO_FLOCK",
    "Access",
    "NotRegular",
    "Stamp",
    "access_of",
    "append_file",
    "check_folder",
    "ensure_folder",
    "flush_folder",
    "has_system_locks",
    "keep_aside",
    "lock_file",
    "read_file",
    "remove",
    "replace_file",
    "set_aside",
    "settle_file",
    "shut_out_others",
    "temp_target",
    "translated",
    "translation",
]
