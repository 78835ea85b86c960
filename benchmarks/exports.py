"""Measure how long exports of notebooks with different numbers of cells take.

    python -m benchmarks.exports [--cells 250,500,1000] [--large 59]

Each cell has two requests, with accepted answers and runs. Meanwhile, a timer on the event loop
measures how late the loop is. The benchmark prints:

- the maximum lateness without any work, which comes from other load on the machine;
- for each number of cells and each format, the seconds of an export and the maximum lateness. The
  ratios between the rows show how the time grows with the number of cells;
- the same for a notebook that has one session of ``--large`` MB;
- the times of searches over that session: of the first search, which reads it, and of later ones.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

from aiserver.models import (
    AIResponse,
    Event,
    Interaction,
    NewLogEntry,
    SessionKey,
    UserRequest,
    new_session,
)
from aiserver.plugins.export.export import FORMATS
from aiserver.plugins.export.process import Exporter
from aiserver.plugins.search import SearchEngine
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.codec import encode
from aiserver.sessions.record.filenames import session_name

NOON = "2026-01-27T12:00:00.000Z"
TICK = 0.005  # the interval of the timer on the event loop, in seconds
PATIENCE = 600.0  # the time limit of a search in seconds, which no search should reach


def session(cell: str, turns: int, padding: str = "") -> bytes:
    """Return the bytes of a cell's session, with the text ``padding`` in each explanation."""
    session_ = new_session(SessionKey("nb", cell), NOON)
    session_.meta.revision, session_.events = turns, []
    code, seq = "", 0
    for number in range(1, turns + 1):
        before, code = (
            code,
            f"import pandas as pd\ndf = pd.read_csv('{cell}-{number}.csv')\ndf.head()",
        )
        seq += 1
        session_.interactions.append(
            Interaction(
                turn_id=number,
                seq=seq,
                timestamp=NOON,
                user_request=UserRequest(intent=f"read file {number}", current_code=before),
                ai_response=AIResponse(
                    suggestion=code, explanation=f"It reads it. {padding}", status="success"
                ),
            )
        )
        for type_ in ("accept", "run"):
            seq += 1
            more = {"turn_id": number} if type_ == "accept" else {"data": {"status": "ok"}}
            session_.events.append(Event(type=type_, seq=seq, timestamp=NOON, source=code, **more))
    return encode(session_)


async def notebook(folder: Path, cells: int, large: int = 0) -> FileSessionManager:
    """Return a store with one notebook, whose first session has ``large`` MB if that isn't 0."""
    store = FileSessionManager(root=str(folder))
    store_folder = folder / ".aiserver_sessions"
    store_folder.mkdir(mode=0o700)
    names = [f"c{number}" for number in range(cells)]
    for name in names:
        data = session(name, 2)
        if large and name == names[0]:
            data = session(name, 300, "x" * (large * 1_000_000 // 300))
        (store_folder / session_name(SessionKey("nb", name))).write_bytes(data)
    order = {"cell_ids": names, "types": dict.fromkeys(names, "code")}
    entries = [
        NewLogEntry(type="path_seen", timestamp=NOON, data={"path": "a.ipynb"}),
        NewLogEntry(type="cell_order", timestamp=NOON, data=order),
    ]
    await store.append_notebook_log("nb", entries)
    return store


async def timed(awaitable: Awaitable[object]) -> tuple[float, float]:
    """Return the duration in seconds, and the event loop's maximum lateness in milliseconds."""
    lateness = 0.0

    async def watch() -> None:
        nonlocal lateness
        while True:
            started = time.perf_counter()
            await asyncio.sleep(TICK)
            lateness = max(lateness, time.perf_counter() - started - TICK)

    watcher = asyncio.create_task(watch())
    await asyncio.sleep(0)
    started = time.perf_counter()
    await awaitable
    seconds = time.perf_counter() - started
    watcher.cancel()
    return seconds, lateness * 1000


async def exports(cells: int, large: int = 0) -> None:
    """Export one notebook in each format, and print the times."""
    with tempfile.TemporaryDirectory() as folder:
        store = await notebook(Path(folder), cells, large)
        row = [f"{cells} cells" + (f", one of {large} MB" if large else "")]
        for format_ in FORMATS:
            seconds, lateness = await timed(Exporter(store).export("nb", format_))
            row.append(f"{format_} {seconds:.2f} s, loop late {lateness:.0f} ms")
        print(" | ".join(row), flush=True)
        if large:
            await searches(store)
        await store.close()


async def searches(store: FileSessionManager) -> None:
    """Search a store with a large session, and print the times."""
    engine = SearchEngine(store)
    seconds, lateness = await timed(engine.search("read file", patience=PATIENCE))
    print(f"search, first: {seconds:.2f} s, loop late {lateness:.0f} ms", flush=True)
    again = [await timed(engine.search("read file", patience=PATIENCE)) for _ in range(3)]
    seconds, lateness = (statistics.median(column) for column in zip(*again, strict=True))
    print(f"search, then: {seconds:.2f} s, loop late {lateness:.0f} ms", flush=True)
    await engine.close()


async def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", default="250,500,1000")
    parser.add_argument("--large", type=int, default=59, help="MB of one session; 0: none")
    arguments = parser.parse_args()
    _, lateness = await timed(asyncio.sleep(5))
    print(f"nothing, for 5 s: loop late {lateness:.0f} ms")
    for cells in map(int, arguments.cells.split(",")):
        await exports(cells)
    if arguments.large:
        await exports(20, arguments.large)


if __name__ == "__main__":
    asyncio.run(main())
