"""Sessions in a database: PostgreSQL, MySQL or MariaDB, SQLite (``docs/databases.md``).

The modules, lowest layer first: ``owners`` (owner keys), ``tables``, ``rows`` (sessions as rows,
pure), ``errors`` (driver exceptions as our errors), ``address`` (the setting), ``schema`` (creates
the tables), ``database`` (transactions and retries; ``sqlite``, ``servers``,
``postgresql`` and ``mysql`` have the differences), ``queries``, then ``operations``,
``logs_and_blobs`` and ``verify``, whose functions run in one transaction each; ``runner`` (threads
for them); ``manager`` is the store. SQLAlchemy is imported on the first use of the database, in
another thread than the server's.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
