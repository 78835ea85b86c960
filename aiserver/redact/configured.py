"""Secrets that have no form of their own, but that the server was told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from .forms import MIN_KEY_LENGTH, is_placeholder

REGISTERED: dict[str, bytes] = {}
"""Each secret, and how it stands in JSON."""

_SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:token|secret|password|passwd|(?:api|access)_?key)s?(?:_|$)"
)


def register_secrets(secrets: Iterable[str]) -> None:
    """From now on take these out too, wherever they stand: in what a cell prints, for one."""
    for secret in secrets:
        if len(secret) >= MIN_KEY_LENGTH and not is_placeholder(secret):
            REGISTERED[secret] = json.dumps(secret, ensure_ascii=False)[1:-1].encode()


def secrets_in_environment(environ: Mapping[str, str]) -> list[str]:
    """The values that a name calls a secret. Kernels inherit them, and print them easily."""
    return [
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name)
        and not re.search(r"\s|^[/~.]|://", value)  # a sentence, a file, an address
        and sum(map(str.isdigit, value)) >= 2
    ]
