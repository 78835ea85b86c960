"""Measure how long a cell's replay and blame, a notebook's timeline, and its moments take.

    python -m benchmarks.replay [--cells 1000] [--turns 10] [--rounds 7]

The first part measures cells in memory with 10, 200 and 2,000 steps, which are requests with
accepted answers, edits, runs and some restores. Each source has about 40 lines.

The second part measures a notebook in the file store, which is read in the same way as for a page:
its timeline (after the server has started, again without changes, and after a change of one cell),
single moments, and the report. Meanwhile, a task that sleeps 5 ms at a time measures how long the
event loop was blocked.

The result is a Markdown table with the medians of the elapsed time and of the CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from aiserver.handlers.replay import _timeline
from aiserver.models import NewEvent, NewLogEntry, Session, SessionKey, new_session
from aiserver.notebooks.history import Histories
from aiserver.replay import blame, replay, report
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.codec import encode
from aiserver.surrogates import json_bytes

NOW = "2026-01-27T10:00:00.000Z"


def random_session(
    cell_id: str, random: Random, *, steps: int = 10**9, answers: int = 10**9, lines: int = 40
) -> Session:
    """Return a random session that ends after ``steps`` steps or after ``answers`` turns."""
    turns: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    source_lines = [f"value_{n} = {random.random()}" for n in range(lines)]
    seq = count = 0

    def event(type_: str, **fields: Any) -> None:
        """Append an event with the next seq."""
        nonlocal seq
        seq += 1
        events.append({"seq": seq, "type": type_, "timestamp": NOW, **fields})

    def edited() -> list[str]:
        """Return the lines of the source with some random changes."""
        new = list(source_lines)
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(new))
            new[at : at + random.randint(0, 2)] = [f"made_{random.random()} = {at}"]
        return new

    event("edit", source="\n".join(source_lines), data={"trigger": "first"})
    count += 1
    while count < steps and len(turns) < answers:
        kind = random.choice(["turn", "turn", "edit", "run", "run", "back"])
        if kind == "turn":
            seq += 1
            new = edited()
            turns.append(
                {
                    "turn_id": len(turns) + 1,
                    "seq": seq,
                    "timestamp": NOW,
                    "user_request": {
                        "intent": "make it better",
                        "current_code": "\n".join(source_lines),
                        "language": "python",
                    },
                    "ai_response": {
                        "suggestion": "\n".join(new),
                        "explanation": "It is better now.",
                        "status": "success",
                        "error": None,
                    },
                    "model": "local:qwen",
                }
            )
            source_lines = new
            event("accept", turn_id=len(turns), source="\n".join(source_lines))
        elif kind == "edit":
            source_lines = edited()
            event("edit", source="\n".join(source_lines), data={"trigger": "run"})
        elif kind == "run":
            event("run", source="\n".join(source_lines), data={"status": "ok", "duration_ms": 12})
        elif turns:
            old = random.choice(turns[-20:])
            replaced, source_lines = source_lines, old["ai_response"]["suggestion"].split("\n")
            data = {"from_seq": old["seq"], "replaced": "\n".join(replaced)}
            event("restore", source="\n".join(source_lines), data=data)
        else:
            continue
        count += 1
    meta = new_session(SessionKey("nb", cell_id), NOW).meta.to_dict() | {"revision": seq}
    return Session.model_validate({"meta": meta, "interactions": turns, "events": events})


class Figure(NamedTuple):
    """An elapsed time and a CPU time, both in milliseconds."""

    wall: float
    cpu: float


def clocks() -> Figure:
    """Return the current values of the clocks that measure elapsed time and CPU time."""
    return Figure(time.perf_counter() * 1000, time.process_time() * 1000)


def elapsed(started: Figure) -> Figure:
    """Return the time since the clocks had the values ``started``."""
    now = clocks()
    return Figure(now.wall - started.wall, now.cpu - started.cpu)


def median(figures: Sequence[Figure]) -> Figure:
    """Return the median of the elapsed times and the median of the CPU times."""
    return Figure(*(statistics.median(column) for column in zip(*figures, strict=True)))


def measure(work: Callable[[], object], rounds: int) -> Figure:
    """Return the median time of ``rounds`` calls of ``work``."""
    figures = []
    for _ in range(rounds):
        started = clocks()
        work()
        figures.append(elapsed(started))
    return median(figures)


async def timed(work: Callable[[], Awaitable[Any]]) -> tuple[Figure, Any]:
    """Await ``work()``, and return its time and its result."""
    started = clocks()
    result = await work()
    return elapsed(started), result


class LoopMonitor:
    """Measures how late a sleeping task of the event loop wakes, at most, in milliseconds."""

    def __init__(self) -> None:
        self.lateness = 0.0

    async def watch(self) -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.005)
            self.lateness = max(self.lateness, (time.perf_counter() - started - 0.005) * 1000)


def cells_of_length(rounds: int) -> list[tuple[str, Figure]]:
    """Measure cells with different numbers of steps; return the rows of the table."""
    rows = []
    for steps in (10, 200, 2000):
        session = random_session("cell", Random(steps), steps=steps)
        assert len(replay(session)) == steps
        rows += [
            (f"{steps} steps: replay", measure(lambda s=session: replay(s), rounds)),
            (f"{steps} steps: blame", measure(lambda s=session: blame(s), rounds)),
        ]
    return rows


async def notebook(folder: Path, cells: int, turns: int, rounds: int) -> list[tuple[str, Figure]]:
    """Measure a notebook in the file store; return the rows of the table."""
    random = Random(7)
    ids = [f"cell-{n:04d}" for n in range(cells)]
    store = FileSessionManager(root=str(folder))
    (folder / ".aiserver_sessions").mkdir()
    marks = {}
    for cell_id in ids:
        session = random_session(cell_id, random, answers=turns, lines=12)
        marks[cell_id] = session.next_seq - 1
        (folder / ".aiserver_sessions" / f"nb_{cell_id}.json").write_bytes(encode(session))
    lines = [NewLogEntry(type="cell_order", timestamp=NOW, data={"cell_ids": ids})]
    for seq in range(1, max(marks.values()) + 1, 4):
        latest_seqs = {cell_id: min(seq + random.randint(0, 3), marks[cell_id]) for cell_id in ids}
        sample = dict(random.sample(sorted(latest_seqs.items()), min(len(latest_seqs), 200)))
        data = {"cells": sample, "id": str(seq), "saved": True}
        lines.append(NewLogEntry(type="changed", timestamp=NOW, data=data))
    lines.append(NewLogEntry(type="changed", timestamp=NOW, data={"cells": marks, "id": "end"}))
    await store.append_notebook_log("nb", lines)
    loop = LoopMonitor()
    watch = asyncio.create_task(loop.watch())
    await asyncio.sleep(3)
    idle, loop.lateness = loop.lateness, 0.0
    first, warm, changed, wire, moment, reports = [], [], [], [], [], []
    steps = moments = 0
    for number in range(rounds):
        fresh = FileSessionManager(root=str(folder))
        histories = Histories(fresh)
        figure, history = await timed(lambda h=histories: h.load("nb"))
        first.append(figure)
        figure, _ = await timed(lambda h=histories: h.load("nb"))
        warm.append(figure)
        event = NewEvent(type="edit", timestamp=NOW, source=f"x = {number}")
        await fresh.record_events(SessionKey("nb", ids[0]), [event])
        figure, history = await timed(lambda h=histories: h.load("nb"))
        changed.append(figure)
        line = history.timeline
        moments = len(line.moments)
        steps = sum(len(line.steps(cell_id)) for cell_id in ids)
        figure, _ = await timed(lambda h=history: asyncio.to_thread(_timeline, h))
        wire.append(figure)
        for _ in range(20):
            index = random.randrange(moments)
            figure, _ = await timed(
                lambda t=line, i=index: asyncio.to_thread(lambda: json_bytes(t.at(i).to_wire()))
            )
            moment.append(figure)
        figure, _ = await timed(
            lambda h=history: asyncio.to_thread(lambda: report(h.timeline, h.sessions))
        )
        reports.append(figure)
        await fresh.close()
    watch.cancel()
    await store.close()
    name = f"{cells:,} cells × {turns} turns ({steps:,} steps, {moments:,} moments)"
    return [
        (f"{name}: the timeline, first time", median(first)),
        ("again, nothing changed", median(warm)),
        ("again, one cell changed", median(changed)),
        ("its JSON", median(wire)),
        ("a moment and its JSON", median(moment)),
        ("the slowest moment", max(moment)),
        ("the report", median(reports)),
        ("maximum lateness of the event loop", Figure(loop.lateness, 0)),
        ("the same in 3 s without any work", Figure(idle, 0)),
    ]


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    rows = cells_of_length(args.rounds)
    with tempfile.TemporaryDirectory() as folder:
        rows += asyncio.run(notebook(Path(folder), args.cells, args.turns, args.rounds))
    print("| what | ms | CPU ms |\n|---|---|---|")
    for kind, figure in rows:
        print(f"| {kind} | {figure.wall:.1f} | {figure.cpu:.1f} |")


if __name__ == "__main__":
    main()
