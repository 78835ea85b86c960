"""Marks text that is data, so that it can't pass itself off as part of the prompt (P14).

What must hold: a marked text can't hold its own closing mark. The mark is an HMAC of the text
with a secret of this process: not to be guessed by who wrote the text, new in each process, yet
the same for the same text, so that a prompt that was read in advance keeps its prefix.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from .language import fence_name

__all__ = ["code_block", "fence_name", "marked", "nonce"]

_SECRET = secrets.token_bytes(32)


def nonce(text: str) -> str:
    """Six hex digits that nobody outside this process can tell in advance."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(_SECRET, data, hashlib.sha256).hexdigest()[:6]


def marked(kind: str, text: str, mark: str | None = None) -> str:
    """``text`` between ``<kind nonce>`` and ``</kind nonce>``; ``mark`` only for our own texts."""
    mark = mark or nonce(kind + "\0" + text)
    return f"<{kind} {mark}>\n{text}\n</{kind} {mark}>"


def code_block(code: str, language: str) -> str:
    """``code`` in a Markdown fence that is longer than any run of backticks in it.

    A text's fence has four at least: three belong to the code blocks that it may hold.
    """
    name = fence_name(language)
    longest = max(map(len, re.findall("`+", code)), default=0)
    ticks = "`" * max(4 if name in ("markdown", "text") else 3, longest + 1)
    return f"{ticks}{name}\n{code}\n{ticks}"
