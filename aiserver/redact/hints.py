"""Where to look for secrets at all: the words near them are found faster than their patterns.

Invariant: whatever ``forms`` or ``known`` would find, is found in what is looked at.
"""

from __future__ import annotations

import re

from pydantic_core import SchemaValidator, core_schema

from .configured import REGISTERED

# One of these is in every line that holds a secret, in lower case.
_WORDS = (
    *("sk-", "glpat-", "xai-", "nvapi-", "pypi-", "ya29."),
    *("github_pat_", "hf_", "gsk_", "k_live_", "k_test_", "npm_"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "akia", "akid", "asia", "aiza", "xox", "ltai", "eyj"),
    *("passw", "passphrase", "pwd", "key", "secret", "token", "credential", "密码", "口令"),
    *("://", "bearer ", "basic ", ".login(", "curl", "-u ", "--user"),
    *("mysql", "mariadb", "sshpass"),
    *("\u212a", "\u0130"),  # letters whose small form is in a word
)
_QUOTE = r"\\?['\"]"  # also in a record's JSON
_OPENING = rf"[rbuf]{{0,2}}{_QUOTE}"
# These are in ordinary words, too ("msg.", "author"), so more of the secret's form is asked for.
_FORMS = (
    r"sg\.[a-z0-9_-]{16}",
    ":aa[a-z0-9_-]{33}",
    "_v1_[0-9a-f]{64}",
    r"auth['\"\\]{0,2}[ ]{0,4}[=:(]",
    # Joints of literals, which may cut a word.
    r"(?:''|\\?\"\\?\")\.join\([ \t]*[\[(]",
    rf"(?:%s){{2,6}}{_QUOTE}[ \t]*%",
    rf"(?:\{{[0-9]?\}}){{2,6}}{_QUOTE}\.format\(",
    rf"{_QUOTE}[ \t]*\+[ \t]*\(?[ \t]*{_OPENING}",
    rf"%s{_QUOTE}[ \t]*%[ \t]*\(?[ \t]*{_OPENING}",
    rf"\}}{_QUOTE}\.format\([ \t]*{_OPENING}",
)
# A literal that ends its line, perhaps joined to one below: in a record's JSON, and in a text.
_ENDS_IN_JSON = rf"{_QUOTE}[ \t]*(?:\+[ \t]*)?(?:\\\\)?\\n[ \t]*(?:\+[ \t]*)?{_OPENING}"
_ENDS = r"(?m:['\"][ \t]*(?:\+[ \t]*)?\\?$)"


def _any_of(*forms: str) -> SchemaValidator:
    # The engine behind pydantic looks for all of them at once. One by one takes ten times as
    # long, which was a tenth of a whole save.
    pattern = "|".join([*map(re.escape, _WORDS), *_FORMS, *forms])
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))


_ANY_IN_JSON = _any_of(_ENDS_IN_JSON)
_ANY = _any_of(_ENDS)
_LINE = re.compile(r"[^\n]+")


def may_hold_secrets(data: bytes) -> bool:
    """Whether a record's JSON may hold what ``redact_json`` would take out; False is sure."""
    lower = data.lower().replace(b'_tokens"', b"")  # as models count them
    if _ANY_IN_JSON.isinstance_python(lower.decode("utf-8", "replace")):
        return True
    return any(secret in data for secret in REGISTERED.values())


def candidate_lines(text: str) -> list[tuple[int, int]]:
    """Start and end of the lines that a hint is in."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is two
        return [line.span() for line in _LINE.finditer(text)]
    if not lower.isascii():
        lower = lower.encode("utf-8", "replace").decode()  # the engine takes no half characters
    if not _ANY.isinstance_python(lower):
        return []
    found, place = [], 0
    for line in lower.split("\n"):
        if _ANY.isinstance_python(line):
            found.append((place, place + len(line)))
        place += len(line) + 1
    return found
