"""The grammar (GBNF) that makes a small model answer with one fenced block of code and no more.

What must hold: the answer ends at the first line that starts with a fence, and only there;
backticks anywhere else in the code stay possible.
"""

from __future__ import annotations

import re

_GRAMMAR = r"""root ::= "```" LANGUAGE "\n" line+ "```"
line ::= "\n" | [^`\n] tail | "`" one
one ::= "\n" | [^`\n] tail | "`" two
two ::= "\n" | [^`\n] tail
tail ::= [^\n]* "\n"
"""


def fenced_block(language: str) -> str:
    """The grammar of one block of code in ``language``, its fence included."""
    name = re.sub(r"[^a-z0-9+#.-]", "", language.lower())[:32]
    return _GRAMMAR.replace("LANGUAGE", f'"{name}"')
