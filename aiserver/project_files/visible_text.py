"""Decode files that people read before a model gets them.

Invariant: invisible characters, in which instructions could be hidden, are removed, so that a
person sees all of the text.
"""

from __future__ import annotations

import unicodedata

from ..data_files.text import decode


def visible_text(data: bytes) -> str:
    """Return the text in ``data``, without blank lines around it; "" if ``data`` isn't text."""
    decoded = decode(data)
    text = decoded[0].replace("\r\n", "\n") if decoded else ""
    return "".join(character for character in text if is_visible(character)).strip()


def is_visible(character: str) -> bool:
    """Return whether editors show a character.

    They don't show format characters, such as tags and marks for the direction of text, and
    selectors of variants.
    """
    is_selector = "\U000e0100" <= character <= "\U000e01ef"
    return not is_selector and unicodedata.category(character) not in ("Cf", "Co", "Cn")
