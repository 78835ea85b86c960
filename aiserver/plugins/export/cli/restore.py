"""``replay restore``: bring a notebook back as it was recorded.

Invariants: histories are never changed. Files are written atomically, and an existing file is only
replaced with ``--in-place``, after its bytes were written to another file. If anything is unclear,
nothing is written.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import re
import stat
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from ....cli.files import create_output_folder, read_notebook, write_new_file
from ....cli.selection import find_notebooks, find_recorded_at, path_in
from ....cli.stores import StoreContext
from ....cli.terminal import make_safe
from ....durable import replace_file, translate_os_errors
from ....errors import NotFound, SettingError
from ....models import is_id
from ....notebooks.history import Histories, History
from ....notebooks.restored_ids import restore_ids
from ....replay import Moment, Timeline
from ....replay.ordering import to_seconds
from ..export import last_recorded_name
from ..filenames import file_name
from ..labels import contributor, title
from ..restored import (
    Choice,
    Restored,
    cell_lists,
    is_mostly_missing,
    last_complete,
    restored_notebook,
)

_LISTED_MOMENTS = 30
_MAX_TEXT = 60  # characters of a moment's text in the list
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?")


class _Source(NamedTuple):
    """The notebook that the command names."""

    name: str
    """The path or id that the person entered."""
    path: Path | None
    """The path of its file, which may not exist; None if the notebook is named by its id."""
    data: bytes | None
    """The bytes of its file; None if there is no file, or it can't be read."""
    content: dict[str, Any] | None
    """The notebook in its file; None if that isn't a valid notebook of format 4."""
    history: History


async def run_restore(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Write the notebook as it was at a moment, or list the moments."""
    source = await _load(arguments.notebook, context)
    timeline = source.history.timeline
    if arguments.list:
        for line in _list_lines(timeline):
            print(line)
        return 0
    path = source.path if arguments.in_place else None
    if arguments.in_place and path is None:
        raise SettingError("--in-place needs the path of the notebook's file instead of its ID.")
    choice = await _choose(source, arguments.at, context)
    restored = restored_notebook(
        source.history,
        choice,
        source.content,
        _installed_kernels(),
        notebook_id=source.history.notebook_id if path else None,
    )
    data = _encode(restored.notebook)
    moment = timeline.moments[choice.moment]
    if path:
        target = _replace(path, source.data, data)
    else:
        target = _write_copy(source, arguments.output, moment, data)
    count = _count(len(restored.notebook["cells"]), "cell")
    text = f"change {moment.index + 1} of {len(timeline.moments)}, {_time(moment)}, {count}"
    print(make_safe(f"The notebook was restored to {target} ({text})"))
    return await _report_losses(restored, choice, source, context)


async def _load(name: str, context: StoreContext) -> _Source:
    """Load a notebook's file and history. Raises NotFound, SettingError, StorageError."""
    path = Path(name) if name.endswith(".ipynb") else None
    if path is None and not is_id(name):
        raise SettingError(f"“{name}” is not a notebook file or ID.")
    data = _read(path) if path else None
    content = _parse(data)
    notebook_id = name if path is None else await _find_id(name, content, context)
    history = await Histories(context.store, owner=context.owner).load(notebook_id)
    if not history.timeline.moments:
        raise NotFound(f"No history of “{name}” in {context.name}.")
    if content is not None:
        path_in_folder = path_in(context.configuration.root_dir, name)
        await restore_ids(context.notebooks(), path_in_folder, content)
    return _Source(name, path, data, content, history)


def _read(path: Path) -> bytes | None:
    try:
        return read_notebook(str(path))
    except SettingError:
        return None


def _parse(data: bytes | None) -> dict[str, Any] | None:
    """Return the notebook in a file's bytes; None if it isn't a valid one of format 4."""
    try:
        content = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("nbformat") != 4:
        return None
    cells = content.get("cells")
    is_valid = isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells)
    return content if is_valid and isinstance(content.get("metadata"), dict) else None


