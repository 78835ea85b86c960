"""The whole sides of a file with conflict marks, while git still has them. Synchronous.

Git merges what is outside of its marks by lines, which may mix two records. As long as a file is
unmerged, git's index has both sides whole. Git is only read; where it isn't installed, does not
answer in time or has no such file, the marks must do.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from .conflicts import has_marks, join_sides, lines_of

_TIMEOUT = 5.0  # seconds
_FILES = 32  # whose sides are remembered
_HEAD = re.compile(rb"[0-9a-f]+ blob (\d+)\n")
_LOG = ".jsonl"


def with_whole_sides(path: Path, data: bytes) -> bytes:
    """The bytes of a file; if it has conflict marks, as one conflict of its two whole sides."""
    if not has_marks(data) or not _is_in_repository(path):
        return data
    try:
        ours, theirs = _sides(path.absolute(), hashlib.sha256(data).digest())
    except (OSError, LookupError, subprocess.SubprocessError):
        return data
    if path.suffix == _LOG:  # lines may have been put behind since
        rest = [line.text for line in lines_of(data) if line.part != "base"]
        theirs = b"\n".join([theirs.rstrip(b"\n"), *rest])
    return join_sides(ours, theirs, data)


def _is_in_repository(path: Path) -> bool:
    return any((folder / ".git").exists() for folder in path.absolute().parents)


@lru_cache(maxsize=_FILES)
def _sides(path: Path, _: bytes) -> tuple[bytes, bytes]:
    """Our side and theirs, from git's index. Raises LookupError if they aren't there."""
    git = shutil.which("git")
    if git is None:
        raise LookupError
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    done = subprocess.run(
        [git, "cat-file", "--batch"],
        cwd=path.parent,
        input=b"".join(b":%d:./%s\n" % (stage, os.fsencode(path.name)) for stage in (2, 3)),
        env=environment | {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"},
        capture_output=True,
        timeout=_TIMEOUT,
        check=True,
    )
    found, rest = [], done.stdout
    while match := _HEAD.match(rest):
        end = match.end() + int(match[1])
        found.append(rest[match.end() : end])
        rest = rest[end + 1 :]
    if len(found) != 2 or any(map(has_marks, found)):
        raise LookupError
    return found[0], found[1]
