"""What is kept beside the sessions: notebook logs, blobs, and whose anything is.

What must hold: the writers of one log come one after the other, by its row in ``notebooks``, whose
mark differs after each write. One piece of work is one transaction.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy import delete, func, insert, literal, select, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ...models import NewLogEntry, NotebookLogEntry
from ..base import VerifyResult
from ..record.mutations import number_entries_from
from .database import Write
from .owners import owner_key
from .queries import know_owner
from .rows import text
from .tables import blobs, notebook_log, notebooks, owners, sessions


async def append_log(
    connection: AsyncConnection,
    write: Write,
    notebook_id: str,
    owner: str,
    entries: Sequence[NewLogEntry],
) -> list[NotebookLogEntry]:
    """Add lines to a notebook's log."""
    of = {"owner": owner_key(owner), "notebook_id": notebook_id}
    this = (notebooks.c.owner == of["owner"]) & (notebooks.c.notebook_id == notebook_id)
    found = await connection.execute(select(notebooks.c.next_seq).where(this).with_for_update())
    start = found.scalar()
    if write.lost and write.result and await _is_logged(connection, notebook_id, owner, write.id):
        done: list[NotebookLogEntry] = write.result
        return done
    saved = number_entries_from(start or 1, entries)
    row = {"next_seq": (start or 1) + len(saved), "mark": secrets.randbits(63)}
    if start is None:
        await know_owner(connection, owner)
        await connection.execute(insert(notebooks), of | row)
    else:
        await connection.execute(update(notebooks).where(this).values(**row))
    await connection.execute(
        insert(notebook_log),
        [of | {"seq": e.seq, "write_id": write.id, "content": text(e)} for e in saved],
    )
    write.result = saved
    return saved


async def read_log(
    connection: AsyncConnection, notebook_id: str, owner: str
) -> tuple[list[NotebookLogEntry], int]:
    """A notebook's log, and how many of its lines are damaged."""
    log = notebook_log.c
    rows = await connection.execute(
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


async def marks(connection: AsyncConnection, owner: str) -> dict[str, int]:
    """For each notebook with a log, what differs after each write."""
    rows = await connection.execute(
        select(notebooks.c.notebook_id, notebooks.c.mark)
        .where(notebooks.c.owner == owner_key(owner))
        .order_by(notebooks.c.notebook_id)
    )
    return {row.notebook_id: row.mark for row in rows}


async def remove_log(
    connection: AsyncConnection, write: Write, notebook_id: str, owner: str
) -> bool:
    """Remove a notebook's log for good."""
    gone = False
    for table in (notebooks, notebook_log):
        this = (table.c.owner == owner_key(owner)) & (table.c.notebook_id == notebook_id)
        gone = bool((await connection.execute(delete(table).where(this))).rowcount) or gone
    write.result = gone or write.result
    return bool(write.result)


async def put_blob(connection: AsyncConnection, _: Write, data: bytes, owner: str) -> str:
    """Keep bytes by content."""
    digest = hashlib.sha256(data).hexdigest()
    this = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == digest)
    there = (await connection.execute(select(blobs.c.data).where(this))).scalar()
    if there is None:
        await know_owner(connection, owner)
        row = {"owner": owner_key(owner), "sha256": digest, "data": _bytes(connection, data)}
        await connection.execute(insert(blobs).values(row))
    elif _stored(there) != data:  # damaged
        await connection.execute(update(blobs).where(this).values(data=_bytes(connection, data)))
    return digest


def _stored(data: Any) -> bytes:
    # SQLite's columns take any type, and what others wrote into one may be a text.
    return str(data).encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)


def _bytes(connection: AsyncConnection, data: bytes) -> Any:
    # aiomysql 0.3 can't send bytes with a PyMySQL of 1.2 or later.
    return func.unhex(data.hex()) if connection.dialect.name == "mysql" else data


async def get_blob(connection: AsyncConnection, sha256: str, owner: str) -> bytes | None:
    """The bytes under a hash, whatever they are, or None."""
    this = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == sha256)
    data = (await connection.execute(select(blobs.c.data).where(this))).scalar()
    return None if data is None else _stored(data)


async def list_blobs(connection: AsyncConnection, owner: str) -> list[str]:
    """The hashes of all blobs, sorted."""
    mine = blobs.c.owner == owner_key(owner)
    rows = await connection.execute(select(blobs.c.sha256).where(mine).order_by(blobs.c.sha256))
    return [sha256 for (sha256,) in rows]


async def remove_blob(connection: AsyncConnection, write: Write, sha256: str, owner: str) -> bool:
    """Remove a blob for good."""
    this = (blobs.c.owner == owner_key(owner)) & (blobs.c.sha256 == sha256)
    gone = bool((await connection.execute(delete(blobs).where(this))).rowcount)
    write.result = gone or write.result
    return bool(write.result)


async def check_log(connection: AsyncConnection, notebook_id: str, owner: str) -> VerifyResult:
    """Whether a notebook's log is whole. Nothing need be mended: its other lines are in use."""
    _, damaged = await read_log(connection, notebook_id, owner)
    problem = f"{damaged} damaged lines; the others are in use" if damaged else None
    return VerifyResult(f"log of {notebook_id}", problem)


async def check_blob(connection: AsyncConnection, sha256: str, owner: str) -> VerifyResult:
    """Whether a blob is what its name says. One that isn't is as good as none until put again."""
    data = await get_blob(connection, sha256, owner)
    is_whole = data is None or hashlib.sha256(data).hexdigest() == sha256
    return VerifyResult(f"blob {sha256}", None if is_whole else "content does not match its hash")


async def list_owners(connection: AsyncConnection) -> list[str]:
    """Whose records there are, sorted."""
    keys = union(*(select(table.c.owner) for table in (sessions, notebooks, blobs)))
    rows = await connection.execute(select(owners.c.owner, owners.c.name))
    names = {key: json.loads(name) for key, name in rows}
    return sorted(names.get(key, key) for (key,) in await connection.execute(keys))


async def _is_logged(
    connection: AsyncConnection, notebook_id: str, owner: str, write_id: int
) -> bool:
    """Whether an earlier try, whose connection broke, was done after all."""
    log = notebook_log.c
    query = select(literal(1)).where(
        log.owner == owner_key(owner), log.notebook_id == notebook_id, log.write_id == write_id
    )
    return (await connection.execute(query.limit(1))).first() is not None
