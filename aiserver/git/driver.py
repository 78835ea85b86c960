"""The merge driver: git gives three versions of a file, and takes the merged one.

Invariants:

- A file that can't be understood stays as it is, and the exit status is 1: the command in git's
  config then has git merge by lines and leave its marks.
- The name of a merge is the same for each file of it, so that a log's lines and the sessions
  that they name can be put together again, and no other merge has it. It is made from what is
  merged into what; where git doesn't say what (a cherry-pick, a stash), from the lock on its index.
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
    """Merge the files; ``ours`` becomes the result. Return the exit status that git expects."""
    try:
        left, right = Path(ours).read_bytes(), Path(theirs).read_bytes()
        if path.lower().endswith(".jsonl"):
            merged = merge_logs(left, right, merge_id())
        else:
            merged = merge_sessions(Path(base).read_bytes(), left, right, merge_id())
        if merged != left:
            # Whole or not at all: if this fails, git goes on with what is there.
            replace_file(Path(ours).absolute().parent, Path(ours).name, merged)
    except (DamagedData, AIServerError, OSError):
        return 1
    return 0


def merge_id() -> str:
    """The name of the merge that is going on: the same in each of its files."""
    head, lock = [*_git("rev-parse", "HEAD", "--git-path", "index.lock").split("\n"), "", ""][:2]
    heads = sorted(name for name in os.environ if name.startswith("GITHEAD_"))
    names = [head, *(heads or [_stamp(lock)])]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def _stamp(path: str) -> str:
    """Identify a file by its making; git makes its index lock once for all files of a merge."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{status.st_ino} {status.st_mtime_ns}"


def _git(*words: str) -> str:
    found = subprocess.run(["git", *words], capture_output=True, check=False)
    return found.stdout.decode(sys.getfilesystemencoding(), "surrogateescape").strip("\n")
