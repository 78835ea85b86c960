"""Mask keys in model options, so that they are safe to print.

Invariant (P8): logged or displayed options contain asterisks in place of each secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SECRET = ("key", "token", "secret", "password", "credentials")


def masked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with each plain-text secret wrapped in pydantic's SecretStr."""
    from pydantic import SecretStr

    return {
        name: SecretStr(value) if isinstance(value, str) and _is_secret(name) else value
        for name, value in options.items()
    }


def _is_secret(name: str) -> bool:
    # Suffixes only, so that ``max_tokens`` and the like don't match.
    return name.lower().endswith(_SECRET)
