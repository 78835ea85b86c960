"""Make the tables, or bring them up to date, as the database's administrator.

``python -m aiserver.sessions.sql ADDRESS [FILE OF THE PASSWORD]``. Servers do it by themselves
where their account may; this is for where it may not.
"""

from __future__ import annotations

import asyncio
import sys

from ...errors import AIServerError
from .manager import SQLSessionManager


async def make(url: str, password_file: str = "") -> None:
    """Make them, and say what the database does not guarantee."""
    store = SQLSessionManager(url=url, password_file=password_file)
    try:
        for sentence in await store.start():
            print(sentence)
    finally:
        await store.close()
    print("The tables are there.")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    try:
        asyncio.run(make(*sys.argv[1:]))
    except AIServerError as error:
        sys.exit(error.message)
