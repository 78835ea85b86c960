"""The whole sides of a file with conflict marks, while git still has them. Synchronous.

Git merges what is outside of its marks by lines, which may mix two records. As long as a file is
unmerged, git's index has both sides whole. Git is only read; where it isn't installed, does not
answer in time or has no such file, the marks must do. A repository that is slow, or made to be so,
is asked once in a while at most, and what is remembered of it stays small.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import time
from pathlib import Path

from ...safe_git import run_git
from ..record.damage.conflict_marks import has_marks, join_sides, split_lines
from ..record.lru_cache import LRUCache

_Sides = tuple[bytes, bytes]

_MOST = 64 * 2**20  # bytes of both sides
_REMEMBERED = 16 * 2**20  # bytes of all sides that are remembered
_REST = 60.0  # seconds for which a repository that didn't answer in time is left alone
_HEAD = re.compile(rb"[0-9a-f]+ blob (\d+)\n")
_LOG = ".jsonl"


def complete_conflict(path: Path, data: bytes) -> bytes:
    """The bytes of a file; if it has conflict marks, as one conflict of its two whole sides."""
    if not has_marks(data) or not _is_in_repository(path):
        return data
    sides = _sides(path.absolute(), hashlib.sha256(data).digest())
    if sides is None:
        return data
    ours, theirs = sides
    if path.suffix == _LOG:  # lines may have been put behind since
        rest = [line.text for line in split_lines(data) if line.part != "base"]
        theirs = b"\n".join([theirs.rstrip(b"\n"), *rest])
    return join_sides(ours, theirs, data)


def _is_in_repository(path: Path) -> bool:
    return any((folder / ".git").exists() for folder in path.absolute().parents)


_known: LRUCache[tuple[Path, bytes], _Sides | tuple[()]] = LRUCache(
    1000, limit=_REMEMBERED, weight=lambda sides: sum(map(len, sides))
)
_slow_until: LRUCache[Path, float] = LRUCache(1000)


def _sides(path: Path, digest: bytes) -> _Sides | None:
    """Our side and theirs, from git's index; None if git has none, or doesn't answer in time."""
    if (_slow_until.get(path.parent) or 0) > time.monotonic():
        return None
    known = _known.get((path, digest))
    if known is None:
        try:
            known = _read_sides(path) or ()
        except subprocess.TimeoutExpired:
            _slow_until.put(path.parent, time.monotonic() + _REST)
            return None
        _known.put((path, digest), known)
    return known or None


def _read_sides(path: Path) -> _Sides | None:
    """Raises subprocess.TimeoutExpired."""
    names = b"".join(b":%d:./%s\n" % (stage, os.fsencode(path.name)) for stage in (2, 3))
    try:
        sizes = run_git("cat-file", "--batch-check", folder=path.parent, stdin=names).stdout
        found = [_HEAD.fullmatch(line) for line in sizes.splitlines(keepends=True)]
        if not all(found) or sum(int(one[1]) for one in found if one) > _MOST:
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
