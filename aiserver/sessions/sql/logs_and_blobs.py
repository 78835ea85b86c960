"""Operations on notebook logs, blobs and owners. Each runs in one transaction.

Invariants: the row in ``notebooks`` serialises the writers of a log, and its mark changes with each
write.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, delete, insert, literal, select, union, update

from ...models import NewLogEntry, NotebookLogEntry
from ..base import VerifyResult
from ..record.mutations import number_entries_from
from .database import Write
from .owners import owner_key
from .queries import record_owner
from .rows import to_column
from .tables import blobs, notebook_log, notebooks, owners, sessions


def append_log(
    connection: Connection,
    write: Write,
    notebook_id: str,
    owner: str,
    entries: Sequence[NewLogEntry],
) -> list[NotebookLogEntry]:
    """Append entries to a notebook's log."""
    key = {"owner": owner_key(owner), "notebook_id": notebook_id}
    matches = (notebooks.c.owner == key["owner"]) & (notebooks.c.notebook_id == notebook_id)
    next_seq = select(notebooks.c.next_seq).where(matches).with_for_update()
    start = (connection.execute(next_seq)).scalar()
    may_be_committed = write.outcome_unknown and write.result
    if may_be_committed and _is_logged(connection, notebook_id, owner, write.id):
        committed: list[NotebookLogEntry] = write.result
        return committed
    saved = number_entries_from(start or 1, entries)
    row = {"next_seq": (start or 1) + len(saved), "mark": secrets.randbits(63)}
    if start is None:
        record_owner(connection, owner)
        connection.execute(insert(notebooks), key | row)
    else:
        connection.execute(update(notebooks).where(matches).values(**row))
    connection.execute(
        insert(notebook_log),
        [key | {"seq": e.seq, "write_id": write.id, "content": to_column(e)} for e in saved],
    )
    write.result = saved
    return saved


def read_log(
    connection: Connection, notebook_id: str, owner: str
) -> tuple[list[NotebookLogEntry], int]:
    """A notebook's log, oldest first, and the number of its damaged entries."""
    log = notebook_log.c
    rows = connection.execute(
        select(log.content)
        .where(log.owner == owner_key(owner), log.notebook_id == notebook_id)
        .order_by(log.seq)
    )
    entries, damaged = [], 0
    for (content,) in rows:
        try:
            entries.append(NotebookLogEntry.model_validate(json.loads(content)))
        except (ValidationError, ValueError, RecursionError):
            damaged += 1
    return entries, damaged


def marks(connection: Connection, owner: str) -> dict[str, int]:
    """For each notebook with a log, a number that changes with each write."""
    rows = connection.execute(
        select(notebooks.c.notebook_id, notebooks.c.mark)
        .where(notebooks.c.owner == owner_key(owner))
        .order_by(notebooks.c.notebook_id)
    )
    return {row.notebook_id: row.mark for row in rows}


def delete_log(connection: Connection, write: Write, notebook_id: str, owner: str) -> bool:
    """Permanently delete a notebook's log."""
    deleted = False
    for table in (notebooks, notebook_log):
        matches = (table.c.owner == owner_key(owner)) & (table.c.notebook_id == notebook_id)
        deleted = bool((connection.execute(delete(table).where(matches))).rowcount) or deleted
    write.result = deleted or write.result
    return bool(write.result)


def put_blob(connection: Connection, _: Write, data: bytes, owner: str) -> str:
    """Store bytes under their SHA-256, which is returned in hex."""
    digest = hashlib.sha256(data).hexdigest()
    matches = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == digest)
    stored = (connection.execute(select(blobs.c.data).where(matches))).scalar()
    if stored is None:
        record_owner(connection, owner)
        row = {"owner": owner_key(owner), "sha256": digest, "data": data}
        connection.execute(insert(blobs).values(row))
    elif _to_bytes(stored) != data:  # damaged
        connection.execute(update(blobs).where(matches).values(data=data))
    return digest


def _to_bytes(data: Any) -> bytes:
    # SQLite's columns accept any type, so another program may have written text.
    return str(data).encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)


def get_blob(connection: Connection, sha256: str, owner: str) -> bytes | None:
    """The bytes stored under a hash, which they may not match, or None."""
    matches = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == sha256)
    data = (connection.execute(select(blobs.c.data).where(matches))).scalar()
    return None if data is None else _to_bytes(data)


def list_blobs(connection: Connection, owner: str) -> list[str]:
    """The hashes of all blobs, sorted."""
    query = select(blobs.c.sha256).where(blobs.c.owner == owner_key(owner))
    return [sha256 for (sha256,) in connection.execute(query.order_by(blobs.c.sha256))]


def delete_blob(connection: Connection, write: Write, sha256: str, owner: str) -> bool:
    """Permanently delete a blob."""
    matches = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == sha256)
    deleted = bool((connection.execute(delete(blobs).where(matches))).rowcount)
    write.result = deleted or write.result
    return bool(write.result)


def verify_log(connection: Connection, notebook_id: str, owner: str) -> VerifyResult:
    """Report damaged entries in a notebook's log. Readers skip them, so there is no repair."""
    _, damaged = read_log(connection, notebook_id, owner)
    problem = f"{damaged} damaged lines; the others are in use" if damaged else None
    return VerifyResult(f"log of {notebook_id}", problem)


def verify_blob(connection: Connection, sha256: str, owner: str) -> VerifyResult:
    """Report a blob that doesn't match its hash. It counts as missing until it is put again."""
    data = get_blob(connection, sha256, owner)
    is_intact = data is None or hashlib.sha256(data).hexdigest() == sha256
    return VerifyResult(f"blob {sha256}", None if is_intact else "content does not match its hash")


def list_owners(connection: Connection) -> list[str]:
    """The names of all owners of sessions, logs or blobs, sorted."""
    keys = union(*(select(table.c.owner) for table in (sessions, notebooks, blobs)))
    rows = connection.execute(select(owners.c.owner, owners.c.name))
    names = {key: json.loads(name) for key, name in rows}
    return sorted(names.get(key, key) for (key,) in connection.execute(keys))


def _is_logged(connection: Connection, notebook_id: str, owner: str, write_id: int) -> bool:
    """Whether an earlier attempt, whose connection broke, was committed."""
    log = notebook_log.c
    query = select(literal(1)).where(
        log.owner == owner_key(owner), log.notebook_id == notebook_id, log.write_id == write_id
    )
    return (connection.execute(query.limit(1))).first() is not None
