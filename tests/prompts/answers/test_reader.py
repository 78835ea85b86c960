"""Answers as they arrive: the result doesn't depend on the pieces."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.prompts.answers import reader
from aiserver.prompts.answers.reader import AnswerReader, read_answer
from aiserver.prompts.language import cell_language

from ...effort import at_most
from ...examples import examples
from . import test_code, test_prose, test_thoughts

CODE = cell_language("python")
MARKDOWN = cell_language("python", "", "markdown")
ANSWERS = [
    *((answer, CODE) for answer, _, _ in test_code.CASES.values()),
    *((answer, MARKDOWN) for answer, _, _ in test_prose.CASES.values()),
    *((answer, CODE) for answer in test_thoughts.FORMS),
]
PIECES = [
    "```",
    "`",
    "python",
    "\n",
    "\r\n",
    "\r",
    " ",
    "x = 1",
    "text",
    "# A",
    "````",
    "中",
    "~~~",
]
PIECES += ["<think>", "</think>", "> ", "- ", "%%sql", "'''", '"']


@pytest.fixture(autouse=True)
def always_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the text after every piece, however quickly the pieces arrive."""
    monkeypatch.setattr(reader, "_SHARE", 0)


def shown(pieces: list[str], language=CODE, *, in_words: bool = False) -> dict[str, str]:
    """Return what is shown of an answer at its end, after all changes."""
    answer_reader = AnswerReader(language, in_words=in_words)
    texts = {"code": "", "explanation": ""}
    for piece in [*pieces, None]:
        changes = answer_reader.finish() if piece is None else answer_reader.feed(piece)
        for change in changes:
            texts[change.part] = ("" if change.replaces else texts[change.part]) + change.text
    assert answer_reader.answer.code == texts["code"]
    return texts


@pytest.mark.parametrize(("answer", "language"), ANSWERS)
def test_each_cut_gives_the_same_answer(answer: str, language) -> None:
    """P32: wherever a stream is cut, what is shown at the end is the answer.

    What is shown after a piece depends only on the text so far, so single characters are all cuts.
    """
    expected = read_answer(answer, language)
    texts = shown(list(answer), language)
    assert texts == {"code": expected.code, "explanation": expected.explanation}


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.data())
def test_pieces_make_no_difference(words: list[str], data: st.DataObject) -> None:
    """P32"""
    answer = "".join(words)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=8)))
    pieces = [answer[a:b] for a, b in itertools.pairwise([0, *cuts, len(answer)])]
    for language in (CODE, MARKDOWN, cell_language("r"), cell_language("python", "%%sql\n")):
        for in_words in (False, True):
            expected = read_answer(answer, language, in_words=in_words)
            texts = shown(pieces, language, in_words=in_words)
            assert texts == {"code": expected.code, "explanation": expected.explanation}


def test_code_and_words_are_shown_as_they_arrive() -> None:
    answer_reader = AnswerReader(CODE)
    assert answer_reader.feed("```python\nimport pan") == [reader.Change("code", "import pan")]
    assert answer_reader.feed("das\n") == [reader.Change("code", "das")]
    assert answer_reader.feed("x") == [reader.Change("code", "\nx")]
    assert answer_reader.feed("\n```\nIt ") == [reader.Change("explanation", "It")]
    assert answer_reader.finish() == []
    words = AnswerReader(CODE)
    assert words.feed("It returns the mean.\n") == [
        reader.Change("explanation", "It returns the mean.")
    ]


def test_reading_takes_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_SHARE", 20)
    now = itertools.count()  # each reading takes a second
    monkeypatch.setattr(time, "monotonic", lambda: float(next(now)))
    answer_reader = AnswerReader(CODE)
    changes = [bool(answer_reader.feed("x = 1\n")) for _ in range(100)]
    assert 4 <= sum(changes) <= 6
    answer_reader.finish()
    assert answer_reader.answer.code == ("x = 1\n" * 100).strip()


HOSTILE = {
    "fences": "```\n" * 3000,
    "open strings": "```python\nx='''\n```\n" * 1500,
    "channels": "<|channel|>" * 5000,
    "stop tokens": "<|im_end|>\n" * 5000 + "x",
    "closing tags": "</think>" * 5000,
    "quotes": "> " * 30_000,
    "lines that are blocks": "```a```\n" * 3000,
    "an open line and blanks": f"``` {' ' * 20_000}`",
    "blanks and a line": f"{' ' * 40_000}x\ny",
    "signs of code": f"{'=' * 40_000}\ny",
    "line breaks": "x = " + "\n" * 30_000 + "x\ny",
    "tildes": f"{'~' * 20_000}`",
    "a fence with digits": f"```{'1' * 40_000}x\ny\n```",
    "a value of blanks": f"x = 1\nx {' ' * 20_000}!",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_are_read_in_linear_time(name: str) -> None:
    """P17"""
    with at_most(60_000_000):
        read_answer(HOSTILE[name], CODE)
        read_answer(HOSTILE[name], CODE, ended=False)
        read_answer(HOSTILE[name], MARKDOWN)


def test_a_slow_first_reading_delays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one loads the parser; a model may pause after the second piece."""
    monkeypatch.setattr(reader, "_SHARE", 20)
    now = itertools.chain([0.0, 1.0], itertools.repeat(1.1))  # the first one takes a second
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    answer_reader = AnswerReader(CODE)
    answer_reader.feed("```python\n")
    assert answer_reader.feed("x = 1\n") == [reader.Change("code", "x = 1")]
