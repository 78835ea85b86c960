"""Secrets that the server registers, because they have no format by which to recognise them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from .patterns import MIN_KEY_LENGTH, is_placeholder

REGISTERED: dict[str, bytes] = {}
"""Maps each registered secret to its JSON string as bytes, without the quotes of the string."""

_SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:token|secret|password|passwd|(?:api|access)_?key)s?(?:_|$)"
)


def register_secrets(secrets: Iterable[str]) -> None:
    """Make ``redact`` replace these secrets wherever they occur, for example in a cell's output.

    Placeholders, and secrets of fewer than ``MIN_KEY_LENGTH`` characters, are ignored.
    """
    for secret in secrets:
        if len(secret) >= MIN_KEY_LENGTH and not is_placeholder(secret):
            REGISTERED[secret] = json.dumps(secret, ensure_ascii=False)[1:-1].encode()


def secrets_in_environment(environ: Mapping[str, str]) -> list[str]:
    """Return the values of environment variables that are named like secrets, such as ``HF_TOKEN``.

    Values that don't look like secrets are left out: paths, URLs, values with spaces, and values
    with fewer than two digits. Kernels inherit the environment variables, so their values may occur
    in cells and outputs.
    """
    return [
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name)
        and not re.search(r"\s|^[/~.]|://", value)  # not a sentence, a path or a URL
        and sum(map(str.isdigit, value)) >= 2
    ]
