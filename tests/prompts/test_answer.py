"""Answers are parsed as they arrive, and the result doesn't depend on their pieces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.prompts.answer import AnswerParser, is_prose
from aiserver.prompts.language import cell_language

from ..examples import examples

# answer, suggestion, explanation
CASES = {
    "one block": ("```python\nx = 1\n```\n", "x = 1", ""),
    "no line break at the end": ("```python\nx = 1\n```", "x = 1", ""),
    "explained": (
        "Sure:\n\n```python\nx = 1\n```\n\nIt is one.\n",
        "x = 1",
        "Sure:\n\n\nIt is one.",
    ),
    "untagged": ("```\nx = 1\n```", "x = 1", ""),
    "alias": ("```py\nx = 1\n```", "x = 1", ""),
    "upper case": ("```Python\nx = 1\n```", "x = 1", ""),
    "attributes": ("```python title=a.py\nx = 1\n```", "x = 1", ""),
    "crlf": ("```python\r\nx = 1\r\ny = 2\r\n```\r\n", "x = 1\ny = 2", ""),
    "indented fence": ("  ```python\n  x = 1\n  ```", "  x = 1", ""),
    "blank lines": ("```python\n\nx = 1\n\n\ny = 2\n\n```", "x = 1\n\n\ny = 2", ""),
    "backticks inside": (
        "```python\ns = '```'\nt = `1`\n# ``` no end\n```",
        "s = '```'\nt = `1`\n# ``` no end",
        "",
    ),
    "markdown inside": (
        '````python\ns = """\n```\ncode\n```\n"""\n````',
        's = """\n```\ncode\n```\n"""',
        "",
    ),
    "tagged fence inside": ("```python\n'''\n```sh\n'''\n```", "'''\n```sh\n'''", ""),
    "unclosed": ("```python\nx = 1\ny =", "x = 1\ny =", ""),
    "half a closing fence": ("```python\nx = 1\n``", "x = 1", ""),
    "other language first": (
        "```bash\npip install a\n```\n```python\nimport a\n```",
        "import a",
        "```bash\npip install a\n```",
    ),
    "a second way": (
        "```python\nx = 1\n```\nor\n```python\nx = 2\n```",
        "x = 1",
        "or\n```python\nx = 2\n```",
    ),
    "sample output": ("```python\nx\n```\n```\n1\n```", "x", "```\n1\n```"),
    "no fence, code": ("import pandas as pd\nprint(1)", "import pandas as pd\nprint(1)", ""),
    "no fence, words": ("I can't do that.", "", "I can't do that."),
    "no fence, one word": ("Sorry", "", "Sorry"),
    "no fence, 中文": ("对不起，我做不到。", "", "对不起，我做不到。"),
    "no fence, sentences": (
        "It's the mean of `x`.\n\n- (one)\n",
        "",
        "It's the mean of `x`.\n\n- (one)",
    ),
    "words, then code": (
        "I changed it.\n```python\nx = 1\n```",
        "x = 1",
        "I changed it.",
    ),
    "code that begins strangely": ("try: x = 1\nexcept E: pass", "try: x = 1\nexcept E: pass", ""),
    "nothing": ("", "", ""),
    "only line breaks": ("\n\n", "", ""),
    "empty block": ("```python\n```", "", ""),
    "中文": ("```python\n# 读取\ndf\n```\n显示前五行。", "# 读取\ndf", "显示前五行。"),
    "strange line ends": ("```python\na = '\x0b\u2028'\n```", "a = '\x0b\u2028'", ""),
}


def read(pieces: list[str], language: str = "python") -> tuple[str, str, str, str]:
    """Suggestion and explanation, and both as they were streamed."""
    parser = AnswerParser(language)
    streamed = {"code": "", "explanation": ""}
    for piece in pieces:
        for part, text in parser.feed(piece):
            assert text
            streamed[part] += text
    for part, text in parser.finish():
        assert text
        streamed[part] += text
    return parser.suggestion, parser.explanation, streamed["code"], streamed["explanation"].strip()


@pytest.mark.parametrize("name", CASES)
def test_reads(name: str) -> None:
    answer, suggestion, explanation = CASES[name]
    assert read([answer])[:2] == (suggestion, explanation)


@pytest.mark.parametrize("name", CASES)
def test_one_character_at_a_time(name: str) -> None:
    answer, suggestion, explanation = CASES[name]
    assert read(list(answer)) == (suggestion, explanation, suggestion, explanation)


PIECES = ["```", "`", "python", "\n", "\r\n", "\r", " ", "x = 1", "text", "r", "``", "````", "中"]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.data())
def test_pieces_make_no_difference(words: list[str], data: st.DataObject) -> None:
    """P32: however a stream is cut, the parts are the same, and what was streamed is the whole."""
    answer = "".join(words)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=8)))
    pieces = [answer[a:b] for a, b in zip([0, *cuts], [*cuts, len(answer)], strict=True)]
    complete, cut = read([answer]), read(pieces)
    assert complete == cut
    suggestion, explanation, code, explained = cut
    assert (suggestion, explanation) == (code, explained)


def test_words_are_output_as_they_arrive() -> None:
    parser = AnswerParser()
    assert parser.feed("It returns the mean.\n") == [("explanation", "It returns the mean.\n")]
    assert parser.feed("And") == [("explanation", "And")]


@given(st.text(alphabet="ab .:'\"([])}@\\\n=try", max_size=30))
def test_words_that_are_output_early_are_no_code(text: str) -> None:
    """Text that is code as a unit is code, even if its first line looks like words."""
    parser = AnswerParser()
    for character in text:
        parser.feed(character)
    parser.finish()

    class AtOnce(AnswerParser):
        def _cannot_be_code(self, first_line: str) -> bool:
            return False

    at_once = AtOnce()
    at_once.feed(text)
    at_once.finish()
    assert (parser.suggestion, parser.explanation) == (at_once.suggestion, at_once.explanation)


def test_code_is_output_as_it_arrives() -> None:
    parser = AnswerParser()
    assert parser.feed("```python\nimport pan") == [("code", "import pan")]
    assert parser.feed("das\n") == [("code", "das")]
    assert parser.feed("x") == [("code", "\nx")]
    assert parser.feed("\n```\nIt ") == [("explanation", "It ")]
    assert parser.finish() == []


@pytest.mark.parametrize(
    ("language", "answer", "suggestion"),
    [
        ("R", "```r\nx <- 1\n```", "x <- 1"),
        ("ir", "```R\nx <- 1\n```", "x <- 1"),
        ("julia", "```jl\nx = 1\n```", "x = 1"),
        ("sql", "SELECT count(*) FROM t;", "SELECT count(*) FROM t;"),
        ("r", "I don't know", ""),
    ],
)
def test_other_languages(language: str, answer: str, suggestion: str) -> None:
    assert read([answer], language)[0] == suggestion


@pytest.mark.parametrize("answer", ["\ufeffx = 2", "x = 2\x1b[0m", "x = '\0'"])
def test_code_without_a_fence_is_code_despite_stray_characters(answer: str) -> None:
    assert read([answer], "python")[0] == answer.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("It is the mean of `x`.", True),
        ("这是平均值。", True),
        ("It is the mean of\nall numbers in x", False),  # may be code with a syntax error
        ("it is the mean of x.", False),
        ("It is.", False),
        ("It is the mean. f(x)\nIt is new.", False),
    ],
)
def test_code_that_consists_of_sentences(code: str, expected: bool) -> None:
    assert is_prose(code, cell_language("python")) is expected
    assert not is_prose(code, cell_language("r"))
