"""The mode of a request, by its slash word or its words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import get_args

import pytest

from aiserver.prompts.context import as_text, build_messages
from aiserver.prompts.language import cell_language
from aiserver.prompts.modes import (
    Mode,
    instruct,
    mode_of,
    split_slash_word,
    works_on_cell_above,
)
from aiserver.prompts.parsed_request import parse_request

from ..effort import at_most
from .inputs import prompt_input

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
    request = parse_request(intent, CODE, "python")
    assert request.is_question and request.mode == "explain"
    assert not request.demands_words  # a model that follows rules decides itself


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
    assert not parse_request(intent, CODE, "python").is_question


def test_an_empty_cell_has_nothing_to_explain() -> None:
    for intent in ("what does this do?", "/explain"):
        assert not parse_request(intent, "  \n", "python").is_question


@pytest.mark.parametrize(
    ("mode", "intents"),
    [
        (
            "fix",
            ["fix it", "could you please fix this:\nKeyError", "修复错误：", "请修正錯誤"],
        ),
        ("refactor", ["refactor this", "clean up the code", "帮我重构一下", "clean this up"]),
        ("document", ["add docstrings", "write some short comments", "加上注释", "補充註解"]),
        ("test", ["write unit tests for mean", "test this function", "给它写测试", "加單元測試"]),
        ("visualise", ["plot it", "show the monthly line chart", "把价格画成柱状图", "畫圖"]),
        (
            "convert",
            ["convert it to polars", "rewrite it in SQL", "改写成polars代码", "轉成 SQL"],
        ),
        ("optimise", ["optimize this", "make it faster", "speed it up", "帮我优化", "提高速度"]),
        ("edit", ["sort by price", "draw 5 rows", "plots aside, sort", "show the fixed costs"]),
        ("edit", ["convert the dates", "tests aside, count", "修改为只读取 'price' 列", "a/b"]),
        ("edit", ["don't show the plot", "rewrite the loop for r in rows", "add test data"]),
        ("edit", ["fix the random seed to 42", "不要加注释", "删除画图的代码", "加载测试数据"]),
    ],
)
def test_clear_words_name_the_mode(mode: Mode, intents: list[str]) -> None:
    assert {intent: mode_of(intent, CODE, PYTHON) for intent in intents} == dict.fromkeys(
        intents, mode
    )
    # They add nothing to the prompt.
    assert [instruct(intent, PYTHON) for intent in intents] == intents


def test_other_requests_create_or_edit() -> None:
    assert mode_of("sort by price", CODE, PYTHON) == "edit"
    assert mode_of("sort by price", " \n", PYTHON) == "create"
    assert mode_of("", "%%time\n", PYTHON) == "edit"
    sql = cell_language("python", "%%sql\n", "code")
    assert mode_of("count the users", "%%sql\n", sql) == "create"


@pytest.mark.parametrize("mode", get_args(Mode))
def test_a_slash_word_names_the_mode_and_becomes_an_instruction(mode: Mode) -> None:
    assert split_slash_word(f"/{mode}", PYTHON) == (mode, "")
    assert split_slash_word(f" /{mode.upper()}\n把它\n/x", PYTHON) == (mode, "把它\n/x")
    assert mode_of(f"/{mode} plot it", "", PYTHON) == mode
    instruction = instruct(f"/{mode}", PYTHON)
    assert instruct(f"/{mode} 用中文", PYTHON) == f"{instruction}\n用中文"


def test_some_modes_can_be_about_the_cell_above() -> None:
    about = [mode for mode in get_args(Mode) if works_on_cell_above(f"/{mode} x", PYTHON)]
    assert about == ["explain", "test", "convert"]
    assert works_on_cell_above("/解释", PYTHON)
    assert not works_on_cell_above("explain it", PYTHON)
    for mode in get_args(Mode):
        changes = instruct(f"/{mode}", PYTHON, above=True) != instruct(f"/{mode}", PYTHON)
        assert changes == (mode in about)
    assert instruct("explain it", PYTHON, above=True) == "explain it"


def test_only_a_slash_word_is_one() -> None:
    for intent in ("/fixed", "/data/a.csv into df", "/fix/it", "and /fix", "/ fix", "/", "//fix"):
        assert split_slash_word(intent, PYTHON) == (None, intent)
    for cell_type in ("markdown", "raw"):
        prose = cell_language("python", "", cell_type)
        assert split_slash_word("/fix", prose) == (None, "/fix")
        assert mode_of("plot it", "a", prose) == "edit"
    assert mode_of("/修复 它", CODE, PYTHON) == "fix"
    assert instruct("/修复", PYTHON) == f"{instruct('/fix', PYTHON)}\n修复"
    assert mode_of("／畫圖", CODE, PYTHON) == "visualise"
    assert split_slash_word("/修复这段代码", PYTHON) == ("fix", "修复这段代码")
    assert split_slash_word("/fix: KeyError", PYTHON) == ("fix", "KeyError")


@pytest.mark.parametrize(
    "intent",
    [
        "what is this for" + " " * 19_980 + "\nx",
        "what is this " + " " * 19_980 + "\nx",
        "convert " + "to in with " * 1_800,
        "please " * 2_800,
        "请" * 19_990 + "\nx",
        "画" * 19_990,
        "加" * 19_990,
        "/" + " " * 19_990,
        "show me a " + "w " * 9_000,
    ],
)
def test_long_requests_take_no_time(intent: str) -> None:
    """A slow pattern takes seconds for these."""
    with at_most(25_000_000):
        mode_of(intent, CODE, PYTHON)


def test_explain_asks_any_model_for_words() -> None:
    request = parse_request("/explain", CODE, "python")
    assert request.is_question and request.demands_words
    other = parse_request("/edit explain", CODE, "python")
    assert not (other.is_question or other.demands_words)


async def count(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def test_a_small_model_gets_only_the_code_and_the_question() -> None:
    """P43: the receipt has the sizes of what is sent."""
    request = prompt_input(intent="what does this do?", source=CODE, language="python")
    messages, receipt = asyncio.run(
        build_messages(request, style="compact", budget=600, count=count)
    )
    (role, rules), (_, text) = as_text(messages)
    assert role == "system"
    assert "Write no code" in rules
    assert text == f"```python\n{CODE}\n```\n\nwhat does this do?"
    assert [item.kind for item in receipt] == ["rules", "source", "request"]
    assert sum(item.tokens or 0 for item in receipt) == len(rules) + len(text) - 2


@pytest.mark.parametrize(
    ("intent", "sent"),
    [("/explain", "explain"), ("/解释 一行", "解释 一行"), ("explain", "explain")],
)
def test_a_small_model_gets_the_slash_word_as_its_question(intent: str, sent: str) -> None:
    request = prompt_input(intent=intent, source=CODE, language="python")
    messages, _ = asyncio.run(build_messages(request, style="compact", budget=600, count=count))
    assert as_text(messages)[1][1].endswith(f"```\n\n{sent}")


def test_a_model_that_follows_rules_gets_the_usual_prompt() -> None:
    request = prompt_input(intent="what does this do?", source=CODE, language="python")
    messages, _ = asyncio.run(build_messages(request, style="full", budget=600, count=count))
    assert "answer it in words instead" in as_text(messages)[0][1]
