"""Summaries are made in the background, and give way to everything that a person waits for."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest

from aiserver.generation.assistant import Assistant
from aiserver.generation.past_turns import HISTORY_TURNS
from aiserver.llm.base import ChatModel, Delta, ModelInfo
from aiserver.llm.registry import ModelRegistry
from aiserver.models import Interaction, NewEvent, SessionKey
from aiserver.plugins.completion.completer import Completer
from aiserver.plugins.completion.gap import CompletionBody
from aiserver.requests import GenerateBody, WarmUpBody
from aiserver.sessions.memory import InMemorySessionManager

from .recorded import until_recorded

TURNS = HISTORY_TURNS + 10
NOW = "2026-01-27T10:00:00.000Z"


class SummarisingModel(ChatModel):
    """Answers at once, but finishes a summary only when ``released`` is set."""

    def __init__(self, name: str, on_this_machine: bool, style: Any = "full") -> None:
        self.info = ModelInfo(name, name, on_this_machine)
        self.style = style
        self.events: list[str] = []
        self.prompts: list[str] = []
        self.released = asyncio.Event()
        self.answers_released = asyncio.Event()
        self.answers_released.set()

    async def count_tokens(self, texts):
        return [len(text.split()) for text in texts]

    async def stream(self, messages, *, language, is_retry=False, additions=None):
        if "summari" not in str(messages[0].text) and "shorten" not in str(messages[0].text):
            self.events.append("answer")
            await self.answers_released.wait()
            yield Delta("```python\nx = 1\n```")
            return
        assert language == ""
        self.events.append("summary")
        self.prompts.append(str(messages[-1].text))
        try:
            await self.released.wait()
        except (asyncio.CancelledError, GeneratorExit):
            self.events.append("cancelled")
            raise
        yield Delta("- so far")

    async def complete(self, prefix, suffix, *, stop, max_tokens):
        self.events.append("completion")
        yield "1"

    async def warm_up(self, messages):
        self.events.append("warm-up")

    async def until(self, *events: str) -> None:
        await until_recorded(self.events, *events)


def _turn(turn_id: int, seq: int) -> Interaction:
    return Interaction.model_validate(
        {
            "turn_id": turn_id,
            "timestamp": NOW,
            "user_request": {"intent": f"wish{turn_id}."},
            "ai_response": {"suggestion": f"x = {turn_id}", "status": "success"},
            "seq": seq,
        }
    )


class World:
    """An assistant with a local and a remote model, and cells with many turns."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.local = SummarisingModel("local:a", True)
        self.other_local = SummarisingModel("local:b", True, "compact")
        self.remote = SummarisingModel("openai:c", False)
        by_id = {m.info.id: m for m in (self.local, self.other_local, self.remote)}

        class Models(ModelRegistry):
            async def get(self, model_id: str | None = None) -> ChatModel:
                return by_id[model_id or "local:a"]

        models = Models()
        monkeypatch.setattr(models, "completing", lambda: self.local.info)
        self.store = InMemorySessionManager()
        self.assistant = Assistant(self.store, models)

    async def ask(self, cell_id: str, model: SummarisingModel, **more: Any) -> None:
        body = GenerateBody(
            notebook_id="nb", cell_id=cell_id, intent="next", model=model.info.id, **more
        )
        generation = await self.assistant.generate(SessionKey("nb", cell_id), body)
        await generation.outcome
        await asyncio.sleep(0)  # the assistant learns of the end

    async def seed(self, *cell_ids: str, count: int = TURNS) -> None:
        """Add turns to cells."""
        for cell_id in cell_ids:
            key = SessionKey("nb", cell_id)
            session = await self.store.load_session(key)
            next_id, next_seq = session.next_turn_id, session.next_seq
            session.interactions = [
                *session.interactions,
                *(_turn(next_id + number, next_seq + number) for number in range(count)),
            ]
            await self.store.delete(key)
            await self.store.merge_copy(key, session)

    @property
    def tasks(self) -> list[asyncio.Task[Any]]:
        """The tasks that summarise, also those that don't query the model yet."""
        return [task for task in asyncio.all_tasks() if "BackgroundTasks" in repr(task)]

    async def until_idle(self) -> None:
        """Wait until nothing is summarised any more."""
        while tasks := self.tasks:
            await asyncio.wait(tasks)

    async def summaries(self, cell_id: str) -> list[Any]:
        session = await self.store.load_session(SessionKey("nb", cell_id))
        return [event.data for event in session.events or [] if event.type == "condensed_turns"]

    async def until_summarised(self, cell_id: str, count: int = 1) -> list[Any]:
        await self.until_idle()
        stored = await self.summaries(cell_id)
        assert len(stored) >= count
        return stored


