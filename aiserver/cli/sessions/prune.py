"""``sessions prune``: delete old histories after a backup.

Invariants:

- Without a criterion nothing is deleted. Only complete sessions are deleted, never parts of them.
- A backup is on disk before anything is deleted; importing it restores everything. With
  ``--dry-run`` nothing is written.
- A session that changed meanwhile stays. A notebook counts as missing only if its last path doesn't
  exist and no notebook below the folder carries its id.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ...errors import SettingError, StorageError
from ...models import NotebookLogEntry, Session, SessionKey
from ...notebooks.other_roots import blobs_of
from ...transfer import backup
from ...transfer.importers import archive
from ...transfer.importers.base import NO_TIME
from ..confirm import confirm
from ..progress import ProgressBar
from ..safe_text import safe
from .delete import delete_sessions
from .list_show import paths_of
from .selection import Row, select
from .stores import StoreContext

_AGE = re.compile(r"([0-9]{1,6})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_SHOWN = 20


@dataclass
class Plan:
    """The sessions, logs and blobs to delete."""

    sessions: dict[SessionKey, Session] = field(default_factory=dict)
    logs: dict[tuple[str, str], list[NotebookLogEntry]] = field(default_factory=dict)
    blobs: dict[tuple[str, str], bytes] = field(default_factory=dict)

    def backup_members(self) -> Iterator[tuple[str, bytes]]:
        """Yield the entries of the backup."""
        return archive.members(self.sessions, self.logs, self.blobs)


async def run_prune(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Show what would be deleted, back it up and delete it."""
    if not (arguments.older_than or arguments.gone or arguments.unused_blobs):
        raise SettingError("Choose what to delete: --older-than 365d, --gone or --unused-blobs.")
    with ProgressBar("checking") as bar:
        plan = await _create_plan(arguments, context, bar)
    if not (plan.sessions or plan.logs or plan.blobs):
        print("Nothing to delete.")
        return 0
    _show(plan)
    if arguments.dry_run:
        print("Dry run: nothing was deleted.")
        return 0
    folder = Path(arguments.backup)
    question = f"Delete them from {context.name} after a backup to {folder}?"
    if not confirm(question, yes=arguments.yes):
        print("Nothing was deleted.")
        return 1
    file = await asyncio.to_thread(backup.write, folder, plan.backup_members())
    print(f"Backup: {file}")
    revisions = {key: session.revision for key, session in plan.sessions.items()}
    left = await delete_sessions(context.store, revisions, plan.logs)
    used = {sha256 for key in left for sha256 in blobs_of(plan.sessions[key])}
    for owner, sha256 in plan.blobs:
        if sha256 not in used:
            await context.store.delete_blob(sha256, owner=owner)
    option = " --store …" if arguments.store else ""
    print(f"To restore everything, run: jupyter aiserver sessions import {file}{option}")
    return 1 if left else 0


def oldest(age: str, now: datetime | None = None) -> str:
    """Return the time ``age`` ago: ``365d``, ``52w``, ``12m``, ``1y``. Raises SettingError."""
    match = _AGE.fullmatch(age.strip().lower())
    if not match:
        raise SettingError(f"“{age}” is not a valid age. Use a value such as 365d, 52w, 12m or 1y.")
    now = now or datetime.now(timezone.utc)
    try:
        day = now - timedelta(days=int(match[1]) * _DAYS[match[2]])
    except OverflowError:
        day = datetime(1, 1, 1)
    return day.strftime("%Y-%m-%dT%H:%M:%S").zfill(19)


