"""The Markdown of an answer loads nothing (P11)."""

from __future__ import annotations

import re

import pytest

from aiserver.plugins.magics.markdown import answer_markdown, safe_markdown

JOINER = "\N{WORD JOINER}"


@pytest.mark.parametrize(
    "text",
    [
        "![x](https://evil.test/a.png)",
        "![x][r]\n\n[r]: https://evil.test/a.png",
        "<img src=https://evil.test/a.png>",
        "`a <img src=x> ` <IMG src=x>",
        "[click](javascript:alert(1)) <https://evil.test> https://evil.test www.evil.test",
        "<!-- x --> </div> <?php ?>",
        r"$\href{https://evil.test}{x} \style{background:url(https://evil.test)}{x}$",
        "``` `\n<img src=x>\n",
        "- ```\n<img src=x>\n```\n<img src=y>",
        "~~~ a`b\n```\n~~~\n<img src=x>",
        "1) > ```\n> a\n\n<img src=x>\u2028```\n<img src=y>",
    ],
)
def test_nothing_has_an_effect(text: str) -> None:
    """Outside fences, each beginning of HTML, a picture, a link or an address is broken."""
    fence = ""
    for line in safe_markdown(text).split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif match := re.fullmatch(r"(`{3,})\w*", line):
            fence = match[1]
        else:
            unsafe = r"<[A-Za-z/!?]|!\[|\]\(|\]\[|\]:|[a-z]://|www\.|\\href|\\style"
            assert not re.search(unsafe, line), line
            assert not re.match(r"[\s>*+-]*(```[^`]*$|~~~)", line), line
    assert not fence


def test_formatting_is_left_and_code_is_exact() -> None:
    text = "**bold** `x < 3` and `a[0]`:\n\n1. one\n   ```python\n   if a:\n       b < c\n   ```\n"
    shown = safe_markdown(text)
    assert shown.startswith("**bold** `x < 3` and `a[0]`:")
    assert "\n```python\nif a:\n    b < c\n```" in shown and JOINER not in shown


def test_a_diagram_is_shown_as_code() -> None:
    assert safe_markdown("~~~mermaid\ngraph TD\n~~~") == "\n\n```\ngraph TD\n```\n"
    assert "```\n" in safe_markdown("```MERMAID x\ngraph")


def test_code_cannot_end_its_fence() -> None:
    code = "a = '''\n```\n<img src=x>\n````\n'''"
    shown = answer_markdown(code, "why")
    assert shown == f"`````python\n{code}\n`````\n\nwhy"
