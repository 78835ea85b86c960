"""The grammar (GBNF) that makes a small model answer with one fenced block of code and no more.

What must hold: the answer ends at the first line that starts with a fence, and only there;
backticks anywhere else in the code stay possible.
"""

from __future__ import annotations

import re

_TEXTS = ("markdown", "text")  # with four backticks: blocks of three may stand in them

_GRAMMAR = r"""root ::= "FENCE" "LANGUAGE" "\n" line+ "FENCE"
INSIDE
tail ::= [^\n]* "\n"
"""


def fenced_block(language: str) -> str:
    """The grammar of one block of code in ``language``, its fence included."""
    name = re.sub(r"[^a-z0-9+#.-]", "", language.lower())[:32]
    ticks = 4 if name in _TEXTS else 3
    rules = ["line", "one", "two", "three"][:ticks]
    inside = []
    for rule, following in zip(rules, [*rules[1:], None], strict=True):
        more = f' | "`" {following}' if following else ""
        inside.append(rf'{rule} ::= "\n" | [^`\n] tail{more}')
    words = {"FENCE": "`" * ticks, "LANGUAGE": name, "INSIDE": "\n".join(inside)}
    return re.sub("|".join(words), lambda match: words[match[0]], _GRAMMAR)
