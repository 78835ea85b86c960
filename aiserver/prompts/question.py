"""Recognise requests that ask for an explanation of the cell's code instead of a change.

A model that follows rules decides itself whether to answer in words. A small model gets a special
prompt that asks for words, because its usual prompt asks for code.
"""

from __future__ import annotations

import re

from .language import CellLanguage

_ENGLISH = re.compile(
    r"""
    (?:please\ |can\ you\ |could\ you\ )?
    (?: explain\b
      | (?:summari[sz]e|describe)\ (?:it|what|this|(?:this|the)\ (?:cell|code))\b
      | what(?:'s|\ is|\ are|\ does|\ do)\ (?:this|that|it|the\ (?:cell|code|function)|line\ \d+)
        (?:\ (?:cell|code|line|function))? (?:\ (?:do|doing|for|mean|return|show)\b.*)? \W* $
      | how\ (?:does|do)\ (?:this|that|it|the\ (?:cell|code|function))\b
      | why\ (?:does|do|is|are)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE = re.compile(
    r"""
    ^(?:请|請|帮我|幫我)?(?:解释|解釋|讲解|講解)
    | [这這该該][个個段行些里裡]?.{0,8}
      (?:做了?什[么麼]|[干幹]什[么麼]|什[么麼]意思|有什[么麼]用|的作用)
    | ^[为為]什[么麼]
    """,
    re.VERBOSE,
)


def asks_for_words(intent: str, source: str, language: CellLanguage) -> bool:
    """Return whether the intent asks for an explanation of the cell's code.

    An empty cell has no code to explain. In an empty cell, a question such as “what is the average
    price?” asks for code that computes the answer.
    """
    text = intent.strip()
    has_code = bool(language.below_head(source).strip()) and not language.is_prose
    return has_code and bool(_ENGLISH.match(text) or _CHINESE.search(text))
