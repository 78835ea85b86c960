"""``sessions delete``: delete histories permanently.

Invariant: only sessions in the confirmed count are deleted. A session that changed meanwhile stays,
and is reported.
"""

from __future__ import annotations

import argparse
import sys

from ...errors import SessionTooNew, StaleRevision
from ...models import SessionKey
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
    await _delete_logs(context, keys)
    for reason in left:
        print(f"Not deleted: {reason}", file=sys.stderr)
    print(f"Deleted {len(keys) - len(left):,} histories.")
    return 1 if left else 0


async def _delete_logs(context: StoreContext, keys: list[SessionKey]) -> None:
    """Delete the logs of notebooks without any remaining history."""
    for notebook_id, owner in sorted({(key.notebook_id, key.owner) for key in keys}):
        _, left = await context.store.list_sessions(notebook_id, owner=owner, limit=1)
        if not left:
            await context.store.delete_notebook_log(notebook_id, owner=owner)
