"""Measure requests in a cell with 10,000 turns.

    python -m benchmarks.long_sessions

The cell is in the file store, and the model is scripted: it answers at once. For a cell with 100
turns and one with 10,000, the benchmark prints the medians of these times, and the minima, which
other load on the machine affects less:

- opening the row: the server loads the session and builds its steps;
- the summary: from the saved turn until the summary of the turns that were left out is stored;
- composing: the preview of a prompt with this summary;
- asking, without and with this summary: until the first token, and until the turn is saved;
- the longest times for which the event loop was blocked by the opening and by the rest.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiserver.gc_pause import pause_gc
from aiserver.generation.assistant import Assistant
from aiserver.handlers.replay import encode_replay
from aiserver.llm.base import Additions, ChatModel, Delta, ModelInfo
from aiserver.llm.registry import ModelRegistry
from aiserver.models import Interaction, SessionKey, new_session, utc_now
from aiserver.requests import GenerateBody, PreviewBody
from aiserver.sessions.file.manager import FileSessionManager
from aiserver.tokens import estimate_tokens

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

TURNS = (100, 1_000, 10_000)
ROUNDS = 9
_PERIOD = 0.001  # seconds between two measurements of the event loop
CODE = """\
import pandas as pd

sales = pd.read_csv("sales_{number}.csv", parse_dates=["date"])
monthly = sales.groupby(["region", "month"])["amount"].sum().reset_index()
monthly.head({number})"""


class ScriptedModel(ChatModel):
    """Answers and summarises at once."""

    info = ModelInfo("openai:scripted", "scripted", False)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [estimate_tokens(text) for text in texts]

    async def stream(
        self,
        messages: Sequence[BaseMessage],
        *,
        language: str,
        is_retry: bool = False,
        additions: Additions | None = None,
    ) -> AsyncGenerator[Delta, None]:
        yield Delta("```python\nx = 1\n```" if language else "- sales per region and month")


class Models(ModelRegistry):
    """Always returns the scripted model."""

    async def get(self, model_id: str | None = None) -> ChatModel:
        return ScriptedModel()


class LoopWatch:
    """Measures the longest time for which the event loop was blocked.

    ``longest`` is the time on the clock, to which other programs on the machine and other threads
    of this process contribute. ``longest_cpu`` is the CPU time that the event loop's own thread
    used meanwhile.
    """

    def __init__(self) -> None:
        self.longest = self.longest_cpu = 0.0
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            started, cpu = time.perf_counter(), time.thread_time()
            await asyncio.sleep(_PERIOD)
            delay = time.perf_counter() - started - _PERIOD
            self.longest = max(self.longest, delay)
            self.longest_cpu = max(self.longest_cpu, min(time.thread_time() - cpu, delay))

    async def stop(self) -> None:
        """Stop watching."""
        await asyncio.sleep(2 * _PERIOD)  # a delay that hasn't ended counts, too
        self._task.cancel()


def turn(number: int) -> Interaction:
    """Return a turn that changes a cell of five lines."""
    return Interaction.model_validate(
        {
            "turn_id": number,
            "timestamp": utc_now(),
            "user_request": {
                "intent": f"average per region, of file {number}",
                "current_code": CODE.format(number=number - 1),
                "language": "python",
            },
            "ai_response": {
                "suggestion": CODE.format(number=number),
                "explanation": "",
                "status": "success",
                "error": None,
            },
            "seq": number,
        }
    )


class WatchedStore(FileSessionManager):
    """A file store that announces when a summary is stored. Nothing else records events here."""

    def __init__(self, folder: str) -> None:
        super().__init__(root=folder)
        self.is_summarised = asyncio.Event()

    async def record_events(self, *args: Any, **options: Any) -> Any:
        """Record events."""
        result = await super().record_events(*args, **options)
        self.is_summarised.set()
        return result


class Bench:
    """A cell with many turns."""

    def __init__(self, folder: str, turns: int) -> None:
        self._store = WatchedStore(folder)
        self._key = SessionKey("nb", f"c{turns}")
        self._cell = {"notebook_id": "nb", "cell_id": self._key.cell_id, "source": "x = 1"}
        self._path = Path(folder) / ".aiserver_sessions" / f"nb_{self._key.cell_id}.json"
        self._turns = turns
        self.times: dict[str, list[float]] = {}

    async def run(self) -> None:
        """Measure each step ``ROUNDS`` times, each time with a new copy of the cell's file."""
        session = new_session(self._key)
        session.interactions = [turn(number) for number in range(1, self._turns + 1)]
        await self._store.merge_copy(self._key, session)
        del session  # a server has no such objects that the garbage collector must look at
        self._data = self._path.read_bytes()
        await self._start_round()
        await self._ask("")  # imports packages
        await self._assistant.close()
        gc.collect()
        gc.freeze()  # as in the server
        self.times.clear()
        for _ in range(ROUNDS):
            await self._start_round()
            watch = LoopWatch()
            await self._measure("opening the row", self._open())
            await self._stop(watch, "while the row opens")
            watch = LoopWatch()
            await self._ask("without a summary")
            await self._measure("summary", self._store.is_summarised.wait())
            await self._measure("composing", self._compose())
            await self._ask("with a summary")
            await self._assistant.close()  # it may have begun a further summary
            await self._stop(watch, "by the requests")
        await self._store.close()

    async def _start_round(self) -> None:
        self._path.write_bytes(self._data)
        self._store.is_summarised.clear()
        self._assistant = Assistant(self._store, Models())

    async def _stop(self, watch: LoopWatch, name: str) -> None:
        await watch.stop()
        self._add(f"event loop blocked {name}", watch.longest)
        self._add(f"event loop blocked {name}, its own CPU time", watch.longest_cpu)

    def _add(self, name: str, seconds: float) -> None:
        self.times.setdefault(name, []).append(1000 * seconds)

    async def _measure(self, name: str, work: Awaitable[Any]) -> None:
        started = time.perf_counter()
        await work
        self._add(name, time.perf_counter() - started)

    async def _open(self) -> None:
        with pause_gc():  # as in the handler
            session = await self._store.load_session(self._key)
            await asyncio.to_thread(encode_replay, self._key, session)

    async def _compose(self) -> None:
        preview = await self._assistant.preview(self._key, PreviewBody(**self._cell, intent="next"))
        assert any(item.kind == "summary" for item in preview.items)

    async def _ask(self, name: str) -> None:
        started = time.perf_counter()
        body = GenerateBody(**self._cell, intent="next")
        generation = await self._assistant.generate(self._key, body)
        tokens = generation.tokens()
        await anext(tokens)
        self._add(f"first token {name}", time.perf_counter() - started)
        async for _ in tokens:
            pass
        await generation.outcome
        self._add(f"turn saved {name}", time.perf_counter() - started)


async def main() -> None:
    """Run the benchmark and print the results."""
    for turns in TURNS:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(folder, turns)
            await bench.run()
        print(f"{turns} turns, median and minimum of {ROUNDS} in milliseconds:")
        for name, times in bench.times.items():
            print(f"  {name}: {statistics.median(times):.0f}, {min(times):.0f}")


if __name__ == "__main__":
    asyncio.run(main())
