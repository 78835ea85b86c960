"""The code for a code cell in an answer, and its explanation."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from aiserver.prompts.answers.python_cells import is_prose
from aiserver.prompts.answers.reader import read_answer
from aiserver.prompts.language import cell_language

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
    "indented fence": ("  ```python\n  x = 1\n  ```", "x = 1", ""),
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
    "a draft among thoughts": (
        "<think>\nFirst:\n```python\ndf.dropna()\n```\nNo.\n</think>\n\n```python\ndf.fillna(0)\n```",
        "df.fillna(0)",
        "",
    ),
    "tag of a tool": ("```tool_code\nx = 1\n```", "x = 1", ""),
    "tag with a version": ("```python3.11\nx = 1\n```", "x = 1", ""),
    "tag of a file": ("```main.py\nx = 1\n```", "x = 1", ""),
    "braces": ("```{.python .numberLines}\nx = 1\n```", "x = 1", ""),
    "unknown tag": ("```foolang\nx = 1\n```", "x = 1", ""),
    "another language only": ("```bash\nls\n```", "", "```bash\nls\n```"),
    "tildes": ("~~~python\nx = 1\n~~~", "x = 1", ""),
    "in a list": (
        "1. Run this:\n\n   ```python\n   if x:\n       y = 1\n   ```\n2. Done.",
        "if x:\n    y = 1",
        "1. Run this:\n\n2. Done.",
    ),
    "in a quote": ("> ```python\n> x = 1\n> ```", "x = 1", ""),
    "in one line": ("```python x = 1```", "x = 1", ""),
    "in one line without a tag": ("```x = 1```", "x = 1", ""),
    "a fence inside a string": (
        '```python\ns = """\n```\nls\n```\n"""\nt = 1\n```\nDone.',
        's = """\n```\nls\n```\n"""\nt = 1',
        "Done.",
    ),
    "the whole answer in a fence": (
        "```markdown\nHere:\n```python\nx = 1\n```\nDone.\n```",
        "x = 1",
        "Here:\nDone.",
    ),
    "imports, then code": (
        "Imports:\n```python\nimport a\n```\nThen:\n```python\na.b()\n```",
        "import a\n\na.b()",
        "Imports:\nThen:",
    ),
    "an installation, then code": (
        "```python\n!pip install a\n```\n```python\nimport a\n```",
        "!pip install a\n\nimport a",
        "",
    ),
    "code that builds on code": (
        "```python\ndf = load()\n```\nThen plot:\n```python\ndf.plot()\n```",
        "df = load()\n\ndf.plot()",
        "Then plot:",
    ),
    "the same in another way": (
        "```python\ny = x.sum()\n```\n\n```python\ny = sum(x)\n```",
        "y = x.sum()",
        "```python\ny = sum(x)\n```",
    ),
    "sample output first": (
        "Your data:\n```\na  b\n1  2\n```\nSo:\n```python\ndf.plot()\n```",
        "df.plot()",
        "Your data:\n```\na  b\n1  2\n```\nSo:",
    ),
    "a cell with a magic": ("```sql\n%%sql\nSELECT 1\n```", "%%sql\nSELECT 1", ""),
    "magics without a fence": ("%pip install a\nimport a", "%pip install a\nimport a", ""),
    "a question mark": ("len?", "len?", ""),
    "code between words": (
        "Here is the code:\n\nimport a\n\ndef f():\n    return a\n\nI hope it helps.",
        "import a\n\ndef f():\n    return a",
        "Here is the code:\n\nI hope it helps.",
    ),
    "code below a line with words": (
        "Here is the code:\nimport a",
        "import a",
        "Here is the code:",
    ),
    "a stop token": ("```python\nx = 1\n```<|im_end|>", "x = 1", ""),
    "no-break spaces": ("```python\nif x:\n\u00a0\u00a0 y = 1\u200b\n```", "if x:\n   y = 1", ""),
    "typographic quotes": ("```python\nprint(“a”)\n```", 'print("a")', ""),
    "quotes in a valid string": ("```python\nprint('“a”\u00a0')\n```", "print('“a”\u00a0')", ""),
    "entities": ("```python\nif a &lt; b: c\n```", "if a < b: c", ""),
    "sentences in a block": (
        "Note:\n```python\nThis is the mean of all prices.\n```\nDone.",
        "",
        "Note:\nThis is the mean of all prices.\nDone.",
    ),
    "an open block with sentences": (
        "```python\nThis is the mean.\nIt has no unit.",
        "",
        "This is the mean.\nIt has no unit.",
    ),
    "an interactive session": ("```pycon\n>>> x = 1\n>>> x\n1\n```", "x = 1\nx", ""),
}


def read(answer: str, language: str = "python") -> tuple[str, str]:
    """Return the code and the explanation of an answer."""
    result = read_answer(answer, cell_language(language))
    return result.code, result.explanation


@pytest.mark.parametrize("name", CASES)
def test_reads(name: str) -> None:
    answer, suggestion, explanation = CASES[name]
    code, words = read(answer)
    assert (code, re.sub(r"\n{2,}", "\n\n", words)) == (
        suggestion,
        re.sub(r"\n{2,}", "\n\n", explanation),
    )


@pytest.mark.parametrize(
    ("code", "replaced"),
    [
        ("```python\nprint('“a”\u00a0')\n```<|im_end|>", ()),
        ("```python\nif x:\n\u00a0\u00a0 y = 1\n```", ("spaces",)),
        ("```python\nx\u200b = 1\n```", ("invisible",)),
        ("```python\nx\u00a0= “a\u200b”\n```", ("spaces", "invisible", "quotes")),
        ("```python\nif a &lt; b: c\n```", ("entities",)),
        ("```pycon\n>>> x = 1\n```", ("prompts",)),
        ("x = 1<|im_end|>", ("stop_tokens",)),
        ("```python\nx = ‘1’</s>", ("quotes", "stop_tokens")),
        ("```python\nx\u00a0= (\n```", ()),  # stays as it is
    ],
)
def test_replaced_characters_are_listed(code: str, replaced: tuple[str, ...]) -> None:
    assert read_answer(code, cell_language("python")).replaced == replaced


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            "First:\n\nimport a\n\nThen the end.",
            "First:\n\n```python\nimport a\n```\n\nThen the end.",
        ),
        ("It loads:\nx = load()\n\nDone.", "It loads:\n\n```python\nx = load()\n```\n\nDone."),
        ("x = load()", "```python\nx = load()\n```"),
        (
            "A:\n```python\nx = 1\n```\nB:\n```\n1\n```",
            "A:\n```python\nx = 1\n```\nB:\n```\n1\n```",
        ),
        ("```markdown\nA:\n```python\nx = 1\n```\nB.\n```", "A:\n```python\nx = 1\n```\nB."),
        ("It is the mean.<|im_end|>", "It is the mean."),
    ],
)
def test_in_an_answer_in_words_code_stays_where_it_was(answer: str, words: str) -> None:
    result = read_answer(answer, cell_language("python"), in_words=True)
    assert (result.code, result.explanation) == ("", words)


def test_words_about_r_are_no_code() -> None:
    words = "It sets x = 1.\n\nThen it calls f(x)."
    assert read_answer(words, cell_language("r"), in_words=True).explanation == words


@pytest.mark.parametrize("cell_type", ["markdown", "raw"])
def test_an_answer_in_words_is_no_text_of_a_cell(cell_type: Literal["markdown", "raw"]) -> None:
    language = cell_language("python", "", cell_type)
    result = read_answer("# It lists\n\nthree goals.", language, in_words=True)
    assert (result.code, result.explanation) == ("", "# It lists\n\nthree goals.")


@pytest.mark.parametrize(
    ("language", "answer", "suggestion"),
    [
        ("R", "```r\nx <- 1\n```", "x <- 1"),
        ("ir", "```R\nx <- 1\n```", "x <- 1"),
        ("julia", "```jl\nx = 1\n```", "x = 1"),
        ("sql", "SELECT count(*) FROM t;", "SELECT count(*) FROM t;"),
        ("r", "I don't know", ""),
        ("pyspark", "```python\nx\n```", "x"),
        ("sagemath", "```sage\nx\n```", "x"),
        ("spark", "```scala\nx\n```", "x"),
        ("C#", "```csharp\nx;\n```", "x;"),
        ("r", "```foolang\nx <- 1\n```", "x <- 1"),
        ("r", "```python\nx = 1\n```", ""),
    ],
)
def test_other_languages(language: str, answer: str, suggestion: str) -> None:
    assert read(answer, language)[0] == suggestion


@pytest.mark.parametrize("answer", ["\ufeffx = 2", "x = 2\x1b[0m", "x = '\0'"])
def test_code_without_a_fence_is_code_despite_stray_characters(answer: str) -> None:
    assert read(answer)[0] == answer.removeprefix("\ufeff")


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
    assert is_prose(code) is expected
