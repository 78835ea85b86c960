"""Names of secrets in code, settings, URLs and the environment, and values that may be secrets."""

from __future__ import annotations

import re
from typing import NamedTuple

_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# In lower case. Any characters may precede them, as in `dbpassword` and `HF_TOKEN`, except that
# `key`, `pass` and `pw` are words of their own.
_WORD = re.compile(
    r"(?:(?P<password>passwords?|passwd|passw|passphrases?|pwd|identified by|密码|口令)"
    r"|(?P<short>(?<![a-z0-9])(?:pass|pw))"
    r"|(?P<key>(?:api|access|secret|private|account|subscription|license|encryption)[-_. ]?keys?)"
    r"|(?P<token>tokens?)|(?P<secret>secrets?|credentials?)"
    # Public keys are no secrets; GPG_KEY is one in Docker's images of Python.
    r"|(?P<vague>(?<![a-z0-9])(?<!public[-_. ])(?<!gpg[-_. ])keys?|authorization)"
    r"|(?P<signature>(?<![a-z0-9])sig(?:nature)?)"
    r")(?![a-z])"
)
# Values that look like placeholders, paths, types or ordinary words.
_PLACEHOLDER = re.compile(
    r"(?i)[x*._-]+|.*(?:your|my|the|an?)[_-].*|.*(?:example|placeholder|changeme|redacted).*"
    r"|<.*>|\[.*\]|[$%/~].*|.*[{}].*|\.{1,2}/.*|[a-z]:\\.*"
    r"|str|string|text|object|int|integer|none|null|true|false|hidden|required|optional|varchar.*"
    r"|passwords?|passwd|pwd|secret|token|user(?:name)?|category"
)
# Code between two literals, as in `"password='" + name + "'"`.
_BETWEEN_LITERALS = re.compile(r"['\"`].*|.*['\"`]|[+,)%].*[+,(%]", re.DOTALL)
_EXPRESSION = re.compile(r".*\(.*|[A-Za-z_]+(?:\.[A-Za-z_]+)*\d?")
# A password may have several words, but a sentence, such as a label, is none.
_WORDS = re.compile(r"[^\s'\"`,:;(){}\[\]<>=]{1,64}(?:[ ][^\s'\"`,:;(){}\[\]<>=]{1,64}){1,8}")
_SENTENCE = re.compile(
    r"(?i)\b(?:an?|and|are|at|be|by|can|enter|for|from|has|if|in|is|it|least|must|no|not|of|on|or"
    r"|please|should|than|the|this|to|use|with|you|your|pass\w*|pwd|characters?|chars?|digits?"
    r"|letters?|min|max|required|field|user\w*|login)\b|\.$"
)
_MIN_RANDOM = 20  # characters
_SEPARATOR = re.compile(r"(?i)[-_+/=]|%2b|%2f|%3d")
_DIGIT_CHANGE = re.compile(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")


class SecretName(NamedTuple):
    """A ``kind`` of secret, and the ``form`` of its values.

    A ``password`` may be any text. ``short`` has letters and digits, ``key`` and ``token`` are
    longer, ``vague`` and ``signature`` random.
    """

    kind: str
    form: str


def secret_name(name: str) -> SecretName | None:
    """Return what a name says about its value, or None.

    If it ends with other words, as ``token_type`` does, the value must be random. Spark's names end
    with an account, after a full stop.
    """
    lower = _CASE_CHANGE.sub("_", name).lower()
    matches = list(_WORD.finditer(lower))
    if not matches:
        return None
    last = matches[-1]
    group, rest = str(last.lastgroup), lower[last.end() :]
    kind = {"short": "password", "password": "password", "token": "token"}.get(group, "key")
    form = "token" if group == "secret" else group
    if rest.strip("0123456789_-.") and not (group == "key" and rest.startswith(".")):
        return None if form in ("short", "vague", "signature") else SecretName(kind, "vague")
    return SecretName(kind, form)


def is_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder."""
    return len(set(value)) < 3 or _PLACEHOLDER.fullmatch(value) is not None


def may_be_secret(value: str, form: str) -> bool:
    """Return whether a value has its name's form (``SecretName``)."""
    return (
        value.isascii()
        and _has_form(value, form)
        and not is_placeholder(value)
        and not _BETWEEN_LITERALS.fullmatch(value)
    )


def _has_form(value: str, form: str) -> bool:
    if form in ("vague", "signature"):
        return is_random(value)
    has_letters, digit_count = any(map(str.isalpha, value)), sum(map(str.isdigit, value))
    if any(map(str.isspace, value)):
        is_phrase = _WORDS.fullmatch(value) and not _SENTENCE.search(value)
        return form == "password" and digit_count > 0 and bool(is_phrase)
    if form == "password":
        return True
    if form == "short":
        return has_letters and digit_count > 0 and len(value) >= 6
    is_long_enough = len(value) >= (8 if form == "key" else 16)
    is_expression = _EXPRESSION.fullmatch(value) is not None
    return is_long_enough and has_letters and digit_count >= 2 and not is_expression


def is_random(value: str) -> bool:
    """Return whether a value is a long mixture of letters and digits."""
    if len(value) < _MIN_RANDOM:
        return False
    pieces = _SEPARATOR.split(value)
    longest = max(pieces, key=len)
    return (
        len(longest) >= _MIN_RANDOM - 4
        and len(_DIGIT_CHANGE.findall(longest)) >= 3
        and sum(map(str.isalpha, longest)) >= 4  # more than in 20260101T120000Z
        and all(piece.isalnum() or not piece for piece in pieces)
        and not any(len(piece) > 3 and piece.isalpha() for piece in pieces)
    )
