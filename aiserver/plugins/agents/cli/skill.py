"""The skill: a file that tells an agent how to work in notebooks.

The file is AI Server's own: ``connect`` replaces it, and ``disconnect`` deletes it. A file of
somebody else with the same name is never touched.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ....durable import NotRegularFile, read_file, remove, replace_file

FOLDER, FILE = "aiserver-notebooks", "SKILL.md"
_MARK = "Written by “jupyter aiserver agents connect”, which also replaces this file."
TEXT = f"""\
---
name: aiserver-notebooks
description: Read, edit and run Jupyter notebooks (.ipynb) with the tools of the MCP server \
"aiserver". Use it whenever a task touches a notebook.
---

<!-- {_MARK} -->

# Work in notebooks

The person may have the notebook open in JupyterLab. Work through the tools of the MCP server
`aiserver`, which change the open notebook and record who did what and why.

- Never write or patch an `.ipynb` file directly, neither with an editor nor with a script: unsaved
  work of the person would be lost, and the change would have no author.
- Begin with `run_begin`: the notebook, what you are going to do in one sentence, and a plan if it
  has several steps.
- Read before you change: `notebook_outline` lists the cells, `cell_read` gives the source of one
  and its `base`. Address cells by their ids, never by their numbers.
- Change one cell for one reason, with `cell_edit`, `cell_insert`, `cell_move` or `cell_delete`, and
  give the reason as `intent`. Leave lines alone that you needn't change.
- If a call is refused because the cell has changed, read the cell again: the person was faster.
- By default, a change is a proposal that waits in the cell. `proposal_status` says whether it was
  accepted, or rejected and why. Don't propose the same again after a rejection.
- If a tool refuses, tell the person what it says. Don't look for a way around it.
- Finish with `run_end` and a summary in one or two sentences. The person can undo the run as a
  whole.
"""


def write_skill(skills: Path) -> bool:
    """Write the skill into a folder of skills; return False if somebody else's file is there."""
    folder = skills / FOLDER
    if not _is_free(folder):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder, FILE, TEXT.encode(), public=True)
    return True


def has_skill(skills: Path) -> bool:
    """Return whether the skill is in a folder of skills."""
    return _is_own(skills / FOLDER)


def remove_skill(skills: Path, root: Path) -> None:
    """Delete the skill, and the folders below ``root`` that are then empty."""
    folder = skills / FOLDER
    if _is_own(folder):
        remove(folder, [FILE])
        remove_empty(folder, root)


def remove_empty(folder: Path, root: Path) -> None:
    """Delete a folder, and those above it, while they are empty and below ``root``."""
    with suppress(OSError):
        while folder != root and folder.is_relative_to(root):
            folder.rmdir()
            folder = folder.parent


def _is_free(folder: Path) -> bool:
    try:
        return read_file(folder / FILE) is None or _is_own(folder)
    except (NotRegularFile, OSError):
        return False


def _is_own(folder: Path) -> bool:
    try:
        content = read_file(folder / FILE)
    except (NotRegularFile, OSError):
        return False
    return content is not None and _MARK.encode() in content[0]
