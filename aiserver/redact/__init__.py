"""Redact secrets in text before it is stored, and before it leaves the machine.

Invariants:

- Only the secret itself is replaced. Its replacement, a *redaction mark*, contains the kind of the
  secret: ``‹redacted:openai-key›``. The text around the secret doesn't change, and code remains
  valid code.
- These secrets are redacted: keys with a distinctive format, private keys, tokens in headers, and
  passwords in URLs, commands and calls. A value is also redacted if a name identifies it as a
  password or a key (``password = "…"``). Names, variables, placeholders and ordinary text aren't
  changed, because a false positive would damage somebody's code.
- Redacting takes linear time for any text. A text that is already redacted doesn't change.

The functions are pure, except that ``redact`` also replaces the secrets that were registered with
``register_secrets`` or ``Vault.register_unrecognised``.
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
