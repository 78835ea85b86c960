"""Delimit untrusted text, so that a model can't mistake it for instructions in the prompt.

Invariants: a delimited text can't contain its own closing mark. The mark contains an HMAC of the
text, computed with a secret of this process, so the text's author can't predict the mark. In one
process, the same text always gets the same mark. So if a model has read the beginning of a prompt
during warm-up, the model doesn't need to read this beginning again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from .language import fence_name

_SECRET = secrets.token_bytes(32)


def nonce(text: str) -> str:
    """Return six hex digits that depend on ``text`` and that only this process can compute."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(_SECRET, data, hashlib.sha256).hexdigest()[:6]


def marked(kind: str, text: str) -> str:
    """Put ``text`` between ``<kind nonce>`` and ``</kind nonce>``."""
    mark = nonce(kind + "\0" + text)
    return f"<{kind} {mark}>\n{text}\n</{kind} {mark}>"


def code_block(code: str, language: str) -> str:
    """Put code between longer fences than any in it; prose may contain code blocks."""
    name = fence_name(language)
    longest = max(map(len, re.findall("`+", code)), default=0)
    ticks = "`" * max(4 if name in ("markdown", "text") else 3, longest + 1)
    return f"{ticks}{name}\n{code}\n{ticks}"
