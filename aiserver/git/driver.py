"""The merge driver: git gives three versions of a file, and takes the merged one.

Invariants:

- A file that can't be understood gets git's own conflict, marks and all, and exit status 1.
- The name of a merge is the same for each file of it, so that a log's lines and the sessions
  that they name can be put together again: it is made from what is merged into what.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from ..errors import AIServerError
from ..sessions.codec import Damaged
from ..sessions.merging import merge_logs, merge_sessions

_LABELS = ("ours", "base", "theirs")


def merge(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge the files; ``ours`` becomes the result. Return the exit status that git expects."""
    try:
        left, right = Path(ours).read_bytes(), Path(theirs).read_bytes()
        if path.lower().endswith(".jsonl"):
            merged = merge_logs(left, right, merge_id())
        else:
            merged = merge_sessions(Path(base).read_bytes(), left, right, merge_id())
    except (Damaged, AIServerError):
        return _leave_conflict(base, ours, theirs)
    if merged != left:
        Path(ours).write_bytes(merged)
    return 0


def merge_id() -> str:
    """The name of the merge that is going on: the same in each of its files."""
    head = _git("rev-parse", "HEAD")
    heads = sorted(name for name in os.environ if name.startswith("GITHEAD_"))
    return hashlib.sha256("\n".join([head, *heads]).encode()).hexdigest()[:16]


def _leave_conflict(base: str, ours: str, theirs: str) -> int:
    labels = [word for label in _LABELS for word in ("-L", label)]
    subprocess.run(["git", "merge-file", *labels, ours, base, theirs], check=False)
    return 1


def _git(*words: str) -> str:
    found = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    return found.stdout.strip()
