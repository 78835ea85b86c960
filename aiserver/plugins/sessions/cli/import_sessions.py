"""``sessions import``: import histories of other programs, and AI Server's exports and backups."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from ....cli.selection import find_notebooks
from ....cli.stores import StoreContext
from ....cli.terminal import ProgressBar, make_safe
from ....errors import SettingError
from ....models import SessionKey, is_id
from ....sessions.file.root import path_from_url
from ..importers.agentscope import AgentScopeDatabase, AgentScopeRedis
from ..importers.base import ReadResult, with_ids
from ..sources import InputFiles
from ..write import Report, StoreWriter

_REDIS_SCHEMES = ("redis", "rediss", "unix")
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
    report = Report()
    writer = StoreWriter(context.store, report, dry_run=arguments.dry_run)
    last_name = None
    with ProgressBar("importing", _total_count(inputs)) as bar:
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
                await _write(result, writer, owner_of, (notebook_id, arguments.cell))
                if name != last_name:  # a backup yields several results with the same name
                    bar.advance()
                last_name = name
    _print_summary(report, dry_run=arguments.dry_run)
    return 1 if report.skipped else 0


def _total_count(inputs: list[_Input]) -> int | None:
    """Return the number of files; None with a database, whose sessions aren't counted."""
    counts = [len(source.files) for source in inputs if isinstance(source, InputFiles)]
    return sum(counts) if len(counts) == len(inputs) else None


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
    target_ids: tuple[str | None, str | None],
) -> None:
    # Blobs first, so that sessions never refer to missing blobs.
    for owner, data in result.blobs:
        await writer.write_blob(data, owner_of(owner))
    for session in result.sessions:
        attached = with_ids(session, *target_ids)
        meta = attached.meta
        key = SessionKey(meta.notebook_id, meta.cell_id, owner_of(session.meta.owner or ""))
        await writer.write_session(key, attached)
    # Logs last, because their entries refer to records of the sessions.
    for (owner, log_notebook_id), log in result.logs.items():
        await writer.write_log(log_notebook_id, owner_of(owner), log)


def _target_owner(
    result: ReadResult, context: StoreContext, arguments: argparse.Namespace, owner: str
) -> str:
    """Return the owner in the store for data that belongs to ``owner`` in the input.

    Data from a backup keeps its owner, unless the command has the option ``--owner``. But in a
    shared store, all data must have an owner.
    """
    if result.keeps_owners and arguments.owner is None and (owner or not context.store.shared):
        return owner
    return context.owner


def _print_summary(report: Report, *, dry_run: bool) -> None:
    for reason in report.skipped:
        print(f"Skipped: {make_safe(reason)}", file=sys.stderr)
    turns, events = f"{report.turn_count:,} requests", f"{report.event_count:,} events"
    print(f"Read {report.session_count:,} histories with {turns} and {events}:")
    print("\n".join(report.lines()))
    if report.skipped:
        print(f"  skipped    {len(report.skipped):,}, see above")
    if dry_run:
        print("Dry run: nothing was written.")
