"""The merge driver: git gives it three copies of a file, and it writes the merged file.

The three copies are those of our branch, of their branch, and of the branches' common ancestor.

Invariants:

- If a file can't be parsed, our copy stays unchanged, and the exit status is 1. The command in
  git's config then merges by lines and leaves conflict markers.
- All files of one merge get the same merge id, and no other merge gets it. The id connects the
  entries of a log with the records that the merge renumbered (see ``renumbering.py``). It is
  derived from the merged commits, or from the lock file of git's index if git doesn't tell the
  driver the commits (cherry-pick, stash).
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
            # Atomic, so that git finds an unchanged file if this fails.
            replace_file(Path(ours).absolute().parent, Path(ours).name, merged)
    except (DamagedData, AIServerError, OSError):
        return 1
    return 0


def merge_id() -> str:
    """Return the id of the current merge, which is the same for all of its files."""
    head, lock = [*_git("rev-parse", "HEAD", "--git-path", "index.lock").split("\n"), "", ""][:2]
    # Git sets a variable GITHEAD_<commit> for each of the merged branches.
    heads = sorted(name for name in os.environ if name.startswith("GITHEAD_"))
    identifiers = [head, *(heads or [_file_stamp(lock)])]
    return hashlib.sha256("\n".join(identifiers).encode()).hexdigest()[:16]


def _file_stamp(path: str) -> str:
    """Return the inode and the time of a file. Git creates its index lock once for each merge."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{status.st_ino} {status.st_mtime_ns}"


def _git(*arguments: str) -> str:
    process = subprocess.run(["git", *arguments], capture_output=True, check=False)
    return process.stdout.decode(sys.getfilesystemencoding(), "surrogateescape").strip("\n")
