"""Create the tables as the database's administrator.

Usage: ``python -m aiserver.sessions.sql URL [PASSWORD_FILE]``. A Jupyter server creates the tables
itself if its database account has the permission.
"""

from __future__ import annotations

import asyncio
import sys

from ...errors import AIServerError
from .manager import SQLSessionManager


async def create_tables(url: str, password_file: str = "") -> None:
    """Create the tables, and print a warning for each guarantee that the database lacks."""
    store = SQLSessionManager(url=url, password_file=password_file)
    try:
        for warning in await store.start():
            print(warning)
    finally:
        await store.close()
    print("The tables are up to date.")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    try:
        asyncio.run(create_tables(*sys.argv[1:]))
    except AIServerError as error:
        sys.exit(error.message)
