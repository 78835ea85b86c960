"""Convert the data of earlier versions, which had keys for each kind of data in a session.

Invariants: old data is removed only once it is stored in the new layout. If a server is killed
meanwhile, or two convert the same data, nothing is lost or stored twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from ...errors import AIServerError, StorageFull, StorageReadOnly
from ...models import SessionKey
from ..key_value import BLOB, LOG, MEMORY, SESSION, Transaction
from ..record import codec
from ..record.merge import merge_into
from .client import Client
from .transaction import decode_owner

_HEAD_FIELDS = ("meta", "updated", "revision", "events", "rest")
_DOCUMENTS_PER_SCAN = 1000
Run = Callable[[Callable[[Transaction], object]], object]


def convert(client: Client, prefix: str, run: Run) -> None:
    """Convert all data, once. ``run`` runs a transaction."""
    done = f"{prefix}2:converted"
    if client.command("EXISTS", done):
        return
    try:
        for text in _texts(client.command("SMEMBERS", f"{prefix}owners")):
            _convert_owner(client, prefix, text, run)
            client.command("SREM", f"{prefix}owners", text)
        _convert_memories(client, prefix, run)
        client.command("SET", done, 1)
    except (StorageReadOnly, StorageFull):
        return  # the next server does it


def _convert_owner(client: Client, prefix: str, text: str, run: Run) -> None:
    owner = decode_owner(text)
    for cell in _texts(client.command("ZRANGE", f"{prefix}cells:{text}", 0, -1)):
        notebook_id, _, cell_id = cell.partition(" ")
        key = SessionKey(notebook_id, cell_id, owner)
        names = [
            f"{prefix}{kind}:{text}:{notebook_id}:{cell_id}"
            for kind in ("head", "turns", "events", "ids")
        ]
        head = client.command("HMGET", names[0], *_HEAD_FIELDS)
        turns, events = (client.command("LRANGE", name, 0, -1) for name in names[1:3])
        if head[0] is not None:
            data = _join(head, turns, events)
            run(partial(_put_session, key=key, data=data))
        client.command("DEL", *names)
        client.command("HDEL", f"{prefix}rows:{text}", cell)
        client.command("ZREM", f"{prefix}cells:{text}", cell)
    for id_ in _texts(client.command("HKEYS", f"{prefix}notebooks:{text}")):
        log = f"{prefix}log:{text}:{id_}"
        lines = b"".join(line + b"\n" for line in client.command("LRANGE", log, 0, -1))
        run(partial(_put, kind=LOG, owner=owner, name=id_, value=lines))
        client.command("DEL", log)
        client.command("HDEL", f"{prefix}notebooks:{text}", id_)
    blobs = f"{prefix}blobs:{text}"
    for sha256 in _texts(client.command("HKEYS", blobs)):
        data = client.command("HGET", blobs, sha256) or b""
        run(partial(_put, kind=BLOB, owner=owner, name=sha256, value=data))
        client.command("HDEL", blobs, sha256)


def _convert_memories(client: Client, prefix: str, run: Run) -> None:
    pattern = re.sub(r"([\\*?\[\]])", r"\\\1", f"{prefix}memory:") + "*"
    cursor: Any = 0
    while True:
        cursor, keys = client.command(
            "SCAN", cursor, "MATCH", pattern, "COUNT", _DOCUMENTS_PER_SCAN
        )
        for key in _texts(keys):
            owner = decode_owner(key.removeprefix(f"{prefix}memory:"))
            result = client.command("HGETALL", key)
            for name, document in zip(_texts(result[::2]), result[1::2], strict=True):
                run(partial(_put, kind=MEMORY, owner=owner, name=name, value=document))
            client.command("DEL", key)
        if int(cursor) == 0:
            return


def _join(head: list[bytes | None], turns: list[bytes], events: list[bytes]) -> bytes:
    meta, updated, revision, events_key, rest = (text or b"" for text in head)
    if updated:
        try:
            fields = json.loads(meta)
            changes = {"last_updated": updated.decode(), "revision": int(revision)}
            meta = json.dumps(fields | changes, ensure_ascii=False).encode(
                "utf-8", "backslashreplace"
            )
        except (ValueError, TypeError):
            pass  # damaged
    data = b'{"meta": ' + meta + b', "interactions": [' + b",".join(turns) + b"]"
    if events or events_key == b"list":
        data += b', "events": [' + b",".join(events) + b"]"
    elif events_key:
        data += b', "events": null'
    return data + rest + b"}"


def _put_session(transaction: Transaction, key: SessionKey, data: bytes) -> None:
    name = f"{key.notebook_id}/{key.cell_id}"
    try:
        session = codec.parse(data, key)
        if codec.is_newer(session.meta.version):
            raise ValueError("only a newer version can convert it")
        if stored := transaction.load(key):
            if merge_into(stored, session):
                transaction.save(key, stored)
        else:
            transaction.save(key, session)
    except (ValueError, AIServerError):
        _put(transaction, SESSION, key.owner, name, data)


def _put(transaction: Transaction, kind: str, owner: str, name: str, value: bytes) -> None:
    if transaction.get(kind, owner, name) is None:
        transaction.put(kind, owner, name, value)


def _texts(values: list[bytes]) -> list[str]:
    return [value.decode() for value in values]
