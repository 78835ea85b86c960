"""Read the files and folders that a person imports.

Invariants: nothing is written or locked at the source. A file that can't be read is reported, and
the others are read. Symbolic links are followed only if a person named them.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from ..errors import SettingError
from ..sessions.file.root import FOLDER
from .importers import archive, detect
from .importers.base import Read, Source, UnreadableSource

_SUFFIXES = {".json", ".jsonl", ".chat", ".ipyhistory", ".zip"}
_OURS = "this is an AI Server store; to copy all of it, use “sessions copy --from FOLDER”"


class Origin:
    """A file or folder, read one part at a time."""

    def __init__(
        self, name: str, format_: str | None, own: Path, unpack_limit: int | None = None
    ) -> None:
        self.format = format_
        self._unpack_limit = unpack_limit
        path = Path(name)
        if not path.exists():
            raise SettingError(f"No file or folder named “{name}”.")
        self._own = (own / FOLDER).resolve()  # the target store, which is not a source
        self._stores: list[Path] = []
        self.files = sorted(self._below(path)) if path.is_dir() else [path]
        self._lists: dict[Path, bool] = {}

    def __len__(self) -> int:
        return len(self.files)

    async def parts(self) -> AsyncIterator[tuple[str, Read]]:
        """Yield the name and content of each file."""
        for store in self._stores:
            yield str(store), Read(unreadable=[_OURS])
        for file in self.files:
            try:
                for part in self._read(file):
                    yield str(file), part
            except UnreadableSource as reason:
                yield str(file), Read(unreadable=[str(reason)])
            except OSError:
                yield str(file), Read(unreadable=["can't be read"])

    def _read(self, file: Path) -> Iterator[Read]:
        is_archive = self.format == archive.FORMAT
        if is_archive or (self.format is None and archive.is_archive(file)):
            yield from archive.parts(file, self._unpack_limit)
            return
        source = Source(
            Path(file.parent.absolute().name) / file.name,
            file.read_bytes(),
            notebook=_matching_notebook(file),
            agentscope=self._in_agentscope(file),
        )
        yield detect.read(source, self.format)

    def _in_agentscope(self, file: Path) -> bool:
        """Return whether the same folder contains a list of AgentScope's messages."""
        folder = file.parent
        if folder not in self._lists:
            lists = [other for other in folder.glob("*.jsonl") if other.is_file()]
            self._lists[folder] = any(detect.is_agentscope_list(_head(path)) for path in lists)
        return self._lists[folder]

    def _below(self, folder: Path) -> Iterator[Path]:
        for directory, folders, names in os.walk(folder):
            path = Path(directory)
            if path.name == FOLDER:
                folders.clear()
                if path.resolve() != self._own:
                    self._stores.append(path)
                continue
            for name in names:
                file = path / name
                if file.suffix in _SUFFIXES and file.is_file() and not file.is_symlink():
                    yield file


def _matching_notebook(file: Path) -> bytes | None:
    notebook = file.with_suffix(".ipynb")
    if file.suffix != ".ipyhistory" or not notebook.is_file():
        return None
    return notebook.read_bytes()


def _head(file: Path) -> bytes:
    """Return the first line of a file."""
    try:
        with file.open("rb") as content:
            return content.readline()
    except OSError:
        return b""
