"""Measure searches over many sessions.

    python -m benchmarks.search [--sessions 10000] [--turns 5]

The sessions consist of real requests and code (``benchmarks/data``). Each turn adds to the code of
the previous one, and a fifth of the requests are in Chinese. The sessions are in the file store,
which is the default store. The benchmark measures:

- the first search, which reads all sessions, then more searches, and a search after one new turn;
- the memory of the search process, and how late the event loop is during the searches;
- searches for similar requests, and by meaning, if wordllama is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from aiserver.models import (
    AIResponse,
    Interaction,
    NewTurn,
    SessionKey,
    UserRequest,
    new_session,
)
from aiserver.plugins.search import SearchEngine
from aiserver.plugins.search.embeddings import is_installed
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.sessions.record.codec import encode
from aiserver.sessions.record.filenames import session_name

DATA = Path(__file__).parent / "data"
CHINESE = (
    "读取 data.csv 文件并显示前五行",
    "画出价格的直方图",
    "按城市分组计算平均收入",
    "删除缺失值，然后归一化数值列",
    "训练一个随机森林分类器并输出准确率",
)
QUERIES = {
    "one that is nowhere": "zyzzyva",
    "Chinese, two characters": "直方",
    "Chinese, a sentence": "读取文件显示前五行",
    "part of a name": "groupby",
    "three words": "average fare passengers",
    "two letters, nearly everywhere": "df",
}
ROUNDS = 7
PATIENCE = 3600.0  # the time limit of a search in seconds, which no search should reach


def requests() -> list[tuple[str, str]]:
    """Return real requests, each with its code; the code is empty for some."""
    lines = (DATA / "dabench/questions.jsonl").read_text("utf-8").splitlines()
    results = []
    for line in lines:
        row = json.loads(line)
        results.append((f"{row['question']} {row['constraints']}", ""))
    notebook = json.loads((DATA / "pandas_exercises/fictional_army.ipynb").read_text("utf-8"))
    intent = ""
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            intent = text.strip("# \n")
        elif text.strip() and intent:
            results.append((intent, text))
    return results


def fill(folder: Path, sessions: int, turns: int) -> int:
    """Write the sessions into the store's folder; return the number of characters in them."""
    rng = random.Random(7)
    real_requests = requests()
    codes = [code for _, code in real_requests if code]
    folder.mkdir(mode=0o700)
    chars = 0
    for number in range(sessions):
        key = SessionKey(f"notebook-{number // 40}", f"cell-{number}")
        session = new_session(key)
        code = ""
        for turn in range(1, turns + 1):
            intent = rng.choice(CHINESE) if rng.random() < 0.2 else rng.choice(real_requests)[0]
            code += f"# step {turn}\n{rng.choice(codes)}\n"
            stamp = f"2026-{rng.randint(1, 9):02}-{rng.randint(1, 28):02}T10:00:00.000Z"
            chars += len(intent) + len(code)
            session.interactions.append(
                Interaction(
                    turn_id=turn,
                    seq=turn,
                    timestamp=stamp,
                    user_request=UserRequest(intent=intent, current_code="", language="python"),
                    ai_response=AIResponse(suggestion=code, explanation="", status="success"),
                )
            )
        session.meta.revision = turns
        (folder / session_name(key)).write_bytes(encode(session))
    return chars


class Lateness:
    """Measures how late the event loop is, at most, until ``stop`` is called."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._task = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while True:
            due = time.perf_counter() + 0.005
            await asyncio.sleep(0.005)
            self.worst = max(self.worst, time.perf_counter() - due)

    def stop(self) -> float:
        """Stop measuring, and return the maximum lateness in milliseconds."""
        self._task.cancel()
        return self.worst * 1000


async def timed(engine: SearchEngine, query: str, by: str = "words") -> tuple[float, int]:
    """Search, and return the milliseconds and the number of hits."""
    started = time.perf_counter()
    results = await engine.search(query, by=by, patience=PATIENCE)  # type: ignore[arg-type]
    return (time.perf_counter() - started) * 1000, results.total


def resident(engine: SearchEngine) -> float:
    """Return the memory of the search process in MiB; 0 on systems without /proc."""
    status = Path(f"/proc/{engine._process.pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


async def measure(store: FileSessionManager) -> None:
    """Run all searches, and print a row of the table for each result."""
    engine = SearchEngine(store)
    monitor = Lateness()
    await asyncio.sleep(3)
    print(f"| the event loop is late without any search, at most | {monitor.stop():.0f} ms | |")
    monitor = Lateness()
    first, total = await timed(engine, "groupby")
    print(f"| the first search: all is read | {first / 1000:.1f} s | {total} |")
    print(f"| the event loop is late meanwhile, at most | {monitor.stop():.0f} ms | |")
    print(f"| the searching process holds | {resident(engine):.0f} MiB | |")
    monitor = Lateness()
    for name, query in QUERIES.items():
        times = [await timed(engine, query) for _ in range(ROUNDS)]
        median = statistics.median(elapsed for elapsed, _ in times)
        print(f"| {name}: “{query}” | {median:.0f} ms | {times[0][1]} |")
    print(f"| the event loop is late meanwhile, at most | {monitor.stop():.0f} ms | |")
    started = time.perf_counter()
    marks = await store.session_marks()
    elapsed = (time.perf_counter() - started) * 1000
    print(f"| of each: which of {len(marks)} sessions have changed | {elapsed:.0f} ms | |")
    times = [await timed(engine, "plot the mean fare by class", "request") for _ in range(ROUNDS)]
    median = statistics.median(elapsed for elapsed, _ in times)
    print(f"| similar requests: “plot the mean fare by class” | {median:.0f} ms | {times[0][1]} |")
    turn = NewTurn(
        timestamp="2026-11-22T10:00:00.000Z",
        user_request=UserRequest(intent="find me: zyzzyva", current_code="", language="python"),
        ai_response=AIResponse(suggestion="pass", explanation="", status="success"),
    )
    await store.save_interaction(SessionKey("notebook-3", "cell-130"), turn)
    elapsed, total = await timed(engine, "zyzzyva")
    print(f"| after one more turn: “zyzzyva” | {elapsed:.0f} ms | {total} |")
    if is_installed():
        elapsed, _ = await timed(engine, "mean salary per town", "meaning")
        print(f"| by meaning, the first time | {elapsed / 1000:.1f} s | |")
        times = [await timed(engine, "mean salary per town", "meaning") for _ in range(ROUNDS)]
        median = statistics.median(elapsed for elapsed, _ in times)
        print(f"| by meaning, later | {median:.0f} ms | |")
    await engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        chars = fill(Path(root) / ".aiserver_sessions", options.sessions, options.turns)
        print(f"{options.sessions} sessions of {options.turns} turns, {chars / 1e6:.0f} MB of text")
        print("| what | figure | hits |\n|---|---|---|")
        asyncio.run(measure(FileSessionManager(root=root)))


if __name__ == "__main__":
    main()
