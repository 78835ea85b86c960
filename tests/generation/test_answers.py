"""Answers of reasoning models: what is shown as they arrive, and what is stored."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from aiserver.generation.generation import Generation, Outcome
from aiserver.llm.base import ChatModel, Delta, ModelInfo
from aiserver.models import SessionKey
from aiserver.prompts.answers import reader
from aiserver.requests import GenerateBody
from aiserver.sessions.memory import InMemorySessionManager

CELL = {"notebook_id": "nb", "cell_id": "c1"}
KEY = SessionKey(**CELL)
CODE = "```python\nx = 1\n```"


class ScriptedModel(ChatModel):
    """Answers with the given deltas, one after the other, and records the messages it gets."""

    def __init__(self, *deltas: Delta, id: str = "openai:some") -> None:
        self.info = ModelInfo(id, "some", id.startswith("local:"))
        self.deltas = deltas
        self.sent = ""

    async def count_tokens(self, texts):
        return [len(text) for text in texts]

    async def stream(self, messages, *, language, is_retry=False, additions=None):
        self.sent = "\n".join(str(message.content) for message in messages)
        for delta in self.deltas:
            yield delta


async def generate(
    sessions: InMemorySessionManager, model: ScriptedModel, **fields: Any
) -> tuple[list[str], Outcome]:
    """Return the code as it was shown after each change, and the outcome."""
    body = GenerateBody(**CELL | {"intent": "do it"} | fields)
    generation = Generation("id", KEY, body, model, sessions, logging.getLogger("test"))
    await generation.prepare()
    generation.start()
    shown = [""]
    async for token in generation.tokens():
        if isinstance(token, reader.Change) and token.part == "code":
            shown.append(("" if token.replaces else shown[-1]) + token.text)
    return shown[1:], await generation.outcome


@pytest.fixture
def sessions() -> InMemorySessionManager:
    return InMemorySessionManager()


@pytest.fixture(autouse=True)
def always_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the text after every piece, however quickly the pieces arrive."""
    monkeypatch.setattr(reader, "_SHARE", 0)


async def test_code_of_selected_lines_that_was_thoughts_is_taken_back(
    sessions: InMemorySessionManager,
) -> None:
    """P51: the lines are shown anew when a closing tag shows that the text was thoughts."""
    model = ScriptedModel(
        Delta("y = 2\nz = 2\n"),
        Delta("</think>\n"),
        Delta("```python\ny = 2\nz = 2\nw = 3\n```"),
    )
    source = "a = 1\nb = 2\nc = 3"
    selection = {"selection": {"first": 2, "last": 2}}
    shown, outcome = await generate(sessions, model, source=source, context=selection)
    expected = "a = 1\ny = 2\nz = 2\nw = 3\nc = 3"
    assert shown[0].endswith("z = 2")
    assert "" in shown
    assert outcome.interaction is not None
    assert shown[-1] == outcome.interaction.ai_response.suggestion == expected
