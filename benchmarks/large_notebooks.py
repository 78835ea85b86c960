"""Measure a very large notebook: exports, the report, usage, past answers, and a deletion.

    python -m benchmarks.large_notebooks [--cells 10000] [--turns 5] [--long 5000] [--only usage]

The notebook is in the file store. Its cells have the requests, edits, runs and restores of
``benchmarks.replay``, and each request has a stored prompt. One more notebook has a single cell of
``--long`` turns. Each operation runs twice in one process, like in a server: the second time shows
what is cached. The benchmark prints the seconds of both, with the seconds of CPU time (without the
search process) in parentheses, and the memory of the process and of the search process.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

from aiserver.models import NewLogEntry, SessionKey
from aiserver.notebooks.history import Histories, free_memory
from aiserver.notebooks.other_roots import blobs_in
from aiserver.notebooks.unused_blobs import delete_unused_blobs
from aiserver.plugins.export.process import Exporter
from aiserver.plugins.memory.past_answers import find_past_answer
from aiserver.plugins.search import SearchEngine
from aiserver.plugins.usage.reader import UsageReader
from aiserver.prompts.language import cell_language
from aiserver.replay import report
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.codec import encode
from aiserver.sessions.record.filenames import session_name
from aiserver.surrogates import json_bytes

from .replay import NOW, random_session
from .search import resident

PATIENCE = 3600.0  # the time limit of the first search, which reads all sessions


def resident_self() -> float:
    """Return the memory of this process in MiB; 0 on systems without /proc."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    return sum(os.times()[:4])


async def fill(store: FileSessionManager, notebook_id: str, cells: int, turns: int) -> None:
    """Write a notebook into the store's folder."""
    random = Random(7)
    folder = Path(store.root) / ".aiserver_sessions"
    folder.mkdir(mode=0o700, exist_ok=True)
    ids = [f"cell-{number:05d}" for number in range(cells)]
    seqs = {}
    for cell_id in ids:
        session = random_session(cell_id, random, answers=turns, lines=12)
        session.meta.notebook_id = notebook_id
        for turn in session.interactions:
            turn.user_request.intent = f"compute statistic {random.randrange(cells)} of the sales"
            turn.prompt = f"{random.getrandbits(256):064x}"
        (folder / session_name(SessionKey(notebook_id, cell_id))).write_bytes(encode(session))
        seqs[cell_id] = session.next_seq - 1
    order = {"cell_ids": ids, "types": dict.fromkeys(ids, "code")}
    entries = [
        NewLogEntry(type="path_seen", timestamp=NOW, data={"path": f"{notebook_id}.ipynb"}),
        NewLogEntry(type="cell_order", timestamp=NOW, data=order),
        NewLogEntry(type="changed", timestamp=NOW, data={"cells": seqs, "id": "1", "saved": True}),
    ]
    await store.append_notebook_log(notebook_id, entries)


class Server:
    """The parts of a server that the operations use."""

    def __init__(self, folder: str) -> None:
        self.store = FileSessionManager(root=folder)
        self.exporter = Exporter(self.store)
        self.histories = Histories(self.store)
        self.usage = UsageReader(self.store)
        self.engine = SearchEngine(self.store)
        self._deleted = 0

    async def report(self) -> object:
        history = await self.histories.load("large")
        return await asyncio.to_thread(
            lambda: json_bytes(report(history.timeline, history.sessions, history.counts))
        )

    async def past_answer(self) -> object:
        """Look up a past answer; none is in this language, so all that are similar are examined."""
        intent = f"compute statistic {self._deleted} of the revenue"
        return await find_past_answer(self.engine, self.store, intent, cell_language("r"))

    async def first_search(self) -> object:
        return await self.engine.search("statistic", patience=PATIENCE)

    async def delete(self) -> None:
        key = SessionKey("large", f"cell-{self._deleted:05d}")
        self._deleted += 1
        stored = await self.store.load_raw(key)
        assert stored is not None
        await self.store.delete(key)
        await delete_unused_blobs(self.store, blobs_in(stored[0]))

    def memory(self) -> str:
        """Return the memory of this process and of the search process."""
        gc.collect()
        return f"{resident_self():.0f} + {resident(self.engine):.0f} MiB"

    async def close(self) -> None:
        await self.engine.close()
        await self.store.close()


async def measure(options: argparse.Namespace, folder: str) -> None:
    """Run the operations, and print a row for each."""
    server = Server(folder)
    if options.long:
        await fill(server.store, "long", 1, options.long)
    if options.cells:
        await fill(server.store, "large", options.cells, options.turns)
    await asyncio.sleep(0.2)  # files that have just been written aren't cached
    operations: dict[str, Callable[[], Awaitable[object]]] = {
        f"export of a cell of {options.long} turns": lambda: server.exporter.export("long", "html"),
        "deleting a cell's history": server.delete,
        "HTML export": lambda: server.exporter.export("large", "html"),
        "report": server.report,
        "usage": server.usage.totals,
        "first search": server.first_search,
        "past answer": server.past_answer,
    }
    print(f"| {options.cells} cells × {options.turns} turns | first | again | memory |")
    print(f"|---|---|---|---|\n| before | | | {server.memory()} |", flush=True)
    for name, operation in operations.items():
        if options.only and not any(name.startswith(only) for only in options.only.split(",")):
            continue
        times = []
        for _ in range(2):
            started, cpu = time.perf_counter(), cpu_seconds()
            await operation()
            elapsed = time.perf_counter() - started
            times.append(f"{elapsed:.1f} s ({cpu_seconds() - cpu:.1f} s)")
        print(f"| {name} | {' | '.join(times)} | {server.memory()} |", flush=True)
    await asyncio.sleep(0.1)  # the event loop still refers to the last result
    free_memory(server.histories._cache)
    await server.engine.close()
    print(f"| after ten minutes without a call | | | {server.memory()} |")
    await server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--long", type=int, default=5_000, help="turns of a single cell; 0: none")
    parser.add_argument("--only", help="how names of operations begin, separated by commas")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(options, folder))


if __name__ == "__main__":
    main()