async def _find_id(name: str, content: Mapping[str, Any] | None, context: StoreContext) -> str:
    """Return the id of the notebook in a file, by the id in it, or else by the file's path.

    A page may have given a new id to a notebook that had lost everything, but no sessions yet.
    """
    if content is not None and _id_in(content):
        notebook_id = (await find_notebooks(context, name))[0]
        if await context.store.session_marks(notebook_id, owner=context.owner):
            return notebook_id
    ids = await find_recorded_at(context, name)
    if not ids:
        raise NotFound(
            f"No history of a notebook at “{name}” in {context.name}. If it was at another path, "
            "enter its ID: “jupyter aiserver sessions list” shows the IDs."
        )
    if len(ids) > 1:
        raise SettingError(
            f"{len(ids)} notebooks were recorded at “{name}”. Enter the ID of one of them instead, "
            f"the last used one is first: {', '.join(ids)}"
        )
    return ids[0]


def _id_in(content: Mapping[str, Any]) -> str | None:
    own = content["metadata"].get("aiserver")
    notebook_id = own.get("notebook_id") if isinstance(own, dict) else None
    return notebook_id if isinstance(notebook_id, str) and is_id(notebook_id) else None


async def _choose(source: _Source, at: str | None, context: StoreContext) -> Choice:
    """Return the moment to restore, and its cells. Raises SettingError."""
    timeline = source.history.timeline
    if at is not None:
        index = _find_moment(timeline, at)
        return Choice(index, [cell.cell_id for cell in timeline.at(index).cells])
    choice = last_complete(timeline)
    if choice is None or not choice.cell_ids:
        raise SettingError("The last recorded state has no cells. Choose another with --at.")
    if source.content is None:
        return choice
    present = {str(cell.get("id")) for cell in source.content["cells"]}
    if not is_mostly_missing(choice.cell_ids, present):
        count = len(present.intersection(choice.cell_ids))
        text = (
            f"Nothing seems to be missing in “{source.name}”: it has {count:,} of "
            f"{_count(len(choice.cell_ids), 'recorded cell')}. To restore an earlier state, "
            "choose it with --at; --list shows the latest changes."
        )
        others = set(await find_recorded_at(context, source.name)) - {source.history.notebook_id}
        if others:
            text += f" The IDs of other notebooks at this path: {', '.join(sorted(others))}"
        raise SettingError(text)
    return choice


def _find_moment(timeline: Timeline, at: str) -> int:
    """Return the index of a moment by its number, counted from 1, or by a time.

    The moment of a time is the last one up to it. Raises SettingError.
    """
    count = len(timeline.moments)
    if at.isascii() and at.isdigit():
        if not 1 <= int(at[:18]) <= count:
            raise SettingError(f"There is no change {at}: the history has {count}.")
        return int(at) - 1
    try:
        if not _TIME.fullmatch(at):
            raise ValueError
        seconds = datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise SettingError(
            f"“{at}” is not a change or a time. Enter a number that --list shows, or a time such "
            "as “2026-03-01 14:30”."
        ) from error
    # A clock may have been set back. The list shows whole seconds.
    times = accumulate((math.floor(to_seconds(each.timestamp)) for each in timeline.moments), max)
    index = bisect_right(list(times), seconds) - 1
    if index < 0:
        first = _time(timeline.moments[0])
        raise SettingError(f"Nothing was recorded at that time: the history begins at {first}.")
    return index


def _list_lines(timeline: Timeline) -> Iterator[str]:
    """Yield a line for each of the latest moments, newest first."""
    lists = cell_lists(timeline)
    starts = [cells.moment for cells in lists]
    for moment in timeline.moments[: -_LISTED_MOMENTS - 1 : -1]:
        number = bisect_right(starts, moment.index)
        count = len(lists[number - 1].cell_ids) if number else 0
        text = make_safe(_text(timeline, moment)).replace("\n", " ").replace("\t", " ")
        if len(text) > _MAX_TEXT:
            text = f"{text[: _MAX_TEXT - 1]}…"
        yield f"{moment.index + 1:>6}  {_time(moment)}  {_count(count, 'cell'):>9}  {text}"


def _text(timeline: Timeline, moment: Moment) -> str:
    if moment.cell_id is None or moment.step is None:
        return "Cells added, removed or moved"
    step = timeline.steps(moment.cell_id)[moment.step]
    text = f"{title(step)}: {moment.title}" if moment.title else title(step)
    return text if step.author == "person" else f"{text} ({contributor(step)})"


