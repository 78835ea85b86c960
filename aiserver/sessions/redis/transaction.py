"""Transactions on values by key in Redis.

Values whose names are equal up to the last ``/`` are the fields of one hash: a notebook's sessions,
and a session's parts. All keys begin with the prefix, followed by ``2:``. In a key, an owner's name
is percent-encoded, so it ends at the next ``:``.

========================= ====== =============================================================
``KIND:OWNER:FOLDER`` hash the rest of the name: the value ``folders:KIND:OWNER`` set the folders
for which there is a hash ``owners`` set the owners who have or had sessions, logs or blobs
``once:WRITEID`` string exists for ten minutes after a write ``alone:OWNER`` string the holder of
the lock for notebook ids ========================= ======
=============================================================

Invariants: if a value that a transaction got changes before its end, the transaction has no effect
and runs again.
"""

from __future__ import annotations

import hashlib
import random
import secrets
import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote, unquote_to_bytes

from ...errors import StorageBusy
from ..key_value import BLOB, LOG, SESSION, Transaction
from .client import Client

T = TypeVar("T")

_RANDOM = random.SystemRandom()
_COUNTED = (SESSION, LOG, BLOB)  # whoever has one of these is an owner
_Key = tuple[str, str, str]


def encode_owner(owner: str) -> str:
    """Encode an owner's name for a key."""
    return quote(owner.encode("utf-8", "surrogatepass"), safe="")


def decode_owner(text: str) -> str:
    """Decode the result of ``encode_owner``."""
    return unquote_to_bytes(text).decode("utf-8", "surrogatepass")


def run_transaction(
    client: Client, prefix: str, work: Callable[[Transaction], T], timeout: float
) -> T:
    """Run ``work`` in a transaction. Raises StorageBusy after ``timeout`` seconds of conflicts."""
    deadline = time.monotonic() + timeout
    while True:
        transaction = _RedisTransaction(client, prefix)
        result = work(transaction)
        if transaction.commit():
            return result
        if time.monotonic() > deadline:
            raise StorageBusy
        time.sleep(_RANDOM.uniform(0, 0.02))


class _RedisTransaction(Transaction):
    def __init__(self, client: Client, prefix: str) -> None:
        self._client, self._prefix = client, f"{prefix}2:"
        self._got: dict[_Key, bytes | None] = {}
        self._written: dict[_Key, bytes | None] = {}
        self._read_count = 0

    def get(self, kind: str, owner: str, name: str) -> bytes | None:
        key = kind, owner, name
        if key in self._written:
            return self._written[key]
        folder, _, field = name.rpartition("/")
        if key not in self._got:
            self._got[key] = self._read("HGET", self._hash(kind, owner, folder), field)
        return self._got[key]

    def put(self, kind: str, owner: str, name: str, value: bytes) -> None:
        self._written[kind, owner, name] = value

    def delete(self, kind: str, owner: str, name: str) -> bool:
        was_stored = self.get(kind, owner, name) is not None
        self._written[kind, owner, name] = None
        return was_stored

    def names(self, kind: str, owner: str) -> list[str]:
        names = [
            f"{folder}/{field.decode()}" if folder else field.decode()
            for folder in self._folders(kind, owner)
            for field in self._read("HKEYS", self._hash(kind, owner, folder))
        ]
        return list(self._with_writes(kind, owner, dict.fromkeys(names, b"")))

    def values(self, kind: str, owner: str, prefix: str) -> dict[str, bytes]:
        folders = [prefix[:-1]] if prefix else self._folders(kind, owner)
        values: dict[str, bytes] = {}
        for folder in folders:
            result = self._read("HGETALL", self._hash(kind, owner, folder))
            for field, value in zip(result[::2], result[1::2], strict=True):
                values[f"{folder}/{field.decode()}" if folder else field.decode()] = value
        values = self._with_writes(kind, owner, values)
        return {name: values[name] for name in sorted(values) if name.startswith(prefix)}

    def delete_all(self, kind: str, owner: str, prefix: str) -> bool:
        fields = self._read("HKEYS", self._hash(kind, owner, prefix[:-1]))
        for field in fields:
            self._written[kind, owner, prefix + field.decode()] = None
        return bool(fields)

    def owners(self) -> list[str]:
        texts = [text.decode() for text in self._read("SMEMBERS", f"{self._prefix}owners")]
        return [
            decode_owner(text)
            for text in texts
            if self._read("EXISTS", *(f"{self._prefix}folders:{kind}:{text}" for kind in _COUNTED))
        ]

    def commit(self) -> bool:
        """Write everything, unless a value that was read has changed."""
        if not self._written and self._read_count < 2:
            return True
        pairs: dict[tuple[str, str, str], int] = {}

        def pair(kind: str, owner: str, name: str) -> tuple[int, str, str]:
            folder, _, field = name.rpartition("/")
            return pairs.setdefault((kind, owner, folder), len(pairs) + 1), folder, field

        checks: list[Any] = []
        for key, value in self._got.items():
            number, _, field = pair(*key)
            digest = hashlib.sha1(value, usedforsecurity=False).hexdigest() if value else ""
            empty = hashlib.sha1(b"", usedforsecurity=False).hexdigest()
            checks += [number, field, empty if value == b"" else digest]
        writes: list[Any] = []
        # If Redis has no memory left, only the first command that adds something fails, and none
        # after a command that writes. So deletions come last.
        in_order = sorted(self._written.items(), key=lambda item: item[1] is None)
        for (kind, owner, name), value in in_order:
            number, folder, field = pair(kind, owner, name)
            counted = f"={encode_owner(owner)}" if kind in _COUNTED else ""
            writes += [number, counted, folder, field, b"" if value is None else b"=" + value]
        keys = [f"{self._prefix}once:{secrets.token_hex(12)}", f"{self._prefix}owners"]
        for kind, owner, folder in pairs:
            keys += [self._hash(kind, owner, folder), self._index(kind, owner)]
        return bool(self._client.run("commit", keys, len(checks) // 3, *checks, *writes))

    def _read(self, *words: Any) -> Any:
        self._read_count += 1
        return self._client.command(*words)

    def _hash(self, kind: str, owner: str, folder: str) -> str:
        return f"{self._prefix}{kind}:{encode_owner(owner)}:{folder}"

    def _index(self, kind: str, owner: str) -> str:
        return f"{self._prefix}folders:{kind}:{encode_owner(owner)}"

    def _folders(self, kind: str, owner: str) -> list[str]:
        return sorted(each.decode() for each in self._read("SMEMBERS", self._index(kind, owner)))

    def _with_writes(self, kind: str, owner: str, values: dict[str, bytes]) -> dict[str, bytes]:
        for (each_kind, each_owner, name), value in self._written.items():
            if (each_kind, each_owner) == (kind, owner):
                values.pop(name, None)
                if value is not None:
                    values[name] = value
        return values
