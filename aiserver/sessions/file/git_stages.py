"""Read both complete sides of a conflicted file from git's index. Synchronous.

Outside its conflict marks git merges by lines, which may mix two records. While a file is unmerged,
git's index has both complete sides. Git is only read; if it isn't installed, times out or has no
such file, the marks are used. A slow repository, perhaps a malicious one, is queried only once in a
while.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

from ...safe_git import run_git
from ..record.damage.conflict_marks import has_marks, join_sides, split_lines
from ..record.lru_cache import LRUCache

_MAX_BYTES = 64 * 2**20  # of both sides
_RETRY_AFTER = 60.0  # seconds until a repository that timed out is queried again
_HEAD = re.compile(rb"[0-9a-f]+ blob (\d+)\n")
_LOG = ".jsonl"
_slow_until: LRUCache[Path, float] = LRUCache(1000)  # by folder


def complete_conflict(path: Path, data: bytes) -> bytes:
    """Return the bytes of a file, with conflict marks replaced by one conflict of both sides."""
    if not has_marks(data) or not _is_in_repository(path):
        return data
    path = path.absolute()
    if (_slow_until.get(path.parent) or 0) > time.monotonic():
        return data
    try:
        sides = _read_sides(path)
    except subprocess.TimeoutExpired:
        _slow_until.put(path.parent, time.monotonic() + _RETRY_AFTER)
        return data
    if sides is None:
        return data
    ours, theirs = sides
    if path.suffix == _LOG:  # lines may have been appended since
        rest = [line.text for line in split_lines(data) if line.part != "base"]
        theirs = b"\n".join([theirs.rstrip(b"\n"), *rest])
    return join_sides(ours, theirs, data)


def _is_in_repository(path: Path) -> bool:
    return any((folder / ".git").exists() for folder in path.absolute().parents)


def _read_sides(path: Path) -> tuple[bytes, bytes] | None:
    """Return both sides from git's index, if it has them. Raises subprocess.TimeoutExpired."""
    names = b"".join(b":%d:./%s\n" % (stage, os.fsencode(path.name)) for stage in (2, 3))
    try:
        sizes = run_git("cat-file", "--batch-check", folder=path.parent, stdin=names).stdout
        heads = [_HEAD.fullmatch(line) for line in sizes.splitlines(keepends=True)]
        if not all(heads) or sum(int(head[1]) for head in heads if head) > _MAX_BYTES:
            return None
        rest = run_git("cat-file", "--batch", folder=path.parent, stdin=names).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    sides = []
    while match := _HEAD.match(rest):
        end = match.end() + int(match[1])
        sides.append(rest[match.end() : end])
        rest = rest[end + 1 :]
    if len(sides) != 2 or any(map(has_marks, sides)):
        return None
    return sides[0], sides[1]
