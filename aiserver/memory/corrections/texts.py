"""The texts of proposals from corrections, in the language of the interface. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...errors import UserText
from ...i18n import load_texts, translate
from ...search.query import MIN_SIMILARITY, compared_parts, similarity, split_words
from .compare import Substitution
from .names import root_of

_INSTEAD = UserText("Use %1 instead of %2.")
_ARGUMENT = UserText("Pass %1 when calling %2.")
_KEYWORD = UserText("Pass %1 instead of %2 when calling %3.")


def text_of(substitution: Substitution, locale: str) -> str:
    """Return the sentence that is proposed for a substitution."""
    function = f"{substitution.function}()"
    if substitution.kind == "argument":
        text = _ARGUMENT.fill(substitution.new, function)
    elif substitution.kind == "keyword":
        text = _KEYWORD.fill(substitution.new, substitution.old, function)
    elif substitution.kind == "call":
        text = _INSTEAD.fill(f"{substitution.new}()", f"{substitution.old}()")
    else:
        is_method = substitution.old.startswith(".")
        old = f"{substitution.old}()" if is_method else substitution.old
        text = _INSTEAD.fill(substitution.new, old)
    template = translate(load_texts(locale), text.template)
    return re.sub("%([1-3])", lambda match: text.params[int(match[1]) - 1], template)


def is_covered(substitution: Substitution, texts: Collection[str], locale: str) -> bool:
    """Return whether a text is like that of the substitution, or mentions what is preferred."""
    name = substitution.new.partition("=")[0]
    is_function = substitution.kind in ("call", "module")
    words = set(split_words(root_of(name) if is_function else name))
    own_parts = compared_parts(text_of(substitution, locale))
    return any(
        words <= set(split_words(text))
        or similarity(own_parts, compared_parts(text)) >= MIN_SIMILARITY
        for text in texts
    )
