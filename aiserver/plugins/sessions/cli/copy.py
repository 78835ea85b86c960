"""``sessions copy``: copy all sessions, change logs and blobs from one store to another.

Invariants: a session that the target has already is merged; another one differs only in its owner.
The source is not changed. After an interruption, running the command again copies what is missing.
Between a file store, whose logs have paths relative to its root, and a database, whose logs have
paths relative to the home folder, the paths are converted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ....cli.stores import StoreContext, open_store
from ....cli.terminal import ProgressBar
from ....concurrency import for_each
from ....errors import SettingError, StorageError
from ....models import NotebookLogEntry, SessionKey
from ....notebooks.other_roots import name_under
from ....sessions.base import SessionManager
from ....sessions.file.manager import FileSessionManager
from ..write import Report, StoreWriter


async def run_copy(arguments: argparse.Namespace, source: StoreContext) -> int:
    """Copy the selected owners' data to the store ``--to``."""
    if arguments.all_owners and arguments.to_owner is not None:
        raise SettingError("--to-owner can't be used with --all-owners.")
    async with open_store(arguments.to, arguments.to_owner, False, source.configuration) as target:
        if source.name == target.name and source.owners == target.owners:
            raise SettingError("Source and target are the same store.")
        if not await source.store.list_owners():  # the store's name is probably mistyped
            raise StorageError(f"No histories in {source.name}.")
        target.create_root()
        target_owner_by_owner = {
            owner: owner if arguments.all_owners else target.owner for owner in source.owners
        }
        report, roots = Report(), (source.names_root, target.names_root)
        with ProgressBar("copying") as bar:
            try:
                for owner, to_owner in target_owner_by_owner.items():
                    await copy(source.store, target.store, owner, to_owner, report, bar, roots)
            except BaseException:
                # Copying was interrupted, as by Ctrl+C or a full disk.
                if report.session_count:
                    progress = f"{report.session_count:,} histories copied to {target.name}"
                    print(f"{progress}. Run the command again to resume.", file=sys.stderr)
                raise
            # The source's lists may omit damaged data.
            damaged_count = await _count_damaged(source, bar)
        _print_summary(report, source, target, damaged_count)
    return 1 if report.skipped or damaged_count else 0


async def copy(
    source: SessionManager,
    target: SessionManager,
    owner: str,
    to_owner: str,
    report: Report | None = None,
    bar: ProgressBar | None = None,
    roots: tuple[Path, Path] | None = None,
) -> Report:
    """Copy all data of ``owner`` to ``to_owner``; add to the report.

    ``roots`` are the folders to which paths of the source and the target are relative.
    """
    report, bar = report or Report(), bar or ProgressBar("")
    writer = StoreWriter(target, report)
    is_from_files, is_to_files = (isinstance(s, FileSessionManager) for s in (source, target))
    source_blobs = await source.list_blobs(owner=owner)
    target_blobs = set(await target.list_blobs(owner=to_owner))
    missing_blobs = [sha256 for sha256 in source_blobs if sha256 not in target_blobs]
    bar.begin("blobs", len(missing_blobs))

    async def copy_blob(sha256: str) -> None:
        data = await source.get_blob(sha256, owner=owner)
        if data is None:
            report.skipped.append(f"blob {sha256}: damaged")
        else:
            await writer.write_blob(data, to_owner)
        bar.advance()

    async def copy_log(notebook_id: str) -> None:
        log = await source.read_notebook_log(notebook_id, owner=owner)
        if roots and is_from_files != is_to_files:
            log = [_convert(entry, *roots) for entry in log]
        await writer.write_log(notebook_id, to_owner, log)
        bar.advance()

    async def copy_session(key: SessionKey) -> None:
        try:
            session = await source.load_if_exists(key)
        except StorageError as error:
            if error.retryable:  # for example, the store is unreachable
                raise
            report.skipped.append(f"{key.notebook_id}/{key.cell_id}: {error.message}")
            session = None
        if session is not None:
            target_key = SessionKey(key.notebook_id, key.cell_id, to_owner)
            await writer.write_session(target_key, session)
        bar.advance()

    # Blobs first, so that sessions never refer to missing ones.
    await for_each(missing_blobs, copy_blob)
    summaries, _ = await source.list_sessions(owner=owner)
    bar.begin("histories", len(summaries))
    keys = [SessionKey(summary.notebook_id, summary.cell_id, owner) for summary in summaries]
    await for_each(keys, copy_session)
    # Logs last, because they refer to records.
    notebook_ids = await source.list_notebooks(owner=owner)
    bar.begin("notebooks", len(notebook_ids))
    await for_each(notebook_ids, copy_log)
    return report


def _convert(entry: NotebookLogEntry, source: Path, target: Path) -> NotebookLogEntry:
    """Convert the path in an entry; outside of the target's folder, it becomes absolute."""
    path = entry.data.get("path")
    if not isinstance(path, str):
        return entry
    name = name_under(target.resolve(), source.resolve() / path)
    return entry.model_copy(update={"data": entry.data | {"path": name}})


async def _count_damaged(source: StoreContext, bar: ProgressBar) -> int:
    bar.begin("checking", 0)
    damaged_count = 0
    for owner in source.owners:
        async for result in source.store.verify(owner=owner):
            damaged_count += result.problem is not None
    return damaged_count


def _print_summary(
    report: Report, source: StoreContext, target: StoreContext, damaged_count: int
) -> None:
    histories = f"{report.session_count:,} histories"
    report.show(f"{histories} from {source.name} are now in {target.name}:", "not copied")
    print(f"{source.name} was not changed.")
    if damaged_count:
        advice = "run “jupyter aiserver sessions verify”."
        print(f"{damaged_count:,} records there are damaged: {advice}", file=sys.stderr)
