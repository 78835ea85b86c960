"""Where to look for secrets at all: words are found faster than patterns.

What must hold: whatever ``forms`` or ``known`` would find, is found in what is looked at.
"""

from __future__ import annotations

import re

from .known import KNOWN

# One of these is in every line that holds a secret (in lower case), by what several share: a text
# without that need not be searched for them.
_HINTS = {
    "-": ("sk-", "glpat-", "xai-", "nvapi-", "pypi-"),
    "_": ("github_pat_", "hf_", "gsk_", "k_live_", "k_test_", "npm_"),
    "gh": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    "aki": ("akia", "akid"),
    "pass": ("passw", "passphrase"),
    "": (
        *("asia", "aiza", "xox", "ltai", "eyj", "://", "bearer ", "basic "),
        *("pwd", "key", "secret", "token", "credential"),
    ),
}
_BEYOND = ("密码", "口令")


_BYTES = [(part.encode(), [hint.encode() for hint in some]) for part, some in _HINTS.items()]
_BYTES.append((b"", [hint.encode() for hint in _BEYOND]))
_LIKE_ASCII = [letter.encode() for letter in "\u212a\u0130"]  # whose small form is in a hint

_LINE = re.compile(r"[^\n]+")
_HINTED = re.compile("|".join(map(re.escape, [*sum(_HINTS.values(), ()), *_BEYOND])))
_SHORT = 200  # characters; in a longer text its words are found faster one by one


def may_hold_secrets(data: bytes) -> bool:
    """Whether a record's JSON may hold what ``redact_all`` would take out; False is sure."""
    # In loops, for `any` and a generator take a third longer: this is in the way of every save.
    lower = data.lower().replace(b'_tokens"', b"")  # as models count them
    for part, hints in _BYTES:
        if part in lower:
            for hint in hints:
                if hint in lower:
                    return True
    if any(secret in data for secret in KNOWN.values()):
        return True
    return any(letter in data for letter in _LIKE_ASCII)


def lines_to_look_at(text: str) -> list[tuple[int, int]]:
    """Start and end of the lines that a hint is in: words are found faster than patterns."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is two
        return [line.span() for line in _LINE.finditer(text)]
    if len(text) < _SHORT and not _HINTED.search(lower):
        return []
    found: dict[int, int] = {}
    hints = [hint for part, some in _HINTS.items() if part in lower for hint in some]
    if not lower.isascii():
        hints += _BEYOND
    for hint in hints:
        place = lower.find(hint)
        while place >= 0:
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
            found[text.rfind("\n", 0, place) + 1] = end
            place = lower.find(hint, end)
    return sorted(found.items())
