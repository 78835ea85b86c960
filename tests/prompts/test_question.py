"""Requests that ask for an explanation of the code."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from aiserver.prompts.context import as_text, build_messages
from aiserver.prompts.language import cell_language
from aiserver.prompts.prompt_input import PromptInput
from aiserver.prompts.question import asks_for_words

PYTHON = cell_language("python", "x = 1", "code")
CODE = "average = data['price'].mean()\naverage"


@pytest.mark.parametrize(
    "intent",
    [
        "explain",
        "What does this cell do?",
        "what does line 3 do",
        "what's this?",
        "describe what this does",
        "How does this work?",
        "why is it slow?",
        "解释这段代码",
        "这个单元格做什么？",
        "这一行是什么意思",
        "為什麼會出錯？",
        "這段程式碼有什麼用？",
    ],
)
def test_questions_about_the_code(intent: str) -> None:
    assert asks_for_words(intent, CODE, PYTHON)


@pytest.mark.parametrize(
    "intent",
    [
        "what is the average price?",
        "what is this column's total?",
        "how many rows are there?",
        "describe the data",
        "plot it",
        "把每个城市的平均价格画成柱状图",
        "显示前 5 行",
        "每个城市的平均价格是多少？",
    ],
)
def test_questions_about_the_data_need_code(intent: str) -> None:
    assert not asks_for_words(intent, CODE, PYTHON)


def test_an_empty_cell_has_nothing_to_explain() -> None:
    assert not asks_for_words("what does this do?", "  \n", PYTHON)


async def count(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def test_a_small_model_gets_only_the_code_and_the_question() -> None:
    """P43: the receipt has the sizes of what is sent."""
    request = PromptInput(intent="what does this do?", source=CODE, language="python")
    messages, receipt = asyncio.run(
        build_messages(request, style="compact", budget=600, count=count)
    )
    (role, rules), (_, text) = as_text(messages)
    assert role == "system"
    assert "Write no code" in rules
    assert text == f"```python\n{CODE}\n```\n\nwhat does this do?"
    assert [item.kind for item in receipt] == ["rules", "source", "request"]
    assert sum(item.tokens or 0 for item in receipt) == len(rules) + len(text) - 2


def test_a_model_that_follows_rules_gets_the_usual_prompt() -> None:
    request = PromptInput(intent="what does this do?", source=CODE, language="python")
    messages, _ = asyncio.run(build_messages(request, style="full", budget=600, count=count))
    assert "answer it in words instead" in as_text(messages)[0][1]
