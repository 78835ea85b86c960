"""``sessions import``: import files of other programs, and AI Server's exports and backups."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ...errors import SettingError
from ...models import SessionKey, is_id
from ...sessions.file.root import path_from_url
from ...transfer.databases import Database, Redis
from ...transfer.importers.base import Read, move_session
from ...transfer.sources import Origin
from ...transfer.write import Report, StoreWriter
from ..progress import ProgressBar
from ..safe_text import safe
from .stores import StoreContext, create_folder

_REDIS = ("redis", "rediss", "unix")


async def run_import(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Import each named source."""
    notebook_id = notebook_id_of(arguments.notebook) if arguments.notebook else None
    if arguments.cell and not (notebook_id and is_id(arguments.cell)):
        raise SettingError("--cell requires --notebook.")
    origins = [_origin(name, arguments, context) for name in arguments.source]
    if not arguments.dry_run:
        create_folder(context)
    report = Report()
    writer = StoreWriter(context.store, report, dry_run=arguments.dry_run)
    last = None
    with ProgressBar("importing", sum(map(len, origins)) or None) as bar:
        for origin in origins:
            async for name, read in origin.parts():
                report.skipped += [f"{name}: {reason}" for reason in read.unreadable]
                cells = len(read.sessions) if read.cells is None else read.cells
                if arguments.cell and cells > 1:
                    reason = f"{name}: contains the histories of {cells} cells; leave out --cell"
                    if reason not in report.skipped:
                        report.skipped.append(reason)
                    read.sessions = []
                owner_of = partial(_owner_of, read, context, arguments)
                await _write(read, writer, owner_of, (notebook_id, arguments.cell))
                if name != last:  # a source may have several parts
                    bar.step()
                last = name
    _print_summary(report, dry_run=arguments.dry_run)
    return 1 if report.skipped else 0


def notebook_id_of(path: str) -> str:
    """Return the id in a notebook's metadata. Raises SettingError."""
    try:
        notebook_id = json.loads(Path(path).read_bytes())["metadata"]["aiserver"]["notebook_id"]
    except OSError as error:
        raise SettingError(f"Can't read the notebook “{path}”. Check the path.") from error
    except (ValueError, KeyError, TypeError, RecursionError):
        notebook_id = None
    if not (isinstance(notebook_id, str) and is_id(notebook_id)):
        raise SettingError(
            f"“{path}” has no notebook ID yet. To add one, open it in JupyterLab, ask for code in "
            "one of its cells and save it."
        )
    return notebook_id


def _origin(
    name: str, arguments: argparse.Namespace, context: StoreContext
) -> Origin | Database | Redis:
    scheme, separator, _ = name.partition("://")
    if not separator or scheme.lower() == "file":
        path = str(path_from_url(name)) if separator else name
        limit = arguments.unpack_limit
        return Origin(path, arguments.format, context.root, limit and int(limit * 1e9))
    if scheme.lower() in _REDIS:
        return Redis(name, arguments.prefix)
    return Database(name, arguments.table)


async def _write(
    read: Read,
    writer: StoreWriter,
    owner_of: Callable[[str], str],
    to: tuple[str | None, str | None],
) -> None:
    # Blobs first, so that sessions never refer to missing blobs.
    for owner, data in read.blobs:
        await writer.blob(data, owner_of(owner))
    for session in read.sessions:
        moved = move_session(session, *to)
        meta = moved.meta
        key = SessionKey(meta.notebook_id, meta.cell_id, owner_of(session.meta.owner or ""))
        await writer.session(key, moved)
    # Logs last, because their entries refer to records of the sessions.
    for (owner, id_), log in read.logs.items():
        await writer.log(id_, owner_of(owner), log)


def _owner_of(read: Read, context: StoreContext, arguments: argparse.Namespace, owner: str) -> str:
    """Return the owner of imported data: a backup's data goes back to its owner.

    Data without an owner gets the user's owner in a shared store.
    """
    if read.owned and arguments.owner is None and (owner or not context.store.shared):
        return owner
    return context.owner


def _print_summary(report: Report, *, dry_run: bool) -> None:
    for reason in report.skipped:
        print(f"Skipped: {safe(reason)}", file=sys.stderr)
    turns, events = f"{report.turns:,} requests", f"{report.events:,} events"
    print(f"Read {report.sessions:,} histories with {turns} and {events}:")
    print("\n".join(report.lines()))
    if report.skipped:
        print(f"  skipped    {len(report.skipped):,}, see above")
    if dry_run:
        print("Dry run: nothing was written.")
