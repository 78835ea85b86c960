"""What it costs to look back: a cell's replay and blame, a notebook's timeline, and any moment.

    python -m benchmarks.replay [--cells 1000] [--turns 10] [--rounds 7]

First cells of 10, 200 and 2,000 steps, in memory: requests with accepted answers, hand edits, runs,
now and then a way back; some 40 lines each. Then a notebook of so many cells in the file store
with its log, asked for as the page asks: the timeline when the server has just started, when
nothing has changed since, and when one cell has; single moments; the report. Prints medians of
the time that passed, and of the processor's, as a Markdown table. Meanwhile a task that sleeps
5 ms tells how long the event loop stood still.
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
from aiserver.models import NewEvent, NewLogEntry, Session, SessionKey, dumps, new_session
from aiserver.notebooks.history import Histories
from aiserver.replay import blame, replay, report
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.surrogates import json_bytes

NOW = "2026-01-27T10:00:00.000Z"


def life(
    cell_id: str, random: Random, *, steps: int = 10**9, answers: int = 10**9, lines: int = 40
) -> Session:
    """A session with so many steps, or so many turns."""
    turns: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    held = [f"value_{n} = {random.random()}" for n in range(lines)]
    seq = count = 0

    def event(type_: str, **fields: Any) -> None:
        nonlocal seq
        seq += 1
        events.append({"seq": seq, "type": type_, "timestamp": NOW, **fields})

    def changed() -> list[str]:
        new = list(held)
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(new))
            new[at : at + random.randint(0, 2)] = [f"made_{random.random()} = {at}"]
        return new

    event("edit", source="\n".join(held), data={"trigger": "first"})
    count += 1
    while count < steps and len(turns) < answers:
        what = random.choice(["turn", "turn", "edit", "run", "run", "back"])
        if what == "turn":
            seq += 1
            new = changed()
            turns.append(
                {
                    "turn_id": len(turns) + 1,
                    "seq": seq,
                    "timestamp": NOW,
                    "user_request": {
                        "intent": "make it better",
                        "current_code": "\n".join(held),
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
            held = new
            event("accept", turn_id=len(turns), source="\n".join(held))
        elif what == "edit":
            held = changed()
            event("edit", source="\n".join(held), data={"trigger": "run"})
        elif what == "run":
            event("run", source="\n".join(held), data={"status": "ok", "duration_ms": 12})
        elif turns:
            old = random.choice(turns[-20:])
            replaced, held = held, old["ai_response"]["suggestion"].split("\n")
            data = {"from_seq": old["seq"], "replaced": "\n".join(replaced)}
            event("restore", source="\n".join(held), data=data)
        else:
            continue
        count += 1
    meta = new_session(SessionKey("nb", cell_id), NOW).meta.to_dict() | {"revision": seq}
    return Session.model_validate({"meta": meta, "interactions": turns, "events": events})


class Figure(NamedTuple):
    """Milliseconds: that passed, and of the processor."""

    wall: float
    cpu: float


def clocks() -> Figure:
    return Figure(time.perf_counter() * 1000, time.process_time() * 1000)


def since(began: Figure) -> Figure:
    now = clocks()
    return Figure(now.wall - began.wall, now.cpu - began.cpu)


def median(figures: Sequence[Figure]) -> Figure:
    return Figure(*(statistics.median(column) for column in zip(*figures, strict=True)))


def measured(work: Callable[[], object], rounds: int) -> Figure:
    figures = []
    for _ in range(rounds):
        began = clocks()
        work()
        figures.append(since(began))
    return median(figures)


async def timed(work: Callable[[], Awaitable[Any]]) -> tuple[Figure, Any]:
    began = clocks()
    found = await work()
    return since(began), found


class Loop:
    """How late a task of the event loop wakes."""

    def __init__(self) -> None:
        self.late = 0.0

    async def watch(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.005)
            self.late = max(self.late, (time.perf_counter() - began - 0.005) * 1000)


def cells_of_length(rounds: int) -> list[tuple[str, Figure]]:
    rows = []
    for steps in (10, 200, 2000):
        session = life("cell", Random(steps), steps=steps)
        assert len(replay(session)) == steps
        rows += [
            (f"{steps} steps: replay", measured(lambda s=session: replay(s), rounds)),
            (f"{steps} steps: blame", measured(lambda s=session: blame(s), rounds)),
        ]
    return rows


async def notebook(folder: Path, cells: int, turns: int, rounds: int) -> list[tuple[str, Figure]]:
    random = Random(7)
    ids = [f"cell-{n:04d}" for n in range(cells)]
    store = FileSessionManager(root=str(folder))
    (folder / ".aiserver_sessions").mkdir()
    marks = {}
    for cell_id in ids:
        session = life(cell_id, random, answers=turns, lines=12)
        marks[cell_id] = session.next_seq - 1
        (folder / ".aiserver_sessions" / f"nb_{cell_id}.json").write_bytes(dumps(session))
    lines = [NewLogEntry(type="cell_order", timestamp=NOW, data={"cell_ids": ids})]
    for seq in range(1, max(marks.values()) + 1, 4):
        named = {cell_id: min(seq + random.randint(0, 3), marks[cell_id]) for cell_id in ids}
        some = dict(random.sample(sorted(named.items()), min(len(named), 200)))
        data = {"cells": some, "id": str(seq), "saved": True}
        lines.append(NewLogEntry(type="changed", timestamp=NOW, data=data))
    lines.append(NewLogEntry(type="changed", timestamp=NOW, data={"cells": marks, "id": "end"}))
    await store.append_notebook_log("nb", lines)
    loop = Loop()
    watch = asyncio.create_task(loop.watch())
    await asyncio.sleep(3)
    idle, loop.late = loop.late, 0.0
    first, warm, after, sent, moment, told = [], [], [], [], [], []
    steps = moments = 0
    for number in range(rounds):
        fresh = FileSessionManager(root=str(folder))
        histories = Histories(fresh)
        took, history = await timed(lambda h=histories: h.load("nb"))
        first.append(took)
        took, _ = await timed(lambda h=histories: h.load("nb"))
        warm.append(took)
        event = NewEvent(type="edit", timestamp=NOW, source=f"x = {number}")
        await fresh.record_events(SessionKey("nb", ids[0]), [event])
        took, history = await timed(lambda h=histories: h.load("nb"))
        after.append(took)
        line = history.timeline
        moments = len(line.moments)
        steps = sum(len(line.steps(cell_id)) for cell_id in ids)
        took, _ = await timed(lambda h=history: asyncio.to_thread(_timeline, h))
        sent.append(took)
        for _ in range(20):
            index = random.randrange(moments)
            took, _ = await timed(
                lambda t=line, i=index: asyncio.to_thread(lambda: json_bytes(t.at(i).to_wire()))
            )
            moment.append(took)
        took, _ = await timed(
            lambda h=history: asyncio.to_thread(lambda: report(h.timeline, h.sessions))
        )
        told.append(took)
        await fresh.close()
    watch.cancel()
    await store.close()
    name = f"{cells:,} cells × {turns} turns ({steps:,} steps, {moments:,} moments)"
    return [
        (f"{name}: the timeline, at first", median(first)),
        ("once more, nothing changed", median(warm)),
        ("once more, one cell changed", median(after)),
        ("its JSON", median(sent)),
        ("a moment and its JSON", median(moment)),
        ("the slowest moment", max(moment)),
        ("the report", median(told)),
        ("the event loop was late by at most", Figure(loop.late, 0)),
        ("the same in 3 s without any work", Figure(idle, 0)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    rows = cells_of_length(args.rounds)
    with tempfile.TemporaryDirectory() as folder:
        rows += asyncio.run(notebook(Path(folder), args.cells, args.turns, args.rounds))
    print("| what | ms | of the processor |\n|---|---|---|")
    for what, took in rows:
        print(f"| {what} | {took.wall:.1f} | {took.cpu:.1f} |")


if __name__ == "__main__":
    main()
