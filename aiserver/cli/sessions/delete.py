"""``sessions delete``: delete histories permanently.

Invariant: only sessions in the confirmed count are deleted. A session that changed meanwhile stays,
and is reported.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from ...errors import SessionTooNew, StaleRevision
from ...sessions.base import SessionManager
from ..confirm import confirm
from .selection import list_rows, select_keys
from .stores import StoreContext


async def run_delete(arguments: argparse.Namespace, context: StoreContext) -> int:
    """Delete the selected sessions after a confirmation."""
    keys = list(
        dict.fromkeys([key for name in arguments.name for key in await select_keys(context, name)])
    )
    rows = dict(await list_rows(context))
    turns = sum(rows[key].turns for key in keys)
    selected = f"{len(keys):,} histories with {turns:,} requests"
    if not confirm(f"Permanently delete {selected} from {context.name}?", yes=arguments.yes):
        print("Nothing was deleted.")
        return 1
    left = []
    for key in keys:
        try:
            await context.store.delete(key, if_revision=rows[key].revision)
        except (StaleRevision, SessionTooNew) as error:
            left.append(f"{key.notebook_id}/{key.cell_id}: {error.message}")
    notebooks = sorted({(key.owner, key.notebook_id) for key in keys})
    await delete_empty_logs(context.store, notebooks)
    for reason in left:
        print(f"Not deleted: {reason}", file=sys.stderr)
    print(f"Deleted {len(keys) - len(left):,} histories.")
    return 1 if left else 0


async def delete_empty_logs(store: SessionManager, logs: Iterable[tuple[str, str]]) -> None:
    """Delete the logs of those notebooks, by owner and id, that have no remaining history."""
    for owner, notebook_id in logs:
        _, left = await store.list_sessions(notebook_id, owner=owner, limit=1)
        if not left:
            await store.delete_notebook_log(notebook_id, owner=owner)
