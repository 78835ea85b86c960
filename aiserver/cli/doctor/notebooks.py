"""Check whether other tools have changed the ids in notebooks that have histories.

Invariants: nothing is written. The time and the number of notebooks are limited, and the report
says what was not checked.
"""

from __future__ import annotations

import time

from ...errors import AIServerError, SettingError
from ...notebooks.identity import NotebookRegistry
from ...notebooks.restored_ids import recognise_cells
from ..notebook_file import NotebookFile
from ..stores import Configuration, StoreContext, open_store
from ..terminal import make_safe
from .base import Finding, note, ok

_MAX_NOTEBOOKS, _MAX_SECONDS, _MAX_MEGABYTES = 200, 10, 20


async def check_notebooks(configuration: Configuration) -> list[Finding]:
    """Check notebooks with histories at their last recorded paths."""
    try:
        async with open_store(configuration=configuration) as context:
            return await _check(context, time.monotonic() + _MAX_SECONDS)
    except AIServerError as error:
        return [note(f"The notebooks were not checked: {error.message}")]


async def _check(context: StoreContext, deadline: float) -> list[Finding]:
    folder = context.configuration.root_dir
    registry = context.notebooks()
    marks = await context.store.session_marks(owner=context.owner)
    paths = await registry.paths(dict.fromkeys(notebook_id for notebook_id, _ in marks))
    names = [name for name in dict.fromkeys(paths.values()) if name and name.endswith(".ipynb")]
    notes: list[Finding] = []
    checked = 0
    for name in names[:_MAX_NOTEBOOKS]:
        if time.monotonic() >= deadline:
            break
        try:
            if (folder / name).stat().st_size <= _MAX_MEGABYTES * 1_000_000:
                notes += await _check_notebook(registry, name, NotebookFile(str(folder / name)))
                checked += 1
        except (OSError, SettingError):
            continue
    findings = notes or [ok(f"Notebooks with histories: {checked:,} checked")]
    if checked < len(names):
        text = f"Notebooks that were not checked: {len(names) - checked:,}. They can't be read, are"
        text += f" larger than {_MAX_MEGABYTES} MB, or are too many for {_MAX_SECONDS} seconds."
        findings.append(note(text))
    return findings


async def _check_notebook(
    registry: NotebookRegistry, name: str, notebook: NotebookFile
) -> list[Finding]:
    recognised = await recognise_cells(registry, name, notebook.content)
    name, notes = make_safe(name), []
    if recognised is None:
        which = "an unknown" if notebook.notebook_id else "no"
        text = (
            f"{name}: it has {which} notebook ID, and other cells than the histories at this path."
        )
        return [note(text, "If it is the same notebook, restore its file, for example from git.")]
    if notebook.notebook_id is None:
        text = f"{name}: the file has no notebook ID; another tool may have removed it."
        text += " The histories are found by the cells when you open it."
        fix = "Open and save it in JupyterLab, and let other tools keep the metadata “aiserver”."
        notes.append(note(text, fix))
    if count := sum(match.sign != "id" for match in recognised.matches.values()):
        text = f"{name}: another tool, such as nbstripout, gave cells other IDs. {count:,} of them"
        text += " get their histories by their content when you open it."
        notes.append(note(text, "For nbstripout, use its option --keep-id."))
    if notebook.cells and recognised.recorded and not recognised.matches:
        text = f"{name}: no cell in it is one of those that have a history."
        fix = "If another tool changed it, the Notebook tab lists its histories as deleted cells."
        notes.append(note(text, fix))
    return notes
