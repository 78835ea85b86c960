"""Sessions in a database: PostgreSQL, MySQL or MariaDB, SQLite (``docs/databases.md``).

The modules, lowest layer first: ``owners`` (owner keys), ``tables``, ``rows`` (sessions as rows,
pure), ``errors`` (driver exceptions as our errors), ``address`` (the setting), ``event_loop`` (a
background thread), ``schema`` (creates and migrates the tables), ``engines`` (differences between
the databases), ``database`` (transactions with retries), ``queries``, then ``operations``,
``logs_and_blobs`` and ``verify``, whose functions run in one transaction each; ``manager`` is the
store. SQLAlchemy is imported on the first use of the database, in the background thread.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
