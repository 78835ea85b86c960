"""The steps of notebooks of pandas_exercises, each below the notebook's code for earlier steps."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import unquote

from ..items import Item
from ..sources import DATA, FETCHED, sources

NAME = "pandas_exercises"
_STEP = re.compile(r"^ *#+ *Step *([\d.a-z]*?)[.:]?\s+", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
_ADDRESS = re.compile(r"https?://[^\s'\")]+")
# The library of plots isn't needed for the items, and isn't installed everywhere.
_PLOTS = re.compile(r"^ *((import|from) (matplotlib|seaborn)\b|%matplotlib).*\n?", re.MULTILINE)


def items(failing: Collection[str]) -> Iterator[Item]:
    """Yield the steps of all notebooks that are there.

    The code of steps in ``failing`` is left out of the cells above.
    """
    files = _data_files()
    for path in _notebooks():
        label = _label(path)
        cells: list[str] = []
        for number, request, code in _steps(path):
            item_id = f"{NAME}/{label}/{number}"
            code = _with_local_files(code, files)
            if not _is_import(code):
                yield Item(
                    id=item_id,
                    request=_plain_text(request, files),
                    cells=tuple(cells),
                    files=_named(files, "\n".join([request, code, *cells])),
                    solution=code,
                )
            if item_id not in failing:
                cells.append(code)


def _notebooks() -> list[Path]:
    vendored = DATA / NAME / "fictional_army.ipynb"
    fetched = [sources()[NAME].path(path) for path in sources()[NAME].files]
    notebooks = [path for path in fetched if path.suffix == ".ipynb" and path.exists()]
    return [vendored, *sorted(notebooks)]


def _label(path: Path) -> str:
    """Return a short name, such as ``02-euro12``."""
    if path.is_relative_to(FETCHED):
        topic, folder = path.parts[-3:-1]
        return f"{topic[:2]}-{folder}".lower()
    return path.stem


def _steps(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the number, the request and the code of each step of a notebook.

    Several steps may have one code cell in common, and a step may have several code cells.
    """
    pending: list[str] = []  # the markdown of steps without code yet
    sources_of_step: list[str] = []
    for cell in [*json.loads(path.read_text("utf-8"))["cells"], {"cell_type": "markdown"}]:
        source = "".join(cell.get("source", ""))
        if cell["cell_type"] == "code":
            sources_of_step.append(_PLOTS.sub("", source).strip())
            continue
        code = "\n\n".join(filter(None, sources_of_step))
        if sources_of_step:
            text = "\n\n".join(pending)
            steps = list(_STEP.finditer(text))
            if steps and code:
                yield steps[-1][1], text[steps[0].start() :], code
            pending, sources_of_step = [], []
        pending.append(source)


def _is_import(code: str) -> bool:
    lines = [line for line in code.split("\n") if line.strip() and not line.startswith("#")]
    return all(re.match(r"(import|from) ", line) for line in lines)


def _plain_text(request: str, files: dict[str, Path]) -> str:
    """Return the text of steps without their headings, and with file names instead of links."""

    def name(match: re.Match[str]) -> str:
        base = _base(match[2])
        return base if base in files else match[1]

    text = re.sub(r"^ *#+ *", "", _STEP.sub("", request), flags=re.MULTILINE)
    text = re.sub(r" this (?=\S*\[address)", " ", text)
    return re.sub(r"\n{2,}", "\n", _LINK.sub(name, text)).strip()


def _with_local_files(code: str, files: dict[str, Path]) -> str:
    """Return code with the names of files in the notebook's folder instead of their addresses."""
    return _ADDRESS.sub(lambda m: _base(m[0]) if _base(m[0]) in files else m[0], code)


def _named(files: dict[str, Path], text: str) -> tuple[Path, ...]:
    return tuple(path for name, path in files.items() if name in text)


def _base(address: str) -> str:
    return unquote(address.rstrip("/").rpartition("/")[2])


def _data_files() -> dict[str, Path]:
    """Return the data files of the notebooks by their names."""
    paths = [
        sources()[name].path(path) for name in (NAME, "dat8") for path in sources()[name].files
    ]
    return {
        path.name: path for path in paths if path.suffix not in (".ipynb", "") and path.exists()
    }