async def _create_plan(
    arguments: argparse.Namespace, context: StoreContext, bar: ProgressBar
) -> Plan:
    rows = await select(context)
    chosen = rows if arguments.older_than or arguments.gone else []
    missing: set[tuple[str, str]] = set()
    if arguments.older_than:
        # Times without a zone may be up to a day off, which doesn't matter here.
        before = oldest(arguments.older_than)
        chosen = [
            (key, row)
            for key, row in chosen
            # Sessions imported without times have no age.
            if row.last_updated < before and row.last_updated != NO_TIME
        ]
    if arguments.gone:
        missing = await _missing_notebooks(context)
        chosen = [(key, row) for key, row in chosen if (key.owner, key.notebook_id) in missing]
    plan = Plan()
    bar.begin("reading", len(chosen))
    for key, _ in chosen:
        session = await context.store.load_if_exists(key)
        if session is not None:
            plan.sessions[key] = session
        bar.step()
    # The logs of missing notebooks without remaining sessions.
    remaining = {(key.owner, key.notebook_id) for key, _ in rows if key not in plan.sessions}
    for owner, notebook_id in sorted(missing - remaining):
        log = await context.store.read_notebook_log(notebook_id, owner=owner)
        plan.logs[owner, notebook_id] = log
    await _plan_blobs(plan, context, rows, everything=arguments.unused_blobs)
    return plan


async def _missing_notebooks(context: StoreContext) -> set[tuple[str, str]]:
    """Return the missing notebooks by owner and id."""
    existing = await asyncio.to_thread(lambda: set(_ids_below(context.root)))
    paths = await paths_of(context)
    return {
        (owner, notebook_id)
        for (owner, notebook_id), path in paths.items()
        if notebook_id not in existing and not (context.root / path).exists()
    }


def _ids_below(root: Path) -> Iterator[str]:
    """Yield the ids of the notebooks below a folder. Raises StorageError if one can't be read."""
    for at, _, names in os.walk(root, onerror=_raise_unreadable):
        for name in names:
            if name.endswith(".ipynb"):
                try:
                    yield json.loads((Path(at) / name).read_bytes())["metadata"]["aiserver"][
                        "notebook_id"
                    ]
                except (KeyError, TypeError):
                    continue
                except (OSError, ValueError, RecursionError) as error:
                    raise StorageError(
                        f"Can't read {Path(at) / name}, so its notebook ID is unknown. "
                        "Fix or move it first."
                    ) from error


def _raise_unreadable(error: OSError) -> None:
    raise StorageError(
        f"Can't open {error.filename}, which may contain notebooks. Check its permissions."
    )


async def _plan_blobs(
    plan: Plan,
    context: StoreContext,
    rows: list[Row],
    *,
    everything: bool,
) -> None:
    """Add the blobs that only these sessions use; with ``everything``, all unused blobs."""
    store = context.store
    for owner in context.owners:
        unused = set(await store.list_blobs(owner=owner))
        if not everything:
            sessions = [session for key, session in plan.sessions.items() if key.owner == owner]
            unused &= {name for session in sessions for name in blobs_of(session)}
        if not unused:
            continue
        for key, _ in rows:
            if key.owner == owner and key not in plan.sessions:
                session = await store.load_if_exists(key)
                unused -= blobs_of(session) if session else set()
        for sha256 in sorted(unused):
            data = await store.get_blob(sha256, owner=owner)
            if data is not None:
                plan.blobs[owner, sha256] = data


def _show(plan: Plan) -> None:
    for key, session in list(plan.sessions.items())[:_SHOWN]:
        turns = session.interactions
        intent = " ".join(turns[-1].user_request.intent.split())[:60] if turns else ""
        line = f"{key.notebook_id}/{key.cell_id}  {session.meta.last_updated}  {intent}"
        print(f"  {safe(line)}")
    if len(plan.sessions) > _SHOWN:
        print(f"  … and {len(plan.sessions) - _SHOWN:,} more")
    size = sum(len(data) for _, data in plan.backup_members())
    print(
        f"To delete: {len(plan.sessions):,} histories, {len(plan.logs):,} notebook logs and "
        f"{len(plan.blobs):,} blobs ({size / 1e6:.1f} MB)"
    )
