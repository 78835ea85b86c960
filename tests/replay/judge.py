"""Whether a notebook's past, as the server tells it, is what was saved: nbdime judges.

    python -m tests.replay.judge FOLDER ROOT NOTEBOOK_ID

``FOLDER`` holds what a browser test left: ``saves/*.ipynb``, the files as they were saved, each
with the number of the save in the log that it belongs to as its name; and ``moments.json``, the
server's answers for all moments. ``ROOT`` is the folder of the store. Prints what differs, one
line each, and ends with 1 if anything does.
"""

from __future__ import annotations

import asyncio
import copy
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbdime.diffing.notebooks import diff_notebooks, set_notebook_diff_targets
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from aiserver.notebooks.history import Histories
from aiserver.sessions.file.manager import FileSessionManager

_MAKE = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}


def rebuilt(moment: dict[str, Any]) -> Any:
    """The notebook of a moment, as the server answers for it."""
    cells = [_MAKE[cell["type"]](cell["source"], id=cell["cellId"]) for cell in moment["cells"]]
    return new_notebook(cells=cells)


def difference(then: Any, saved: Any) -> str:
    """What nbdime finds between two notebooks but for outputs and metadata; empty if nothing."""
    set_notebook_diff_targets(outputs=False, attachments=False, metadata=False, details=False)
    then = nbformat.from_dict({**then, "nbformat_minor": saved.nbformat_minor})
    saved = copy.deepcopy(saved)
    for cell in saved.cells:
        cell.pop("attachments", None)  # nbdime would tell that a cell has the key, though empty
    found = diff_notebooks(saved, then)
    return json.dumps(found, ensure_ascii=False) if found else ""


def differences(
    saves: Sequence[tuple[int, Any]], moments: Sequence[dict[str, Any]], of_save: Sequence[int]
) -> Iterator[str]:
    """For each saved notebook: how the moment of its save differs, where it does.

    ``of_save`` names the moment of each save that is known of.
    """
    for number, saved in saves:
        moment = moments[of_save[number - 1]]
        found = difference(rebuilt(moment), saved)
        if found:
            yield f"save {number}, moment {moment['index']}: {found}"


async def _moments_of_saves(root: str, notebook_id: str) -> list[int]:
    store = FileSessionManager(root=root)
    await store.start()
    try:
        history = await Histories(store).load(notebook_id)
        return history.timeline.saves
    finally:
        await store.close()


def main(folder: str, root: str, notebook_id: str) -> int:
    """Judge; the exit code."""
    files = sorted(Path(folder, "saves").glob("*.ipynb"))
    saves = [(int(file.stem.split("-")[0]), nbformat.read(file, as_version=4)) for file in files]
    moments = json.loads(Path(folder, "moments.json").read_text("utf-8"))
    of_save = asyncio.run(_moments_of_saves(root, notebook_id))
    found = list(differences(saves, moments, of_save))
    print("\n".join(found) or f"{len(saves)} saves of {len(of_save)}, {len(moments)} moments")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
