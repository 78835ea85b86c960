"""The tables, and the conversion of the tables of version 0001.

Invariants:

- Every database compares the values of ``Name`` columns byte by byte.
- Two owners never have the same key in the column ``owner``. A key has at most 200 bytes, without
  what a database can't store, such as NUL or a lone surrogate. It is the owner's name if possible,
  for an administrator's rules of row-level security.
- If several processes start at once, one creates or converts the tables while the others wait. If
  it is killed, the next one does it.
- The tables of a newer version of AI Server are not changed.

Version 0001 had a table for each kind of data. They are converted in one transaction and then
dropped, so that an older AI Server that still runs gets an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Dialect,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    TypeDecorator,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.dialects.mysql import LONGBLOB, VARBINARY

from ...errors import AIServerError, StorageError
from ...models import SessionKey
from ..key_value import BLOB, DAMAGED, LOG, MEMORY, SESSION, Transaction
from ..record import codec

VERSION = "0002"
MAX_KEY_BYTES = 200
_HASH_PREFIX = "~"
_OLD_TABLES = (
    *("aiserver_items", "aiserver_sessions", "aiserver_notebook_log", "aiserver_notebooks"),
    *("aiserver_blobs", "aiserver_documents", "aiserver_owners"),
)


class Name(TypeDecorator[str]):
    """A column of short texts, compared byte by byte."""

    impl = String
    cache_ok = True

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self._length = length

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name == "mysql":
            return VARBINARY(self._length)  # MySQL's collations treat "a" and "a " as equal
        collation = "C" if dialect.name == "postgresql" else None
        return dialect.type_descriptor(String(self._length, collation=collation))

    def bind_processor(self, dialect: Dialect) -> None:
        """Pass texts unchanged: MySQL itself converts them to UTF-8."""

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return value.decode() if isinstance(value, bytes) else value


_metadata = MetaData()
values = Table(
    "aiserver_values",
    _metadata,
    Column("owner", Name(MAX_KEY_BYTES), primary_key=True),
    Column("kind", Name(7), primary_key=True),
    Column("name", Name(160), primary_key=True),
    Column("value", LargeBinary().with_variant(LONGBLOB(), "mysql"), nullable=False),
    Column("write_id", BigInteger, nullable=False),  # ``WriteState.id`` of the last write
    mysql_engine="InnoDB",
    mysql_charset="utf8mb4",
    mysql_row_format="DYNAMIC",
)
version_table = Table(
    "aiserver_schema",
    _metadata,
    Column("version_num", String(32)),
    PrimaryKeyConstraint("version_num", name="aiserver_schema_pkc"),
)


def owner_key(owner: str) -> str:
    """Return the owner's name if it can be the key, otherwise ``~`` and the name's SHA-256."""
    if can_be_key(owner):
        return owner
    return _HASH_PREFIX + hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()


def can_be_key(owner: str) -> bool:
    """Return whether an owner's name is also the key."""
    try:
        data = owner.encode()
    except UnicodeEncodeError:
        return False
    return len(data) <= MAX_KEY_BYTES and not owner.startswith(_HASH_PREFIX) and "\0" not in owner


def current_version(connection: Connection) -> str | None:
    """Return the tables' version, or None.

    Raises StorageError if a newer AI Server created them.
    """
    if not inspect(connection).has_table(version_table.name):
        return None
    version = connection.execute(select(version_table.c.version_num)).scalar()
    if version is not None and int(version) > int(VERSION):
        raise StorageError(
            "The history database was set up by a newer version of AI Server. Update AI Server to "
            "use it."
        )
    return version


def create_tables(connection: Connection, begin: Callable[[], Transaction]) -> None:
    """Create missing tables, and convert those of version 0001, in the current transaction.

    In MySQL, creating and dropping a table commits. So tables are created first, and dropped when
    all data is converted.
    """
    version = current_version(connection)
    if version == VERSION:
        return  # another process created them meanwhile
    _metadata.create_all(connection)
    if version is None:
        connection.execute(insert(version_table), {"version_num": VERSION})
        return
    existing = [name for name in _OLD_TABLES if inspect(connection).has_table(name)]
    _convert(connection, begin(), existing)
    for name in existing:
        connection.execute(text(f"DELETE FROM {name}"))  # noqa: S608 - our own names
    connection.execute(update(version_table), {"version_num": VERSION})
    for name in existing:
        connection.execute(text(f"DROP TABLE {name}"))


