"""Answers for Markdown and raw cells: the fences of the text itself survive."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.prompts.fence import code_block
from aiserver.prompts.prose import ProseParser

from ..examples import examples

# answer, suggestion, explanation
CASES = {
    "four backticks": (
        "````markdown\n# A\n\n```python\nx = 1\n```\n\n```\nplain\n```\nend\n````\n",
        "# A\n\n```python\nx = 1\n```\n\n```\nplain\n```\nend",
        "",
    ),
    "explained": ("Sure:\n\n````markdown\n# A\n````\n\nDone.", "# A", "Sure:\n\n\nDone."),
    "three backticks": ("```markdown\n# A\n```", "# A", ""),
    "alias": ("```md\n# A\n```", "# A", ""),
    "untagged": ("```\n# A\n```\n", "# A", ""),
    "tagged block inside three": (
        "```markdown\n# A\n\n```python\nx = 1\n```\n\nend\n```\n",
        "# A\n\n```python\nx = 1\n```\n\nend",
        "",
    ),
    "untagged block inside three": (
        "```markdown\n# A\n\n```\nx = 1\n```\n\nend\n```\n",
        "# A\n\n```\nx = 1\n```\n\nend",
        "",
    ),
    "both inside three": (
        "```markdown\n```sh\nls\n```\n```\na.csv\n```\n```",
        "```sh\nls\n```\n```\na.csv\n```",
        "",
    ),
    "explained behind three": (
        "```markdown\n# A\n```\nIt is a title.\nNo more.",
        "# A",
        "It is a title.\nNo more.",
    ),
    "a block behind three": (
        "```markdown\n# A\n```\nTry it:\n```python\nx\n```\n",
        "# A",
        "Try it:\n```python\nx\n```",
    ),
    "no block around it": (
        "# A\n\n```python\nx = 1\n```\n\nend\n",
        "# A\n\n```python\nx = 1\n```\n\nend",
        "",
    ),
    "begins with a block of its own": ("```python\nx\n```\n\n# A", "```python\nx\n```\n\n# A", ""),
    "a sentence": ("The users of `a.csv`.", "The users of `a.csv`.", ""),
    "中文": ("````markdown\n# 用户\n\n说明。\n````", "# 用户\n\n说明。", ""),
    "blank lines": ("````markdown\n\n# A\n\n\nb\n\n````", "# A\n\n\nb", ""),
    "hard breaks": ("````markdown\na  \nb\n````", "a  \nb", ""),
    "crlf": ("````markdown\r\n# A\r\n\r\nb\r\n````\r\n", "# A\n\nb", ""),
    "tildes": ("````markdown\n~~~\nx\n~~~\n````", "~~~\nx\n~~~", ""),
    "indented block": (
        "```markdown\n1. do\n   ```sh\n   ls\n   ```\n2. done\n```",
        "1. do\n   ```sh\n   ls\n   ```\n2. done",
        "",
    ),
    "longer fence": ("`````markdown\n````\nx\n````\n`````", "````\nx\n````", ""),
    "unclosed": ("````markdown\n# A\n\nb", "# A\n\nb", ""),
    "half a closing fence": ("````markdown\n# A\n```", "# A", ""),
    "nothing": ("", "", ""),
    "empty block": ("````markdown\n````", "", ""),
}


def read(pieces: list[str], language: str = "markdown", head: str = "") -> tuple[str, ...]:
    """Suggestion and explanation, and both as they were streamed."""
    parser = ProseParser(language, head)
    streamed = {"code": "", "explanation": ""}
    for piece in [*pieces, None]:
        for part, text in parser.finish() if piece is None else parser.feed(piece):
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


PIECES = ["```", "````", "`", "markdown", "python", "\n", "\n", "\r\n", "\r", " ", "# A", "text"]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.data())
def test_pieces_make_no_difference(words: list[str], data: st.DataObject) -> None:
    """P32: however a stream is cut, the parts are the same, and what was streamed is the whole."""
    answer = "".join(words)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=8)))
    pieces = [answer[a:b] for a, b in zip([0, *cuts], [*cuts, len(answer)], strict=True)]
    for language in ("markdown", "text"):
        complete, cut = read([answer], language), read(pieces, language)
        assert complete == cut
        suggestion, explanation, code, explained = cut
        assert (suggestion, explanation) == (code, explained)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_our_own_examples_are_parsed_literally(words: list[str]) -> None:
    """Past turns are shown as they should be answered: whatever text they hold, it survives."""
    text = "".join(words).replace("\r", "").strip("\n")
    shown = code_block(text, "markdown")
    assert read([shown])[:2] == (text if text.strip() else read([shown])[0], "")


def test_text_is_output_as_it_arrives() -> None:
    parser = ProseParser()
    assert parser.feed("````markdown\nA long li") == [("code", "A long li")]
    assert parser.feed("ne.\n") == [("code", "ne.")]
    parser = ProseParser()
    assert parser.feed("# A ti") == []
    assert parser.feed("tle\n\nand a s") == [("code", "# A title\n\nand a s")]


@pytest.mark.parametrize(
    ("answer", "suggestion"),
    [
        ("````text\n---\ntitle: a\n---\n````", "---\ntitle: a\n---"),
        ("```yaml\ntitle: a\n```", "title: a"),
        ("```latex\n\\begin{verbatim}\n```", "\\begin{verbatim}"),
        ("\\usepackage{a}", "\\usepackage{a}"),
    ],
)
def test_raw_cells(answer: str, suggestion: str) -> None:
    assert read([answer], "text")[:2] == (suggestion, "")
    assert read(list(answer), "text")[:2] == (suggestion, "")


def test_a_magic_with_a_prose_language_is_preserved() -> None:
    answer = "````markdown\n# A\n````"
    assert read([answer], head="%%markdown")[0] == "%%markdown\n# A"
