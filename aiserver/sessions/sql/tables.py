"""The tables of version 0001 (``schema.py``).

Invariants:

- Names are compared byte by byte in every database, and no text is ever truncated.
- A save writes one row of ``items`` and one of ``sessions``, however long the session is; listing
  reads only ``sessions``.
- ``item_index`` is the order in which turns and events are listed in the session. It is
  independent of ``seq``, which is in the content.
- Content is exactly the JSON that ``codec.encode`` writes, without the last line break.
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
    """A short text, compared byte by byte."""

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
        """Pass text unchanged: MySQL converts it to its UTF-8 bytes."""

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return value.decode() if isinstance(value, bytes) else value


LongText = Text().with_variant(LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql")
LongBytes = LargeBinary().with_variant(LONGBLOB(), "mysql")

metadata = MetaData()
_MYSQL_OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mysql_row_format": "DYNAMIC",
}


def _cell_key() -> tuple[Column[Any], ...]:
    """The columns of a session's key."""
    return (
        Column("owner", Name(MAX_KEY_BYTES), primary_key=True),
        Column("notebook_id", Name(64), primary_key=True),
        Column("cell_id", Name(64), primary_key=True),
    )


sessions = Table(
    "aiserver_sessions",
    metadata,
    *_cell_key(),
    Column("meta", LongText, nullable=False),
    Column("extra", LongText, nullable=False),  # unknown top-level keys as JSON, or empty
    Column("events", SmallInteger, nullable=False),  # the key "events": absent, null or a list
    Column("counters", LongText, nullable=False),
    Column("summary", LongText, nullable=False),
    **_MYSQL_OPTIONS,
)

items = Table(
    "aiserver_items",
    metadata,
    *_cell_key(),
    Column("item_index", Integer, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, nullable=False),  # see codes.py
    Column("event_id", Name(64)),  # the id's SHA-256, because an id can be any text
    Column("write_id", BigInteger, nullable=False),  # shows whether a write was committed
    Column("content", LongText, nullable=False),
    Index("aiserver_items_event_id", "owner", "notebook_id", "cell_id", "event_id"),
    **_MYSQL_OPTIONS,
)

notebooks = Table(
    "aiserver_notebooks",
    metadata,
    Column("owner", Name(MAX_KEY_BYTES), primary_key=True),
    Column("notebook_id", Name(64), primary_key=True),
    Column("next_seq", BigInteger, nullable=False),
    Column("mark", BigInteger, nullable=False),  # changes with each write
    **_MYSQL_OPTIONS,
)

notebook_log = Table(
    "aiserver_notebook_log",
    metadata,
    Column("owner", Name(MAX_KEY_BYTES), primary_key=True),
    Column("notebook_id", Name(64), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("write_id", BigInteger, nullable=False),
    Column("content", LongText, nullable=False),
    **_MYSQL_OPTIONS,
)

blobs = Table(
    "aiserver_blobs",
    metadata,
    Column("owner", Name(MAX_KEY_BYTES), primary_key=True),
    Column("sha256", Name(64), primary_key=True),
    Column("data", LongBytes, nullable=False),
    **_MYSQL_OPTIONS,
)

owners = Table(
    "aiserver_owners",
    metadata,
    Column("owner", Name(MAX_KEY_BYTES), primary_key=True),
    Column("name", LongText, nullable=False),  # as JSON, if the key isn't the name itself
    **_MYSQL_OPTIONS,
)
