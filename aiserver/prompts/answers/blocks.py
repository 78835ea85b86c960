"""Find the code blocks of an answer, with a CommonMark parser.

Invariants: the lines of the text outside of the blocks' lines are the answer's words, unchanged. A
block in a list or a quote has the indentation and the marks of the list removed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ..language import LANGUAGES, fence_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_WRAPPER = re.compile(r"\s*(`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\n", re.IGNORECASE)
_ONE_LINE = re.compile(r"^[ \t]*(`{3,})[ \t]*([^`\n]+?)[ \t]*\1[ \t]*$", re.MULTILINE)
_BARE_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*")
_PARTIAL_FENCE = re.compile(r"\n[ ]{0,3}(`{1,2}|~{1,2})\Z")
_VERSION = re.compile(r"python[\d.]+")
_MAX_ATTEMPTS = 8  # to find the end of a block in whose code a string contains a fence
# Tags that say only that the block is code.
_NEUTRAL = {"code", "cell", "notebook", "ipynb", "jupyter", "jupyter-notebook", "tool_code"}


@dataclass(frozen=True)
class Block:
    """A code block: the word after its fence, its text, and the lines of its two fences."""

    tag: str
    code: str
    first: int
    last: int

    @property
    def is_neutral(self) -> bool:
        """Whether the tag names no language."""
        return not self.tag or self.tag.lower() in _NEUTRAL

    @property
    def language(self) -> str:
        """The fence tag of the block's language; empty if the tag names no language."""
        if self.is_neutral:
            return ""
        if _VERSION.fullmatch(self.tag.lower()):
            return "python"
        # A file's name, such as ``main.py``.
        return fence_name(self.tag.rpartition(".")[2] if "." in self.tag else self.tag)


def without_wrapper(text: str) -> str:
    """Return the text without a Markdown fence around the whole answer."""
    if not (wrapper := _WRAPPER.match(text)):
        return text
    text = text[wrapper.end() :].rstrip()
    head, _, last = text.rpartition("\n")
    fences = sum(bool(re.match(rf"[ \t]*{wrapper[1][0]}{{3}}", line)) for line in text.split("\n"))
    return head if _BARE_FENCE.fullmatch(last) and fences % 2 else text


def find_blocks(text: str, is_complete: Callable[[str], bool]) -> tuple[list[str], list[Block]]:
    """Return the lines of a text and its blocks.

    ``is_complete`` returns whether a block's code is valid. If it isn't because its closing fence
    is a line of a string in the code, the block ends further below.
    """
    text = _PARTIAL_FENCE.sub("", text)
    if "\n```" not in f"\n{text}".replace("\n ", "\n") or _ONE_LINE.search(text):
        text = _ONE_LINE.sub(_expand_line, text)
    lines = text.split("\n")
    blocks: list[Block] = []
    start, attempts = 0, _MAX_ATTEMPTS
    while start < len(lines):
        for block in _fenced(lines, start):
            extended = block
            if attempts and _has_open_string(block.code) and not is_complete(block.code):
                extended = _extended(block, lines, is_complete)
                attempts -= 1
            blocks.append(extended)
            start = extended.last + 1
            if extended is not block:
                break  # the lines below must be read again
        else:
            return lines, blocks
    return lines, blocks


def _fenced(lines: list[str], start: int) -> Iterator[Block]:
    """Yield the blocks at or below a line."""
    for token in _parser().parse("\n".join(lines[start:])):
        if token.type == "fence" and token.map:
            first, end = token.map
            info = token.info.strip().split()
            tag = info[0].strip("{}.,:") if info else ""
            yield Block(tag, token.content.strip("\n"), start + first, start + end - 1)


def _has_open_string(code: str) -> bool:
    return any(code.count(quotes) % 2 for quotes in ('"""', "'''"))


def _extended(block: Block, lines: list[str], is_complete: Callable[[str], bool]) -> Block:
    """Return the block up to a later fence, if only then its code is complete."""
    fences = (n for n in range(block.last + 1, len(lines)) if _BARE_FENCE.fullmatch(lines[n]))
    for last in itertools.islice(fences, _MAX_ATTEMPTS):
        code = "\n".join(lines[block.first + 1 : last])
        if is_complete(code):
            return replace(block, code=code.strip("\n"), last=last)
    return block


def _expand_line(match: re.Match[str]) -> str:
    """Return a block in one line as a block in three lines."""
    tag, _, code = match[2].partition(" ")
    is_tag = fence_name(tag) in LANGUAGES and re.match(r"\s*[^\s=.(\[+]", code)
    fence, info, code = match[1], tag if is_tag else "", code if is_tag else match[2]
    return f"{fence}{info}\n{code.strip()}\n{fence}"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes 30 ms

    # Only blocks matter. A tag such as ``<div>`` must not hide the fence in the line below it.
    return MarkdownIt("commonmark").disable(["html_block", "inline", "code"])
