"""Find the lines that may contain secrets.

This module searches for keywords, which is faster than matching all patterns.

Invariant: every line in which ``redact_line`` finds a secret is a candidate line.
"""

from __future__ import annotations

import re

from pydantic_core import SchemaValidator, core_schema

# Every line with a secret, converted to lower case, contains one of these words or matches one of
# the patterns below.
_WORDS = (
    *("sk-", "glpat-", "xai-", "nvapi-", "pypi-", "ya29."),
    *("dapi", "lsv2_", "pplx-", "tvly-", "pcsk_", "r8_", "gocspx-", "dckr_", "hooks.slack.", "sig"),
    *("github_pat_", "hf_", "gsk_", "k_live_", "k_test_", "npm_"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "akia", "akid", "asia", "aiza", "xox", "ltai", "eyj"),
    *("pass", "pw", "identified by", "key", "secret", "token", "credential", "密码", "口令"),
    *("://", "authorization", "bearer ", "basic ", ".login(", "curl", "-u ", "--user"),
    *("mysql", "mariadb", "sshpass"),
)
_QUOTE = r"\\?['\"]"  # with a backslash if the text is a record's JSON
_OPENING = rf"[rbuf]{{0,2}}{_QUOTE}"
# Words such as "sg." and "auth" are also part of ordinary text ("msg.", "author"). So these
# patterns require more of the secret's format than a single word.
_FORMS = (
    r"sg\.[a-z0-9_-]{16}",
    ":aa[a-z0-9_-]{33}",
    "_v1_[0-9a-f]{64}",
    r"auth['\"\\]{0,2}[ ]{0,4}[=:(]",
    # Literals that are joined. The words above may be split between them.
    r"(?:''|\\?\"\\?\")\.join\([ \t]*[\[(]",
    rf"(?:%s){{2,6}}{_QUOTE}[ \t]*%",
    rf"(?:\{{[0-9]?\}}){{2,6}}{_QUOTE}\.format\(",
    rf"{_QUOTE}[ \t]*\+[ \t]*\(?[ \t]*{_OPENING}",
    rf"%s{_QUOTE}[ \t]*%[ \t]*\(?[ \t]*{_OPENING}",
    rf"\}}{_QUOTE}\.format\([ \t]*{_OPENING}",
)
# A literal at the end of a line, which may be joined to a literal on the next line.
_LITERAL_AT_END = r"(?m:['\"][ \t]*(?:\+[ \t]*)?\\?$)"


# Pydantic's regex engine searches for all keywords at once. Searching for the keywords one by one
# was ten times slower, and took up a tenth of each save (benchmarks/stores.py).
_ANY_KEYWORD = SchemaValidator(
    core_schema.str_schema(
        pattern="|".join([*map(re.escape, _WORDS), *_FORMS, _LITERAL_AT_END]),
        regex_engine="rust-regex",
    )
)
_LINE = re.compile(r"[^\n]+")


def candidate_lines(text: str) -> list[tuple[int, int]]:
    """Return the start and the end of each line that may contain secrets."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter has become two characters, so positions differ
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
