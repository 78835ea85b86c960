"""Hide secrets from a model and restore them in its answer."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

from .names import may_be_secret
from .texts import CLOSE, OPEN, REGISTERED, redact, redaction_mark, replace_secrets

_MAX_MARK_LENGTH = 64
# Where it isn't recognised, a shorter secret may be part of a word.
_MIN_LENGTH = 6


class Vault:
    """Hides secrets from a model, and restores them in the model's answer.

    A mark contains a keyed hash of the secret. The key belongs to this process, so nobody can guess
    a mark. Without ``conceal``, because the model runs on this machine, nothing is hidden.
    """

    _key = secrets.token_bytes(32)

    def __init__(self, *, conceal: bool = True) -> None:
        self._conceal = conceal
        self._secret_by_mark: dict[str, str] = {}
        self._marks_by_kind: dict[str, list[str]] = {}
        self._pending = ""  # text that may be the beginning of a mark
        self._cache: dict[tuple[str, bool], str] = {}  # see `replace_secrets`

    def __len__(self) -> int:
        return len(self._secret_by_mark) if self._conceal else 0

    def hide(self, text: str, *, is_prose: bool = False) -> str:
        hidden = replace_secrets(text, is_prose, self._mark_for, self._cache)
        return hidden if self._conceal else text

    def update_marks(self, text: str) -> str:
        """Replace the marks in a text from the history, which contain no hash.

        If this vault has exactly one secret of its kind, a mark becomes that of ``hide``, or the
        secret if nothing is hidden. Only pass texts from the history: into any other text, somebody
        could write a mark in order to obtain the secret.
        """
        if OPEN in text:
            for kind, marks in self._marks_by_kind.items():
                if len(marks) == 1:
                    replacement = marks[0] if self._conceal else self._secret_by_mark[marks[0]]
                    text = text.replace(redaction_mark(kind), replacement)
        return text

    def redact(self, texts: Sequence[str]) -> tuple[list[str], int]:
        """Return texts as they may be stored, and the number of secrets in this vault.

        Secrets are replaced even if they aren't hidden from the model.
        """
        secrets_by_length = sorted(self._kind_by_secret(), key=lambda item: -len(item[0]))
        redacted = list(texts)
        for secret, kind in secrets_by_length:
            if len(secret) >= _MIN_LENGTH:
                mark = redaction_mark(kind)
                redacted = [text.replace(secret, mark) for text in redacted]
        return redacted, len(secrets_by_length)

    def register_unrecognised(self, answer: str) -> None:
        """Register secrets that ``redact`` doesn't recognise in an answer, as in a call.

        So they are redacted in the stored answer, and in the accepted code. A secret that may be an
        ordinary word is left out.
        """
        if secrets := self._kind_by_secret():
            redacted = redact(answer)
            for secret, kind in secrets:
                if secret in redacted and may_be_secret(secret, "key"):
                    REGISTERED[secret] = kind

    def is_cut_by(self, text: str, parts: Sequence[str]) -> bool:
        """Return whether a secret in ``text`` is in none of ``parts`` completely."""
        return any(
            secret in text and not any(secret in part for part in parts)
            for secret, _ in self._kind_by_secret()
        )

    def _kind_by_secret(self) -> list[tuple[str, str]]:
        return [
            (self._secret_by_mark[mark], kind)
            for kind, marks in self._marks_by_kind.items()
            for mark in marks
        ]

    def feed(self, text: str) -> str:
        """Restore the secrets in the next piece of an answer.

        The beginning of a mark at its end is buffered.
        """
        if not (self._secret_by_mark and self._conceal):
            return text
        text = self._pending + text
        start = text.rfind(OPEN[0])
        is_incomplete = (
            start >= 0 and CLOSE not in text[start:] and len(text) - start < _MAX_MARK_LENGTH
        )
        self._pending = text[start:] if is_incomplete else ""
        return self._restore(text[:start] if is_incomplete else text)

    def finish(self) -> str:
        """Return what ``feed`` has buffered."""
        pending, self._pending = self._pending, ""
        return pending

    def _mark_for(self, kind: str, secret: str) -> str:
        digest = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256)
        new_mark = redaction_mark(kind, digest.hexdigest()[:8])
        if new_mark not in self._secret_by_mark:
            self._secret_by_mark[new_mark] = secret
            self._marks_by_kind.setdefault(kind, []).append(new_mark)
        return new_mark

    def _restore(self, text: str) -> str:
        if OPEN in text:
            for secret_mark, secret in self._secret_by_mark.items():
                text = text.replace(secret_mark, secret)
        return text
