"""Find the code for a code cell in an answer.

Invariants:

- The suggestion is made of the blocks with a tag of the cell's language, or else those without a
  language, in their order. Further blocks belong to it only if the blocks before them prepare for
  them. Another way, sample output and shell commands stay in the explanation, because they must not
  run in the cell.
- A block of sentences is a part of the explanation.
- In a Python cell, an answer without any block is code if it parses as Python and is more than a
  few words such as "Sorry"; in other languages, if it looks like code. Otherwise, the answer is in
  words.
- Characters of typeset text, prompts and stop tokens in code are replaced only if that makes it
  valid.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable
from typing import Literal

from ..fence import code_block
from ..language import LANGUAGES, CellLanguage
from . import python_cells
from .blocks import Block, find_blocks
from .prose import split_prose

Replaced = Literal["spaces", "invisible", "entities", "quotes", "prompts", "stop_tokens"]

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')
_INPUT = re.compile(r"^(?:>>>|\.\.\.|In \[\d+\]:) ?(.*)", re.MULTILINE)  # of a session
_TAIL = 200  # characters at the end, where stop tokens are looked for
# Tokens that a server should have removed.
_STOP_TOKENS = re.compile(
    r"(?:\s*(?:<\|[a-z_]{2,30}\|>|<｜[^｜>\n]{1,30}｜>|</s>|<eos>|<end_of_turn>))+\s*\Z"
)

_CLEANINGS: dict[Replaced, Callable[[str], str]] = {
    "spaces": lambda code: _SPACES.sub(" ", code),
    "invisible": lambda code: _INVISIBLE.sub("", code),
    "entities": html.unescape,
    "quotes": lambda code: code.translate(_QUOTES),
    "prompts": lambda code: "\n".join(_INPUT.findall(code)) or code,
}

# Words before a block that is another way to do the same.
_ANOTHER_WAY = re.compile(
    r"\b(or|alternative(ly)?|another (way|option)|instead|option \w+|method \w+)\b"
    r"|或者|或是|另一种|也可以|方法[二三2-9]|または|別の方法",
    re.IGNORECASE,
)
_CODE_SIGNS = re.compile(r"[;{}=]|<-|\w\(|^[ \t]*(#|//|--)", re.MULTILINE)
_WRAPPER = re.compile(r"\s*(`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\n", re.IGNORECASE)
# Words around code without a fence, such as "Here is the code:".
_INTRODUCTION = re.compile(r"[^\n]*(?:[:：]\n+|\n\s*\n)")
_LAST_PARAGRAPH = re.compile(r"\n[^\S\n]*\n[^\n]+\Z")
_NO_CODE = ("text", "output", "console", "log", "markdown")  # languages of blocks without code


def split_code(text: str, language: CellLanguage) -> tuple[str, str, tuple[Replaced, ...]]:
    """Return the code, the explanation, and what was replaced in the code."""
    is_python = language.name == "python"
    is_valid = python_cells.is_python if is_python else lambda code: True
    lines, blocks = find_blocks(_without_wrapper(text), is_valid)
    if not blocks:
        before, code, after = _split_unfenced("\n".join(lines), is_python=is_python)
        code, replaced = cleaned(code, is_valid)
        return code, _paragraphs(before, after), replaced
    chosen = _chosen(_candidates(blocks, language), lines, is_python=is_python)
    used = {line for block in chosen for line in range(block.first, block.last + 1)}
    # Sentences in a block stay where they are.
    words = {b.first: b.code for b in chosen if is_python and python_cells.is_prose(b.code)}
    code = "\n\n".join(b.code for b in chosen if b.code.strip() and b.first not in words)
    numbers = (n for n in range(len(lines)) if n not in used or n in words)
    explanation = "\n".join(words.get(n, lines[n]) for n in numbers)
    code, replaced = cleaned(code, is_valid)
    return code, explanation.strip(), replaced


def read_words(text: str, language: CellLanguage) -> str:
    """Return an answer in words. Python code without a fence gets one."""
    lines, blocks = find_blocks(_without_wrapper(text), lambda code: True)
    text = "\n".join(lines)
    if blocks or language.name != "python":
        return text.strip()
    before, code, after = _split_unfenced(text, is_python=True)
    return _paragraphs(before, code_block(code, language.name) if code else "", after)


def language_of(text: str) -> str:
    """Return the language of an answer's first block of code."""
    _, blocks = find_blocks(_without_wrapper(text), lambda code: True)
    languages = (block.language for block in blocks if block.language in LANGUAGES)
    return next((language for language in languages if language not in _NO_CODE), "python")


def _without_wrapper(text: str) -> str:
    return _paragraphs(*split_prose(text, "markdown")) if _WRAPPER.match(text) else text


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(filter(None, (text.strip("\n") for text in texts))).rstrip()


def _candidates(blocks: list[Block], language: CellLanguage) -> list[Block]:
    def is_own(block: Block) -> bool:
        # A cell magic makes a whole cell of IPython, whatever the tag.
        is_cell = language.kernel == "python" and block.code.startswith("%%")
        return block.language == language.name or is_cell

    # The tag may be any word for code, such as ``tool_code``.
    untagged = [block for block in blocks if block.language not in LANGUAGES]
    if language.name == "python":
        untagged = [b for b in untagged if python_cells.is_python(b.code)] or untagged[:1]
    return [block for block in blocks if is_own(block)] or untagged


def _chosen(blocks: list[Block], lines: list[str], *, is_python: bool) -> list[Block]:
    chosen = blocks[:1]
    for block in blocks[1:] if is_python else []:
        before = "\n\n".join(earlier.code for earlier in chosen)
        words = "\n".join(lines[chosen[-1].last + 1 : block.first])
        is_next_step = python_cells.only_prepares(before) or (
            not _ANOTHER_WAY.search(words) and python_cells.continues(before, block.code)
        )
        if not is_next_step or "%%" in (before[:2], block.code[:2]):
            break
        chosen.append(block)
    return chosen


def _split_unfenced(text: str, *, is_python: bool) -> tuple[str, str, str]:
    """Return the words before the code, the code or "", and those after it."""
    text = text.strip("\n").rstrip()
    if not is_python:
        return ("", text, "") if _CODE_SIGNS.search(text) else (text, "", "")
    introduction, last = _INTRODUCTION.match(text), _LAST_PARAGRAPH.search(text)
    starts = [0, introduction.end()] if introduction else [0]
    ends = [len(text), last.start()] if last else [len(text)]
    for start, end in itertools.product(starts, ends):
        if python_cells.looks_like_code(text[start:end]):
            return text[:start], text[start:end], text[end:]
    return text, "", ""


def cleaned(code: str, is_valid: Callable[[str], bool]) -> tuple[str, tuple[Replaced, ...]]:
    """Replace characters if that makes the code valid."""
    changed, replaced = code, list[Replaced]()
    for kind, clean in _CLEANINGS.items() if not is_valid(code) else ():
        before, changed = changed, clean(changed)
        if changed != before:
            replaced.append(kind)
            if is_valid(changed):
                return changed, tuple(replaced)
    return code, ()


def without_stop_tokens(text: str) -> str:
    """Remove the stop tokens at the end."""
    return text[:-_TAIL] + _STOP_TOKENS.sub("", text[-_TAIL:])
