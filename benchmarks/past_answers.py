"""Measure how long it takes to find a past answer to offer.

    python -m benchmarks.past_answers [--sessions 400] [--turns 5]

The sessions have the requests and code of ``benchmarks.search``, in the file store. Each answer was
accepted as it was, so the first similar request has a clean answer; or none was accepted, which is
the longest look-up. Prints the medians of the look-ups: the time, and the processor time of all
threads of this process, without that of the search process.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from pathlib import Path

from aiserver.models import SessionKey
from aiserver.plugins.memory.past_answers import find_past_answer
from aiserver.plugins.search import SearchEngine
from aiserver.prompts.language import cell_language
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.testing.records import event, turn

from .search import CHINESE, requests

LOOKUPS = 20
LANGUAGE = cell_language("python")


async def fill(
    store: FileSessionManager, sessions: int, turns: int, *, accepted: bool
) -> list[str]:
    """Store the sessions, 40 in a notebook; return the different requests."""
    rng = random.Random(7)
    real_requests = requests()
    codes = [code for _, code in real_requests if code]
    asked = set()
    for number in range(sessions):
        key = SessionKey(f"notebook-{number // 40}", f"cell-{number}")
        code = ""
        for turn_id in range(1, turns + 1):
            intent = rng.choice(CHINESE) if rng.random() < 0.2 else rng.choice(real_requests)[0]
            asked.add(intent)
            code += f"# step {turn_id}\n{rng.choice(codes)}\n"
            await store.save_interaction(key, turn(intent, code))
            if accepted:
                await store.record_events(key, [event("accept", turn_id=turn_id, source=code)])
    return sorted(asked)


async def measure(folder: Path, sessions: int, turns: int, *, accepted: bool) -> None:
    """Print a row of the table."""
    store = FileSessionManager(root=str(folder))
    intents = await fill(store, sessions, turns, accepted=accepted)
    engine = SearchEngine(store)
    # The first look-up reads all sessions.
    await engine.search("groupby", by="words", patience=3600.0)
    times, processor_times, count = [], [], 0
    for intent in random.Random(8).choices(intents, k=LOOKUPS):
        started, processor = time.perf_counter(), time.process_time()
        answer = await find_past_answer(engine, store, intent, LANGUAGE)
        times.append((time.perf_counter() - started) * 1000)
        processor_times.append((time.process_time() - processor) * 1000)
        count += answer is not None
    await engine.close()
    name = "all accepted" if accepted else "none accepted"
    median, processor = statistics.median(times), statistics.median(processor_times)
    print(f"| {name} | {count} of {LOOKUPS} | {median:.0f} ms | {processor:.0f} ms |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sessions", type=int, default=400)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    print("| answers | offered | median | processor time |\n|---|---|---|---|")
    for accepted in (True, False):
        with tempfile.TemporaryDirectory() as root:
            asyncio.run(measure(Path(root), options.sessions, options.turns, accepted=accepted))


if __name__ == "__main__":
    main()
