"""Delimit untrusted text, so that a model can't mistake it for instructions in the prompt.

Invariants: a text can't contain its own closing mark, which has an HMAC of the text with a secret
of this process, so its author can't predict it. In one process, a text always gets the same mark,
so that a model needn't read again what it read during warm-up.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from .language import fence_name

_SECRET = secrets.token_bytes(32)


def nonce(text: str) -> str:
    """Return six hex digits that only this process can compute."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(_SECRET, data, hashlib.sha256).hexdigest()[:6]


def marked(kind: str, text: str) -> str:
    """Put ``text`` between ``<kind nonce>`` and ``</kind nonce>``."""
    mark = nonce(kind + "\0" + text)
    return f"<{kind} {mark}>\n{text}\n</{kind} {mark}>"


def code_block(code: str, language: str) -> str:
    """Put code between longer fences than any in it."""
    name = fence_name(language)
    longest = max(map(len, re.findall("`+", code)), default=0)
    ticks = "`" * max(4 if name in ("markdown", "text") else 3, longest + 1)
    return f"{ticks}{name}\n{code}\n{ticks}"
