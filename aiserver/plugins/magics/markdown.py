"""Convert an answer to Markdown that is safe to render.

Invariant (P11): a model's text loads nothing and runs no command. JupyterLab renders pictures and
diagrams in the Markdown of an output. So an invisible character breaks HTML, pictures, links and
commands of formulas, and a diagram is shown as code.

The character is also in code between backticks, so that a parser that finds other code doesn't make
the text unsafe.
"""

from __future__ import annotations

import re

_JOINER = "\N{WORD JOINER}"
# This may begin a fence, also in a list or a quotation, with any indentation.
_FENCE = re.compile(r"((?:[ \t>*+-]|[0-9]+[.)])*)(?:(`{3,})([^`]*)|(~{3,})(.*))")
_UNSAFE = re.compile(
    r"<(?=[A-Za-z/!?])"  # HTML, and addresses between angle brackets
    r"|!(?=\[)"  # pictures
    r"|\](?=[(\[:])"  # links and their addresses
    r"|(?<=[A-Za-z])(?=://)|(?<=www)(?=\.)"  # addresses that become links
    r"|\\(?=(?:href|url|style|class|cssId|data|require|unicode|html|includegraphics))",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,32}")
_DIAGRAM = "mermaid"


def answer_markdown(code: str, explanation: str, language: str = "python") -> str:
    """Return the code in a fence, and below it the explanation."""
    parts = [_fenced(code.strip("\n"), language)] if code.strip() else []
    if explanation.strip():
        parts.append(safe_markdown(explanation.strip()))
    return "\n\n".join(parts)


def safe_markdown(text: str) -> str:
    """Return Markdown in which nothing but its formatting has an effect.

    Each fence is rewritten at the beginning of a line, after an empty one. No other line can begin
    a fence, so any parser finds the same fences.
    """
    result: list[str] = []
    code: list[str] = []
    fence = language = ""
    indentation = 0
    for line in re.split(r"\r\n|\r|\n", text):
        match = None if fence else _FENCE.fullmatch(line)
        if match:
            prefix, fence = match[1], match[2] or match[4]
            language, indentation = match[3] or match[5] or "", len(prefix)
            result.append(prefix.rstrip())
        elif not fence:
            result.append(_UNSAFE.sub(lambda match: match[0] + _JOINER, line))
        elif _closes(line, fence):
            result += ["", _fenced("\n".join(code), language), ""]
            code, fence = [], ""
        else:
            spaces = len(line) - len(line.lstrip(" "))
            code.append(line[min(spaces, indentation) :])
    if fence:
        result += ["", _fenced("\n".join(code), language)]
    return "\n".join(result)


def _closes(line: str, fence: str) -> bool:
    text = line.strip()
    return len(text) >= len(fence) and set(text) == {fence[0]}


def _fenced(code: str, language: str) -> str:
    """Return code in a fence that the code can't close."""
    longest = max(map(len, re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    word = language.strip().split(" ")[0]
    is_shown = _LANGUAGE.fullmatch(word) and not word.lower().startswith(_DIAGRAM)
    return f"{fence}{word if is_shown else ''}\n{code}\n{fence}"
