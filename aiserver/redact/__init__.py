"""Redact secrets in text before it is stored, and before it leaves the machine.

Invariants:

- Only the secret itself is replaced, by a mark with its kind such as ``‹redacted:openai-key›``.
  The text around the secret doesn't change, and code remains valid code.
- These secrets are redacted: keys with a distinctive format, private keys, passwords in URLs, and
  string literals that a name identifies as a password or a key (``password = "…"``). Names,
  variables, placeholders and ordinary text aren't changed, because a false positive would damage
  somebody's code.
- Redacting takes linear time for any text. A text that is already redacted doesn't change.

The functions are pure, except for the secrets that were registered with ``register_secrets``.

The modules: ``texts`` replaces secrets by marks. ``prefilter`` finds the lines that may contain
secrets. ``patterns`` has the patterns of secrets, ``commands`` those of passwords in commands and
calls, and ``literals`` finds secrets that are split into several literals. ``registered`` has
secrets of this server. ``vault`` hides secrets from a model.
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
