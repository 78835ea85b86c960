"""Store sessions in a database: PostgreSQL, MySQL, MariaDB or SQLite (see ``docs/databases.md``).

Importing SQLAlchemy is slow. So a thread imports it when the database is used for the first time.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
