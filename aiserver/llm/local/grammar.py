"""The grammar (GBNF) that makes a small model answer with one fenced block of code and no more.

What must hold: the answer ends at the first line that starts with a fence, and only there (in a
text, outside of its own blocks); backticks anywhere else stay possible.
"""

from __future__ import annotations

import re

_TEXTS = ("markdown", "text")

_CODE = r"""root ::= "```LANGUAGE" "\n" line+ "```"
line ::= "\n" | [^`\n] tail | "`" one
one ::= "\n" | [^`\n] tail | "`" two
two ::= "\n" | [^`\n] tail
tail ::= [^\n]* "\n"
"""

# In a text there may be blocks, which have a tag: with a bare fence a model of habit means the end,
# and where that was no end it began anew behind it. No tag begins with "ma" or "md", for a block of
# Markdown is how it begins anew; the price is MATLAB and makefiles in such a text.
_TEXT = _CODE.replace("line+", "(line | block)+", 1) + (
    r"""block ::= "```" ([a-ln-zA-Z0-9] | "m" [b-ce-z]) [a-zA-Z0-9+#-]* "\n" line+ "```\n"
"""
)


def fenced_block(language: str) -> str:
    """The grammar of one block of code in ``language``, its fence included."""
    name = re.sub(r"[^a-z0-9+#.-]", "", language.lower())[:32]
    return (_TEXT if name in _TEXTS else _CODE).replace("LANGUAGE", name)
