"""The merge driver: git passes it three copies of a file, and the driver writes the merged file.

The three copies are from our branch, from their branch, and from the branches' common ancestor.

Invariants:

- If a file can't be parsed, the driver leaves our copy unchanged and returns the exit status 1. The
  command in git's config then merges the file by lines, which leaves conflict markers.
- All files of one merge get the same merge id, and each merge has a different merge id. The id
  connects the entries of a log with the records that the merge renumbered (see
  ``merged_numbers.py``). The id is derived from the merged commits. In a cherry-pick or stash, git
  doesn't tell the driver which commits it merges, so the id is derived from the lock file of git's
  index.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from ...durable import replace_file
from ...errors import AIServerError
from ...sessions.record.codec import DamagedData
from ...sessions.record.git_merge import merge_logs, merge_sessions


def merge(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge the copies ``base``, ``ours`` and ``theirs``, and write the result to ``ours``.

    ``path`` is the file's path in the repository. Returns the exit status for git: 0 if the file
    was merged, else 1.
    """
    try:
        left, right = Path(ours).read_bytes(), Path(theirs).read_bytes()
        merged = merge_copies(Path(base).read_bytes(), left, right, path)
        if merged != left:
            # The write is atomic, so that git finds an unchanged file if the write fails.
            replace_file(Path(ours).absolute().parent, Path(ours).name, merged)
    except (DamagedData, AIServerError, OSError):
        return 1
    return 0


def merge_copies(base: bytes, ours: bytes, theirs: bytes, path: str) -> bytes:
    """Return the merged bytes of a session or a log. Raises DamagedData, SessionTooNew."""
    if path.lower().endswith(".jsonl"):
        return merge_logs(ours, theirs, merge_id())
    return merge_sessions(base, ours, theirs, merge_id())


def merge_id() -> str:
    """Return the id of the current merge, which is the same for all of its files."""
    # Git prints two lines, or fewer if it fails.
    lines = _git("rev-parse", "HEAD", "--git-path", "index.lock").split("\n")
    head, lock_file = [*lines, "", ""][:2]
    # Git sets a variable GITHEAD_<commit> for each of the merged branches.
    merged_heads = sorted(name for name in os.environ if name.startswith("GITHEAD_"))
    identifiers = [head, *(merged_heads or [_inode_and_time(lock_file)])]
    return hashlib.sha256("\n".join(identifiers).encode()).hexdigest()[:16]


def _inode_and_time(path: str) -> str:
    """Return a file's inode and modification time as text; an empty text if it can't be read.

    The inode and time of the lock file of git's index identify a merge, because each merge creates
    a new lock file.
    """
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{status.st_ino} {status.st_mtime_ns}"


def _git(*arguments: str) -> str:
    process = subprocess.run(["git", *arguments], capture_output=True, check=False)
    return process.stdout.decode(sys.getfilesystemencoding(), "surrogateescape").strip("\n")
