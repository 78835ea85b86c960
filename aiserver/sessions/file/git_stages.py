"""Read both complete sides of a conflicted file from git's index. Synchronous.

When git merges two branches by lines and finds a conflict, it writes conflict markers into the file
in the folder. Even outside of the markers, the lines of one record may come from both branches. But
until the user has resolved the conflict, git's index contains the complete file of each side. This
module reads these two files from the index, and never changes the index.

If git isn't installed, times out or doesn't know the file, the bytes with the conflict markers are
used as they are. After a timeout, git isn't called again in the same folder for a minute, because a
malicious repository may have caused the timeout.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

from ...safe_git import run_git
from ..record.damage.conflict_markers import has_markers, join_sides, split_lines
from ..record.lru_cache import LRUCache

_MAX_BYTES = 64 * 2**20  # the maximum size of both sides together
_RETRY_AFTER = 60.0  # seconds after a timeout until git is called again
# The line that `git cat-file` prints before the bytes of an object. It ends in the object's size.
_HEADER = re.compile(rb"[0-9a-f]+ blob (\d+)\n")
_LOG_SUFFIX = ".jsonl"
_retry_times: LRUCache[Path, float] = LRUCache(1000)
"""Maps each folder in which git timed out to the monotonic time from which git may run in it."""


def complete_conflict(path: Path, data: bytes) -> bytes:
    """Return a conflicted file's bytes, rewritten as one conflict between its two complete sides.

    ``data`` is the file's content on the disk. If ``data`` has no conflict markers, or if git
    doesn't have both complete sides, ``data`` is returned unchanged.
    """
    if not has_markers(data) or not _is_in_repository(path):
        return data
    path = path.absolute()
    if (_retry_times.get(path.parent) or 0) > time.monotonic():
        return data
    try:
        sides = _read_sides(path)
    except subprocess.TimeoutExpired:
        _retry_times.put(path.parent, time.monotonic() + _RETRY_AFTER)
        return data
    if sides is None:
        return data
    ours, theirs = sides
    if path.suffix == _LOG_SUFFIX:
        # Entries may have been appended to the file since the merge. So the file's lines are added
        # to ``theirs``, except the lines of the common ancestor. Most of them are in ``ours`` or
        # ``theirs`` already; readers ignore the second of two equal entries.
        current_lines = [line.text for line in split_lines(data) if line.side != "base"]
        theirs = b"\n".join([theirs.rstrip(b"\n"), *current_lines])
    return join_sides(ours, theirs, data)


def _is_in_repository(path: Path) -> bool:
    return any((folder / ".git").exists() for folder in path.absolute().parents)


def _read_sides(path: Path) -> tuple[bytes, bytes] | None:
    """Return our side and their side from git's index.

    Return None if a side is missing or isn't complete, or if both sides together are too large.
    Raises subprocess.TimeoutExpired.
    """
    # In the index, stage 2 of an unmerged file is our side, and stage 3 is their side.
    names = b"".join(b":%d:./%s\n" % (stage, os.fsencode(path.name)) for stage in (2, 3))
    try:
        sizes = run_git("cat-file", "--batch-check", folder=path.parent, stdin=names).stdout
        headers = [_HEADER.fullmatch(line) for line in sizes.splitlines(keepends=True)]
        if not all(headers) or sum(int(header[1]) for header in headers if header) > _MAX_BYTES:
            return None
        output = run_git("cat-file", "--batch", folder=path.parent, stdin=names).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    sides = []
    while match := _HEADER.match(output):
        end = match.end() + int(match[1])
        sides.append(output[match.end() : end])
        output = output[end + 1 :]
    # A side that contains conflict markers isn't complete: somebody has committed the markers.
    if len(sides) != 2 or any(map(has_markers, sides)):
        return None
    return sides[0], sides[1]
