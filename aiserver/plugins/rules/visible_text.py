"""Decode files that people read before a model gets them.

Invariant: invisible characters, in which instructions could be hidden, are removed, so that a
person sees all of the text.
"""

from __future__ import annotations

import re
import unicodedata

from ..data_files.text import decode

# Selectors of variants, except for the one that makes a symbol an emoji; the joiner of graphemes;
# the fillers of Hangul and Khmer. Unicode says that they aren't shown, as for format characters.
_HIDDEN = re.compile(
    "[\ufe00-\ufe0e\U000e0100-\U000e01ef\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0]"
)


def visible_text(data: bytes) -> str:
    """Return the text in ``data``, without blank lines around it; "" if ``data`` isn't text."""
    decoded = decode(data)
    return visible_part(decoded[0]) if decoded else ""


def visible_part(text: str) -> str:
    """Return a text without the characters that aren't shown, and blank lines around it."""
    lines = text.replace("\r\n", "\n")
    return "".join(character for character in lines if is_visible(character)).strip()


def is_visible(character: str) -> bool:
    """Return whether editors show a character, or lay out text by it, as by a line break.

    They don't show control and format characters, such as tags and marks for the direction of
    text, selectors of variants, and fillers.
    """
    if character in "\n\t":
        return True
    is_hidden = unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn")
    return not (is_hidden or _HIDDEN.match(character))
