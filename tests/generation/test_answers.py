"""Answers of reasoning models: what is shown as they arrive, and what is stored."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from aiserver.generation.generation import Generation, Outcome
from aiserver.llm.base import ChatModel, Delta, ModelInfo, PromptStyle
from aiserver.models import SessionKey
from aiserver.prompts.answers import reader
from aiserver.prompts.answers import thoughts as thoughts_in_text
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


async def test_selected_lines_are_replaced_if_the_code_turns_into_thoughts(
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


async def test_thoughts_are_stored_from_both_places(sessions: InMemorySessionManager) -> None:
    """P51: those that the server sent in a field come first."""
    model = ScriptedModel(
        Delta(thoughts="First \ud83d"),
        Delta(thoughts="\ude00\n"),
        Delta(f"<think>\nSecond\n</think>\n{CODE}"),
    )
    _, outcome = await generate(sessions, model)
    (turn,) = (await sessions.load_session(KEY)).interactions
    assert turn.ai_response.thoughts == "First 😀\n\n\nSecond"
    assert (turn.ai_response.suggestion, turn.ai_response.explanation) == ("x = 1", "")
    assert outcome.interaction == turn
    await generate(sessions, ScriptedModel(Delta(CODE)))
    await generate(sessions, model, stores_prompt=False)
    _, *turns = (await sessions.load_session(KEY)).interactions
    assert not any("thoughts" in turn.to_dict()["ai_response"] for turn in turns)


@pytest.mark.parametrize("id", ["openai:some", "local:some"])
async def test_thoughts_have_no_secrets(sessions: InMemorySessionManager, id: str) -> None:
    """P16: not even a secret that is only recognised by its name in the cell's code."""
    key = "sk-" + "proj-" + "a1B2c3D4e5" * 4
    thoughts = f"The password is hunter2-canary, the key {key}."
    model = ScriptedModel(Delta(thoughts=thoughts), Delta(CODE), id=id)
    source = 'password = "hunter2-canary"'
    _, outcome = await generate(sessions, model, source=source)
    stored = str((await sessions.load_session(KEY)).to_dict())
    assert "The password is ‹redacted" in stored
    assert outcome.interaction is not None
    for text in (stored, str(outcome.interaction.ai_response.thoughts)):
        assert "hunter2" not in text
        assert key not in text


async def test_long_thoughts_are_cut_after_their_secrets_are_replaced(
    sessions: InMemorySessionManager,
) -> None:
    """P16, P17"""
    key = "sk-" + "proj-" + "a1B2c3D4e5" * 4
    filler = "x " * (thoughts_in_text.MAX_STORED // 2 - 10)
    pieces = [Delta(thoughts=f"{filler} {key} "), *[Delta(thoughts="more " * 1000)] * 100]
    _, outcome = await generate(sessions, ScriptedModel(*pieces, Delta(CODE)))
    assert outcome.interaction is not None
    stored = outcome.interaction.ai_response.thoughts
    assert stored is not None
    assert len(stored) <= thoughts_in_text.MAX_STORED + len(thoughts_in_text.CUT)
    assert stored.endswith("[…]")
    assert "sk-proj" not in stored


@pytest.mark.parametrize("retry", [False, True])
async def test_thoughts_are_never_sent_again(sessions: InMemorySessionManager, retry: bool) -> None:
    """P51"""
    first = ScriptedModel(Delta(f"<think>canary</think>\n{CODE}", thoughts="canary"))
    await generate(sessions, first)
    second = ScriptedModel(Delta(CODE))
    await generate(sessions, second, **({"mode": "retry"} if retry else {"intent": "shorter"}))
    assert "x = 1" in second.sent or retry
    assert "canary" not in second.sent


@pytest.mark.parametrize("style", ["compact", "full"])
async def test_each_further_answer_is_asked_for_in_other_words(
    sessions: InMemorySessionManager, style: PromptStyle
) -> None:
    """P49: no prompt is sent twice, also not to a small model, which doesn't get its answers."""
    prompts = []
    for mode in ("detect", "retry", "retry", "retry"):
        model = ScriptedModel(Delta(CODE))
        model.style = style
        await generate(sessions, model, mode=mode)
        prompts.append(model.sent)
    assert len(set(prompts)) == 4


async def test_what_was_replaced_is_stored(sessions: InMemorySessionManager) -> None:
    """A suggestion in words, as in the last answer, has nothing that was replaced."""
    for text, replaced in (
        ("```python\nx\u200b = “1”\n```", ["invisible", "quotes"]),
        (CODE, None),
        ("```python\nIt is the mean of all prices.<|im_end|>", None),
    ):
        _, outcome = await generate(sessions, ScriptedModel(Delta(text)))
        assert outcome.interaction is not None
        assert outcome.interaction.ai_response.replaced_characters == replaced
