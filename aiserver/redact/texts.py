"""Replace the secrets in texts by redaction marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .literals import end_of_joined_lines, redact_joined_literals
from .names import is_placeholder, is_random, secret_name
from .patterns import MIN_KEY_LENGTH, Replace, redact_line, redact_private_keys
from .prefilter import candidate_lines

OPEN, CLOSE = "‹redacted:", "›"

REGISTERED: dict[str, str] = {}
"""Maps each registered secret to its kind. It grows while other threads read it."""


def redact(text: str, *, is_prose: bool = False) -> str:
    """Return ``text`` with its secrets replaced by redaction marks."""
    is_short_name = len(text) < MIN_KEY_LENGTH and text.isascii() and text.isidentifier()
    if is_short_name and text not in REGISTERED:
        return text  # a short name, such as the name of a record's field, contains no secret
    return replace_secrets(text, is_prose, lambda kind, secret: redaction_mark(kind))


def redact_json(value: Any) -> Any:
    """Return JSON-ready data with all texts redacted, including the keys of objects."""
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
    text: str, is_prose: bool, replace: Replace, cache: dict[tuple[str, bool], str] | None = None
) -> str:
    """Return a text with each secret replaced.

    ``cache`` stores the results for lines, because most lines occur in several turns of a cell. All
    calls with it must have the same ``replace``, which always returns the same text for the same
    secret.
    """
    text = redact_private_keys(text, replace)
    for secret, kind in list(REGISTERED.items()):
        if secret in text:
            text = text.replace(secret, replace(kind, secret))
    pieces, position = [], 0
    for start, line_end in candidate_lines(text):
        if start < position:
            continue  # this line was redacted together with the lines before it
        end = end_of_joined_lines(text, start, line_end)
        original = text[start:end]
        redacted = None if cache is None else cache.get((original, is_prose))
        if redacted is None:
            lines = redact_joined_literals(original, is_prose, replace).split("\n")
            redacted = "\n".join(redact_line(line, is_prose, replace) for line in lines)
            if cache is not None:
                cache[original, is_prose] = redacted
        pieces += [text[position:start], redacted]
        position = end
    return "".join([*pieces, text[position:]]) if pieces else text


def register_secrets(secrets: Iterable[str]) -> None:
    """Make ``redact`` replace these secrets wherever they occur, for example in a cell's output.

    Placeholders and short secrets are ignored.
    """
    for secret in secrets:
        if len(secret) >= MIN_KEY_LENGTH and not is_placeholder(secret):
            REGISTERED[secret] = "token"


def secrets_in_environment(environ: Mapping[str, str]) -> list[str]:
    """Return the values of variables that are named like secrets, such as ``HF_TOKEN``.

    Values that don't look like secrets are left out. Kernels inherit the environment, so its values
    may occur in cells and outputs.
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
