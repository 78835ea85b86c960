"""The merge driver: it gets three versions of a file from git and writes the merged one.

Invariants:

- A file that can't be parsed stays unchanged, and the exit status is 1. The command in git's config
  then merges by lines and leaves conflict markers.
- All files of a merge get the same merge id, which connects a log's lines with the sessions that
  they name; no other merge has it. It is derived from the merged commits, or, where git doesn't
  name them (cherry-pick, stash), from the lock file of git's index.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from ..durable import replace_file
from ..errors import AIServerError
from ..sessions.record.codec import DamagedData
from ..sessions.record.merge.three_way import merge_logs, merge_sessions


def merge(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge the files into ``ours``. Return the exit status that git expects."""
    try:
        left, right = Path(ours).read_bytes(), Path(theirs).read_bytes()
        if path.lower().endswith(".jsonl"):
            merged = merge_logs(left, right, merge_id())
        else:
            merged = merge_sessions(Path(base).read_bytes(), left, right, merge_id())
        if merged != left:
            # Atomic: if this fails, git continues with the unchanged file.
            replace_file(Path(ours).absolute().parent, Path(ours).name, merged)
    except (DamagedData, AIServerError, OSError):
        return 1
    return 0


def merge_id() -> str:
    """Return the id of the current merge, which is the same for all of its files."""
    head, lock = [*_git("rev-parse", "HEAD", "--git-path", "index.lock").split("\n"), "", ""][:2]
    heads = sorted(name for name in os.environ if name.startswith("GITHEAD_"))
    names = [head, *(heads or [_file_stamp(lock)])]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def _file_stamp(path: str) -> str:
    """Identify a file by inode and time. Git creates its index lock once for a whole merge."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{status.st_ino} {status.st_mtime_ns}"


def _git(*arguments: str) -> str:
    process = subprocess.run(["git", *arguments], capture_output=True, check=False)
    return process.stdout.decode(sys.getfilesystemencoding(), "surrogateescape").strip("\n")
