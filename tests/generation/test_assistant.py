"""A warm-up never delays a request, with a model that records what it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import pytest

from aiserver.generation.allowed_parts import Options
from aiserver.generation.assistant import Assistant
from aiserver.llm.base import ChatModel, Delta, ModelInfo
from aiserver.llm.registry import ModelRegistry
from aiserver.models import SessionKey
from aiserver.plugins.completion import completer
from aiserver.plugins.completion.gap import CompletionBody
from aiserver.requests import GenerateBody, WarmUpBody
from aiserver.sessions.memory import InMemorySessionManager

from .recorded import until_recorded

CELL = {"notebook_id": "nb", "cell_id": "c1"}
KEY = SessionKey(**CELL)
WARM_UP = WarmUpBody(**CELL)
REQUEST = GenerateBody(**CELL, intent="x")
COMPLETION = CompletionBody(prefix="x = ")


class RecordingModel(ChatModel):
    """Its warm-ups and answers last until they are cancelled or released."""

    info = ModelInfo("local:some", "some", True)

    def __init__(self) -> None:
        self.events: list[str] = []
        self.released = asyncio.Event()

    async def count_tokens(self, texts):
        return [len(text) for text in texts]

    async def stream(self, messages, *, language, is_retry=False, additions=None):
        self.events.append("answer")
        await self.released.wait()
        yield Delta("```python\nx\n```", usage={"input_tokens": 1})

    async def complete(self, prefix, suffix, *, stop, max_tokens):
        self.events.append("completion")
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.events.append("cancelled")
            raise
        yield "1"

    async def warm_up(self, messages):
        self.events.append("warm-up")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.events.append("cancelled")
            raise

    async def until(self, *events: str) -> None:
        await until_recorded(self.events, *events)


@pytest.fixture
def model() -> RecordingModel:
    return RecordingModel()


@pytest.fixture
def assistant(
    model: RecordingModel, jp_asyncio_loop: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Assistant]:
    class Models(ModelRegistry):
        async def get(self, model_id: str | None = None) -> ChatModel:
            return model

    models = Models()
    monkeypatch.setattr(models, "completing", lambda: model.info)
    assistant = Assistant(InMemorySessionManager(), models)
    yield assistant
    jp_asyncio_loop.run_until_complete(assistant.close())


@pytest.fixture
def complete(assistant: Assistant) -> Callable[[], Awaitable[str]]:
    return partial(completer.Completer().complete, COMPLETION, assistant._models, assistant)


async def test_a_request_cancels_the_warm_up(assistant: Assistant, model: RecordingModel):
    assistant.warm_up(KEY, WARM_UP)
    await model.until("warm-up")
    await assistant.generate(KEY, REQUEST)
    await model.until("warm-up", "cancelled", "answer")


async def test_only_the_newest_warm_up_counts(assistant: Assistant, model: RecordingModel):
    assistant.warm_up(KEY, WARM_UP)
    await model.until("warm-up")
    assistant.warm_up(KEY, WARM_UP)
    await model.until("warm-up", "cancelled", "warm-up")


async def test_there_is_no_warm_up_during_an_answer(assistant: Assistant, model: RecordingModel):
    generation = await assistant.generate(KEY, REQUEST)
    await model.until("answer")
    assistant.warm_up(KEY, WARM_UP)
    model.released.set()
    await generation.outcome
    assert model.events == ["answer"]


async def test_a_warm_up_cancels_a_completion_and_prevents_others(
    assistant: Assistant, complete: Any, model: RecordingModel
):
    task = asyncio.create_task(complete())
    await model.until("completion")
    assistant.warm_up(KEY, WARM_UP)
    assert await task == ""
    await model.until("completion", "cancelled", "warm-up")
    assert await complete() == ""
    assert model.events == ["completion", "cancelled", "warm-up"]


async def test_a_completion_that_takes_too_long_is_cancelled(
    complete: Any, model: RecordingModel, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(completer, "TIMEOUT", 0.05)
    assert await complete() == ""
    await model.until("completion", "cancelled")
    model.released.set()
    assert await complete() == "1"


async def test_a_small_model_explains_in_words(
    assistant: Assistant, model: RecordingModel, monkeypatch: pytest.MonkeyPatch
):
    """Nothing of the answer replaces the cell's code, not even a block of code."""
    languages = []

    async def stream(messages, *, language, is_retry=False, additions=None):
        languages.append(language)
        yield Delta("It adds two numbers:\n```python\n1 + 1\n```")

    monkeypatch.setattr(model, "stream", stream)
    monkeypatch.setattr(model, "style", "compact")
    frame = {"name": "df", "row_count": 1, "column_count": 0}
    body = GenerateBody(
        **CELL, intent="what does this do?", source="1 + 2", context={"dataframes": [frame]}
    )
    generation = await assistant.generate(KEY, body)
    outcome = await generation.outcome
    assert languages == [""]
    assert outcome.status == "success"
    assert outcome.interaction.ai_response.suggestion == ""
    assert outcome.interaction.dataframes is None  # it wasn't sent
    assert "It adds two numbers" in outcome.interaction.ai_response.explanation


async def test_a_fault_after_the_answer_ends_the_generation(
    assistant: Assistant, model: RecordingModel
):
    """It has an outcome, and the cell can be asked again."""

    async def fails(*_: object) -> None:
        raise RuntimeError

    assistant._options = Options(cost=fails)
    model.released.set()
    for _ in range(2):
        generation = await assistant.generate(KEY, REQUEST)
        assert [token async for token in generation.tokens()]
        assert (await generation.outcome).status == "error"
