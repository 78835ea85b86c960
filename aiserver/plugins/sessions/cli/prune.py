"""``sessions prune``: delete old histories after writing a backup of them.

Invariants:

- Nothing is deleted without an option that selects it. A session is deleted completely or not at
  all.
- The backup is on the disk before anything is deleted, and importing it restores everything. With
  ``--dry-run`` nothing is written or deleted.
- A session that changes meanwhile is not deleted. Neither is one with damaged or quarantined bytes,
  because a backup contains only records.
- A notebook is missing only if there is no file at its last recorded path, nor the text notebook of
  its pair, and no notebook below ``StoreContext.root`` has its id. Text notebooks have no id, so
  they never count as missing. Neither do those that were recorded outside the root, perhaps through
  a link, and those of a database, which may serve other machines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ....cli.selection import SelectedSession, select
from ....cli.stores import StoreContext
from ....cli.terminal import ProgressBar, confirm, make_safe
from ....errors import SettingError, StorageError
from ....models import NotebookLogEntry, Session, SessionKey
from ....notebooks.identity import TEXT_SUFFIXES
from ....notebooks.other_roots import blobs_of
from ....replay import replay
from ....sessions.file.manager import FileSessionManager
from .. import backup
from ..importers.base import NO_TIME
from .delete import delete_sessions
from .list_show import last_recorded_paths

_AGE = re.compile(r"([0-9]{1,6})([dwmy])")
_DAYS_BY_UNIT = {"d": 1, "w": 7, "m": 30, "y": 365}
_MAX_SHOWN = 20  # sessions that are listed in the question


@dataclass
class Plan:
    """The sessions, logs and blobs to delete, with their contents for the backup.

    Logs are by owner and notebook id, blobs by owner and SHA-256. What is ``damaged`` isn't
    deleted.
    """

    sessions: dict[SessionKey, Session] = field(default_factory=dict)
    logs: dict[tuple[str, str], list[NotebookLogEntry]] = field(default_factory=dict)
    blobs: dict[tuple[str, str], bytes] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)

    def backup_members(self) -> Iterator[tuple[str, bytes]]:
        return backup.members(self.sessions, self.logs, self.blobs)


async def run_prune(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Show what will be deleted, ask for confirmation, write the backup, and delete."""
    if not (arguments.older_than or arguments.missing or arguments.unused_blobs):
        raise SettingError("Choose what to delete: --older-than 365d, --missing or --unused-blobs.")
    with ProgressBar("checking") as bar:
        plan = await _create_plan(arguments, context, bar)
    for name in plan.damaged:
        reason = "A backup would not contain its damaged data."
        print(f"Not deleted: {make_safe(name)}: {reason}", file=sys.stderr)
    if not (plan.sessions or plan.logs or plan.blobs):
        print("Nothing to delete.")
        return 0
    _print_plan(plan)
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
    remaining_keys = await delete_sessions(context.store, revisions, plan.logs)
    blobs_in_use = {sha256 for key in remaining_keys for sha256 in blobs_of(plan.sessions[key])}
    for owner, sha256 in plan.blobs:
        if sha256 not in blobs_in_use:
            await context.store.delete_blob(sha256, owner=owner)
    option = " --store …" if arguments.store else ""
    print(f"To restore everything, run: jupyter aiserver sessions import {file}{option}")
    return 1 if remaining_keys else 0


def time_before(age: str, now: datetime | None = None) -> str:
    """Return the time ``age`` before ``now``, as ``YYYY-MM-DDTHH:MM:SS``. Raises SettingError."""
    match = _AGE.fullmatch(age.strip().lower())
    if not match:
        raise SettingError(f"“{age}” is not a valid age. Use a value such as 365d, 52w, 12m or 1y.")
    now = now or datetime.now(timezone.utc)
    try:
        time = now - timedelta(days=int(match[1]) * _DAYS_BY_UNIT[match[2]])
    except OverflowError:  # the time is before the year 1
        time = datetime(1, 1, 1)
    # Some systems don't pad years before 1000.
    return time.strftime("%Y-%m-%dT%H:%M:%S").zfill(19)