def _time(moment: Moment, separator: str = ":") -> str:
    """Return the local time of a moment."""
    time = datetime.fromtimestamp(to_seconds(moment.timestamp))
    return time.strftime(f"%Y-%m-%d %H{separator}%M{separator}%S")


def _count(count: int, unit: str) -> str:
    return f"{count:,} {unit}" if count == 1 else f"{count:,} {unit}s"


def _installed_kernels() -> dict[str, Mapping[str, str]]:
    """Return the ``kernelspec`` of an installed kernel for each programming language."""
    from jupyter_client.kernelspec import KernelSpecManager

    specs: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        specs = KernelSpecManager().get_all_specs()
    kernels: dict[str, Mapping[str, str]] = {}
    for name, model in sorted(specs.items(), key=lambda item: (item[0] != "python3", item[0])):
        language = str(model["spec"].get("language", ""))
        display_name = str(model["spec"].get("display_name", name))
        kernel = {"display_name": display_name, "language": language, "name": name}
        kernels.setdefault(language.lower(), kernel)
    return kernels


def _encode(notebook: Mapping[str, Any]) -> bytes:
    try:
        return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()
    except UnicodeEncodeError:  # a lone surrogate
        return (json.dumps(notebook, indent=1) + "\n").encode()


def _write_copy(source: _Source, output: str | None, moment: Moment, data: bytes) -> Path:
    """Write the restored notebook to a new file, by default beside the notebook."""
    name = source.path.name if source.path else last_recorded_name(source.history)
    name = file_name(name, f" (restored {_time(moment, '.')}).ipynb")
    folder = source.path.parent if source.path else Path()
    target = Path(output) if output else folder / name
    if target.is_dir():
        target = target / name
    with translate_os_errors():
        create_output_folder(target.parent)
        if not write_new_file(target.parent, target.name, data):
            raise SettingError(f"“{target}” already exists. Choose another file with --output.")
    return target


def _replace(path: Path, old: bytes | None, new: bytes) -> Path:
    """Replace the notebook's file, after its ``old`` bytes were written to another file."""
    target = path.resolve()  # a link stays a link: its target is replaced
    if old is None and os.path.lexists(target):
        raise SettingError(
            f"“{path}” can't be read, so its content can't be preserved. Without --in-place, the "
            "notebook is restored to another file."
        )
    with translate_os_errors():
        if old is None:
            create_output_folder(target.parent)
            replace_file(target.parent, target.name, new, public=True)
            return path
        mode = stat.S_IMODE(target.stat().st_mode)
        backup = _preserve(target, old, mode)
        if target.read_bytes() != old:
            raise SettingError(
                f"“{path}” was changed in the meantime, so it wasn't replaced. Try again."
            )
        replace_file(target.parent, target.name, new, public=True)
        target.chmod(mode)
    print(make_safe(f"The previous content of the file is in {backup}"))
    return path


def _preserve(path: Path, data: bytes, mode: int) -> Path:
    """Write the bytes of a file to another file beside it, and return that file's path."""
    count = 1
    while True:
        number = f" {count}" if count > 1 else ""
        name = file_name(path.name, f" (before restore{number}).ipynb")
        if write_new_file(path.parent, name, data):
            (path.parent / name).chmod(mode)
            return path.parent / name
        count += 1


async def _report_losses(
    restored: Restored, choice: Choice, source: _Source, context: StoreContext
) -> int:
    """Print which cells aren't as they were; return 1 if the history of a cell can't be read."""
    marks = await context.store.session_marks(source.history.notebook_id, owner=context.owner)
    stored = {cell_id for _, cell_id in marks}
    unreadable = stored.intersection(choice.cell_ids).difference(source.history.sessions)
    empty = [cell_id for cell_id in restored.unrecorded if cell_id not in unreadable]
    counts = {
        "Cells with a history that can't be read": len(unreadable),
        "Empty cells, because their content isn't recorded": len(empty),
        "Empty cells, because their content was too long to be recorded": len(restored.too_long),
        "Cells in which a mark such as ‹redacted:password› replaces a secret": len(
            restored.redacted
        ),
    }
    for text, count in counts.items():
        if count:
            print(f"{text}: {count:,}", file=sys.stderr)
    return 1 if unreadable else 0
