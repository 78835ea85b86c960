"""Words and code of others inside Markdown. Pure.

What must hold: whatever a text holds, it can't leave its place. Code stands in a fence longer than
any run of backticks in it; words are quoted line by line, with every sign escaped that Markdown
knows, so that no heading, link, picture, formula or HTML of theirs becomes the document's (P11).
"""

from __future__ import annotations

import html
import re

_NO_LANGUAGE = re.compile(r"[^A-Za-z0-9_+#.-]")
# What Markdown knows anywhere in a line (an underscore between letters is none of it), what would
# become a link by itself, an entity; and what it knows at the start of a line.
_ANYWHERE = re.compile(
    r"[\\$`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|&(?=#?\w+;)|(?<=\w)@(?=\w)"
)
_AT_START = re.compile(r"^(\s*)([#+=>:-]|\d+(?=[.)]))")
# JupyterLab looks for formulas before it reads Markdown: there a backslash escapes nothing.
_FORMULA = {"\\": "&#92;", "$": "&#36;"}
_WWW = re.compile(r"(?i)\bwww(?=\.)")
_BLANK = re.compile(r"[^\S\n]+")


def fenced(code: str, language: str) -> str:
    """Code in a fence that nothing in it can close."""
    runs = [len(run) for run in re.findall(r"`+", code)]
    fence = "`" * max(3, max(runs, default=0) + 1)
    return f"{fence}{_NO_LANGUAGE.sub('', language)}\n{code}\n{fence}"


def words(text: str) -> str:
    """Words in one line, nothing of which Markdown would take for its own."""
    return _escaped(" ".join(text.split()))


def quoted(text: str) -> str:
    """Words as a quote, line by line."""
    lines = [_escaped(_BLANK.sub(" ", line).strip()) for line in text.splitlines() or [""]]
    # A backslash at a line's end keeps the line break.
    broken = [f"{line}\\" if line and after else line for line, after in _pairs(lines)]
    return "\n".join(f"> {line}".rstrip() for line in broken)


def plain(text: str) -> str:
    """A short text in one line, where HTML is text."""
    return html.escape(" ".join(text.split()), quote=False)


def _escaped(line: str) -> str:
    line = _ANYWHERE.sub(lambda found: _FORMULA.get(found[0], f"\\{found[0]}"), line)
    line = _WWW.sub(r"\g<0>\\", line)
    start = _AT_START.match(line)
    if not start:
        return line
    # A number's sign stands behind it.
    end = start.end()
    head = f"{start[2]}\\" if start[2].isdigit() else f"\\{start[2]}"
    return f"{start[1]}{head}{line[end:]}"


def _pairs(lines: list[str]) -> list[tuple[str, str]]:
    return list(zip(lines, [*lines[1:], ""], strict=True))