async def _create_plan(
    arguments: argparse.Namespace, context: StoreContext, bar: ProgressBar
) -> Plan:
    rows = await select(context)
    chosen = rows if arguments.older_than or arguments.missing else []
    missing_notebooks: set[tuple[str, str]] = set()
    if arguments.older_than:
        # Compared as texts: an error of up to a day, by time zones, doesn't matter. Without times,
        # the age is unknown.
        cutoff_time = time_before(arguments.older_than)
        chosen = [row for row in chosen if NO_TIME != row[1].last_updated < cutoff_time]
    if arguments.missing:
        missing_notebooks = await _missing_notebooks(context)
        chosen = [row for row in chosen if (row[0].owner, row[0].notebook_id) in missing_notebooks]
    plan = Plan()
    bar.begin("reading", len(chosen))
    for key, _ in chosen:
        if await context.store.has_damage(key.notebook_id, key.cell_id, owner=key.owner):
            plan.damaged.append(f"{key.notebook_id}/{key.cell_id}")
        elif session := await context.store.load_if_exists(key):
            plan.sessions[key] = session
        bar.advance()
    # A change log is deleted only with all sessions of its notebook.
    remaining_notebooks = {
        (key.owner, key.notebook_id) for key, _ in rows if key not in plan.sessions
    }
    for owner, notebook_id in sorted(missing_notebooks - remaining_notebooks):
        if await context.store.has_damage(notebook_id, owner=owner):
            plan.damaged.append(f"the log of {notebook_id}")
        else:
            log = await context.store.read_notebook_log(notebook_id, owner=owner)
            plan.logs[owner, notebook_id] = log
    await _plan_blobs(plan, context, rows, arguments.unused_blobs)
    return plan


async def _missing_notebooks(context: StoreContext) -> set[tuple[str, str]]:
    existing_ids = await asyncio.to_thread(lambda: set(_notebook_ids_below(context.root)))
    paths = await last_recorded_paths(context)
    missing = {
        key
        for key, path in paths.items()
        if key[1] not in existing_ids and not _is_there(context.names_root / path)
    }
    if isinstance(context.store, FileSessionManager):
        unsure = {
            key
            for key in missing
            if not paths[key].endswith(".ipynb") or not _is_below(context.root, paths[key])
        }
        reason = "text notebooks, and those in linked or other folders, may have been renamed"
    else:
        unsure, reason = missing, "a database may serve other folders and machines"
    if unsure:
        print(
            f"Not deleted: {len(unsure):,} notebooks that are not below {context.root}: {reason}. "
            "To delete one, use “sessions delete NOTEBOOK”.",
            file=sys.stderr,
        )
    return missing - unsure


def _is_there(file: Path) -> bool:
    texts = map(file.with_suffix, TEXT_SUFFIXES) if file.suffix == ".ipynb" else ()
    return file.exists() or any(text.exists() for text in texts)


def _is_below(root: Path, path: str) -> bool:
    return Path(os.path.realpath(root / path)).is_relative_to(os.path.realpath(root))


def _notebook_ids_below(root: Path) -> Iterator[str]:
    for folder, _, names in os.walk(root, onerror=_raise_unreadable):
        for name in names:
            file = Path(folder) / name
            if name.endswith(".ipynb") and not file.is_fifo():  # opening a FIFO would block
                try:
                    yield json.loads(file.read_bytes())["metadata"]["aiserver"]["notebook_id"]
                except (KeyError, TypeError):  # the notebook has no id
                    continue
                except (OSError, ValueError, RecursionError) as error:
                    raise StorageError(
                        f"Can't read {file}, so its notebook ID is unknown. Fix or move it first."
                    ) from error


def _raise_unreadable(error: OSError) -> None:
    raise StorageError(
        f"Can't open {error.filename}, which may contain notebooks. Check its permissions."
    )


async def _plan_blobs(
    plan: Plan, context: StoreContext, rows: list[SelectedSession], all_unused: bool
) -> None:
    """Add blobs that only sessions of the plan use or, if ``all_unused``, that no session uses."""
    store = context.store
    for owner in context.owners:
        unused = set(await store.list_blobs(owner=owner))
        if not all_unused:
            sessions = [session for key, session in plan.sessions.items() if key.owner == owner]
            unused &= {sha256 for session in sessions for sha256 in blobs_of(session)}
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


def _print_plan(plan: Plan) -> None:
    for key, session in list(plan.sessions.items())[:_MAX_SHOWN]:
        titles = [step.title for step in replay(session) if step.kind == "turn"]
        intent = " ".join(titles[-1].split())[:60] if titles else ""
        line = f"{key.notebook_id}/{key.cell_id}  {session.meta.last_updated}  {intent}"
        print(f"  {make_safe(line)}")
    if len(plan.sessions) > _MAX_SHOWN:
        print(f"  … and {len(plan.sessions) - _MAX_SHOWN:,} more")
    size = sum(len(data) for _, data in plan.backup_members())
    print(
        f"To delete: {len(plan.sessions):,} histories, {len(plan.logs):,} notebook logs and "
        f"{len(plan.blobs):,} blobs ({size / 1e6:.1f} MB)"
    )
