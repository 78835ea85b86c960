"""Name the program that changed a notebook's file, if its traces leave no doubt.

Invariant: a name is never guessed. A change is named only if the file has it, and

- git wrote the file: the last command that moved HEAD writes files, the file is exactly the one at
  HEAD, and the one before was another;
- papermill wrote the file last, and the cell has the parameters that it injects.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..models import Contributor, NewEvent
from ..safe_git import blob_id, run_git
from .restored_ids import cell_source, is_valid

FILE_ON_DISK = "file on disk"
"""The contributor's name that pages record if a notebook's file was changed outside JupyterLab."""

_WRITING_COMMAND = re.compile(rb"\t(checkout|cherry-pick|merge|pull|rebase|revert)\b")
"""In an entry of git's log of HEAD. Resets may write no file; a commit begins with another word."""
_MAX_ENTRY = 4096  # bytes of an entry in git's log of HEAD
_SECONDS_AFTER_END = 2.0  # from the end of papermill's run to the end of its write


def name_writer(path: Path, events: Sequence[NewEvent]) -> None:
    """Name the program in those of the events that a program may have written into the file.

    ``path`` is the notebook's file. Nothing changes without certainty, or if it can't be read.
    """
    events = [
        event for event in events if event.contributor and event.contributor.name == FILE_ON_DISK
    ]
    if not events:
        return
    try:
        data, modified = path.read_bytes(), path.stat().st_mtime
        notebook = json.loads(data)
    except (OSError, ValueError):
        return
    if not isinstance(notebook, dict) or not is_valid(notebook):
        return
    sources = {cell_source(cell) for cell in notebook["cells"]}
    has_all = all(
        event.source is None or (event.source in sources) != (event.type == "delete")
        for event in events
    )
    is_from_git = has_all and _is_from_git(path, data)
    injected = _injected_sources(notebook, modified)
    for event in events:
        if is_from_git:
            event.contributor = Contributor(kind="program", name="git")
        elif event.source in injected and event.type != "delete":
            event.contributor = Contributor(kind="program", name="papermill")


def _is_from_git(path: Path, data: bytes) -> bool:
    """Return whether the last command of git that moved HEAD wrote the file, as it is now."""
    folder = path.parent
    try:
        log = run_git("rev-parse", "--git-path", "logs/HEAD", folder=folder).stdout
        entry = _last_line(folder / os.fsdecode(log.rstrip(b"\n")))
        if not _WRITING_COMMAND.search(entry):
            return False
        old, new = (f"{commit.decode()}:./{path.name}" for commit in entry.split()[:2])
        old, new = run_git("rev-parse", old, new, folder=folder).stdout.decode().split()
        return old != new == blob_id(data, folder)
    except (OSError, LookupError, ValueError, subprocess.SubprocessError):
        return False


def _last_line(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _MAX_ENTRY))
        return file.read().splitlines()[-1]


def _injected_sources(notebook: Mapping[str, Any], modified: float) -> set[str]:
    """Return the sources of the cells that papermill injected, if it wrote the file last.

    ``modified`` is the file's time, in seconds since the epoch.
    """
    run = notebook["metadata"].get("papermill")
    end = run.get("end_time") if isinstance(run, dict) else None
    try:
        time = datetime.fromisoformat(str(end))
    except ValueError:
        return set()
    seconds = (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()
    if not 0 <= modified - seconds <= _SECONDS_AFTER_END:
        return set()
    return {cell_source(cell) for cell in notebook["cells"] if _is_injected(cell)}


def _is_injected(cell: Mapping[str, Any]) -> bool:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return isinstance(tags, list) and "injected-parameters" in tags
