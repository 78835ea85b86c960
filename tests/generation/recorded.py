"""Wait for the events that a fake model records."""

from __future__ import annotations

import asyncio


async def until_recorded(recorded: list[str], *events: str) -> None:
    """Wait until exactly these events are recorded. Raises AssertionError after five seconds."""
    for _ in range(500):
        if recorded == list(events):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(recorded)
