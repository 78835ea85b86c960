"""The first tables.

MySQL creates tables outside of any transaction, so each step first looks whether a migration that
was killed has already done it.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.mysql import LONGBLOB, LONGTEXT, VARBINARY

revision = "0001"
down_revision = None

_MYSQL: Any = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_row_format": "DYNAMIC"}


def upgrade() -> None:
    """Create the tables."""
    long_text = sa.Text().with_variant(
        LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql"
    )
    bytes_ = sa.LargeBinary().with_variant(LONGBLOB(), "mysql")

    _table(
        "aiserver_sessions",
        _name("owner", 200),
        _name("notebook_id"),
        _name("cell_id"),
        sa.Column("meta", long_text, nullable=False),
        sa.Column("extra", long_text, nullable=False),
        sa.Column("events", sa.SmallInteger, nullable=False),
        sa.Column("counters", long_text, nullable=False),
        sa.Column("summary", long_text, nullable=False),
        sa.PrimaryKeyConstraint("owner", "notebook_id", "cell_id"),
    )
    _table(
        "aiserver_items",
        _name("owner", 200),
        _name("notebook_id"),
        _name("cell_id"),
        sa.Column("item_index", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("kind", sa.SmallInteger, nullable=False),
        _name("event_id", nullable=True),
        sa.Column("write_id", sa.BigInteger, nullable=False),
        sa.Column("content", long_text, nullable=False),
        sa.PrimaryKeyConstraint("owner", "notebook_id", "cell_id", "item_index"),
    )
    indexes = sa.inspect(op.get_bind()).get_indexes("aiserver_items")
    if "aiserver_items_event_id" not in {index["name"] for index in indexes}:
        op.create_index(
            "aiserver_items_event_id",
            "aiserver_items",
            ["owner", "notebook_id", "cell_id", "event_id"],
        )
    _table(
        "aiserver_notebooks",
        _name("owner", 200),
        _name("notebook_id"),
        sa.Column("next_seq", sa.BigInteger, nullable=False),
        sa.Column("mark", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("owner", "notebook_id"),
    )
    _table(
        "aiserver_notebook_log",
        _name("owner", 200),
        _name("notebook_id"),
        sa.Column("seq", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("write_id", sa.BigInteger, nullable=False),
        sa.Column("content", long_text, nullable=False),
        sa.PrimaryKeyConstraint("owner", "notebook_id", "seq"),
    )
    _table(
        "aiserver_blobs",
        _name("owner", 200),
        _name("sha256"),
        sa.Column("data", bytes_, nullable=False),
        sa.PrimaryKeyConstraint("owner", "sha256"),
    )
    _table(
        "aiserver_owners",
        _name("owner", 200),
        sa.Column("name", long_text, nullable=False),
        sa.PrimaryKeyConstraint("owner"),
    )


def _table(name: str, *columns: sa.schema.SchemaItem) -> None:
    if not sa.inspect(op.get_bind()).has_table(name):
        op.create_table(name, *columns, **_MYSQL)


def _name(name: str, length: int = 64, nullable: bool = False) -> sa.Column[str]:
    """A column of short texts, compared byte by byte."""
    collation = "C" if op.get_bind().dialect.name == "postgresql" else None
    kind = sa.String(length, collation=collation).with_variant(VARBINARY(length), "mysql")
    return sa.Column(name, kind, nullable=nullable)
