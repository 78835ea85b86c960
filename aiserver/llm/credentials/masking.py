"""Options that hold a key, made safe to print.

What must hold (P8): whoever logs or shows the options sees stars in place of the secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SECRET = ("key", "token", "secret", "password", "credentials")


def masked(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same options, with each secret that is plain text as pydantic's SecretStr."""
    from pydantic import SecretStr

    return {
        name: SecretStr(value) if isinstance(value, str) and _is_secret(name) else value
        for name, value in options.items()
    }


def _is_secret(name: str) -> bool:
    # Not ``max_tokens`` and its like.
    return name.lower().endswith(_SECRET)
