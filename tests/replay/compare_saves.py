"""Compare the moments of a notebook's timeline with its saved files, by nbdime.

    python -m tests.replay.compare_saves FOLDER ROOT NOTEBOOK_ID

``FOLDER`` contains the results of a browser test: ``saves/*.ipynb``, the saved files, each named by
the number of its save in the log; and ``moments.json``, the server's answers for all moments.
``ROOT`` is the folder of the store. Prints one line for each difference, and exits with 1 if there
are any.
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
    """The notebook of a moment, from the server's answer."""
    cells = [_MAKE[cell["type"]](cell["source"], id=cell["cellId"]) for cell in moment["cells"]]
    return new_notebook(cells=cells)


def difference(actual: Any, saved: Any) -> str:
    """The diff of two notebooks without outputs and metadata; empty if there is none."""
    set_notebook_diff_targets(outputs=False, attachments=False, metadata=False, details=False)
    actual = nbformat.from_dict({**actual, "nbformat_minor": saved.nbformat_minor})
    saved = copy.deepcopy(saved)
    for cell in saved.cells:
        cell.pop("attachments", None)  # nbdime reports the key even if it is empty
    diff = diff_notebooks(saved, actual)
    return json.dumps(diff, ensure_ascii=False) if diff else ""


def differences(
    saves: Sequence[tuple[int, Any]], moments: Sequence[dict[str, Any]], saved_at: Sequence[int]
) -> Iterator[str]:
    """The differences between saved notebooks and the moments of their saves.

    ``saved_at`` are the moments of all recorded saves.
    """
    for number, saved in saves:
        moment = moments[saved_at[number - 1]]
        if diff := difference(rebuilt(moment), saved):
            yield f"save {number}, moment {moment['index']}: {diff}"


async def _moments_of_saves(root: str, notebook_id: str) -> list[int]:
    store = FileSessionManager(root=root)
    await store.start()
    try:
        history = await Histories(store).load(notebook_id)
        return history.timeline.saves
    finally:
        await store.close()


def main(folder: str, root: str, notebook_id: str) -> int:
    """Compare all saves; return the exit code."""
    files = sorted(Path(folder, "saves").glob("*.ipynb"))
    saves = [(int(file.stem.split("-")[0]), nbformat.read(file, as_version=4)) for file in files]
    moments = json.loads(Path(folder, "moments.json").read_text("utf-8"))
    saved_at = asyncio.run(_moments_of_saves(root, notebook_id))
    diffs = list(differences(saves, moments, saved_at))
    print("\n".join(diffs) or f"{len(saves)} saves of {len(saved_at)}, {len(moments)} moments")
    return 1 if diffs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
