"""Find the code blocks of an answer, with a CommonMark parser.

Invariants: lines outside of blocks are the answer's words, unchanged. A block in a list or a quote
is without its indentation and marks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ..language import LANGUAGES, fence_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_ONE_LINE = re.compile(r"^[ \t]*(`{3,})([^`\n]+)\1[ \t]*$", re.MULTILINE)
_BARE_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*")
_PARTIAL_FENCE = re.compile(r"\n[ ]{0,3}(`{1,2}|~{1,2})\Z")
_VERSION = "0123456789."  # the characters of a version, as in ``python3.11``
_MAX_FENCES = 8  # that may be lines of one string


@dataclass(frozen=True)
class Block:
    """A code block with its fence tag or "", and the lines of its fences."""

    language: str
    code: str
    first: int
    last: int


def find_blocks(text: str, is_valid: Callable[[str], bool]) -> tuple[list[str], list[Block]]:
    """Return the lines of a text and its blocks.

    A fence in a string of the code doesn't end a block.
    """
    text = _PARTIAL_FENCE.sub("", text)
    lines, blocks = text.split("\n"), list[Block]()
    for token in _parser().parse(text):
        is_below = token.map and (not blocks or token.map[0] > blocks[-1].last)
        if token.type == "fence" and token.map and is_below:
            first, end = token.map
            block = Block(_language_of(token.info), token.content.strip("\n"), first, end - 1)
            blocks.append(_extended(block, lines, is_valid))
    if not blocks and _ONE_LINE.search(text):
        return find_blocks(_ONE_LINE.sub(_in_three_lines, text), is_valid)
    return lines, blocks


def _in_three_lines(match: re.Match[str]) -> str:
    """Split a block such as ```` ```python x = 1``` ````, as CommonMark requires it."""
    fence, code = match[1], match[2].strip(" \t")
    tag, _, rest = code.partition(" ")
    is_tag = fence_name(tag) in LANGUAGES and re.match(r"[^=.(\[+]", rest)
    return "\n".join([fence + tag, rest, fence] if is_tag else [fence, code, fence])


def _language_of(info: str) -> str:
    """Return the language after a fence, perhaps named by a file such as main.py."""
    tag = next(iter(info.split()), "").strip("{}.,:")
    name = tag.rstrip(_VERSION).rpartition(".")[2]
    return fence_name(name) if name else ""


def _extended(block: Block, lines: list[str], is_valid: Callable[[str], bool]) -> Block:
    has_open_string = any(block.code.count(quotes) % 2 for quotes in ('"""', "'''"))
    if has_open_string and not is_valid(block.code):
        fences = (n for n in range(block.last + 1, len(lines)) if _BARE_FENCE.fullmatch(lines[n]))
        for last in itertools.islice(fences, _MAX_FENCES):
            code = "\n".join(lines[block.first + 1 : last])
            if is_valid(code):
                return replace(block, code=code.strip("\n"), last=last)
    return block


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes 30 ms

    # A tag such as ``<div>`` must not hide the fence below it.
    return MarkdownIt("commonmark").disable(["html_block", "inline", "code"])
