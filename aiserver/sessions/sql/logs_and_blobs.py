"""Operations on change logs, blobs and owners. Each function runs in one transaction.

Invariants: a function that appends entries to an existing change log first locks the notebook's row
in the table ``notebooks``. So writers of the same log wait for each other. Each append changes the
mark in this row.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, literal, select, union, update

from ...models import NewLogEntry, NotebookLogEntry
from ..base import VerifyResult
from ..record.mutations import number_entries_from
from .database import WriteState
from .owners import owner_key
from .queries import store_owner_name
from .rows import to_column
from .tables import blobs, notebook_log, notebooks, owners, sessions


def append_log(
    connection: Connection,
    state: WriteState,
    notebook_id: str,
    owner: str,
    entries: Sequence[NewLogEntry],
) -> list[NotebookLogEntry]:
    """Append entries to a notebook's change log; return the saved entries."""
    key = {"owner": owner_key(owner), "notebook_id": notebook_id}
    matches = (notebooks.c.owner == key["owner"]) & (notebooks.c.notebook_id == notebook_id)
    select_next_seq = select(notebooks.c.next_seq).where(matches).with_for_update()
    next_seq = (connection.execute(select_next_seq)).scalar()  # None for a new log
    may_be_committed = state.outcome_unknown and state.result
    if may_be_committed and _was_committed(connection, notebook_id, owner, state.id):
        committed: list[NotebookLogEntry] = state.result
        return committed
    saved = number_entries_from(next_seq or 1, entries)
    row = {"next_seq": (next_seq or 1) + len(saved), "mark": secrets.randbits(63)}
    if next_seq is None:
        store_owner_name(connection, owner)
        connection.execute(insert(notebooks), key | row)
    else:
        connection.execute(update(notebooks).where(matches).values(**row))
    connection.execute(
        insert(notebook_log),
        [
            key | {"seq": entry.seq, "write_id": state.id, "content": to_column(entry)}
            for entry in saved
        ],
    )
    state.result = saved
    return saved


def read_log(
    connection: Connection, notebook_id: str, owner: str
) -> tuple[list[NotebookLogEntry], int]:
    """Return the readable entries of a change log, oldest first, and the number of damaged ones."""
    log = notebook_log.c
    rows = connection.execute(
        select(log.content)
        .where(log.owner == owner_key(owner), log.notebook_id == notebook_id)
        .order_by(log.seq)
    )
    entries, damaged_count = [], 0
    for (content,) in rows:
        try:
            entries.append(NotebookLogEntry.model_validate(json.loads(content)))
        except (ValueError, RecursionError):
            damaged_count += 1
    return entries, damaged_count


def notebook_marks(connection: Connection, owner: str) -> dict[str, int]:
    """Return a mark for each change log, by notebook id: a number that each write changes."""
    rows = connection.execute(
        select(notebooks.c.notebook_id, notebooks.c.mark)
        .where(notebooks.c.owner == owner_key(owner))
        .order_by(notebooks.c.notebook_id)
    )
    return {row.notebook_id: row.mark for row in rows}


def delete_log(connection: Connection, state: WriteState, notebook_id: str, owner: str) -> bool:
    """Permanently delete a notebook's change log; return False if there was none."""
    was_deleted = False
    for table in (notebooks, notebook_log):
        matches = (table.c.owner == owner_key(owner)) & (table.c.notebook_id == notebook_id)
        deleted_rows = connection.execute(delete(table).where(matches))
        was_deleted = bool(deleted_rows.rowcount) or was_deleted
    # If this attempt finds no log, an earlier attempt of the operation may have deleted it.
    state.result = was_deleted or state.result
    return bool(state.result)


def put_blob(connection: Connection, _: WriteState, data: bytes, owner: str) -> str:
    """Store bytes under their SHA-256; return the hash in hex."""
    digest = hashlib.sha256(data).hexdigest()
    matches = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == digest)
    stored = (connection.execute(select(blobs.c.data).where(matches))).scalar()
    if stored is None:
        store_owner_name(connection, owner)
        row = {"owner": owner_key(owner), "sha256": digest, "data": data}
        connection.execute(insert(blobs).values(row))
    elif _to_bytes(stored) != data:  # the stored bytes are damaged
        connection.execute(update(blobs).where(matches).values(data=data))
    return digest


def _to_bytes(data: Any) -> bytes:
    # In SQLite, a column for bytes may contain text that another program wrote.
    return str(data).encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)


def get_blob(connection: Connection, sha256: str, owner: str) -> bytes | None:
    """Return the bytes that are stored under a hash, or None if the blob is missing.

    Doesn't check whether the bytes match the hash.
    """
    matches = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == sha256)
    data = (connection.execute(select(blobs.c.data).where(matches))).scalar()
    return None if data is None else _to_bytes(data)


def list_blobs(connection: Connection, owner: str) -> list[str]:
    """Return the hashes of all blobs, sorted."""
    query = select(blobs.c.sha256).where(blobs.c.owner == owner_key(owner))
    return [sha256 for (sha256,) in connection.execute(query.order_by(blobs.c.sha256))]


def delete_blob(connection: Connection, state: WriteState, sha256: str, owner: str) -> bool:
    """Permanently delete a blob; return False if there was none."""
    matches = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == sha256)
    was_deleted = bool((connection.execute(delete(blobs).where(matches))).rowcount)
    # If this attempt finds no blob, an earlier attempt of the operation may have deleted it.
    state.result = was_deleted or state.result
    return bool(state.result)


def verify_log(connection: Connection, notebook_id: str, owner: str) -> VerifyResult:
    """Report damaged entries in a notebook's change log.

    Damaged entries need no repair, because ``read_log`` skips them.
    """
    _, damaged_count = read_log(connection, notebook_id, owner)
    problem = f"{damaged_count} damaged entries, which are skipped" if damaged_count else None
    return VerifyResult(f"log of {notebook_id}", problem)


def verify_blob(connection: Connection, sha256: str, owner: str) -> VerifyResult:
    """Report a blob that doesn't match its hash.

    A damaged blob isn't repaired. It counts as missing until a page sends the same bytes again.
    """
    data = get_blob(connection, sha256, owner)
    is_intact = data is None or hashlib.sha256(data).hexdigest() == sha256
    return VerifyResult(f"blob {sha256}", None if is_intact else "content does not match its hash")


def list_owners(connection: Connection) -> list[str]:
    """Return the names of all owners of sessions, change logs or blobs, sorted."""
    select_keys = union(*(select(table.c.owner) for table in (sessions, notebooks, blobs)))
    rows = connection.execute(select(owners.c.owner, owners.c.name))
    name_by_key = {key: json.loads(name) for key, name in rows}
    return sorted(name_by_key.get(key, key) for (key,) in connection.execute(select_keys))


def _was_committed(connection: Connection, notebook_id: str, owner: str, write_id: int) -> bool:
    """Return whether the log contains an entry with this write id, from an earlier attempt."""
    log = notebook_log.c
    query = select(literal(1)).where(
        log.owner == owner_key(owner), log.notebook_id == notebook_id, log.write_id == write_id
    )
    return (connection.execute(query.limit(1))).first() is not None
