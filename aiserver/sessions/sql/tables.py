"""The tables of version 0001 (``schema.py``), and those that were added without a new version.

The version isn't increased for a table that older AI Servers ignore: they refuse a database with a
newer version. Such a table is created when it is first written (``Database.create_table``).

Invariants:

- Every database compares the values of ``Name`` columns byte by byte, and truncates no text.
- Saving a turn or an event writes one row of ``items`` and one row of ``sessions``, however long
  the session is. Listing sessions reads only the table ``sessions``, unless a summary is damaged.
- The column ``item_index`` determines the order of the turns, and the order of the events, in a
  loaded session. The ``seq`` of a record, which is part of the column ``content``, doesn't affect
  this order.
- In undamaged rows, the columns ``content`` and ``meta`` contain exactly the JSON that
  ``codec.encode`` returns, without the last line break.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects.mysql import LONGBLOB, LONGTEXT, VARBINARY

from .owners import MAX_KEY_BYTES


class Name(TypeDecorator[str]):
    """The type of a column for short texts that are compared byte by byte."""

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
        """Pass texts unchanged, because MySQL itself converts them to UTF-8 bytes."""

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return value.decode() if isinstance(value, bytes) else value


LongText = Text().with_variant(LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql")
LongBytes = LargeBinary().with_variant(LONGBLOB(), "mysql")

metadata = MetaData()
added_metadata = MetaData()


def _table(name: str, *columns: Column[Any] | Index, metadata: MetaData = metadata) -> Table:
    return Table(
        name,
        metadata,
        *columns,
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_row_format="DYNAMIC",
    )


def _key(*names: str) -> list[Column[Any]]:
    """Return the columns of a primary key: the owner, and ids or hashes."""
    lengths = {"owner": MAX_KEY_BYTES}
    return [Column(name, Name(lengths.get(name, 64)), primary_key=True) for name in names]


sessions = _table(
    "aiserver_sessions",
    *_key("owner", "notebook_id", "cell_id"),
    Column("meta", LongText, nullable=False),
    Column("extra", LongText, nullable=False),  # unknown top-level keys as JSON, or empty
    # Whether the key ``events`` in the session's JSON is absent, null or a list (see ``codes.py``).
    Column("events", SmallInteger, nullable=False),
    Column("counters", LongText, nullable=False),  # JSON of ``rows.Counters``
    Column("summary", LongText, nullable=False),  # JSON of ``SessionSummary``
)

items = _table(
    "aiserver_items",
    *_key("owner", "notebook_id", "cell_id"),
    Column("item_index", Integer, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, nullable=False),  # see codes.py
    Column("event_id", Name(64)),  # the id's SHA-256, because an id can be any text
    Column("write_id", BigInteger, nullable=False),  # ``WriteState.id`` of the write
    Column("content", LongText, nullable=False),
    Index("aiserver_items_event_id", "owner", "notebook_id", "cell_id", "event_id"),
)

notebooks = _table(
    "aiserver_notebooks",
    *_key("owner", "notebook_id"),
    Column("next_seq", BigInteger, nullable=False),
    Column("mark", BigInteger, nullable=False),  # changes with each write to the change log
)

notebook_log = _table(
    "aiserver_notebook_log",
    *_key("owner", "notebook_id"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("write_id", BigInteger, nullable=False),
    Column("content", LongText, nullable=False),
)

blobs = _table(
    "aiserver_blobs",
    *_key("owner", "sha256"),
    Column("data", LongBytes, nullable=False),
)

owners = _table(
    "aiserver_owners",
    *_key("owner"),
    # The owner's name as JSON. Only owners whose key differs from their name are in this table.
    Column("name", LongText, nullable=False),
)

documents = _table(
    "aiserver_documents",
    *_key("owner", "name"),
    Column("write_id", BigInteger, nullable=False),  # ``WriteState.id`` of the last write
    Column("content", LongBytes),  # NULL if the document was deleted
    metadata=added_metadata,
)
