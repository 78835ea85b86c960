"""``sessions copy``: copy a whole project from one store to another.

Invariants: copied sessions differ only in their owner. The source is only read. An interrupted copy
resumes when it is run again.
"""

from __future__ import annotations

import argparse
import sys

from ...concurrency import for_each
from ...errors import SettingError, StorageError
from ...models import SessionKey
from ...sessions.base import SessionManager
from ...transfer.write import Report, StoreWriter
from ..progress import ProgressBar
from ..safe_text import safe
from .stores import StoreContext, create_folder, open_store


async def run_copy(arguments: argparse.Namespace, source: StoreContext) -> int:
    """Copy from one store to another."""
    if arguments.all_owners and arguments.to_owner is not None:
        raise SettingError("--to-owner can't be used with --all-owners.")
    async with open_store(arguments.to, arguments.to_owner, False, source.configuration) as target:
        if source.name == target.name and source.owners == target.owners:
            raise SettingError("Source and target are the same store.")
        if not await source.store.list_owners():  # probably a mistyped name
            raise StorageError(f"No histories in {source.name}.")
        create_folder(target)
        owners = {owner: owner if arguments.all_owners else target.owner for owner in source.owners}
        report = Report()
        with ProgressBar("copying") as bar:
            try:
                for owner, to_owner in owners.items():
                    await copy(source.store, target.store, owner, to_owner, report, bar)
            except BaseException:
                # For example Ctrl+C or a full disk; a second run resumes the copy.
                if report.session_count:
                    progress = f"{report.session_count:,} histories copied to {target.name}"
                    print(f"{progress}. Run the command again to resume.", file=sys.stderr)
                raise
            # Records too damaged to be listed can't be copied; report them.
            damaged = await _count_damaged(source, bar)
        _print_summary(report, source, target, damaged)
    return 1 if report.skipped or damaged else 0


async def copy(
    source: SessionManager,
    target: SessionManager,
    owner: str,
    to_owner: str,
    report: Report | None = None,
    bar: ProgressBar | None = None,
) -> Report:
    """Copy all data of one owner. Also usable as a library function."""
    report, bar = report or Report(), bar or ProgressBar("")
    writer = StoreWriter(target, report)
    existing = set(await target.list_blobs(owner=to_owner))
    blobs = [sha256 for sha256 in await source.list_blobs(owner=owner) if sha256 not in existing]
    bar.begin("blobs", len(blobs))

    async def copy_blob(sha256: str) -> None:
        data = await source.get_blob(sha256, owner=owner)
        if data is None:
            report.skipped.append(f"blob {sha256}: damaged")
        else:
            await writer.write_blob(data, to_owner)
        bar.step()

    async def copy_log(notebook_id: str) -> None:
        log = await source.read_notebook_log(notebook_id, owner=owner)
        await writer.write_log(notebook_id, to_owner, log)
        bar.step()

    async def copy_session(key: SessionKey) -> None:
        try:
            session = await source.load_if_exists(key)
        except StorageError as error:
            if error.retryable:
                raise
            report.skipped.append(f"{key.notebook_id}/{key.cell_id}: {error.message}")
            session = None
        if session is not None:
            target_key = SessionKey(key.notebook_id, key.cell_id, to_owner)
            await writer.write_session(target_key, session)
        bar.step()

    # Blobs first, so that sessions never refer to missing blobs.
    await for_each(blobs, copy_blob)
    rows, _ = await source.list_sessions(owner=owner)
    bar.begin("histories", len(rows))
    keys = [SessionKey(row.notebook_id, row.cell_id, owner) for row in rows]
    await for_each(keys, copy_session)
    # Logs last, because their entries refer to records of the sessions.
    logs = await source.list_notebooks(owner=owner)
    bar.begin("notebooks", len(logs))
    await for_each(logs, copy_log)
    return report


async def _count_damaged(source: StoreContext, bar: ProgressBar) -> int:
    bar.begin("checking", 0)
    damaged = 0
    for owner in source.owners:
        async for record in source.store.verify(owner=owner):
            damaged += record.problem is not None
    return damaged


def _print_summary(
    report: Report, source: StoreContext, target: StoreContext, damaged: int
) -> None:
    for reason in report.skipped:
        print(f"Not copied: {safe(reason)}", file=sys.stderr)
    print(f"{report.session_count:,} histories from {source.name} are now in {target.name}:")
    print("\n".join(report.lines()))
    if report.skipped:
        print(f"  not copied {len(report.skipped):,}, see above")
    print(f"{source.name} was not changed.")
    if damaged:
        advice = "run “jupyter aiserver sessions verify”."
        print(f"{damaged:,} records there are damaged: {advice}", file=sys.stderr)
