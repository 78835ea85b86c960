"""Hide secrets from a model and restore them in its answer."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from .texts import CLOSE, OPEN, mark, replace_secrets

_LONGEST_MARK = 64


class Vault:
    """Hides secrets from a model, and restores them in its answer.

    A mark contains a keyed hash of its secret, with a key of this process: equal secrets have equal
    marks, different ones different marks, and nobody else can forge a mark. If ``conceal`` is off
    (for a model on this machine), nothing is hidden.
    """

    _key = secrets.token_bytes(32)

    def __init__(self, *, conceal: bool = True) -> None:
        self._conceal = conceal
        self._secrets: dict[str, str] = {}  # by mark
        self._kinds: dict[str, list[str]] = {}  # the marks of each kind
        self._pending = ""  # the beginning of a mark that may be incomplete
        self._lines: dict[tuple[str, bool], str] = {}  # with their secrets replaced

    def __len__(self) -> int:
        return len(self._secrets) if self._conceal else 0

    def hide(self, text: str, *, is_prose: bool = False) -> str:
        """Return ``text`` as the model may see it."""
        hidden = replace_secrets(text, is_prose, self._mark_for, self._lines)
        return hidden if self._conceal else text

    def recall(self, text: str) -> str:
        """Restore the secrets in a stored text that was redacted, where the mark is unambiguous.

        So the model sees the same code in the history as in the cell. Not for untrusted texts: they
        could contain a mark to obtain a secret.
        """
        if OPEN in text:
            for kind, names in self._kinds.items():
                if len(names) == 1:
                    replacement = names[0] if self._conceal else self._secrets[names[0]]
                    text = text.replace(mark(kind), replacement)
        return text

    def feed(self, text: str) -> str:
        """Restore the secrets in the next piece of the answer; buffers an incomplete mark."""
        if not (self._secrets and self._conceal):
            return text
        text = self._pending + text
        start = text.rfind(OPEN[0])
        waits = start >= 0 and CLOSE not in text[start:] and len(text) - start < _LONGEST_MARK
        self._pending = text[start:] if waits else ""
        return self._restored(text[:start] if waits else text)

    def finish(self) -> str:
        """Return the rest of the buffer at the end of the answer."""
        pending, self._pending = self._pending, ""
        return pending

    def _mark_for(self, kind: str, secret: str) -> str:
        digest = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256)
        name = mark(kind, digest.hexdigest()[:8])
        if name not in self._secrets:
            self._secrets[name] = secret
            self._kinds.setdefault(kind, []).append(name)
        return name

    def _restored(self, text: str) -> str:
        if OPEN in text:
            for name, secret in self._secrets.items():
                text = text.replace(name, secret)
        return text
