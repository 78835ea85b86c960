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
    """``code`` in a Markdown fence that is longer than any run of backticks in it."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{fence_name(language)}\n{code}\n{ticks}"


def fence_name(language: str) -> str:
    """The word after the fence for a kernel's language, such as ``python`` or ``r``."""
    word = language.strip().lower().split()[0] if language.strip() else "python"
    word = {"ipython": "python", "python3": "python", "ir": "r"}.get(word, word)
    return "".join(c for c in word if c.isascii() and (c.isalnum() or c in "+#.-"))[:32] or "python"
