"""Thoughts in the text of an answer."""

from __future__ import annotations

import pytest

from aiserver.prompts.answers.reader import Answer, read_answer
from aiserver.prompts.answers.thoughts import split_thoughts
from aiserver.prompts.language import cell_language

DRAFT = "First:\n```python\ndf.dropna()\n```\nNo."
CODE = "```python\ndf.fillna(0)\n```"
FORMS = [
    f"<think>\n{DRAFT}\n</think>\n\n{CODE}",
    f"<THINK>{DRAFT}</Think>{CODE}",
    f"{DRAFT}\n</think>\n\n{CODE}",
    f"{DRAFT}</think>{CODE}",
    f"[THINK]{DRAFT}\n[/THINK]{CODE}",
    f"\n<thought>{DRAFT}</thought>\n{CODE}",
    f"<reasoning>{DRAFT}</reasoning>\n{CODE}",
    f"<think></think><think>{DRAFT}</think>{CODE}",
    "<|channel|>analysis<|message|>" + DRAFT + "<|end|><|start|>assistant"
    f"<|channel|>final <|constrain|>code<|message|>{CODE}<|return|>",
    f"<|start|>assistant<|channel|>commentary<|message|>{DRAFT}<|end|>"
    f"<|start|>assistant<|channel|>final<|message|>{CODE}",
]


@pytest.mark.parametrize("text", FORMS)
def test_a_draft_is_no_suggestion(text: str) -> None:
    assert read_answer(text, cell_language("python")) == Answer("df.fillna(0)", "", DRAFT)


@pytest.mark.parametrize("text", FORMS)
def test_an_answer_that_is_not_complete_never_shows_thoughts_after_the_opening_tag(
    text: str,
) -> None:
    if text.startswith(DRAFT):
        return  # only the closing tag shows what the text was
    for end in range(len(text)):
        answer = read_answer(text[:end], cell_language("python"))
        assert "dropna" not in answer.code + answer.explanation


def test_thoughts_are_no_text_of_a_markdown_cell() -> None:
    text = "<think>\nKeep it short.\n</think>\n\n# Sales\n\nMonthly."
    language = cell_language("python", "", "markdown")
    assert read_answer(text, language) == Answer("# Sales\n\nMonthly.", "", "Keep it short.")


@pytest.mark.parametrize("text", ["<think>So", "<think>So</think>", "So\n</think>\n"])
def test_an_answer_may_be_only_thoughts(text: str) -> None:
    assert read_answer(text, cell_language("python")) == Answer("", "", "So")


@pytest.mark.parametrize(
    "text",
    [
        '```python\nanswer = text.split("</think>")[-1]\n```',
        "```python\ntag = '<think>'\n```",
        "Use `<think>` in the prompt.",
        "```python\nprint('<|im_end|>')\n```",
    ],
)
def test_code_about_thoughts_has_none(text: str) -> None:
    assert split_thoughts(text) == ("", text)
