"""Redact secrets in text before it is stored, and before it leaves the machine.

Invariants:

- Only the secret itself is replaced, by a *redaction mark* with its kind:
  ``‹redacted:openai-key›``. Code remains valid code.
- Redacted are keys with a distinctive format, private keys, tokens in headers, passwords in URLs,
  commands and calls, and values that a name identifies as a password or a key (``password = "…"``).
  Names, variables, placeholders and ordinary text aren't changed, because a false positive would
  damage somebody's code.
- Redacting takes linear time for any text. A text that is already redacted doesn't change.

The functions are pure, except that ``redact`` also replaces registered secrets.
"""

from __future__ import annotations

from .texts import (
    redact,
    redact_json,
    redaction_mark,
    register_secrets,
    secrets_in_environment,
)
from .vault import Vault

__all__ = [
    "Vault",
    "redact",
    "redact_json",
    "redaction_mark",
    "register_secrets",
    "secrets_in_environment",
]
