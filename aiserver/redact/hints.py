"""Where to look for secrets at all: words are found faster than patterns.

What must hold: whatever ``forms`` or ``known`` would find, is found in what is looked at.
"""

from __future__ import annotations

import re

from pydantic_core import SchemaValidator, core_schema

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


_LIKE_ASCII = "\u212a\u0130"  # letters whose small form is in a hint

_LINE = re.compile(r"[^\n]+")
_WORDS = [*sum(_HINTS.values(), ()), *_BEYOND]
_HINTED = re.compile("|".join(map(re.escape, _WORDS)))
# The engine behind pydantic looks for all words at once. One by one takes ten times as long, which
# was a tenth of a whole save.
_ANY = SchemaValidator(
    core_schema.str_schema(
        pattern="|".join(map(re.escape, [*_WORDS, *_LIKE_ASCII])), regex_engine="rust-regex"
    )
)
_SHORT = 200  # characters; in a longer text its words are found faster one by one


def may_hold_secrets(data: bytes) -> bool:
    """Whether a record's JSON may hold what ``redact_all`` would take out; False is sure."""
    lower = data.lower().replace(b'_tokens"', b"")  # as models count them
    if _ANY.isinstance_python(lower.decode("utf-8", "replace")):
        return True
    return any(secret in data for secret in KNOWN.values())


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
