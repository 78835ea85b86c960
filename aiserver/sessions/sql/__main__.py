"""Create the tables as the database's administrator.

Usage: ``python -m aiserver.sessions.sql URL [PASSWORD_FILE]``. A Jupyter server creates the tables
itself if its database account has the permission; otherwise, an administrator runs this command.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from ...errors import AIServerError
from .manager import SQLSessionManager

if TYPE_CHECKING:
    from .database import Database


async def create_tables(url: str, password_file: str = "") -> None:
    """Create the tables, and print a warning for each guarantee that the database lacks."""
    store = SQLSessionManager(url=url, password_file=password_file)
    try:
        for warning in await store.start():
            print(warning)
        await store.run(_create_added_tables)
    finally:
        await store.close()
    print("The tables are up to date.")


def _create_added_tables(database: Database) -> None:
    from .tables import added_metadata

    for table in added_metadata.sorted_tables:
        database.create_table(table)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    try:
        asyncio.run(create_tables(*sys.argv[1:]))
    except AIServerError as error:
        sys.exit(error.message)
