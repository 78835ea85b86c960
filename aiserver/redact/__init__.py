"""Redact secrets in text before it is stored, and before it leaves the machine (P16).

Invariants:

- Only the secret itself is replaced, by a mark with its kind such as ``‹redacted:openai-key›``.
  The text around it doesn't change, and code remains valid code.
- Redacted are keys with a distinctive format, private keys, passwords in URLs, and literals that a
  name identifies as a password or a key. Names, variables, placeholders and ordinary text don't
  change: a false positive would damage somebody's code.
- It takes linear time for any text, and is idempotent.

Pure functions, except for the secrets registered with ``register_secrets``.

``texts`` replaces secrets by marks · ``patterns`` the patterns of secrets · ``commands`` passwords
of commands and calls · ``literals`` secrets in joined literals · ``prefilter`` finds candidate
lines · ``registered`` secrets that the server registers · ``vault`` hides secrets from a model.
"""

from __future__ import annotations

from .registered import register_secrets, secrets_in_environment
from .texts import mark, redact, redact_json
from .vault import Vault

__all__ = [
    "Vault",
    "mark",
    "redact",
    "redact_json",
    "register_secrets",
    "secrets_in_environment",
]
