"""Answers for Markdown and raw cells: the fences of the text itself survive."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiserver.prompts.answers.reader import read_answer
from aiserver.prompts.fence import code_block
from aiserver.prompts.language import cell_language
from aiserver.requests import CellType

from ...examples import examples

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


def read(answer: str, cell_type: CellType = "markdown", source: str = "") -> tuple[str, str]:
    """Return the cell's text and the explanation of an answer."""
    result = read_answer(answer, cell_language("python", source, cell_type))
    return result.code, result.explanation


@pytest.mark.parametrize("name", CASES)
def test_reads(name: str) -> None:
    answer, suggestion, explanation = CASES[name]
    code, words = read(answer)
    assert (code, words.replace("\n\n\n", "\n\n")) == (
        suggestion,
        explanation.replace("\n\n\n", "\n\n"),
    )


PIECES = ["```", "````", "`", "markdown", "python", "\n", "\n", "\r\n", "\r", " ", "# A", "text"]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_our_own_examples_are_parsed_literally(words: list[str]) -> None:
    """Past turns are shown as they should be answered: whatever text they hold, it survives."""
    text = "".join(words).replace("\r", "").strip("\n")
    shown = code_block(text, "markdown")
    assert read(shown) == (text if text.strip() else read(shown)[0], "")


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
    assert read(answer, "raw") == (suggestion, "")


def test_a_magic_with_a_prose_language_is_preserved() -> None:
    answer = "````markdown\n# A\n````"
    assert read(answer, "code", "%%markdown\nold")[0] == "%%markdown\n# A"
