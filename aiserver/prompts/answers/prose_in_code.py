"""Recognise sentences in the place of code."""

from __future__ import annotations

import re

from ..language import CellLanguage
from .python_cells import is_python

_INLINE_CODE = re.compile(r"`[^`\n]*`")
# The beginning of a sentence, the end of a sentence, and signs of code that no sentence contains.
_SENTENCE_START = re.compile(r"(?:[-*>•]\s+|\d+[.)]\s+)*[\"“‘「『(*]*(?:[A-Z]|[^\W\d_a-zA-Z])")
_SENTENCE_END = re.compile(r"[.!?:…。！？：][\"”’」』)*]*$")
_IN_NO_SENTENCE = re.compile(r"^[%!?@#]|[=;{}\[\]]|\w\(|\\$")
# In Chinese and Japanese, which have no spaces between words, each character counts as a word.
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]{2,}")
_MIN_WORDS = 4


def is_prose(code: str, language: CellLanguage) -> bool:
    """Return whether the code of an answer for a Python cell consists of sentences.

    A text that isn't valid Python may be code with a syntax error. So the result is true only if no
    line has signs of code, and if the text begins and ends like a sentence.
    """
    lines = [_INLINE_CODE.sub("x", line).strip() for line in code.splitlines() if line.strip()]
    return (
        language.name == "python"
        and len(_WORDS.findall(code)) >= _MIN_WORDS
        and _SENTENCE_START.match(lines[0]) is not None
        and _SENTENCE_END.search(lines[-1]) is not None
        and not any(_IN_NO_SENTENCE.search(line) for line in lines)
        and not is_python(code)
    )
