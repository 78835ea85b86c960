"""Delimit untrusted text, so that it can't pose as part of the prompt (P14).

Invariant: a delimited text can't contain its own closing mark. The mark is an HMAC of the text with
a secret of this process: unpredictable for the text's author, but the same for the same text, so
that a prompt that was read during warm-up keeps its prefix.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from .language import fence_name

_SECRET = secrets.token_bytes(32)


def nonce(text: str) -> str:
    """Return six hex digits that nobody outside this process can predict."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(_SECRET, data, hashlib.sha256).hexdigest()[:6]


def marked(kind: str, text: str) -> str:
    """Put ``text`` between ``<kind nonce>`` and ``</kind nonce>``."""
    mark = nonce(kind + "\0" + text)
    return f"<{kind} {mark}>\n{text}\n</{kind} {mark}>"


def code_block(code: str, language: str) -> str:
    """Put ``code`` into a Markdown fence that is longer than any run of backticks in it.

    The fence of prose has at least four backticks, since prose may contain code blocks with three.
    """
    name = fence_name(language)
    longest = max(map(len, re.findall("`+", code)), default=0)
    ticks = "`" * max(4 if name in ("markdown", "text") else 3, longest + 1)
    return f"{ticks}{name}\n{code}\n{ticks}"
