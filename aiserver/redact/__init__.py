"""Takes secrets out of text: before it is stored, and before it leaves the machine (P16).

What must hold:

- Only the secret literal goes; what is around it stays to the letter, and code stays code. In its
  place stands a mark that says what it was, such as ``‹redacted:openai-key›``.
- What is found are keys that cannot be mistaken (their providers gave them a form), private keys,
  passwords in addresses, and literals that a name calls a password or a key. Names, variables,
  placeholders and ordinary text are left alone: a false alarm would damage somebody's code.
- It takes time in proportion to the text, whatever the text is. Done twice, it changes nothing.

Pure, but for the secrets that it was told to ``register_secrets``, and knows nothing of the rest.

``texts`` puts marks where secrets were · ``forms`` what secrets look like · ``commands`` passwords
of commands and calls · ``literals`` secrets in joined literals · ``hints`` where to look ·
``known`` those that the server was told · ``vault`` hides them from a model.
"""

from __future__ import annotations

from .configured import register_secrets, secrets_in_environment
from .hints import may_hold_secrets
from .texts import mark, redact, redact_json
from .vault import Vault

__all__ = [
    "Vault",
    "mark",
    "may_hold_secrets",
    "redact",
    "redact_json",
    "register_secrets",
    "secrets_in_environment",
]
