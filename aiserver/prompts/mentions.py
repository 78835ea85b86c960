"""The cells, values, files and errors that a request mentions by ``@``, as texts of the prompt.

An accepted answer of another notebook, which the person has chosen as an example, is one of them.

Invariants:

- A mention is never left out. If the mentions don't fit into their share of the prompt, the longest
  ones are shortened: code to its definitions if that suffices, any other text to its first and last
  lines.
- The texts of mentions come directly before the intent, because they depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from . import templates
from .fence import marked
from .history import Count
from .language import CellLanguage
from .notebook.outline import outline
from .prompt_input import MentionedText
from .receipt import ContextItem
from .templates import Style

SHARE = 2  # the mentions get at most 1 / SHARE of the room
MIN_TOKENS = 80  # for each mention, even if the prompt then exceeds the budget
_SHORTENED = "[…]"


def is_mentioned(name: str, intent: str) -> bool:
    """Return whether an intent mentions a variable or file by ``@`` and its name."""
    return re.search(rf"@[\"']?{re.escape(name)}(?![A-Za-z0-9_])", intent) is not None


async def mention_texts(
    mentions: Sequence[MentionedText],
    style: Style,
    language: CellLanguage,
    room: int,
    count: Count,
) -> tuple[str, list[ContextItem]]:
    """Return the texts of the mentions, joined, and their receipt.

    ``room`` is the number of tokens that the required texts leave in the budget.
    """
    if not mentions:
        return "", []
    sizes = await count([_format(mention, style, language) for mention in mentions])
    shares = fair_shares(sizes, max(room // SHARE, MIN_TOKENS * len(mentions)))
    is_shortened = [size > share for size, share in zip(sizes, shares, strict=True)]
    fitted = [
        _shorten(mention, share / size, language) if size > share else mention
        for mention, size, share in zip(mentions, sizes, shares, strict=True)
    ]
    texts = [_format(mention, style, language) for mention in fitted]
    if any(is_shortened):
        sizes = await count(texts)
    items = [
        ContextItem(
            "past_answer" if mention.is_past_answer else "mention",
            mention.name,
            size,
            is_shortened=shortened,
            cell_ids=(mention.cell_id,) if mention.cell_id else (),
            has_output=mention.has_output,
        )
        for mention, size, shortened in zip(mentions, sizes, is_shortened, strict=True)
    ]
    text = "\n".join(texts)
    return f"{marked('mentions', text) if style == 'full' else text}\n", items


def fair_shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide ``room``: short texts get what they need, and the others equal parts of the rest."""
    shares = list(sizes)
    by_size = sorted(range(len(sizes)), key=sizes.__getitem__)
    for position, index in enumerate(by_size):
        shares[index] = min(sizes[index], room // (len(sizes) - position))
        room -= shares[index]
    return shares


def _format(mention: MentionedText, style: Style, language: CellLanguage) -> str:
    if mention.is_value:
        return mention.text
    if mention.is_past_answer:
        return templates.past_answer(mention.name, mention.text, mention.code, style, language)
    return templates.mention(mention.name, mention.code, mention.text, style, language)


def _shorten(mention: MentionedText, fraction: float, language: CellLanguage) -> MentionedText:
    """Return the mention with at most about ``fraction`` of its characters."""
    length = int((len(mention.code) + len(mention.text)) * fraction)
    code_length = min(len(mention.code), max(length - len(mention.text), length // 2))
    code = mention.code
    if len(code) > code_length:
        short = outline(code, language.kernel)
        code = short if 0 < len(short) <= code_length else first_and_last(code, code_length)
    return replace(mention, code=code, text=first_and_last(mention.text, length - len(code)))


def first_and_last(text: str, length: int) -> str:
    """Return a text of about ``length`` characters: the first third of it, and the end."""
    if len(text) <= length:
        return text
    length = max(length, 0)
    start, end = text[: length // 3], text[len(text) - (length - length // 3) :]
    return "\n".join(part for part in (start.rstrip(), _SHORTENED, end.lstrip()) if part)
