"""Parse Markdown into a tree of a few elements, which the exported page renders. Pure.

Invariants:

- A tree contains only text and the elements in ``TAGS``: no HTML, and no URL that can be followed
  or loaded. A link becomes its text and URL, a picture its alternative text, a formula its source.
- Its size is a small multiple of the text's, and its depth is limited. A text that exceeds this has
  no tree and is shown as plain text.

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

LIMIT = 10_000  # characters; a longer text is shown as plain text
_CELLS = 5_000  # cells of a table, estimated; the parser pads short rows
DEPTH = 40  # nested elements
_GROWTH = 4  # limit of the size, as a multiple of the text; URLs of links count, too
_MATH = re.compile(r"\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,499}[^\s$]\$(?![0-9])")

TAGS = frozenset(
    {
        *("p", "h", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "hr", "br"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
)

Node = Any
"""A string, or a list of a tag and child nodes."""


def tree(text: str) -> list[Node] | None:
    """Parse a text; None if it is too large, or plain text."""
    if not text.strip() or len(text) > LIMIT:
        return None
    lines = text.split("\n")
    if len(lines) * max(line.count("|") for line in lines) > _CELLS:
        return None
    try:
        builder = _Builder(_GROWTH * len(text) + 1000)
        builder.add_all(_parser().parse(text))
    except _TooLarge:
        return None
    nodes = builder.nodes
    is_plain = len(nodes) == 1 and nodes[0][0] == "p" and all(isinstance(n, str) for n in nodes[0])
    return None if is_plain else nodes


class _TooLarge(Exception):
    """The tree would be too large or too deep."""


class _Builder:
    """Builds the tree from tokens, without recursion."""

    def __init__(self, budget: int) -> None:
        self.nodes: list[Node] = []
        self._open: list[list[Node]] = [self.nodes]
        self._links: list[tuple[str, list[Node], int]] = []
        self._budget = budget

    def add_all(self, tokens: Sequence[Token]) -> None:
        """Add the parser's tokens in order."""
        for token in tokens:
            if token.type == "inline":
                for child in token.children or []:
                    self._add(child)
            else:
                self._add(token)

    def _add(self, token: Token) -> None:
        if token.type == "link_open":
            parent = self._open[-1]
            self._links.append((str(token.attrs.get("href", "")), parent, len(parent)))
        elif token.type == "link_close":
            url, parent, start = self._links.pop()
            if parent[start:] != [url]:
                self._text(f" ({url})")
        elif token.type in ("paragraph_open", "paragraph_close") and token.hidden:
            if token.nesting < 0:
                self._text("\n")  # between the lines of a list item
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
            raise _TooLarge
        node: list[Node] = [tag]
        self._put(node, 1)
        self._open.append(node)
        if len(self._open) > DEPTH:
            raise _TooLarge

    def _text(self, text: str) -> None:
        if text:
            self._put(text, len(text))

    def _put(self, node: Node, size: int) -> None:
        self._budget -= size
        if self._budget < 0:
            raise _TooLarge
        self._open[-1].append(node)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes 30 ms, so only exports import it

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", _math)
    return parser


def _math(state: StateInline, silent: bool) -> bool:
    """Parse a formula between dollar signs, in which Markdown has no meaning."""
    if state.src[state.pos] != "$":
        return False
    match = _MATH.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("math", "", 0).content = match[0]
    state.pos = match.end()
    return True
