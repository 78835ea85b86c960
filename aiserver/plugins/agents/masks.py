"""Secrets in the sources of cells: agents see marks, histories keep marks, notebooks keep secrets.

Invariant: no mark is written into a notebook in place of a secret.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...redact import Vault, redact, redaction_mark

_OPEN = redaction_mark("").partition(":")[0]  # the beginning of all marks


class UnresolvedMark(Exception):
    """A text has a mark whose secret isn't in the notebook. The message is a sentence."""


def hidden(source: str) -> str:
    """Return a source as agents may see it: with marks instead of secrets."""
    return Vault().hide(source)


def hidden_texts(value: Any) -> Any:
    """Return a JSON value with marks instead of the secrets in its texts."""
    if isinstance(value, str):
        return hidden(value)
    if isinstance(value, list):
        return [hidden_texts(each) for each in value]
    if isinstance(value, dict):
        return {key: hidden_texts(each) for key, each in value.items()}
    return value


def revealed(source: str, sources: Iterable[str], now: str) -> str:
    """Put the secrets of a notebook back into an agent's text.

    ``sources`` are those of all cells, and ``now`` that of the changed cell. A secret that the
    agent has moved to where it isn't recognised is masked from now on wherever it occurs. Raises
    UnresolvedMark.
    """
    vault = Vault()
    for each in sources:
        vault.hide(each)
    text = vault.feed(source) + vault.finish()
    if _OPEN in text.replace(now, "") and _OPEN not in now:
        raise UnresolvedMark(
            "The text has a mark of a secret that isn’t in this notebook. Only marks that "
            "cell_read has given for this notebook can be used, as they are."
        )
    vault.register_unrecognised(text)
    return text


def can_be_proposed(source: str, now: str) -> bool:
    """Return whether a proposal can be kept: only masked, so lines with secrets must stay."""
    lines = set(redact(now).split("\n"))
    return all(line in lines for line in redact(source).split("\n") if _OPEN in line)


def unmasked(stored: str, now: str) -> str | None:
    """Put the secrets of a cell back into a version from its history; None if some aren't there."""
    if _OPEN not in stored:
        return stored
    masked, real = redact(now).split("\n"), now.split("\n")
    secrets = dict(zip(masked, real, strict=True)) if len(masked) == len(real) else {}
    lines = [secrets.get(line, line) if _OPEN in line else line for line in stored.split("\n")]
    text = "\n".join(lines)
    return None if _OPEN in text and _OPEN not in now else text
