"""``sessions import``: import histories of other programs, and AI Server's exports and backups.

Invariants: imported files are neither changed nor locked. A file that can't be read is reported,
and the import continues. Symbolic links in a folder are not imported.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache, partial
from pathlib import Path

from ....cli.selection import find_notebooks
from ....cli.stores import StoreContext
from ....cli.terminal import ProgressBar
from ....errors import SettingError
from ....models import SessionKey, is_id
from ....sessions.file.directory import FOLDER, path_from_url
from .. import backup
from ..importers import detect
from ..importers.agentscope import AgentScopeDatabase, AgentScopeRedis
from ..importers.base import InputFile, ReadResult, UnreadableInput, encoding_of
from ..write import Report, StoreWriter

_REDIS_SCHEMES = ("redis", "rediss", "unix")
_SUFFIXES = {".json", ".jsonl", ".chat", ".ipyhistory", ".zip"}
_IS_STORE = "this is an AI Server store; to copy all of it, use “sessions copy --from FOLDER”"


class InputFiles:
    """A file, or all importable files of a folder, read one at a time.

    Without ``format_``, the format is detected. The store below ``target_root``, into which the
    import writes, is left out. ``unpack_limit`` is that of ``read_members``.
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
        """Yield each file's path and histories.

        A backup has several results. For another store in the folder, the result says that it isn't
        imported.
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


_Input = InputFiles | AgentScopeDatabase | AgentScopeRedis


async def run_import(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Import each file, folder and database that the command names."""
    name = arguments.notebook
    notebook_id = (await find_notebooks(context, name))[0] if name else None
    if arguments.cell and not notebook_id:
        raise SettingError("--cell requires --notebook.")
    if arguments.cell and not is_id(arguments.cell):
        raise SettingError("--cell must be the ID of a cell.")
    inputs = [_create_input(name, arguments, context) for name in arguments.source]
    if not arguments.dry_run:
        context.create_root()
    # A database's sessions aren't counted.
    counts = [len(source.files) for source in inputs if isinstance(source, InputFiles)]
    total = sum(counts) if len(counts) == len(inputs) else None
    report = Report()
    writer = StoreWriter(context.store, report, dry_run=arguments.dry_run)
    last_name = None
    with ProgressBar("importing", total) as bar:
        for each_input in inputs:
            async for name, result in each_input.results():
                report.skipped += [f"{name}: {reason}" for reason in result.unreadable]
                cell_count = result.session_count
                cell_count = len(result.sessions) if cell_count is None else cell_count
                if arguments.cell and cell_count > 1:
                    histories = f"the histories of {cell_count} cells"
                    reason = f"{name}: contains {histories}; leave out --cell"
                    if reason not in report.skipped:
                        report.skipped.append(reason)
                    result.sessions = []
                owner_of = partial(_target_owner, result, context, arguments)
                await _write(result, writer, owner_of, notebook_id, arguments.cell)
                if name != last_name:  # a backup has several results with the same name
                    bar.advance()
                last_name = name
    records = f"{report.turn_count:,} requests and {report.event_count:,} events"
    report.show(f"Read {report.session_count:,} histories with {records}:", "skipped")
    if arguments.dry_run:
        print("Dry run: nothing was written.")
    return 1 if report.skipped else 0


def _create_input(name: str, arguments: argparse.Namespace, context: StoreContext) -> _Input:
    scheme, separator, _ = name.partition("://")
    if not separator or scheme.lower() == "file":
        path = str(path_from_url(name)) if separator else name
        limit = arguments.unpack_limit
        return InputFiles(path, arguments.format, context.root, limit and int(limit * 1e9))
    if scheme.lower() in _REDIS_SCHEMES:
        return AgentScopeRedis(name, arguments.prefix)
    return AgentScopeDatabase(name, arguments.table)


async def _write(
    result: ReadResult,
    writer: StoreWriter,
    owner_of: Callable[[str], str],
    notebook_id: str | None,
    cell_id: str | None,
) -> None:
    # Blobs first, so that sessions never refer to missing ones.
    for owner, data in result.blobs:
        await writer.write_blob(data, owner_of(owner))
    for session in result.sessions:
        meta = session.meta
        meta.notebook_id = notebook_id or meta.notebook_id
        meta.cell_id = cell_id or meta.cell_id
        key = SessionKey(meta.notebook_id, meta.cell_id, owner_of(meta.owner or ""))
        await writer.write_session(key, session, has_times=result.has_times)
    # Logs last, because they refer to records.
    for (owner, log_notebook_id), log in result.logs.items():
        await writer.write_log(log_notebook_id, owner_of(owner), log)


def _target_owner(
    result: ReadResult, context: StoreContext, arguments: argparse.Namespace, owner: str
) -> str:
    """Return the owner in the store for data of ``owner`` in the input.

    A backup's data keeps its owner, unless ``--owner`` is given. In a shared store, all data must
    have one.
    """
    if result.keeps_owners and arguments.owner is None and (owner or not context.store.shared):
        return owner
    return context.owner
