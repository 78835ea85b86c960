"""Read a notebook's file, and replace the source of one of its cells.

Invariants: a write is atomic. It changes the source of one cell and, if they differ from the
histories', the ids; everything else keeps its value and order. If the file was changed meanwhile,
nothing is written.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from ..durable import replace_file, translate_os_errors
from ..errors import NotFound, SettingError
from ..models import is_id
from ..notebooks.cell_match import is_positional
from ..requests import MAX_TEXT, CellType
from .files import read_notebook
from .selection import find_id

MAX_CELLS_ABOVE = 2000
MAX_CHARACTERS_ABOVE = 500_000
"""The limits of the cells above that a request contains, as in ``src/cells/context.ts``."""


class Cell:
    """One cell of a notebook's file."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    @property
    def id(self) -> str:
        """The cell's id, or "" if it has no valid one."""
        id_ = self._fields.get("id")
        return id_ if isinstance(id_, str) and is_id(id_) else ""

    @property
    def type(self) -> CellType:
        type_ = self._fields.get("cell_type")
        return type_ if type_ in ("code", "markdown") else "raw"

    @property
    def source(self) -> str:
        source = self._fields.get("source", "")
        return "".join(source) if isinstance(source, list) else str(source)

    @source.setter
    def source(self, source: str) -> None:
        is_text = isinstance(self._fields.get("source"), str)
        self._fields["source"] = source if is_text else source.splitlines(keepends=True)

    @property
    def has_failed(self) -> bool:
        outputs = self._fields.get("outputs")
        return isinstance(outputs, list) and any(
            isinstance(output, dict) and output.get("output_type") == "error" for output in outputs
        )


class NotebookFile:
    """The file of a notebook. Raises SettingError if it can't be read."""

    content: dict[str, Any]
    """The notebook in the file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._bytes = read_notebook(name)
        self._path = Path(name).resolve()  # a link's target is replaced
        try:
            self.content = json.loads(self._bytes)
            self._metadata: dict[str, Any] = self.content["metadata"]
            self.cells = [Cell(fields) for fields in self.content["cells"] if "source" in fields]
            is_valid = isinstance(self._metadata, dict)
        except (ValueError, KeyError, TypeError, RecursionError):
            is_valid = False
        if not is_valid:
            raise SettingError(f"“{name}” is not a notebook of format 4 or newer.")

    def path_below(self, folder: Path) -> str:
        """Return the path in the contents API of a server that serves ``folder``."""
        try:
            return self._path.relative_to(folder.resolve()).as_posix()
        except ValueError as error:
            raise SettingError(
                f"“{self.name}” is not below the folder that Jupyter serves. Run the command in "
                "the folder in which you start Jupyter."
            ) from error

    def is_file(self, path: Path) -> bool:
        try:
            return self._path.samefile(path)
        except OSError:
            return False

    def find_cell(self, name: str) -> Cell:
        """Return the cell with a number, from 1, or with an id or the start of it.

        Tools number cells from 0, so the id "1" isn't that of cell 1. Raises NotFound; SettingError
        if the cell has no id by which its history could be found again.
        """
        ids = [cell.id for cell in self.cells]
        if name.isascii() and name.isdigit() and (name not in ids or is_positional(name)):
            index = int(name) - 1
        else:
            id_ = find_id({id_ for id_ in ids if id_}, name)
            index = ids.index(id_) if id_ else -1
        if not 0 <= index < len(ids):
            raise NotFound(f"There is no cell “{name}” in the notebook.")
        if not ids[index] or ids.count(ids[index]) > 1:
            raise SettingError(
                "The cell has no ID of its own. Open the notebook in JupyterLab and save it, then "
                "try again."
            )
        return self.cells[index]

    @property
    def notebook_id(self) -> str | None:
        data = self._metadata.get("aiserver")
        id_ = data.get("notebook_id") if isinstance(data, dict) else None
        return id_ if isinstance(id_, str) and is_id(id_) else None

    @property
    def cell_ids(self) -> list[str]:
        return list(dict.fromkeys(cell.id for cell in self.cells if cell.id))

    @property
    def language(self) -> str:
        for section, key in (("language_info", "name"), ("kernelspec", "language")):
            data = self._metadata.get(section)
            name = data.get(key) if isinstance(data, dict) else None
            if isinstance(name, str) and name.strip():
                return name.strip()[:64]
        return "python"

    @property
    def kernel(self) -> str:
        data = self._metadata.get("kernelspec")
        name = data.get("display_name") if isinstance(data, dict) else None
        return name[:256] if isinstance(name, str) else ""

    def cells_above(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the nearest cells above within the limits, top to bottom, without empty ones."""
        above: list[dict[str, Any]] = []
        remaining = MAX_CHARACTERS_ABOVE
        for other in reversed(self.cells[: self.cells.index(cell)]):
            source = other.source[:MAX_TEXT]
            remaining -= len(source)
            if remaining < 0 or len(above) == MAX_CELLS_ABOVE:
                break
            if source.strip():
                fields = {"cell_type": other.type, "source": source, "failed": other.has_failed}
                above.append(fields | ({"cell_id": other.id} if other.id else {}))
        return above[::-1]

    def write(self, cell: Cell, source: str, notebook_id: str) -> None:
        """Write ``source`` into a cell.

        Raises StorageError; SettingError if the file was changed meanwhile.
        """
        if self.notebook_id != notebook_id:
            data = self._metadata.get("aiserver")
            data = data if isinstance(data, dict) else {}
            self._metadata["aiserver"] = data | {"notebook_id": notebook_id}
        cell.source = source
        text = _encode(self.content, self._bytes)
        with translate_os_errors():
            mode = stat.S_IMODE(self._path.stat().st_mode)
            if self._path.read_bytes() != self._bytes:
                raise SettingError(
                    "The notebook was changed in the meantime, so nothing was written. The code is "
                    "in the history of the cell."
                )
            replace_file(self._path.parent, self._path.name, text, public=True)
            self._path.chmod(mode)


def _encode(content: Any, old: bytes) -> bytes:
    """Encode a notebook with the indentation and the end of the old file."""
    second_line = old.split(b"\n", 2)[1:2]
    width = len(second_line[0]) - len(second_line[0].lstrip(b" ")) if second_line else 0
    options: dict[str, Any] = {"indent": width or None}
    end = b"\n" if old.endswith(b"\n") else b""
    try:
        return json.dumps(content, ensure_ascii=False, **options).encode() + end
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(content, **options).encode() + end
