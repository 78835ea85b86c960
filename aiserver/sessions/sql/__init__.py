"""Store sessions in a database: PostgreSQL, MySQL, MariaDB or SQLite (see ``docs/databases.md``).

The modules, lowest layer first:

- ``owners`` turns owners' names into the keys that the table contains.
- ``schema`` describes, creates and converts the tables.
- ``errors`` maps the exceptions of database drivers to AI Server's errors.
- ``address`` parses the database URL.
- ``database`` runs transactions and retries them. Each kind of database has a module for its
  peculiarities: ``sqlite``, ``postgresql``, ``mysql``; ``servers`` is the base of the last two.
- ``manager`` is the store, which is based on ``key_value.py``.

Importing SQLAlchemy is slow. So a thread imports it when the database is used for the first time.
"""

from .manager import SQLSessionManager

__all__ = ["SQLSessionManager"]
