"""The tables, as the newest migration leaves them.

What must hold:

- Names are compared byte by byte in every database, and no text is ever cut.
- A save writes one row of ``items`` and one of ``sessions``, however long the session is; a list
  reads ``sessions`` alone.
- ``item_index`` is the order in which turns and events are listed in the session. It says nothing
  of ``seq``, which is in the content.
- Content is JSON as ``codec.encode`` writes it, without the last line break: to the letter.
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

from .owners import LONGEST

VERSION = "0001"
"""The newest migration. Whoever writes one changes it here."""
VERSION_TABLE = "aiserver_schema"


class Name(TypeDecorator[str]):
    """A short text that is compared byte by byte."""

    impl = String
    cache_ok = True

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self._length = length

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name == "mysql":
            return VARBINARY(self._length)  # its collations take "a" and "a " for one
        collation = "C" if dialect.name == "postgresql" else None
        return dialect.type_descriptor(String(self._length, collation=collation))

    def bind_processor(self, dialect: Dialect) -> None:
        """As it is: MySQL takes a text for the bytes that it is in UTF-8."""

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return value.decode() if isinstance(value, bytes) else value


LongText = Text().with_variant(LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql")
LongBytes = LargeBinary().with_variant(LONGBLOB(), "mysql")

metadata = MetaData()
_MYSQL: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mysql_row_format": "DYNAMIC",
}


def _cell() -> tuple[Column[Any], ...]:
    """The columns that say whose it is, and of which cell."""
    return (
        Column("owner", Name(LONGEST), primary_key=True),
        Column("notebook_id", Name(64), primary_key=True),
        Column("cell_id", Name(64), primary_key=True),
    )


sessions = Table(
    "aiserver_sessions",
    metadata,
    *_cell(),
    Column("meta", LongText, nullable=False),
    Column("extra", LongText, nullable=False),  # keys beside meta, that we don't know; or nothing
    Column("events", SmallInteger, nullable=False),  # the key "events": absent, null or a list
    Column("counters", LongText, nullable=False),
    Column("summary", LongText, nullable=False),
    **_MYSQL,
)

items = Table(
    "aiserver_items",
    metadata,
    *_cell(),
    Column("item_index", Integer, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, nullable=False),  # see codes.py
    Column("event_id", Name(64)),  # SHA-256 of it, for it may be any text
    Column("write_id", BigInteger, nullable=False),  # so that a lost answer can be found out
    Column("content", LongText, nullable=False),
    Index("aiserver_items_event_id", "owner", "notebook_id", "cell_id", "event_id"),
    **_MYSQL,
)

notebooks = Table(
    "aiserver_notebooks",
    metadata,
    Column("owner", Name(LONGEST), primary_key=True),
    Column("notebook_id", Name(64), primary_key=True),
    Column("next_seq", BigInteger, nullable=False),
    Column("mark", BigInteger, nullable=False),  # another after each write
    **_MYSQL,
)

notebook_log = Table(
    "aiserver_notebook_log",
    metadata,
    Column("owner", Name(LONGEST), primary_key=True),
    Column("notebook_id", Name(64), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("write_id", BigInteger, nullable=False),
    Column("content", LongText, nullable=False),
    **_MYSQL,
)

blobs = Table(
    "aiserver_blobs",
    metadata,
    Column("owner", Name(LONGEST), primary_key=True),
    Column("sha256", Name(64), primary_key=True),
    Column("data", LongBytes, nullable=False),
    **_MYSQL,
)

owners = Table(
    "aiserver_owners",
    metadata,
    Column("owner", Name(LONGEST), primary_key=True),
    Column("name", LongText, nullable=False),  # as JSON, where the key isn't the name itself
    **_MYSQL,
)
