"""``sessions delete``: delete histories permanently.

Invariant: only sessions in the confirmed count are deleted. A session that changed meanwhile stays,
and is reported.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping

from ...concurrency import for_each
from ...errors import SessionTooNew, StaleRevision
from ...models import SessionKey
from ...sessions.base import SessionManager
from ..confirm import confirm
from ..progress import ProgressBar
from .selection import select
from .stores import StoreContext


async def run_delete(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Delete the selected sessions after a confirmation."""
    rows = dict([row for name in arguments.name for row in await select(context, name)])
    turns = sum(row.turns for row in rows.values())
    selected = f"{len(rows):,} histories with {turns:,} requests"
    if not confirm(f"Permanently delete {selected} from {context.name}?", yes=arguments.yes):
        print("Nothing was deleted.")
        return 1
    revisions = {key: row.revision for key, row in rows.items()}
    logs = {(key.owner, key.notebook_id) for key in rows}
    return 1 if await delete_sessions(context.store, revisions, logs) else 0


async def delete_sessions(
    store: SessionManager,
    revisions: Mapping[SessionKey, int],
    logs: Collection[tuple[str, str]],
) -> set[SessionKey]:
    """Delete sessions that still have these revisions, and report it; return those that stay.

    Of ``logs``, by owner and notebook id, those of notebooks without a remaining session are
    deleted, too.
    """
    left: dict[SessionKey, str] = {}
    with ProgressBar("deleting", len(revisions)) as bar:

        async def delete(key: SessionKey) -> None:
            try:
                await store.delete(key, if_revision=revisions[key])
            except (StaleRevision, SessionTooNew) as error:
                left[key] = error.message
            bar.step()

        await for_each(revisions, delete)
    for owner, notebook_id in sorted(logs):
        _, remaining = await store.list_sessions(notebook_id, owner=owner, limit=1)
        if not remaining:
            await store.delete_notebook_log(notebook_id, owner=owner)
    for key, reason in left.items():
        print(f"Not deleted: {key.notebook_id}/{key.cell_id}: {reason}", file=sys.stderr)
    print(f"Deleted {len(revisions) - len(left):,} histories.")
    return set(left)
