"""Replace the secrets in texts by redaction marks.

Invariant: every line in which ``redact_line`` finds a secret contains a keyword (``_ANY_KEYWORD``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import SchemaValidator, core_schema

from .literals import end_of_joined_lines, redact_joined_literals
from .names import is_placeholder, is_random, secret_name
from .patterns import MIN_KEY_LENGTH, Replace, redact_line, redact_private_keys

OPEN, CLOSE = "‹redacted:", "›"

REGISTERED: dict[str, str] = {}
"""Maps each registered secret to its kind. It grows while other threads read it."""


# Each line with a secret, in lower case, contains one of these or matches a pattern below.
_KEYWORDS = (
    *("sk-", "glpat-", "xai-", "nvapi-", "pypi-", "ya29."),
    *("dapi", "lsv2_", "pplx-", "tvly-", "pcsk_", "r8_", "gocspx-", "dckr_", "hooks.slack.", "sig"),
    *("github_pat_", "hf_", "gsk_", "k_live_", "k_test_", "npm_"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "akia", "akid", "asia", "aiza", "xox", "ltai", "eyj"),
    *("pass", "pw", "identified by", "key", "secret", "token", "credential", "密码", "口令"),
    *("://", "authorization", "bearer ", "basic ", ".login(", "curl", "-u ", "--user"),
    *("mysql", "mariadb", "sshpass"),
)
_QUOTE = r"\\?['\"]"  # with a backslash in a record's JSON
_OPENING = rf"[rbuf]{{0,2}}{_QUOTE}"
# Ordinary text contains "sg." and "auth", too ("msg.", "author").
_KEYWORD_FORMS = (
    r"sg\.[a-z0-9_-]{16}",
    ":aa[a-z0-9_-]{33}",
    "_v1_[0-9a-f]{64}",
    r"auth['\"\\]{0,2}[ ]{0,4}[=:(]",
    # Joined literals, which may split the words above.
    r"(?:''|\\?\"\\?\")\.join\([ \t]*[\[(]",
    rf"(?:%s){{2,6}}{_QUOTE}[ \t]*%",
    rf"(?:\{{[0-9]?\}}){{2,6}}{_QUOTE}\.format\(",
    rf"{_QUOTE}[ \t]*\+[ \t]*\(?[ \t]*{_OPENING}",
    rf"%s{_QUOTE}[ \t]*%[ \t]*\(?[ \t]*{_OPENING}",
    rf"\}}{_QUOTE}\.format\([ \t]*{_OPENING}",
)
# A literal that may be joined to one on the next line.
_LITERAL_AT_END = r"(?m:['\"][ \t]*(?:\+[ \t]*)?\\?$)"


# Pydantic's regex engine searches for all at once. One by one was ten times slower, a tenth of each
# save (benchmarks/stores.py).
_ANY_KEYWORD = SchemaValidator(
    core_schema.str_schema(
        pattern="|".join([*map(re.escape, _KEYWORDS), *_KEYWORD_FORMS, _LITERAL_AT_END]),
        regex_engine="rust-regex",
    )
)
_LINE = re.compile(r"[^\n]+")
_redacted_lines: dict[tuple[str, bool], str] = {}
_MAX_LINES, _MAX_LENGTH = 5_000, 300  # of the cache, and of a line in it


def redact(text: str, *, is_prose: bool = False) -> str:
    """Replace secrets by redaction marks."""
    is_short_name = len(text) < MIN_KEY_LENGTH and text.isascii() and text.isidentifier()
    if is_short_name and text not in REGISTERED:
        return text  # such as the name of a record's field
    if len(_redacted_lines) > _MAX_LINES:
        _redacted_lines.clear()
    return replace_secrets(
        text, is_prose, lambda kind, secret: redaction_mark(kind), _redacted_lines
    )


def redact_json(value: Any) -> Any:
    """Redact all texts in JSON-ready data, also the keys of objects."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_json(item) for item in value]
    if isinstance(value, dict):
        return {redact_json(name): redact_json(item) for name, item in value.items()}
    return value


def redaction_mark(kind: str, nonce: str = "") -> str:
    """Return the text that replaces a secret of this kind."""
    return f"{OPEN}{kind}{':' + nonce if nonce else ''}{CLOSE}"


def replace_secrets(
    text: str, is_prose: bool, replace: Replace, cache: dict[tuple[str, bool], str]
) -> str:
    """Replace each secret in a text.

    ``cache`` has the results for short lines, most of which occur in several turns. It is for one
    ``replace``, which always returns the same text for a secret.
    """
    text = redact_private_keys(text, replace)
    for secret, kind in list(REGISTERED.items()):
        if secret in text:
            text = text.replace(secret, replace(kind, secret))
    pieces, position = [], 0
    for start, line_end in _candidate_lines(text):
        if start < position:
            continue  # was redacted with the lines before it
        end = end_of_joined_lines(text, start, line_end)
        original = text[start:end]
        redacted = cache.get((original, is_prose))
        if redacted is None:
            lines = redact_joined_literals(original, is_prose, replace).split("\n")
            redacted = "\n".join(redact_line(line, is_prose, replace) for line in lines)
            if len(original) <= _MAX_LENGTH:
                cache[original, is_prose] = redacted
        pieces += [text[position:start], redacted]
        position = end
    return "".join([*pieces, text[position:]]) if pieces else text


def _candidate_lines(text: str) -> list[tuple[int, int]]:
    lower = text.lower()
    if len(lower) != len(text):  # a letter has become two characters
        return [line.span() for line in _LINE.finditer(text)]
    if not lower.isascii():
        lower = lower.encode("utf-8", "replace").decode()  # the engine rejects lone surrogates
    if not _ANY_KEYWORD.isinstance_python(lower):
        return []
    spans, start = [], 0
    for line in lower.split("\n"):
        if _ANY_KEYWORD.isinstance_python(line):
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


def register_secrets(secrets: Iterable[str]) -> None:
    """Make ``redact`` replace these secrets everywhere, as in a cell's output.

    Placeholders and short secrets are ignored.
    """
    for secret in secrets:
        if len(secret) >= MIN_KEY_LENGTH and not is_placeholder(secret):
            REGISTERED[secret] = "token"


def secrets_in_environment(environ: Mapping[str, str]) -> list[str]:
    """Return the secrets in variables such as ``HF_TOKEN``.

    Kernels inherit the environment, so its values may occur in cells and outputs.
    """
    return [
        value
        for name, value in environ.items()
        if (secret := secret_name(name))
        and secret.form != "signature"
        and (secret.form != "vague" or is_random(value))
        and not re.search(r"\s|^[/~.]|://", value)  # not a sentence, a path or a URL
        and sum(map(str.isdigit, value)) >= 2
    ]
