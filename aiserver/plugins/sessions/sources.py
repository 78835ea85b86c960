"""Read the files and folders that a person imports.

Invariants: the imported files and folders are neither changed nor locked. If a file can't be read,
this is reported, and the import continues with the next file. Symbolic links in a folder are not
imported.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path

from ...errors import SettingError
from ...sessions.file.root import FOLDER
from . import backup
from .importers import detect
from .importers.base import InputFile, ReadResult, UnreadableInput, encoding_of

_SUFFIXES = {".json", ".jsonl", ".chat", ".ipyhistory", ".zip"}
_IS_STORE = "this is an AI Server store; to copy all of it, use “sessions copy --from FOLDER”"


class InputFiles:
    """One file to import, or all importable files of a folder, read one at a time.

    ``format_`` is None if the format of each file is detected. The files of the store below
    ``target_root``, into which the import writes, are not imported. ``unpack_limit`` is the largest
    accepted unpacked size of a backup, in bytes.
    """

    def __init__(
        self, name: str, format_: str | None, target_root: Path, unpack_limit: int | None = None
    ) -> None:
        self.format = format_
        self._unpack_limit = unpack_limit
        path = Path(name)
        if not path.exists():
            raise SettingError(f"No file or folder named “{name}”.")
        self._target_store = (target_root / FOLDER).resolve()
        self._other_stores: list[Path] = []
        self.files = sorted(self._files_below(path)) if path.is_dir() else [path]
        self._is_agentscope_folder = cache(_is_agentscope_folder)

    async def results(self) -> AsyncIterator[tuple[str, ReadResult]]:
        """Yield the path of each file and the histories that were read from it.

        A backup has several results. For each other store in the folder, the result says that it
        isn't imported.
        """
        for store in self._other_stores:
            yield str(store), ReadResult(unreadable=[_IS_STORE])
        for file in self.files:
            try:
                for result in self._read(file):
                    yield str(file), result
            except UnreadableInput as reason:
                yield str(file), ReadResult(unreadable=[str(reason)])
            except OSError:
                yield str(file), ReadResult(unreadable=["can't be read"])

    def _read(self, file: Path) -> Iterator[ReadResult]:
        is_archive = self.format == backup.FORMAT
        if is_archive or (self.format is None and backup.is_archive(file)):
            yield from backup.read_members(file, self._unpack_limit)
            return
        path = Path(file.parent.absolute().name) / file.name
        notebook = file.with_suffix(".ipynb")
        has_notebook = file.suffix == ".ipyhistory" and notebook.is_file()
        notebook_data = notebook.read_bytes() if has_notebook else None
        is_agentscope = self._is_agentscope_folder(file.parent)
        source = InputFile(path, file.read_bytes(), notebook_data, is_agentscope)
        yield detect.read(source, self.format)

    def _files_below(self, folder: Path) -> Iterator[Path]:
        """Yield the files with the suffix of an importable format, and note other stores."""
        for directory, folders, names in os.walk(folder):
            path = Path(directory)
            if path.name == FOLDER:
                folders.clear()  # so that `os.walk` doesn't enter the store
                if path.resolve() != self._target_store:
                    self._other_stores.append(path)
                continue
            for name in names:
                file = path / name
                if file.suffix in _SUFFIXES and file.is_file() and not file.is_symlink():
                    yield file


def _is_agentscope_folder(folder: Path) -> bool:
    jsonl_files = (path for path in folder.glob("*.jsonl") if path.is_file())
    return any(detect.is_agentscope_list(_first_line(path)) for path in jsonl_files)


def _first_line(file: Path) -> bytes:
    try:
        with file.open("rb") as content:
            encoding = encoding_of(content.read(2))
        with file.open(encoding=encoding, errors="replace", newline="\n") as text:
            return text.readline().encode()
    except OSError:
        return b""
