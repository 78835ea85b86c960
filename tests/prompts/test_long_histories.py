"""Prompts of cells with many turns: the work for each is done once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, trim_messages

from aiserver.generation.compose import _hide_in_turn
from aiserver.models import AIResponse, Interaction, UserRequest
from aiserver.prompts.turns import PER_MESSAGE, Pair, newest_that_fit
from aiserver.redact import Vault
from aiserver.redact.patterns import Replace, redact_line

KINDS: tuple[type[BaseMessage], ...] = (HumanMessage, AIMessage)
KEY = "sk-proj-Ab3dE6gH9jK2mN5pQ8sT1vW4"
CODE = f'client = connect(api_key="{KEY}")\nrows = sorted(client, key=len)\nprint({{number}})'


def a_turn(number: int) -> Interaction:
    """A turn that changed one line of the code of the turn before."""
    return Interaction(
        turn_id=number,
        timestamp="2026-01-01T00:00:00.000Z",
        user_request=UserRequest(intent="next", current_code=CODE.format(number=number - 1)),
        ai_response=AIResponse(suggestion=CODE.format(number=number), status="success"),
    )


def test_lines_that_turns_repeat_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 turns of one cell cost little more than one, and hide the same (P16)."""
    looked = Counter[str]()

    def counting(line: str, is_prose: bool, replace: Replace) -> str:
        looked[line] += 1
        return redact_line(line, is_prose, replace)

    monkeypatch.setattr("aiserver.redact.texts.redact_line", counting)
    vault = Vault()
    hidden = [_hide_in_turn(a_turn(number), vault) for number in range(1, 61)]
    assert looked and set(looked.values()) == {1}
    for number, turn in enumerate(hidden, 1):
        separate = _hide_in_turn(a_turn(number), Vault())
        assert turn == separate
        assert KEY not in str(turn)


def test_a_turn_without_secrets_is_used_as_it_is() -> None:
    """Nothing is copied of a turn in which nothing was hidden."""
    turn = a_turn(1)
    assert _hide_in_turn(turn, Vault(conceal=False)) is turn


async def test_the_newest_turns_that_fit_are_langchains() -> None:
    """As ``trim_messages`` chooses them, whatever their sizes and the budget."""
    chance = random.Random(1)
    for _ in range(200):
        pairs = [
            Pair("x" * chance.randrange(30), "y" * chance.randrange(30))
            for _ in range(chance.randrange(8))
        ]
        budget = chance.randrange(1, 200)

        async def count(some: Sequence[str]) -> list[int]:
            return [len(text) for text in some]

        def size(some: list[BaseMessage]) -> int:
            return sum(len(str(item.text)) + PER_MESSAGE for item in some)

        def messages_of(some: Sequence[Pair]) -> list[BaseMessage]:
            texts = [(pair.request, pair.answer) for pair in some]
            return [kind(text) for pair in texts for kind, text in zip(KINDS, pair, strict=True)]

        start, sizes = await newest_that_fit(pairs, budget, count)
        messages, included = messages_of(pairs), messages_of(pairs[start:])
        assert included == trim_messages(
            messages, max_tokens=budget, token_counter=size, strategy="last", start_on="human"
        )
        assert sum(sizes[start:]) == size(included) <= budget
        assert sum(sizes) == size(messages)
