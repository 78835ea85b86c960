"""The grammar that restricts a small model's answer to one fenced block of code.

The grammar is in llama.cpp's format, GBNF.

Invariant: after the opening fence, the answer ends at the first line that starts with a fence
(three backticks). Backticks anywhere else don't end the answer. Answers in Markdown or plain text
are an exception: they may contain nested fenced blocks, whose fences don't end the answer.
"""

from __future__ import annotations

import re

_PROSE = ("markdown", "text")  # languages in which an answer may contain nested blocks

# The rules ``one`` and ``two`` match the rest of a line that starts with one or two backticks.
_CODE_GRAMMAR = r"""root ::= "```LANGUAGE" "\n" line+ "```"
line ::= "\n" | [^`\n] tail | "`" one
one ::= "\n" | [^`\n] tail | "`" two
two ::= "\n" | [^`\n] tail
tail ::= [^\n]* "\n"
"""

# In prose, a fence without a language tag ends the answer. So a nested block must have a tag.
# Models need this way to end the answer: otherwise, they would repeat it. A repetition begins with
# "```markdown" or "```md". So the tag "m" and tags that begin with "ma" or "md" are excluded. As a
# side effect, prose can't contain blocks of MATLAB or makefiles.
_PROSE_GRAMMAR = _CODE_GRAMMAR.replace("line+", "(line | block)+", 1) + (
    r"""block ::= "```" ([a-ln-zA-Z0-9] | "m" [b-ce-z]) [a-zA-Z0-9+#-]* "\n" line+ "```\n"
"""
)


def fenced_block(language: str) -> str:
    """Return the grammar of one block of code in ``language``, including its fences."""
    name = re.sub(r"[^a-z0-9+#.-]", "", language.lower())[:32]
    return (_PROSE_GRAMMAR if name in _PROSE else _CODE_GRAMMAR).replace("LANGUAGE", name)
