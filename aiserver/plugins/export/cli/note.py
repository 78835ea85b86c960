"""``replay note``: name the authors of a commit's notebooks in a note for git-ai.

Invariants: histories, files and commits aren't changed, and notes of other programs stay.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from ....cli.selection import path_in
from ....cli.stores import StoreContext
from ....cli.terminal import make_safe
from ....errors import SettingError
from ....notebooks.history import Histories
from ....notebooks.restored_ids import is_valid, own_id, restore_ids
from ..authorship.git import ChangedFile, Commit, changed_notebooks, find_commit, update_note
from ..authorship.git_note import write_note
from ..authorship.lines import LineAuthors, authors_of_lines


async def run_note(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Write the note of a commit."""
    commit = find_commit(arguments.revision)
    files: dict[str, LineAuthors] = {}
    for file in changed_notebooks(commit):
        if authors := await _authors(commit, file, context):
            files[file.path] = authors
    short_id = commit.id[:7]
    if not files:
        print(f"{short_id} adds no line to a notebook with a history.")
        return 0
    is_new = update_note(
        commit, lambda existing: write_note(commit.id, commit.author, files, existing)
    )
    names = make_safe(", ".join(files))
    print(f"{'The note' if is_new else 'Nothing to add to the note'} of {short_id}: {names}")
    return 0


async def _authors(commit: Commit, file: ChangedFile, context: StoreContext) -> LineAuthors:
    """Return the authors of the new lines of a notebook; none without a history."""
    try:
        text = file.data.decode("utf-8")
        notebook: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(notebook, dict) or not is_valid(notebook) or set(file.path) & set('"\n'):
        return {}
    try:
        path = path_in(context.configuration.root_dir, str(commit.folder / file.path))
        await restore_ids(context.notebooks(), path, notebook)
    except SettingError:  # the file is outside of the folder with the notebooks
        return {}
    notebook_id = own_id(notebook)
    if notebook_id is None:
        return {}
    history = await Histories(context.store, owner=context.owner).load(notebook_id)
    authors = authors_of_lines(text, notebook, history)
    return {
        number: line_authors for number, line_authors in authors.items() if number in file.added
    }
