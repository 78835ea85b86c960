"""Embed text and code from cells, requests and models in a Markdown document. Pure.

Invariant: no result of ``fenced``, ``quoted`` and ``escape_inline`` can affect how the document
around it is rendered.
"""

from __future__ import annotations

import re
from itertools import pairwise

_NOT_IN_LANGUAGE = re.compile(r"[^A-Za-z0-9_+#.-]")
# Special characters within a line, and those that make a link or an HTML entity.
_ANYWHERE = re.compile(
    r"[\\$`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|&(?=#?\w+;)|(?<=\w)@(?=\w)"
)
_AT_START = re.compile(r"^(\s*)([#+=>:-]|\d+(?=[.)]))")
# JupyterLab extracts formulas before it parses Markdown, so a backslash can't escape these.
_ENTITIES = {"\\": "&#92;", "$": "&#36;"}
# Viewers turn a web address into a link even if it begins with www instead of a scheme.
_WWW = re.compile(r"(?i)\bwww(?=\.)")
_BLANK = re.compile(r"[^\S\n]+")


def fenced(code: str, language: str) -> str:
    """Put code between Markdown fences that are longer than any backtick sequence in the code."""
    lengths = [len(backticks) for backticks in re.findall(r"`+", code)]
    fence = "`" * max(3, max(lengths, default=0) + 1)
    return f"{fence}{_NOT_IN_LANGUAGE.sub('', language)}\n{code}\n{fence}"


def escape_inline(text: str) -> str:
    """Join the lines of a text into one line, and escape Markdown's special characters in it."""
    return _escaped(" ".join(text.split()))


def quoted(text: str) -> str:
    """Format a text as a Markdown block quote, escaped line by line."""
    lines = [_escaped(_BLANK.sub(" ", line).strip()) for line in text.splitlines() or [""]]
    # A backslash at the end of a line preserves the line break.
    pairs = pairwise([*lines, ""])
    with_breaks = [f"{line}\\" if line and next_line else line for line, next_line in pairs]
    return "\n".join(f"> {line}".rstrip() for line in with_breaks)


def _escaped(line: str) -> str:
    line = _ANYWHERE.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), line)
    line = _WWW.sub(r"\g<0>\\", line)
    start = _AT_START.match(line)
    if not start:
        return line
    # After the number of a list item: "1\."
    end = start.end()
    head = f"{start[2]}\\" if start[2].isdigit() else f"\\{start[2]}"
    return f"{start[1]}{head}{line[end:]}"
