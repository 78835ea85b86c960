"""Untrusted text in Markdown stays text, according to a real Markdown parser."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from aiserver.plugins.export.fences import escape_inline, fenced, quoted

_SIGNS = "\\`*_{}[]()#+-.!|<>~$=:@&;/ ab1\n"
hostile = st.text(st.sampled_from(_SIGNS), max_size=40)
READER = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def kinds(markdown: str) -> set[str]:
    result = set()
    for token in READER.parse(markdown):
        result.add(token.type)
        result |= {child.type for child in token.children or []}
    return result


def rendered(markdown: str) -> str:
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
def test_escaped_text_is_rendered_unchanged(text: str) -> None:
    """P11"""
    escaped = escape_inline(text)
    assert "\n" not in escaped and "$" not in escaped and "\\\\" not in escaped
    assert kinds(f"A {escaped}") <= {"paragraph_open", "inline", "text", "text_special"} | {
        "paragraph_close"
    }
    assert rendered(f"A {escaped}").split() == ["A", *text.split()]


@given(hostile)
@example("# a\n\n- b\n1. c\n---\n    d")
@example("a\n===")
def test_a_quote_contains_only_text(text: str) -> None:
    """P11"""
    quote = quoted(text)
    assert all(line.startswith(">") for line in quote.split("\n"))
    allowed = {"blockquote_open", "blockquote_close", "paragraph_open", "paragraph_close"}
    allowed |= {"inline", "text", "text_special", "softbreak", "hardbreak"}
    assert kinds(quote) <= allowed
    assert rendered(quote).split() == text.split()


@pytest.mark.parametrize("text", ["see www.evil.com", "http://evil.com", "me@evil.com"])
def test_urls_do_not_become_links(text: str) -> None:
    """P11: not even in Markdown viewers that turn bare URLs into links."""
    escaped = escape_inline(text)
    assert not re.search(r"www\.|[^\\]://|\w@\w", escaped)
    assert rendered(escaped) == text


@given(hostile, hostile)
def test_code_does_not_leave_its_fence(code: str, language: str) -> None:
    (token,) = READER.parse(fenced(code, language))
    assert token.type == "fence"
    assert token.content == f"{code}\n"
