"""Embed foreign text and code in Markdown. Pure.

Invariant: no text can break out of its place. Code is in a fence longer than any run of backticks
in it. Prose is quoted line by line with Markdown's special characters escaped, so that none of its
headings, links, pictures, formulas or HTML become part of the document (P11).
"""

from __future__ import annotations

import html
import re
from itertools import pairwise

_NO_LANGUAGE = re.compile(r"[^A-Za-z0-9_+#.-]")
# Special characters within a line (except an underscore between letters), automatic links and
# entities; and special characters at the start of a line.
_ANYWHERE = re.compile(
    r"[\\$`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|&(?=#?\w+;)|(?<=\w)@(?=\w)"
)
_AT_START = re.compile(r"^(\s*)([#+=>:-]|\d+(?=[.)]))")
# JupyterLab extracts formulas before it parses Markdown, so backslashes don't escape these.
_FORMULA = {"\\": "&#92;", "$": "&#36;"}
_WWW = re.compile(r"(?i)\bwww(?=\.)")
_BLANK = re.compile(r"[^\S\n]+")


def fenced(code: str, language: str) -> str:
    """Put code in a fence that it can't close."""
    runs = [len(run) for run in re.findall(r"`+", code)]
    fence = "`" * max(3, max(runs, default=0) + 1)
    return f"{fence}{_NO_LANGUAGE.sub('', language)}\n{code}\n{fence}"


def escape_inline(text: str) -> str:
    """Escape a text as one line of Markdown."""
    return _escaped(" ".join(text.split()))


def quoted(text: str) -> str:
    """Format a text as a block quote, escaped line by line."""
    lines = [_escaped(_BLANK.sub(" ", line).strip()) for line in text.splitlines() or [""]]
    # A backslash at the end of a line preserves the line break.
    pairs = pairwise([*lines, ""])
    with_breaks = [f"{line}\\" if line and after else line for line, after in pairs]
    return "\n".join(f"> {line}".rstrip() for line in with_breaks)


def plain(text: str) -> str:
    """Return a text as one line with HTML escaped."""
    return html.escape(" ".join(text.split()), quote=False)


def _escaped(line: str) -> str:
    line = _ANYWHERE.sub(lambda match: _FORMULA.get(match[0], f"\\{match[0]}"), line)
    line = _WWW.sub(r"\g<0>\\", line)
    start = _AT_START.match(line)
    if not start:
        return line
    # In "1." the backslash goes after the number.
    end = start.end()
    head = f"{start[2]}\\" if start[2].isdigit() else f"\\{start[2]}"
    return f"{start[1]}{head}{line[end:]}"
