"""Markdown as a tree of a few elements, for the exported page to draw. Pure.

Invariants:

- A tree holds texts and the elements in ``TAGS``, nothing else: no HTML, no address that could be
  followed or loaded. A link is its text and its address, a picture is its alternative text, a
  formula is its source.
- It is at most a few times as large as the text, and not deep. A text for which that can't be had
  has no tree and is shown as it is.

A node is a string, or ``[tag, child, …]``; the tag may carry a number, as in ``ol:3`` (a list
that begins with 3) and ``h:2`` (a heading of the second level).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

LIMIT = 10_000  # characters; a longer text is shown as it is
_CELLS = 5_000  # of a table, by its text: the parser fills up short rows
DEPTH = 40  # elements inside each other
_GROWTH = 4  # times the text, and some: what links repeat of their addresses is counted, too
_MATH = re.compile(r"\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,499}[^\s$]\$(?![0-9])")

TAGS = frozenset(
    {
        *("p", "h", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "hr", "br"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
)

Node = Any
"""A string or a list of a tag and nodes; JSON has no better type for it."""


def tree(text: str) -> list[Node] | None:
    """The elements of a Markdown text; None for one that is too large, or nothing but text."""
    if not text.strip() or len(text) > LIMIT:
        return None
    lines = text.split("\n")
    if len(lines) * max(line.count("|") for line in lines) > _CELLS:
        return None
    try:
        builder = _Builder(_GROWTH * len(text) + 1000)
        builder.add_all(_parser().parse(text))
    except _TooMuch:
        return None
    nodes = builder.nodes
    is_plain = len(nodes) == 1 and nodes[0][0] == "p" and all(isinstance(n, str) for n in nodes[0])
    return None if is_plain else nodes


class _TooMuch(Exception):
    """The tree would be too large or too deep."""


class _Builder:
    """Puts tokens together, without recursion."""

    def __init__(self, room: int) -> None:
        self.nodes: list[Node] = []
        self._open: list[list[Node]] = [self.nodes]
        self._links: list[tuple[str, list[Node], int]] = []
        self._room = room

    def add_all(self, tokens: Sequence[Token]) -> None:
        """Add tokens of the parser, in order."""
        for token in tokens:
            if token.type == "inline":
                for child in token.children or []:
                    self._add(child)
            else:
                self._add(token)

    def _add(self, token: Token) -> None:
        if token.type == "link_open":
            place = self._open[-1]
            self._links.append((str(token.attrs.get("href", "")), place, len(place)))
        elif token.type == "link_close":
            address, place, start = self._links.pop()
            if place[start:] != [address]:
                self._text(f" ({address})")
        elif token.type in ("paragraph_open", "paragraph_close") and token.hidden:
            if token.nesting < 0:
                self._text("\n")  # the lines of a list's item
        elif token.nesting > 0:
            self._begin(token)
        elif token.nesting < 0:
            self._open.pop()
        elif token.type in ("fence", "code_block", "code_inline"):
            is_block = token.type != "code_inline"
            content = token.content.removesuffix("\n") if is_block else token.content
            self._put(["pre", content] if is_block else ["code", content], len(content))
        elif token.type in ("hr", "hardbreak"):
            self._put([token.tag], 1)
        else:  # text, a line break, a picture, a formula
            self._text("\n" if token.type == "softbreak" else token.content)

    def _begin(self, token: Token) -> None:
        tag = token.tag
        if re.fullmatch("h[1-6]", tag):
            tag = f"h:{tag[1]}"
        elif tag == "ol" and "start" in token.attrs:
            tag = f"ol:{token.attrs['start']}"
        elif tag not in TAGS:
            raise _TooMuch
        node: list[Node] = [tag]
        self._put(node, 1)
        self._open.append(node)
        if len(self._open) > DEPTH:
            raise _TooMuch

    def _text(self, text: str) -> None:
        if text:
            self._put(text, len(text))

    def _put(self, node: Node, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise _TooMuch
        self._open[-1].append(node)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 30 ms that only exports take

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", _math)
    return parser


def _math(state: StateInline, silent: bool) -> bool:
    """A formula between dollar signs: no sign in it means Markdown."""
    if state.src[state.pos] != "$":
        return False
    found = _MATH.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("math", "", 0).content = found[0]
    state.pos = found.end()
    return True
