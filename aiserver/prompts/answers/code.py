"""Find the code for a code cell in an answer.

Invariants:

- The suggestion is made of the blocks that belong to the cell, in their order: those with a tag of
  the cell's language, or else those without the name of a language. Further blocks belong to it
  only if the blocks before them prepare for them. Another way, sample output and shell commands
  stay in the explanation, because they must not run in the cell.
- A block with sentences in the place of code is a part of the explanation.
- In a Python cell, an answer without any block is code if it parses as Python and is more than a
  few words such as "Sorry". In other languages, an answer without any block is code if it looks
  like code. Otherwise, the suggestion is empty: the answer is in words.
"""

from __future__ import annotations

import re

from ..fence import code_block
from ..language import LANGUAGES, CellLanguage
from . import python_cells
from .blocks import Block, find_blocks, without_wrapper
from .characters import Replaced, cleaned
from .prose_in_code import is_prose

# Words before a block that is another way to do the same.
_ANOTHER_WAY = re.compile(
    r"\b(or|alternative(ly)?|another (way|option)|instead|option \w+|method \w+)\b"
    r"|或者|或是|另一种|也可以|方法[二三2-9]|または|別の方法",
    re.IGNORECASE,
)
_CODE_SIGNS = re.compile(r"[;{}=]|<-|\w\(|^\s*(#|//|--)", re.MULTILINE)
# A line such as "Here is the code:", and not ``for x in y:``.
_INTRODUCTION = re.compile(r"\A([^\n(\[{=]*[:：])\n(?!\n)")
# What the lines of words don't have: signs and keywords of code, or an indentation.
_MAY_BE_CODE = re.compile(
    r"[=(\[{}\])]|^[ \t]+\S|^(?:import|from|def|class|for|while|if|with|try|return|raise|[@#%!])",
    re.MULTILINE,
)
_MAX_PARAGRAPHS = 24
_NO_CODE = ("text", "output", "console", "log", "markdown")  # languages of blocks without code


def split_code(text: str, language: CellLanguage) -> tuple[str, str, tuple[Replaced, ...]]:
    """Return the code and the explanation of an answer, and what was replaced in the code."""
    is_python = language.name == "python"
    is_valid = python_cells.is_python if is_python else lambda code: True
    lines, blocks = find_blocks(without_wrapper(text), is_valid)
    if not blocks:
        before, code, after = _split_unfenced("\n".join(lines), is_python=is_python)
        code, replaced = cleaned(code, is_valid)
        return code, _paragraphs(before, after), replaced
    chosen = _chosen(_candidates(blocks, language), lines, is_python=is_python)
    used = {line for block in chosen for line in range(block.first, block.last + 1)}
    code = "\n\n".join(block.code for block in chosen if block.code.strip())
    # Sentences in a block can't replace the cell's code, so they stay where they are.
    words = {block.first: block.code for block in chosen if is_prose(code, language)}
    numbers = (n for n in range(len(lines)) if n not in used or n in words)
    explanation = "\n".join(words.get(n, lines[n]) for n in numbers)
    if words:
        code = ""
    code, replaced = cleaned(code, is_valid)
    return code, explanation.strip(), replaced


def read_words(text: str, language: CellLanguage) -> str:
    """Return an answer in words, in its order. Python code without a fence gets one."""
    lines, blocks = find_blocks(without_wrapper(text), lambda code: True)
    text = "\n".join(lines)
    if blocks or language.name != "python":
        return text.strip()
    before, code, after = _split_unfenced(text, is_python=True)
    return _paragraphs(before, code_block(code, language.name) if code else "", after)


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, texts)).strip()


def language_of(text: str) -> str:
    """Return the language of the first block of code in an answer for an unknown cell."""
    _, blocks = find_blocks(without_wrapper(text), lambda code: True)
    return next((b.language for b in blocks if b.language not in ("", *_NO_CODE)), "python")


def _candidates(blocks: list[Block], language: CellLanguage) -> list[Block]:
    """Return the blocks that may belong to the cell."""

    def is_own(block: Block) -> bool:
        # A block with a cell magic is a whole cell of an IPython notebook, whatever its tag is.
        is_cell = language.kernel == "python" and block.code.startswith("%%")
        return block.language == language.name or is_cell

    if own := [block for block in blocks if is_own(block)]:
        return own
    if neutral := [block for block in blocks if block.is_neutral]:
        if language.name != "python":
            return neutral[:1]
        return [block for block in neutral if python_cells.is_python(block.code)] or neutral[:1]
    # The tags may be a name of the cell's language that isn't in the table.
    return [] if any(block.language in LANGUAGES for block in blocks) else blocks[:1]


def _chosen(blocks: list[Block], lines: list[str], *, is_python: bool) -> list[Block]:
    """Return the first block, and the blocks for which the blocks before them prepare."""
    chosen = blocks[:1]
    for block in blocks[1:] if is_python else []:
        before = "\n\n".join(earlier.code for earlier in chosen)
        words = "\n".join(lines[chosen[-1].last + 1 : block.first])
        if before.startswith("%%") or block.code.startswith("%%"):
            break
        if python_cells.only_prepares(before) or (
            not _ANOTHER_WAY.search(words) and python_cells.continues(before, block.code)
        ):
            chosen.append(block)
        else:
            break
    return chosen


def _split_unfenced(text: str, *, is_python: bool) -> tuple[str, str, str]:
    """Return the words before the code, the code, and the words after it.

    The answer has no block. If it has no code, all of it is before the code.
    """
    text = text.strip("\n").rstrip()
    if not is_python:
        return ("", text, "") if _CODE_SIGNS.search(text) else (text, "", "")
    if python_cells.looks_like_code(text):
        return "", text, ""
    # Words, code and words again, with blank lines between them.
    paragraphs = re.split(r"\n[ \t]*\n", _INTRODUCTION.sub(r"\1\n\n", text, count=1))
    count = len(paragraphs)
    if 1 < count <= _MAX_PARAGRAPHS:
        words_only = [not _MAY_BE_CODE.search(paragraph) for paragraph in paragraphs]
        spans = [(first, last) for first in range(count) for last in range(count, first, -1)]
        for first, last in spans:
            if any(words_only[first:last]):
                continue
            code = "\n\n".join(paragraphs[first:last])
            if python_cells.has_statements(code):
                return _paragraphs(*paragraphs[:first]), code, _paragraphs(*paragraphs[last:])
    return text.strip(), "", ""
