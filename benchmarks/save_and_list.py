"""What the store costs: saving a turn, and listing a notebook of 1,000 cells.

    python benchmarks/save_and_list.py [folder]

Run it on the disk that matters; in memory (tmpfs) a flush costs nothing, and the ratio says
nothing. A save is compared with bare writes of the same bytes, taken in turn with it: temp file,
fsync, rename, and the folder's fsync, without which the rename may not survive a power cut.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from aiserver.models import AIResponse, NewTurn, SessionKey, UserRequest, utc_now
from aiserver.sessions.file import FileSessionManager
from aiserver.sessions.filenames import session_name

SAVES = 300
CELLS = 1_000
KEY = SessionKey("6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11", "b7a1c2d3")


def turn(number: int) -> NewTurn:
    """A turn of ordinary size: some forty lines of code."""
    return NewTurn(
        timestamp=utc_now(),
        user_request=UserRequest(
            intent=f"读取 data.csv 并显示前{number}行",
            current_code="x = 1\n" * 40,
            language="python",
        ),
        ai_response=AIResponse(
            suggestion="frame = pd.read_csv('data.csv')\n" * 40,
            explanation="Reads the file and shows its head.",
            status="success",
            error=None,
        ),
        model="local:qwen2.5-coder-0.5b",
    )


def bare(folder: Path, data: bytes, *, flush_folder: bool) -> None:
    """What any durable save must do at least."""
    temp = folder / "bare.tmp"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    temp.replace(folder / "bare.json")
    if flush_folder:
        fd = os.open(folder, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


async def saving(root: Path, turns: int) -> None:
    """Save turns into a session that has some already; print medians and ratios."""
    store = FileSessionManager(root=str(root))
    folder = root / ".aiserver_sessions"
    saves, whole, without = [], [], []
    for number in range(SAVES):
        if number % 20 == 0:  # so that the session's size stays about the same
            await store.delete(KEY)
            for before in range(turns):
                await store.save_interaction(KEY, turn(before))
        start = time.perf_counter()
        await store.save_interaction(KEY, turn(number))
        saves.append((time.perf_counter() - start) * 1000)
        data = (folder / session_name(KEY)).read_bytes()
        whole.append(timed(lambda: bare(folder, data, flush_folder=True)))  # noqa: B023
        without.append(timed(lambda: bare(folder, data, flush_folder=False)))  # noqa: B023
    save, full, short = (statistics.median(times) for times in (saves, whole, without))
    print(
        f"save, {turns:3} turns, {len(data) // 1024:4} KB: {save:6.2f} ms"
        f"   bare: {full:6.2f} ms, x {save / full:.2f}"
        f"   bare without the folder's fsync: {short:6.2f} ms, x {save / short:.2f}"
    )
    await store.close()


async def listing(root: Path) -> None:
    """List a notebook of many cells, cold and warm."""
    store = FileSessionManager(root=str(root))
    for number in range(CELLS):
        await store.save_interaction(SessionKey("notebook", f"cell-{number}"), turn(number))
    await asyncio.sleep(0.2)  # what has just been written is read again, for safety
    fresh = FileSessionManager(root=str(root))
    times = []
    for _ in range(30):
        start = time.perf_counter()
        rows, total = await fresh.list_sessions("notebook")
        times.append((time.perf_counter() - start) * 1000)
        assert len(rows) == total == CELLS
    print(
        f"list, {CELLS} cells: cold {times[0]:.1f} ms, warm {statistics.median(times[1:]):.1f} ms"
    )
    for each in (store, fresh):
        await each.close()


def main() -> None:
    place = sys.argv[1] if len(sys.argv) > 1 else None
    for turns in (1, 10, 50):
        with tempfile.TemporaryDirectory(dir=place) as root:
            asyncio.run(saving(Path(root), turns))
    with tempfile.TemporaryDirectory(dir=place) as root:
        asyncio.run(listing(Path(root)))


if __name__ == "__main__":
    main()
