"""Sessions in a database: PostgreSQL, MySQL or MariaDB, SQLite (``docs/databases.md``).

The modules, lowest layer first: ``owners`` (owner keys), ``tables``, ``rows`` (sessions as rows,
pure), ``errors`` (driver exceptions as our errors), ``attempts`` (retries), ``address`` (the
setting), ``schema`` (creates and migrates the tables), ``sqlite`` and ``servers`` (transactions;
``engines`` has the differences between PostgreSQL and MySQL), ``queries``, then ``operations``,
``logs_and_blobs`` and ``verify``, whose functions run in one transaction each; ``runners`` (threads
for them); ``manager`` is the store. SQLAlchemy is imported on the first use of the database, in
another thread than the server's.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
