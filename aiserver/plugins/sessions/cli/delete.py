"""``sessions delete``: delete histories permanently.

Invariant: only the sessions that were counted in the question are deleted. One that has changed
since is reported instead.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping

from ....cli.selection import count_requests, select
from ....cli.stores import StoreContext
from ....cli.terminal import ProgressBar, confirm
from ....concurrency import for_each
from ....errors import SessionTooNew, StaleRevision
from ....models import SessionKey
from ....notebooks.other_roots import blobs_in
from ....notebooks.unused_blobs import delete_unused_blobs
from ....sessions.base import SessionManager


async def run_delete(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Ask for confirmation; delete the selected sessions, and what is beside them."""
    rows = dict(
        [row for name in arguments.name for row in await select(context, name, with_origins=True)]
    )
    request_count = sum(row.turns for _, row in await count_requests(context, rows.items()))
    selected = f"{len(rows):,} histories with {request_count:,} requests"
    if not confirm(f"Permanently delete {selected} from {context.name}?", yes=arguments.yes):
        print("Nothing was deleted.")
        return 1
    revisions = {key: summary.revision for key, summary in rows.items()}
    logs = {(key.owner, key.notebook_id) for key in rows}
    remaining = await delete_sessions(context.store, revisions, logs)
    for owner in context.owners:
        deleted = [key for key in revisions if key.owner == owner and key not in remaining]
        if deleted:
            plugins = context.start_plugins(owner)
            try:
                await plugins.clean_up(deleted)
            finally:
                await plugins.stop()
    return 1 if remaining else 0


async def delete_sessions(
    store: SessionManager,
    revisions: Mapping[SessionKey, int],
    logs: Collection[tuple[str, str]],
) -> set[SessionKey]:
    """Delete sessions whose revision is still the given one; return the others.

    ``logs`` are owners with notebook ids. These change logs are deleted, too, unless the notebook
    still has a session.
    """
    reason_by_remaining_key: dict[SessionKey, str] = {}
    blobs_by_owner: dict[str, set[str]] = {}
    with ProgressBar("deleting", len(revisions)) as bar:

        async def delete(key: SessionKey) -> None:
            stored = await store.load_raw_batch([key])
            try:
                await store.delete(key, if_revision=revisions[key])
                blobs = blobs_by_owner.setdefault(key.owner, set())
                blobs.update(*(blobs_in(data) for data in stored if data))
            except (StaleRevision, SessionTooNew) as error:
                reason_by_remaining_key[key] = error.message
            bar.advance()

        await for_each(revisions, delete)
    for owner, notebook_id in sorted(logs):
        _, session_count = await store.list_sessions(notebook_id, owner=owner, limit=1)
        if not session_count:
            await store.delete_notebook_log(notebook_id, owner=owner)
    for key, reason in reason_by_remaining_key.items():
        print(f"Not deleted: {key.notebook_id}/{key.cell_id}: {reason}", file=sys.stderr)
    print(f"Deleted {len(revisions) - len(reason_by_remaining_key):,} histories.")
    for owner, blobs in blobs_by_owner.items():
        await delete_unused_blobs(store, blobs, owner=owner)
    return set(reason_by_remaining_key)
