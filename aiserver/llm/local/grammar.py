"""The grammar (GBNF) that restricts a small model's answer to one fenced block of code.

Invariant: the answer ends at the first line that starts with a fence, and only there (in prose,
outside of its own blocks); backticks anywhere else remain possible.
"""

from __future__ import annotations

import re

_PROSE = ("markdown", "text")

_CODE = r"""root ::= "```LANGUAGE" "\n" line+ "```"
line ::= "\n" | [^`\n] tail | "`" one
one ::= "\n" | [^`\n] tail | "`" two
two ::= "\n" | [^`\n] tail
tail ::= [^\n]* "\n"
"""

# Prose may contain blocks, but only with a tag: models usually close the answer with a bare fence,
# and if that didn't end it, they started over. No tag begins with "ma" or "md", since models start
# over with a block of Markdown; this excludes blocks of MATLAB and makefiles.
_TEXT = _CODE.replace("line+", "(line | block)+", 1) + (
    r"""block ::= "```" ([a-ln-zA-Z0-9] | "m" [b-ce-z]) [a-zA-Z0-9+#-]* "\n" line+ "```\n"
"""
)


def fenced_block(language: str) -> str:
    """Return the grammar of one block of code in ``language``, including its fence."""
    name = re.sub(r"[^a-z0-9+#.-]", "", language.lower())[:32]
    return (_TEXT if name in _PROSE else _CODE).replace("LANGUAGE", name)
