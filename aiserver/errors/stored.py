"""Find the ``UserText`` of a stored error message, so that the message can be translated.

A history contains the message of an error as an English sentence. This module compares the sentence
with the texts of the error classes in ``model.py``. If an earlier version of AI Server worded the
sentence differently, no text matches, and the interface shows the English sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import zip_longest

from . import model as model_errors
from .base import UserText


@lru_cache(maxsize=256)
def find_text(sentence: str) -> UserText | None:
    """Return a ``UserText`` whose English text is ``sentence``, or None if no template matches."""
    for pattern, text in _patterns():
        if match := pattern.fullmatch(sentence):
            # If a value equals the default parameter at the same position, such as “The provider”,
            # use the default parameter. It is a `UserText`, so it is translated, too.
            pairs = zip_longest(match.groups() or text.params, text.params)
            return text.fill(*(default if value == default else value for value, default in pairs))
    return None


@cache
def _patterns() -> list[tuple[re.Pattern[str], UserText]]:
    """Return a pattern for each text of the classes in ``model.py``, the most specific first."""
    texts = sorted(_class_texts(), key=lambda text: text.template.count("%"))
    return [
        (re.compile(re.sub("%[1-9]", "(.+)", re.escape(text.template))), text) for text in texts
    ]


def _class_texts() -> Iterator[UserText]:
    for member in vars(model_errors).values():
        if isinstance(member, type):
            yield from (text for text in vars(member).values() if isinstance(text, UserText))
