"""Tools that rewrite the file of a notebook, as people use them beside JupyterLab.

nbstripout, papermill and nbconvert are the real ones, and so is jupytext if it is installed. The
cells keep their metadata, so a walk can tell which cell is which.
"""

from __future__ import annotations

import importlib.util
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import nbformat

Tool = Callable[[Path, Random], None]


def read(path: Path) -> dict[str, Any]:
    """Return a notebook as it is in its file."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return notebook


def write(path: Path, notebook: dict[str, Any]) -> None:
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def nbstripout(path: Path, random: Random) -> None:
    """Number the cells anew, as nbstripout does without ``--keep-id``."""
    from nbstripout import strip_output

    notebook = strip_output(
        nbformat.reads(path.read_text("utf-8"), as_version=nbformat.NO_CONVERT),
        keep_output=False,
        keep_count=False,
        keep_id=False,
    )
    path.write_text(nbformat.writes(notebook), "utf-8")


def papermill(path: Path, random: Random) -> None:
    """Write a report in place: a new cell has the parameters, instead of the old one."""
    from papermill import execute_notebook

    old = [cell["metadata"] for cell in read(path)["cells"] if _is_injected(cell)]
    execute_notebook(
        str(path), str(path), {"n": random.randint(1, 9)}, prepare_only=True, progress_bar=False
    )
    notebook = read(path)
    for cell in filter(_is_injected, notebook["cells"]):
        cell["metadata"] = {**(old[0] if old else {}), **cell["metadata"]}
    write(path, notebook)


def _is_injected(cell: dict[str, Any]) -> bool:
    return "injected-parameters" in cell["metadata"].get("tags", ())


def nbconvert(path: Path, random: Random) -> None:
    from nbconvert.exporters import NotebookExporter

    body, _ = NotebookExporter().from_filename(str(path))
    path.write_text(str(body), "utf-8")


def through_text(path: Path, random: Random) -> None:
    """Convert a notebook into a text notebook and back."""
    import jupytext

    format_ = random.choice(["py:percent", "md"])
    notebook = jupytext.reads(path.read_text("utf-8"), fmt="ipynb")
    jupytext.write(jupytext.reads(jupytext.writes(notebook, fmt=format_), fmt=format_), str(path))


def new_ids(path: Path, random: Random) -> None:
    """Give all cells new random ids, as an editor does that keeps none."""
    notebook = read(path)
    for cell in notebook["cells"]:
        cell["id"] = str(uuid.UUID(int=random.getrandbits(128), version=4))
    write(path, notebook)


def first_id(path: Path, random: Random) -> None:
    """Give the first cell the id that PyCharm gives it in each notebook."""
    notebook = read(path)
    if notebook["cells"] and notebook["nbformat_minor"] >= 5:
        notebook["cells"][0]["id"] = "initial_id"
        write(path, notebook)


def named_ids(path: Path, random: Random) -> None:
    """Name the cells by their place, as agents do."""
    notebook = read(path)
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"
    write(path, notebook)


def _older_format(key: str | None) -> Tool:
    def convert(path: Path, random: Random) -> None:
        notebook = read(path)
        notebook["nbformat_minor"] = 4
        for cell in notebook["cells"]:
            id_ = cell.pop("id", None)
            if key and id_:
                cell["metadata"][key] = id_
        write(path, notebook)

    return convert


def no_metadata(path: Path, random: Random) -> None:
    """Remove the metadata of the notebook, and so its id."""
    notebook = read(path)
    notebook["metadata"] = {"kernelspec": notebook["metadata"]["kernelspec"]}
    write(path, notebook)


TOOLS: dict[str, Tool] = {
    "nbstripout": nbstripout,
    "papermill": papermill,
    "nbconvert": nbconvert,
    "new ids": new_ids,
    "first id": first_id,
    "named ids": named_ids,
    "4.4": _older_format(None),
    "Colab": _older_format("id"),
    "Kaggle": _older_format("_cell_guid"),
    "no metadata": no_metadata,
}
if importlib.util.find_spec("jupytext"):
    TOOLS["jupytext"] = through_text
