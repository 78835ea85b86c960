"""Words of others in Markdown: they stay escape_inline, to a real reader of Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from aiserver.sharing.fences import escape_inline, fenced, quoted

_SIGNS = "\\`*_{}[]()#+-.!|<>~$=:@&;/ ab1\n"
hostile = st.text(st.sampled_from(_SIGNS), max_size=40)
READER = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def kinds(markdown: str) -> set[str]:
    found = set()
    for token in READER.parse(markdown):
        found.add(token.type)
        found |= {child.type for child in token.children or []}
    return found


def shown(markdown: str) -> str:
    return "\n".join(
        "".join("\n" if child.type.endswith("break") else child.content for child in children)
        for token in READER.parse(markdown)
        if (children := token.children)
    )


@given(hostile)
@example("![x](http://e.com/a.png)")
@example("<img src=x onerror=alert(1)>")
@example("&lt;b&gt; __init__ \\(x\\) $y$ ```")
@example("[a]: http://x\n[a]")
def test_words_are_shown_as_they_are(text: str) -> None:
    """P11"""
    made = escape_inline(text)
    assert "\n" not in made and "$" not in made and "\\\\" not in made
    assert kinds(f"A {made}") <= {"paragraph_open", "inline", "text", "text_special"} | {
        "paragraph_close"
    }
    assert shown(f"A {made}").split() == ["A", *text.split()]


@given(hostile)
@example("# a\n\n- b\n1. c\n---\n    d")
@example("a\n===")
def test_a_quote_holds_nothing_but_words(text: str) -> None:
    """P11"""
    made = quoted(text)
    assert all(line.startswith(">") for line in made.split("\n"))
    allowed = {"blockquote_open", "blockquote_close", "paragraph_open", "paragraph_close"}
    allowed |= {"inline", "text", "text_special", "softbreak", "hardbreak"}
    assert kinds(made) <= allowed
    assert shown(made).split() == text.split()


@pytest.mark.parametrize("text", ["see www.evil.com", "http://evil.com", "me@evil.com"])
def test_addresses_become_no_links(text: str) -> None:
    """P11: also where a reader makes links of bare URLs."""
    made = escape_inline(text)
    assert not re.search(r"www\.|[^\\]://|\w@\w", made)
    assert shown(made) == text


@given(hostile, hostile)
def test_code_does_not_leave_its_fence(code: str, language: str) -> None:
    (token,) = READER.parse(fenced(code, language))
    assert token.type == "fence"
    assert token.content == f"{code}\n"
