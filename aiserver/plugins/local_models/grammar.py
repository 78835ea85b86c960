"""The grammar, in llama.cpp's GBNF, that restricts a small model's answer to one fenced block of
code, or to a cell's code with additions.

Invariant: the answer ends at the first line that starts with a fence. Only answers in Markdown or
plain text may contain nested blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...llm.base import Gap

_PROSE = ("markdown", "text")  # answers in these may contain nested blocks

# ``one`` and ``two`` match the rest of a line after that many backticks.
_CODE_GRAMMAR = r"""root ::= "```LANGUAGE" "\n" line+ "```"
line ::= "\n" | [^`\n] tail | "`" one
one ::= "\n" | [^`\n] tail | "`" two
two ::= "\n" | [^`\n] tail
tail ::= [^\n]* "\n"
"""

# In prose, a fence without a tag ends the answer, so a nested block must have one. Otherwise,
# models would repeat the answer, beginning with "```markdown" or "```md". So the tag "m" and tags
# that begin with "ma" or "md" are excluded, also MATLAB and makefiles.
_PROSE_GRAMMAR = _CODE_GRAMMAR.replace("line+", "(line | block)+", 1) + (
    r"""block ::= "```" ([a-ln-zA-Z0-9] | "m" [b-ce-z]) [a-zA-Z0-9+#-]* "\n" line+ "```\n"
"""
)


def fenced_block(language: str) -> str:
    """Return the grammar of one block of code with its fences."""
    name = re.sub(r"[^a-z0-9+#.-]", "", language.lower())[:32]
    return (_PROSE_GRAMMAR if name in _PROSE else _CODE_GRAMMAR).replace("LANGUAGE", name)


# A required comment isn't empty. A line of Python ends at ``\r``, too. There are a few lines of
# tests, so that a model ends them.
_GAP_RULES = r"""text ::= [^ \r\n] [^\r\n]*
sentence ::= [^ "\\\r\n] [^"\\\r\n]*
tests ::= ("assert " text "\n"){1,5}
"""


def with_additions(pieces: Sequence[str | Gap]) -> str:
    """Return the grammar of a block of Python made of ``pieces``."""
    terms = ['"```python\\n"', *map(_term, pieces), '"```"']
    return f"root ::= {' '.join(terms)}\n{_GAP_RULES}"


def _term(piece: str | Gap) -> str:
    if isinstance(piece, str):
        return _literal(piece)
    if piece.kind == "tests":
        return "tests"
    quotes = _literal('"""')
    term = {
        "comment": f'{_literal(piece.indentation + "# ")} text "\\n"',
        "docstring": f'{_literal(piece.indentation)} {quotes} sentence {quotes} "\\n"',
    }[piece.kind]
    return term if piece.is_required else f"({term})?"


def _literal(text: str) -> str:
    escapes = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"}
    return f'"{"".join(escapes.get(character, character) for character in text)}"'
