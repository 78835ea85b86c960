"""Store sessions in a database: PostgreSQL, MySQL, MariaDB or SQLite (see ``docs/databases.md``).

The modules, lowest layer first:

- ``owners`` turns owners' names into the keys that the tables contain; ``codes`` lists the numeric
  codes in the tables.
- ``tables`` describes the tables; ``schema`` creates them.
- ``rows`` converts sessions to rows and back.
- ``errors`` maps the exceptions of database drivers to AI Server's errors.
- ``address`` parses the database URL.
- ``database`` runs functions in transactions and retries them. Each kind of database has a module
  for its peculiarities: ``sqlite``, ``postgresql``, ``mysql``; ``servers`` is the base of the last
  two.
- ``queries`` reads and writes rows.
- ``operations``, ``logs_and_blobs`` and ``verify`` contain functions that each run in one
  transaction.
- ``runner`` runs these functions in threads.
- ``manager`` is the store, which submits these functions to the runner.

Importing SQLAlchemy is slow. So a thread imports it when the database is used for the first time.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