def _convert(connection: Connection, transaction: Transaction, existing: list[str]) -> None:
    def rows(table: str, columns: str, order: str = "") -> list[tuple[Any, ...]]:
        if table not in existing:
            return []
        query = f"SELECT {columns} FROM {table}"  # noqa: S608 - our own names
        result = connection.execute(text(f"{query} ORDER BY {order}" if order else query))
        return [tuple(map(_to_text, row)) for row in result]

    names = {key: json.loads(name) for key, name in rows("aiserver_owners", "owner, name")}
    for key, notebook_id, cell_id, meta, extra, events in rows(
        "aiserver_sessions", "owner, notebook_id, cell_id, meta, extra, events"
    ):
        owner = names.get(key, key)
        query = text(
            "SELECT kind, content FROM aiserver_items WHERE owner = :owner AND "
            "notebook_id = :notebook_id AND cell_id = :cell_id ORDER BY item_index"
        )
        ids = {"owner": key, "notebook_id": notebook_id, "cell_id": cell_id}
        items = [tuple(map(_to_text, row)) for row in connection.execute(query, ids)]
        _convert_session(
            transaction, SessionKey(notebook_id, cell_id, owner), meta, extra, events, items
        )
    lines: dict[tuple[str, str], list[str]] = {}
    columns = "owner, notebook_id, content"
    for key, notebook_id, entry in rows("aiserver_notebook_log", columns, "seq"):
        # JSON strings contain no line breaks.
        line = entry.replace("\n", "")
        lines.setdefault((names.get(key, key), notebook_id), []).append(line)
    for (owner, notebook_id), entries in lines.items():
        transaction.put(LOG, owner, notebook_id, _to_bytes("\n".join([*entries, ""])))
    if "aiserver_blobs" in existing:
        columns = "SELECT owner, sha256 FROM aiserver_blobs"
        for key, sha256 in [tuple(map(_to_text, row)) for row in connection.execute(text(columns))]:
            query = text("SELECT data FROM aiserver_blobs WHERE owner = :owner AND sha256 = :sha")
            data = connection.execute(query, {"owner": key, "sha": sha256}).scalar()
            transaction.put(BLOB, names.get(key, key), sha256, bytes(data or b""))
    for key, name, content in rows("aiserver_documents", "owner, name, content"):
        if content is not None:
            transaction.put(MEMORY, names.get(key, key), name, _to_bytes(content))


def _convert_session(
    transaction: Transaction,
    key: SessionKey,
    meta: str,
    extra: str,
    events_code: int,
    items: list[tuple[Any, ...]],
) -> None:
    """Store a session of version 0001.

    Items had the kinds 0 (turn), 1 (event) and 2 (quarantined). The code of the key ``events`` was
    0 (absent), 1 (null) or 2 (a list). A damaged session is stored with its damaged texts.
    """
    turns, events, quarantined = ([c for k, c in items if k == kind] for kind in (0, 1, 2))
    json_text = f'{{"meta": {meta}, "interactions": [{", ".join(turns)}]'
    if events or events_code:
        json_text += (
            f', "events": [{", ".join(events)}]'
            if events or events_code == 2
            else (', "events": null')
        )
    inner = extra.strip().removeprefix("{").removesuffix("}")
    data = _to_bytes(json_text + (f", {inner}" if inner.strip() else "") + "}")
    name = f"{key.notebook_id}/{key.cell_id}"
    try:
        session = codec.parse(data, key)
        if codec.is_newer(session.meta.version):
            raise ValueError("only a newer version can convert it")
        transaction.save(key, session)
    except (ValueError, AIServerError):
        transaction.put(SESSION, key.owner, name, data)
    for content in quarantined:
        damaged = _to_bytes(content)
        digest = hashlib.sha256(damaged).hexdigest()[:16]
        transaction.put(DAMAGED, key.owner, f"{name}/{digest}", damaged)


def _to_text(value: Any) -> Any:
    is_bytes = isinstance(value, bytes | bytearray | memoryview)
    return bytes(value).decode("utf-8", "surrogatepass") if is_bytes else value


def _to_bytes(content: str) -> bytes:
    return content.encode("utf-8", "surrogatepass")
