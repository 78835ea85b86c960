"""The mentions of a request are always in the prompt, whole or shortened."""

from __future__ import annotations

import pytest

from aiserver.prompts.context import build_messages
from aiserver.prompts.mentions import is_mentioned, is_named
from aiserver.prompts.prompt_input import FileProfile, MentionedText, Style
from aiserver.requests import ContextCell, Variable

from .inputs import prompt_input
from .test_prompts import words

LONG = "\n".join(f"line {number} of the output" for number in range(2000))
CODE = "import a\n\ndef f(x):\n" + "    y = x\n" * 300 + "\nz = f(1)"


@pytest.mark.parametrize("style", ["compact", "full"])
@pytest.mark.parametrize("budget", [10, 700, 3000])
@pytest.mark.parametrize("intent", ["like @cell2 and @cell3", "/explain @cell2, @cell3"])
async def test_long_mentions_are_shortened_and_short_ones_are_whole(
    style: Style, budget: int, intent: str
) -> None:
    """P15: the receipt says which of them are shortened."""
    request = prompt_input(
        intent,
        source="x = 1",
        mentions=[
            MentionedText("@cell2", CODE, LONG, "c2"),
            MentionedText("@cell3", "n = 3", "3", "c3"),
        ],
    )
    messages, items = await build_messages(request, style=style, budget=budget, count=words)
    text = str(messages[-1].text)
    assert "@cell2:" in text and "import a" in text and "[…]" in text
    assert "line 1999 of the output" in text
    assert "n = 3" in text and "Output of @cell3:" in text
    mentions = [item for item in items if item.kind == "mention"]
    assert [(item.name, item.is_shortened) for item in mentions] == [
        ("@cell2", True),
        ("@cell3", False),
    ]
    assert sum(item.tokens or 0 for item in mentions) <= max(budget, 2 * 130)
    assert items[-1].kind == "request" and all(item.is_included for item in mentions)
    stored = next(item for item in items if item.name == "@cell2").to_dict()
    assert stored == {
        "kind": "mention",
        "name": "@cell2",
        "tokens": mentions[0].tokens,
        "shortened": True,
        "cell_ids": ["c2"],
    }


async def test_mentioned_variables_and_files_are_in_the_prompt_of_a_small_model() -> None:
    """Other variables, and files that don't fit, are left out."""
    request = prompt_input(
        "add @xs to @'b c.csv', as in a.csv",
        variables=[Variable(name="xs", kind="list of 3 str"), Variable(name="n", kind="int")],
        files=[FileProfile("b c.csv", "CSV", 7), FileProfile("a.csv", "CSV", 9)],
    )
    messages, items = await build_messages(request, style="compact", budget=10, count=words)
    text = str(messages[-1].text)
    assert "xs: list of 3 str" in text and "n: int" not in text
    assert "'b c.csv'" in text and "read_csv('a.csv')" not in text
    assert {item.name: item.is_included for item in items if item.kind == "file"} == {
        "b c.csv": True,
        "a.csv": False,
    }


@pytest.mark.parametrize(
    ("name", "intent", "is_it"),
    [
        ("df", "plot @df", True),
        ("df", "画@df的图", True),
        ("df", "plot @df.price", True),
        ("df", "plot @df2 and df", False),
        ("销售", "@销售 求和", True),
        ("a b.csv", 'read @"a b.csv"', True),
    ],
)
def test_is_mentioned(name: str, intent: str, is_it: bool) -> None:
    assert is_mentioned(name, intent) == is_it


@pytest.mark.parametrize(
    ("name", "intent", "is_it"),
    [
        ("prices", "the mean of prices", True),
        ("prices", "prices里大于10的", True),
        ("prices", "the mean of allprices", False),
        ("员工", "按员工的工资排序", True),
        ("a", "add a column", False),
        ("a", "add @a", True),
        ("a", "the sum of `a`", True),
    ],
)
def test_is_named(name: str, intent: str, is_it: bool) -> None:
    assert is_named(name, intent) == is_it


@pytest.mark.parametrize("style", ["compact", "full"])
async def test_a_mentioned_cell_is_in_the_prompt_once(style: Style) -> None:
    request = prompt_input(
        "like @cell2",
        cells=[
            ContextCell(cell_id="c1", source="n = 1"),
            ContextCell(cell_id="c2", source="m = 2"),
        ],
        mentions=[MentionedText("@cell2", "m = 2", "", "c2")],
    )
    messages, _ = await build_messages(request, style=style, budget=900, count=words)
    text = "\n".join(str(message.text) for message in messages)
    assert text.count("m = 2") == text.count("n = 1") == 1


async def test_an_empty_cell_is_named() -> None:
    request = prompt_input("like @cell9", mentions=[MentionedText("@cell9")])
    messages, _ = await build_messages(request, style="full", budget=900, count=words)
    assert "@cell9: empty" in str(messages[-1].text)
