"""Sessions in a database: PostgreSQL, MySQL or MariaDB, SQLite (``docs/databases.md``).

From the ground up: ``owners`` (whose a row is), ``tables``, ``rows`` (between a session and its
rows, pure), ``faults`` (what a database says, as our errors), ``address`` (the setting), ``loop``
(a thread of its own), ``schema`` (making and migrating the tables), ``engines`` (what differs
between the databases), ``database`` (transactions, tried again where that is safe), ``sessions``,
``beside`` (logs and blobs) and ``check``, which work in one transaction each; ``manager`` is the
store. SQLAlchemy is imported when the database is first asked, in that thread.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
