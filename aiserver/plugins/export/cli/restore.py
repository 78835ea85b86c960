"""``replay restore``: bring a notebook back as it was recorded.

Invariants: histories are never changed. Files are written atomically, and an existing file is only
replaced with ``--in-place``, after its bytes were written to another file. If anything is unclear,
nothing is written.
"""

from __future__ import annotations

import argparse
import json
import stat
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from ....cli.files import create_output_folder, is_file, read_notebook, write_new_file
from ....cli.selection import path_in
from ....cli.stores import StoreContext
from ....cli.terminal import make_safe
from ....durable import replace_file, translate_os_errors
from ....errors import SettingError
from ....notebooks.history import History
from ....notebooks.restored_ids import cell_source, is_valid, restore_ids
from ....redact.texts import OPEN
from ....replay import Timeline
from ....replay.ordering import to_seconds
from ..export import last_recorded_name
from ..filenames import file_name
from ..restored import before_loss, is_recorded, notebook_at
from .commands import load_history, load_notebook


async def run_restore(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Write the notebook as it was at a time, or before its cells vanished."""
    name: str = arguments.notebook
    if arguments.in_place and not name.endswith(".ipynb"):
        raise SettingError("--in-place needs the path of the notebook's file instead of its ID.")
    history = await load_history(name, context, by_path=True)
    file = load_notebook(name) if is_file(name) else None
    file = file if file and is_valid(file) else None
    if file:
        await restore_ids(context.notebooks(), path_in(context.configuration.root_dir, name), file)
    moment, cell_ids = _choose(history.timeline, arguments.at, name, file)
    notebook = notebook_at(history, moment, cell_ids, file)
    time = _local_time(history.timeline, moment)
    path = Path(name if is_file(name) else last_recorded_name(history))
    backup = None
    if arguments.in_place:
        backup = _replace(path, _encode(notebook, history.notebook_id))
    else:
        label = f"restored {time:%Y-%m-%d %H.%M.%S}"
        path = _write_copy(path, label, _encode(notebook, None))
    old = f"; the old content is in {backup}" if backup else ""
    count = len(notebook["cells"])
    print(make_safe(f"Restored to {path} as of {time:%Y-%m-%d %H:%M:%S}, cells: {count:,}{old}"))
    if incomplete := _count_incomplete(history, moment, notebook):
        print(
            f"Cells that aren't complete: {incomplete:,}; what isn't recorded is missing, and "
            "marks such as ‹redacted:password› replace secrets.",
            file=sys.stderr,
        )
    return 0


def _choose(
    timeline: Timeline, at: str | None, name: str, file: dict[str, Any] | None
) -> tuple[int, list[str] | None]:
    """Return the moment to restore, and the cells, if not all. Raises SettingError."""
    if at is not None:
        return _moment_at(timeline, at), None
    moment, cell_ids = before_loss(timeline)
    if set(cell_ids).issubset(str(cell.get("id")) for cell in (file or {"cells": ()})["cells"]):
        raise SettingError(
            f"Nothing to restore: “{name}” lacks none of the {len(cell_ids):,} recorded cells. For "
            "an earlier state, use --at with a time that “replay show” prints. For another "
            "notebook that was at this path, enter its ID (“jupyter aiserver sessions list”)."
        )
    return moment, cell_ids


def _moment_at(timeline: Timeline, at: str) -> int:
    """Return the index of the last moment up to a time, by default in local time."""
    try:
        seconds = datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise SettingError(
            f"“{at}” is not a time. Enter one such as “2026-03-01 14:30”, or as “replay show” "
            "prints it."
        ) from error
    for moment in timeline.moments:  # the clock may have been set back later
        if to_seconds(moment.timestamp) > seconds:
            if moment.index:
                return moment.index - 1
            first = _local_time(timeline, 0)
            raise SettingError(
                f"Nothing was recorded at that time: the history begins at {first:%Y-%m-%d %H:%M}."
            )
    return len(timeline.moments) - 1


def _local_time(timeline: Timeline, moment: int) -> datetime:
    return datetime.fromtimestamp(to_seconds(timeline.moments[moment].timestamp))


def _count_incomplete(history: History, moment: int, notebook: dict[str, Any]) -> int:
    """Count the cells without the content that they had: it isn't recorded, or has secrets."""
    snapshots = {cell.cell_id: cell for cell in history.timeline.at(moment).cells}
    count = 0
    for cell in notebook["cells"]:
        snapshot, source = snapshots.get(cell["id"]), cell_source(cell)
        is_missing = not source and snapshot and not is_recorded(snapshot, history.timeline)
        count += bool(is_missing or OPEN in source)
    return count


def _encode(notebook: dict[str, Any], notebook_id: str | None) -> bytes:
    """Encode a notebook with this id; a copy gets a new one when JupyterLab opens it."""
    metadata = dict(notebook["metadata"])
    own = metadata.pop("aiserver", None)
    own = {**own} if isinstance(own, dict) else {}
    own.pop("notebook_id", None)
    own |= {"notebook_id": notebook_id} if notebook_id else {}
    metadata |= {"aiserver": own} if own else {}
    text = json.dumps({**notebook, "metadata": metadata}, ensure_ascii=False, indent=1)
    return f"{text}\n".encode("utf-8", "backslashreplace")  # JSON's escapes of lone surrogates


def _write_copy(path: Path, label: str, data: bytes) -> Path:
    with translate_os_errors():
        create_output_folder(path.parent)
        count = 0
        while True:
            count += 1
            number = f" {count}" if count > 1 else ""
            target = path.with_name(file_name(path.name, f" ({label}{number}).ipynb"))
            if write_new_file(target.parent, target.name, data):
                return target


def _replace(path: Path, new: bytes) -> Path | None:
    """Replace a notebook's file. Return the path of its old content, if there is any."""
    target, old, backup = path.resolve(), None, None  # a link stays a link
    with translate_os_errors():
        if not target.exists():
            create_output_folder(target.parent)
            replace_file(target.parent, target.name, new, public=True)
            return None
        while (data := read_notebook(str(target))) != old:  # again if a page has saved meanwhile
            old, backup = data, _write_copy(target, "before restore", data)
        mode = stat.S_IMODE(target.stat().st_mode)
        replace_file(target.parent, target.name, new)
        target.chmod(mode)
    return backup
