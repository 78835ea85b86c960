"""Secrets that a model must not see, and that come back in its answer."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from .texts import CLOSE, OPEN, mark, replace_secrets

_LONGEST_MARK = 64


class Vault:
    """Hides secrets from a model, and puts them back into its answer.

    The marks of one process name a secret by a keyed hash: the same secret has the same mark, two
    have two, and nobody outside can make up a mark that stands for a secret. With ``conceal`` off
    (for a model on this machine) nothing is hidden.
    """

    _key = secrets.token_bytes(32)

    def __init__(self, *, conceal: bool = True) -> None:
        self._conceal = conceal
        self._secrets: dict[str, str] = {}  # by mark
        self._kinds: dict[str, list[str]] = {}  # the marks of each kind
        self._held = ""
        self._texts: dict[tuple[str, bool], str] = {}  # what was hidden already, and as what
        self._lines: dict[tuple[str, bool], str] = {}

    def __len__(self) -> int:
        return len(self._secrets) if self._conceal else 0

    def hide(self, text: str, *, is_prose: bool = False) -> str:
        """``text`` as the model may see it."""
        hidden = self._texts.get((text, is_prose))
        if hidden is None:
            hidden = replace_secrets(text, is_prose, self._put, self._lines)
            self._texts[text, is_prose] = hidden
        return hidden if self._conceal else text

    def recall(self, text: str) -> str:
        """A text of our own record, where a secret that was taken out is now known again.

        So the model sees the same code there as in the cell. Not for texts that others wrote: they
        could name a secret they don't know.
        """
        if OPEN in text:
            for kind, names in self._kinds.items():
                if len(names) == 1:
                    known = names[0] if self._conceal else self._secrets[names[0]]
                    text = text.replace(mark(kind), known)
        return text

    def feed(self, text: str) -> str:
        """The next piece of the answer, with secrets back; half a mark waits for its rest."""
        if not (self._secrets and self._conceal):
            return text
        text = self._held + text
        start = text.rfind(OPEN[0])
        waits = start >= 0 and CLOSE not in text[start:] and len(text) - start < _LONGEST_MARK
        self._held = text[start:] if waits else ""
        return self._restored(text[:start] if waits else text)

    def finish(self) -> str:
        """What still waited when the answer ended."""
        held, self._held = self._held, ""
        return held

    def _put(self, kind: str, secret: str) -> str:
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
