"""Files that survive: whole or not at all, private, and never through a link.

What must hold:

- When ``replace_file`` or ``append_file`` returns, the bytes survive the machine's death; when it
  raises, the old content is still there (a log may end in a torn line).
- A reader sees the old or the new content of a replaced file, never a part.
- Folders are made 0700 and files 0600, whatever the umask, but for what is for everybody.
- A symbolic link is never followed at the last step of a path; what isn't a regular file is
  reported as ``NotRegular``. Nothing is made by reading.

``files`` reads, replaces, appends, removes · ``aside`` keeps what can't be used · ``folders`` where
they lie · ``systems`` what one system does otherwise than another · ``faults`` its errors.
"""

from __future__ import annotations

from .aside import ASIDE, keep_aside, set_aside
from .faults import translated, translation
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
from .folders import check_folder, ensure_folder
from .systems import flush_folder

__all__ = [
    "ASIDE",
    "NotRegular",
    "Stamp",
    "append_file",
    "check_folder",
    "ensure_folder",
    "flush_folder",
    "keep_aside",
    "read_file",
    "remove",
    "replace_file",
    "set_aside",
    "settle_file",
    "temp_target",
    "translated",
    "translation",
]
