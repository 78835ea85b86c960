"""Texts without their secrets, and the marks that stand there instead."""

from __future__ import annotations

from typing import Any

from .configured import KNOWN
from .forms import NO_KEY, Put, in_line, without_private_keys
from .hints import lines_to_look_at
from .literals import end_of_joined, joined_in_place

OPEN, CLOSE = "‹redacted:", "›"


def redact(text: str, *, said: bool = False) -> str:
    """``text`` without its secrets. ``said``: it is a person's sentence, not code."""
    if len(text) < NO_KEY and text.isascii() and text.isidentifier():
        return text  # a name, as all the keys of a record are: nothing is said of its value
    return replaced(text, said, lambda kind, secret: mark(kind))


def redact_all(value: Any) -> Any:
    """JSON-ready data with the texts inside it redacted, names of keys included."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_all(item) for item in value]
    if isinstance(value, dict):
        return {redact_all(name): redact_all(item) for name, item in value.items()}
    return value


def mark(kind: str, nonce: str = "") -> str:
    """What stands in a secret's place."""
    return f"{OPEN}{kind}{':' + nonce if nonce else ''}{CLOSE}"


def replaced(
    text: str, said: bool, put: Put, cache: dict[tuple[str, bool], str] | None = None
) -> str:
    """A text with something else in the place of each secret.

    ``cache`` holds results by line for one ``put`` that always gives the same for a secret: the
    turns of a cell repeat most lines (``benchmarks/first_token.py``).
    """
    text = without_private_keys(text, put)
    for secret in KNOWN:
        if secret in text:
            text = text.replace(secret, put("token", secret))
    parts, place = [], 0
    for start, line_end in lines_to_look_at(text):
        if start < place:
            continue  # seen with the lines before it
        end = end_of_joined(text, start, line_end)
        part = text[start:end]
        clean = None if cache is None else cache.get((part, said))
        if clean is None:
            lines = joined_in_place(part, said, put).split("\n")
            clean = "\n".join(in_line(line, said, put) for line in lines)
            if cache is not None:
                cache[part, said] = clean
        parts += [text[place:start], clean]
        place = end
    return "".join([*parts, text[place:]]) if parts else text
