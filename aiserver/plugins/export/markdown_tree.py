"""Parse Markdown into a tree of a few elements, which the exported page renders. Pure.

Invariants: a tree contains only text and the elements in ``TAGS``, and nothing that a browser
follows or loads: a link becomes its text and URL, a picture its alternative text, a formula its
source. Its size and depth are limited; a text that exceeds the limits is shown as plain text.

A node is a string, or a list ``[tag, child, …]``. ``ol:3`` is a numbered list that begins with 3,
and ``h:2`` is a heading of the second level.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.tree import SyntaxTreeNode

LIMIT = 10_000  # characters; a longer text is shown as plain text
# The parser pads short rows, so a short text can become a large table.
_MAX_TABLE_CELLS = 5_000
DEPTH = 40  # the maximum number of elements that are nested inside each other
_MAX_GROWTH = 10  # the maximum size of a tree as JSON, as a multiple of the text's size
_MATH = re.compile(r"\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,499}[^\s$]\$(?![0-9])")

TAGS = frozenset(
    {
        *("p", "h", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "hr", "br"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
)

_ELEMENTS = TAGS | {f"h{level}" for level in range(1, 7)}

Node = Any


def tree(text: str) -> list[Node] | None:
    """Parse a text. Return None if it has no markup, or if the text or its tree exceeds a limit."""
    if not text.strip() or len(text) > LIMIT:
        return None
    lines = text.split("\n")
    if len(lines) * max(line.count("|") for line in lines) > _MAX_TABLE_CELLS:
        return None
    from markdown_it.tree import SyntaxTreeNode  # slow, so only exports import it

    try:
        nodes = _convert(SyntaxTreeNode(_parser().parse(text)), 0)
    except RecursionError:
        return None
    if len(json.dumps(nodes, ensure_ascii=False)) > _MAX_GROWTH * len(text) + 1000:
        return None
    is_plain = len(nodes) == 1 and nodes[0][0] == "p" and all(isinstance(n, str) for n in nodes[0])
    return None if is_plain else nodes


def _convert(node: SyntaxTreeNode, depth: int) -> list[Node]:
    """Convert a node of the parser. Raises RecursionError beyond the depth ``DEPTH``."""
    if depth > DEPTH:
        raise RecursionError
    if node.type in ("fence", "code_block"):
        return [["pre", node.content.removesuffix("\n")]]
    if node.type == "code_inline":
        return [["code", node.content]]
    if node.type in ("hr", "hardbreak"):
        return [[node.tag]]
    if node.type == "softbreak":
        return ["\n"]
    if node.type in ("text", "image", "math"):
        return [node.content] if node.content else []
    is_hidden = node.is_root or (node.type == "paragraph" and node.hidden)
    is_element = not is_hidden and node.tag in _ELEMENTS
    nodes = [
        converted for child in node.children for converted in _convert(child, depth + is_element)
    ]
    if is_element:
        return [[_tag(node), *nodes]]
    if node.type == "paragraph":
        # A paragraph in a list without blank lines gets no element, but a line break.
        return [*nodes, "\n"]
    if node.type == "link" and nodes != [url := str(node.attrs.get("href", ""))]:
        return [*nodes, f" ({url})"]
    return nodes


def _tag(node: SyntaxTreeNode) -> str:
    """Return a node's tag: ``h:2`` for a heading, ``ol:3`` for a list that doesn't begin with 1."""
    if node.type == "heading":
        return f"h:{node.tag[1]}"
    return f"ol:{node.attrs['start']}" if "start" in node.attrs else node.tag


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # importing it takes 30 ms, so only exports do so

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", _math)
    return parser


def _math(state: StateInline, silent: bool) -> bool:
    """Parse a formula between dollar signs, whose Markdown isn't parsed."""
    if state.src[state.pos] != "$":
        return False
    match = _MATH.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("math", "", 0).content = match[0]
    state.pos = match.end()
    return True
