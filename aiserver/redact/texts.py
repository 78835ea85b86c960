"""Replace the secrets in texts by marks."""

from __future__ import annotations

from typing import Any

from .literals import end_of_joined_lines, redact_joined
from .patterns import MIN_KEY_LENGTH, Replace, redact_line, redact_private_keys
from .prefilter import candidate_lines
from .registered import REGISTERED

OPEN, CLOSE = "‹redacted:", "›"


def redact(text: str, *, is_prose: bool = False) -> str:
    """Return ``text`` with marks for its secrets. ``is_prose``: it is prose, not code."""
    if len(text) < MIN_KEY_LENGTH and text.isascii() and text.isidentifier():
        return text  # a name, such as each key of a record
    return replace_secrets(text, is_prose, lambda kind, secret: mark(kind))


def redact_json(value: Any) -> Any:
    """Return JSON-ready data with all texts redacted, including keys."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_json(item) for item in value]
    if isinstance(value, dict):
        return {redact_json(name): redact_json(item) for name, item in value.items()}
    return value


def mark(kind: str, nonce: str = "") -> str:
    """Return the mark that replaces a secret."""
    return f"{OPEN}{kind}{':' + nonce if nonce else ''}{CLOSE}"


def replace_secrets(
    text: str, is_prose: bool, replace: Replace, cache: dict[tuple[str, bool], str] | None = None
) -> str:
    """Return a text with each secret replaced.

    ``cache`` holds results by line for one ``replace`` that always gives the same for a secret: the
    turns of a cell repeat most lines (``benchmarks/first_token.py``).
    """
    text = redact_private_keys(text, replace)
    for secret in REGISTERED:
        if secret in text:
            text = text.replace(secret, replace("token", secret))
    parts, position = [], 0
    for start, line_end in candidate_lines(text):
        if start < position:
            continue  # already handled with the lines before it
        end = end_of_joined_lines(text, start, line_end)
        part = text[start:end]
        clean = None if cache is None else cache.get((part, is_prose))
        if clean is None:
            lines = redact_joined(part, is_prose, replace).split("\n")
            clean = "\n".join(redact_line(line, is_prose, replace) for line in lines)
            if cache is not None:
                cache[part, is_prose] = clean
        parts += [text[position:start], clean]
        position = end
    return "".join([*parts, text[position:]]) if parts else text
