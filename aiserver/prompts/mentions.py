"""The cells, values, files and errors that a request mentions by ``@``, as texts of the prompt.

Past answers that the person has chosen as examples are among them.

Invariants:

- No mention is left out. If mentions don't fit into their share, the longest are shortened: code to
  its definitions if that suffices, any other text to its first and last lines.
- They come directly before the intent, because they depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from .notebook.outline import outline
from .prompt_input import MentionedText
from .receipt import ContextItem
from .turns import Count

SHARE = 2  # mentions get at most 1 / SHARE of the room
MIN_TOKENS = 80  # for each mention, even if the prompt then exceeds the budget
_SHORTENED = "[…]"


def is_mentioned(name: str, intent: str) -> bool:
    """Return whether an intent mentions a variable or file by ``@``."""
    return re.search(rf"@[\"']?{re.escape(name)}(?![A-Za-z0-9_])", intent) is not None


def is_named(name: str, intent: str) -> bool:
    """Return whether an intent names a variable, also without ``@``.

    A name of one or two Latin letters could be a word, so it needs ``@`` or backticks.
    """
    is_clear = len(name) > 2 or not name.isascii()
    before = r"(?<!\w)" if is_clear else "[@`]"
    return re.search(rf"{before}{re.escape(name)}(?!\w)", intent, re.ASCII) is not None


async def mention_texts(
    mentions: Sequence[MentionedText],
    form: Callable[[MentionedText], str],
    language: str,
    room: int,
    count: Count,
) -> tuple[str, list[ContextItem]]:
    """Return the joined texts and their receipt.

    ``form`` returns a mention as the prompt shows it.
    """
    if not mentions:
        return "", []
    sizes = await count([form(mention) for mention in mentions])
    shares = fair_shares(sizes, max(room // SHARE, MIN_TOKENS * len(mentions)))
    is_shortened = [size > share for size, share in zip(sizes, shares, strict=True)]
    fitted = [
        _shorten(mention, share / size, language) if size > share else mention
        for mention, size, share in zip(mentions, sizes, shares, strict=True)
    ]
    texts = [form(mention) for mention in fitted]
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
    return "\n".join(texts), items


def mention_text(mention: MentionedText, code: str, text: str) -> str:
    """Return what a mention such as ``@cell3`` means, given its code and text as shown."""
    name = mention.name
    if mention.is_value:
        return mention.text
    if mention.is_past_answer:
        return f"Example from {name}, for {' '.join(mention.text.split())!r}:\n{code}"
    parts = [f"{name}:", code] if mention.code.strip() else []
    if mention.text.strip():
        parts += [f"Output of {name}:" if parts else f"{name}:", text]
    return "\n".join(parts or [f"{name}: empty"])


def fair_shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide ``room``: short texts get what they need, the others equal parts of the rest."""
    shares = list(sizes)
    by_size = sorted(range(len(sizes)), key=sizes.__getitem__)
    for position, index in enumerate(by_size):
        shares[index] = min(sizes[index], room // (len(sizes) - position))
        room -= shares[index]
    return shares


def _shorten(mention: MentionedText, fraction: float, language: str) -> MentionedText:
    length = int((len(mention.code) + len(mention.text)) * fraction)
    code_length = min(len(mention.code), max(length - len(mention.text), length // 2))
    code = mention.code
    if len(code) > code_length:
        short = outline(code, language)
        code = short if 0 < len(short) <= code_length else first_and_last(code, code_length)
    return replace(mention, code=code, text=first_and_last(mention.text, length - len(code)))


def first_and_last(text: str, length: int) -> str:
    """Cut a text to about ``length`` characters: the first third of that, and the end."""
    if len(text) <= length:
        return text
    length = max(length, 0)
    start, end = text[: length // 3], text[len(text) - (length - length // 3) :]
    return "\n".join(part for part in (start.rstrip(), _SHORTENED, end.lstrip()) if part)