@pytest.fixture
def world(jp_asyncio_loop: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    async def create() -> World:
        return World(monkeypatch)

    world = jp_asyncio_loop.run_until_complete(create())
    yield world
    jp_asyncio_loop.run_until_complete(world.assistant.close())


@pytest.mark.parametrize(
    ("model", "other", "is_cancelled"),
    [
        ("local", "local", True),
        ("local", "other_local", True),  # both compute on this computer
        ("remote", "remote", True),
        ("local", "remote", False),
        ("remote", "local", False),
    ],
)
async def test_a_request_in_another_cell(
    world: World, model: str, other: str, is_cancelled: bool
) -> None:
    summarising, asked = getattr(world, model), getattr(world, other)
    await world.seed("c1")
    await world.ask("c1", summarising)
    await summarising.until("answer", "summary")
    await world.ask("c2", asked)
    if is_cancelled:
        assert "cancelled" in summarising.events
        if asked is summarising:
            assert summarising.events == ["answer", "summary", "cancelled", "answer"]
        assert await world.summaries("c1") == []
    else:
        summarising.released.set()
        await world.until_summarised("c1")
        assert summarising.events == ["answer", "summary"]


@pytest.mark.parametrize("person_does", ["warm-up", "completion"])
@pytest.mark.parametrize("model", ["local", "remote"])
async def test_typing_cancels_the_summary_of_a_local_model_only(
    world: World, person_does: str, model: str
) -> None:
    summarising = getattr(world, model)
    await world.seed("c1")
    await world.ask("c1", summarising)
    await summarising.until("answer", "summary")
    if person_does == "warm-up":
        world.assistant.warm_up(SessionKey("nb", "c2"), WarmUpBody(notebook_id="nb", cell_id="c2"))
    else:
        body, assistant = CompletionBody(prefix="x = "), world.assistant
        await Completer().complete(body, assistant._models, assistant)
    if model == "local":
        await world.until_idle()
        assert "cancelled" in summarising.events
    else:
        summarising.released.set()
        await world.until_summarised("c1")


async def test_no_summary_starts_while_the_model_answers(world: World) -> None:
    await world.seed("c1", "c2")
    world.local.answers_released.clear()
    body = GenerateBody(notebook_id="nb", cell_id="c2", intent="slow")
    slow = await world.assistant.generate(SessionKey("nb", "c2"), body)
    await world.local.until("answer")
    await world.ask("c1", world.other_local)
    assert world.tasks == []
    world.local.answers_released.set()
    await slow.outcome
    await world.local.until("answer", "summary")


async def test_a_stopped_or_failed_answer_starts_no_summary(world: World) -> None:
    await world.seed("c1")
    world.local.answers_released.clear()
    body = GenerateBody(notebook_id="nb", cell_id="c1", intent="slow")
    generation = await world.assistant.generate(SessionKey("nb", "c1"), body)
    await world.local.until("answer")
    generation.stop()
    assert (await generation.outcome).status == "cancelled"
    await asyncio.sleep(0)  # the assistant learns of the end
    assert world.tasks == []


async def test_a_cell_has_at_most_one_task(world: World) -> None:
    """The model that answers next doesn't compete with the first, but the cell is the same."""
    await world.seed("c1")
    await world.ask("c1", world.local)
    await world.local.until("answer", "summary")
    await world.ask("c1", world.remote)
    assert len(world.tasks) == 1
    world.local.released.set()
    assert len(await world.until_summarised("c1")) == 1
    # Afterwards, the remote model gets the summary, so that it needs none of its own.
    await world.ask("c1", world.remote)
    assert world.tasks == []
    assert world.remote.events == ["answer", "answer"]


async def test_the_servers_shutdown_stops_the_task(world: World) -> None:
    await world.seed("c1")
    await world.ask("c1", world.local)
    await world.local.until("answer", "summary")
    await world.assistant.close()
    assert world.local.events == ["answer", "summary", "cancelled"]
    assert await world.summaries("c1") == []
    assert world.tasks == []


async def test_a_write_during_the_summary_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P23: an event that is recorded at the same time is stored, and so is the summary."""
    await world.seed("c1")
    await world.ask("c1", world.local)
    await world.local.until("answer", "summary")
    load = world.store.load_if_exists
    writes: list[Any] = []

    async def load_and_write(key: SessionKey) -> Any:
        session = await load(key)
        if len(writes) < 2:
            writes.append(await world.store.record_events(key, [_edit(len(writes))]))
        return session

    monkeypatch.setattr(world.store, "load_if_exists", load_and_write)
    world.local.released.set()
    await world.until_summarised("c1")
    session = await load(SessionKey("nb", "c1"))
    assert session is not None
    assert [event.type for event in session.events or []] == ["edit", "edit", "condensed_turns"]


def _edit(number: int) -> Any:
    return NewEvent(type="edit", timestamp=NOW, source=f"y = {number}")


async def test_a_new_conversation_during_the_summary_discards_it(world: World) -> None:
    await world.seed("c1")
    await world.ask("c1", world.local)
    await world.local.until("answer", "summary")
    reset = NewEvent(type="context_reset", timestamp=NOW)
    await world.store.record_events(SessionKey("nb", "c1"), [reset])
    world.local.released.set()
    await world.until_idle()
    assert await world.summaries("c1") == []


async def test_a_session_of_2000_turns(world: World) -> None:
    """All turns stay, and each summary continues the previous one without a gap."""
    await world.seed("c1", count=2000)
    world.local.released.set()
    await world.ask("c1", world.local)
    await world.until_summarised("c1")
    for number in range(2, 6):
        await world.seed("c1", count=HISTORY_TURNS // 2)
        await world.ask("c1", world.local)
        stored = await world.until_summarised("c1", number)
    session = await world.store.load_session(SessionKey("nb", "c1"))
    count = len(session.interactions)
    assert count == 2000 + 4 * (HISTORY_TURNS // 2) + 5
    assert [turn.turn_id for turn in session.interactions] == list(range(1, count + 1))
    sizes = [data["turns"] for data in stored]
    assert sizes == sorted(sizes)
    assert len(stored) == 5
    # Each summary contained the previous one, and then further turns, each of them once.
    assert all("- so far" in prompt for prompt in world.local.prompts[1:])
    summarised = sum(len(re.findall(r"^<request", p, re.M)) for p in world.local.prompts)
    assert summarised == sizes[-1]


async def test_a_small_model_summarises_requests_without_code(world: World) -> None:
    await world.seed("c1")
    world.other_local.released.set()
    await world.ask("c1", world.other_local)
    [stored] = await world.until_summarised("c1")
    [prompt] = world.other_local.prompts
    assert "- wish1." in prompt and "x = 1" not in prompt
    assert stored["turns"] == len(re.findall(r"^- wish", prompt, re.M))
