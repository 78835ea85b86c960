"""Store sessions in a database: PostgreSQL, MySQL, MariaDB or SQLite (see ``docs/databases.md``).

Importing SQLAlchemy is slow, so a thread does it at the first use.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
